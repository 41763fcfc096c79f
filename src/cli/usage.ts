// Makes the rollups of reports again, of one tenant or of all.
import { rebuildDemand } from '../contexts/analytics/demand.sql.js';
import { workspacesOf } from '../contexts/identity/tenant.js';
import { rebuildUsage } from '../contexts/usage/rebuild.sql.js';
import type { Platform } from '../platform/ctx.js';

/** Rebuilds both workspaces of a tenant, or those of all tenants. Returns how many there were. */
export async function rebuildReports(
  platform: Platform,
  tenantId: string | undefined,
  progress: (doing: string, done: number) => void,
): Promise<number> {
  const workspaces = await workspacesOf(platform, tenantId);
  for (const workspace of workspaces) {
    const name = `${workspace.environment} ${workspace.tenantId.slice(-6)}`;
    await rebuildUsage(platform, workspace, (done, days) => progress(name, done / days));
    await rebuildDemand(platform, workspace.id);
  }
  return workspaces.length;
}
