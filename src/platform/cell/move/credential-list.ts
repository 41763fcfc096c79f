// The hashes of a tenant's credentials, by which a cell finds whose they are. The first cell has those of every cell: it is the directory.
import type { MoveEnd } from './end.js';
import { isOf, type MovingTenant } from './tenant-table.js';

const own = (tenant: MovingTenant) => isOf(tenant, { owner: 'workspace_id', ownedBy: 'workspace' });
const setSize = 5_000;

/** Lists in the target what the source has listed. */
export async function listCredentials({ source, target }: { source: MoveEnd; target: MoveEnd }, tenant: MovingTenant): Promise<void> {
  const { rows } = await source.pool.query<{ row: unknown }>(`SELECT row_to_json(c) AS row FROM credential c WHERE ${own(tenant)}`);
  for (let from = 0; from < rows.length; from += setSize) {
    await target.pool.query(
      `INSERT INTO credential SELECT * FROM json_populate_recordset(NULL::credential, $1)
       ON CONFLICT (hash) DO UPDATE SET expires_at = EXCLUDED.expires_at`,
      [JSON.stringify(rows.slice(from, from + setSize).map(({ row }) => row))],
    );
  }
}

/** Removes the list of a tenant that a cell has no longer. The directory keeps its own. */
export async function unlistCredentials({ pool, isHome }: MoveEnd, tenant: MovingTenant): Promise<void> {
  if (!isHome) await pool.query(`DELETE FROM credential WHERE ${own(tenant)}`);
}
