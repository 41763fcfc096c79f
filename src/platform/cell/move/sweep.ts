// Removes what tenants have left in a cell, a day after they have moved away.
import type pg from 'pg';
import { addSeconds } from '../../clock.js';
import type { Platform } from '../../ctx.js';
import { homeCell } from '../cells.js';
import { unguardTables } from './absence.js';
import { removeTenant } from './copy.js';
import { unlistCredentials } from './credential-list.js';
import { type MoveEnd, withClient } from './end.js';
import { tenantTables } from './tenant-table.js';

// Gap G-571: The rows of a tenant that has moved away stay for 24 hours, and are read by nobody.
const keptSeconds = 24 * 3_600;

/** Removes the rows of one tenant that has left a day ago. Returns `most` while there may be more. */
export async function sweepMoved({ cell, database: { pool, url }, clock }: Platform, most: number): Promise<number> {
  const until = addSeconds(clock.now(), -keptSeconds);
  const { rows } = await pool.query<{ id: string; workspaceIds: string[] }>(
    `SELECT tenant_id AS id, array_agg(workspace_id) AS "workspaceIds" FROM moved_workspace WHERE moved_at <= $1
     GROUP BY tenant_id ORDER BY min(moved_at) LIMIT 1`,
    [until],
  );
  const [tenant] = rows;
  if (tenant === undefined) return 0;
  const end: MoveEnd = { name: cell, isHome: cell === homeCell, url, pool };
  const tables = await withClient(end, tenantTables);
  // It may be on its way back: then what is there was copied.
  const isGone = async (tx: pg.ClientBase) =>
    (await tx.query('SELECT FROM moved_workspace WHERE tenant_id = $1 AND moved_at <= $2 FOR SHARE', [tenant.id, until])).rowCount !== 0;
  if (!(await removeTenant(end, tenant, tables, isGone))) return most;
  const { rowCount } = await pool.query('DELETE FROM moved_workspace WHERE tenant_id = $1 AND moved_at <= $2', [tenant.id, until]);
  if (rowCount === 0) return most;
  await unlistCredentials(end, tenant);
  await unguardTables(end, tenant, tables);
  return most;
}
