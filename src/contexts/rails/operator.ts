// Who runs the platform, as far as tenants go: the tenant that the file of rails names, else the only one there is.
import { type Ctx, type Platform, type Workspace, workspaceOf } from '../../platform/ctx.js';
import { configuredRails } from './configured-rails.js';
import { operatorFault } from './operator.sql.js';

/** Announced when a tenant comes (notify_cache.sql). */
const operatorTag = 'operator:live';

/** The live workspace of the tenant that runs the platform; null where nobody is known to. */
export async function operatorWorkspace({ database, cache, extensions }: Platform): Promise<Workspace | null> {
  const { operator } = extensions.of(configuredRails);
  const found = await cache.get<{ workspace: Workspace | null }>('operator', async () => {
    const where = { environment: 'live' as const, ...(operator !== null && { tenantId: operator }) };
    const [row, another] = await database.unscoped.workspace.findMany({ where, take: 2, orderBy: { id: 'asc' } });
    return { value: { workspace: row === undefined || another !== undefined ? null : workspaceOf(row) }, tags: [operatorTag] };
  });
  return found.workspace;
}

/** True in the live workspace of the tenant that runs the platform. */
export async function isOperator({ platform, workspace }: Pick<Ctx, 'platform' | 'workspace'>): Promise<boolean> {
  return workspace.environment === 'live' && (await operatorWorkspace(platform))?.id === workspace.id;
}

/** Throws one sentence where the file of rails does not say which tenant runs the platform, or names one that there is not. */
export async function requireOperator({ config, database, extensions }: Platform): Promise<void> {
  const fault = config.railsFile === null ? null : await operatorFault(database.pool, extensions.of(configuredRails).operator);
  if (fault !== null) throw new Error(fault);
}
