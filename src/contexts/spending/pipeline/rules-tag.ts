// The name under which processes keep the rules of a workspace, and how they are made to read them again. The database notifies it
// when a rule of any kind changes (migration *_spending).
import type { Ctx } from '../../../platform/ctx.js';

/** The cache tag of a workspace's rules. */
export function rulesTag(workspaceId: string): string {
  return `rules:${workspaceId}`;
}

/** Makes this process read the rules again; the database tells the others. Call it after the commit. */
export function dropRulebook({ platform, workspace }: Pick<Ctx, 'platform' | 'workspace'>): void {
  platform.cache.drop(rulesTag(workspace.id));
}
