// What is in a cell, and whether the directory says the same. For the command line: it reads all of a cell.
import type { Database } from '../postgres/database.js';

export interface CellFigures {
  tenants: number;
  bytes: number;
  /** Of the last ten minutes. */
  transfers: number;
}

/** Rows of a tenant that has moved away stay for a day. */
const isThere = 'NOT EXISTS (SELECT FROM moved_workspace m WHERE m.tenant_id = t.id)';

/** The ids of transfers have their time. */
const figures = `
  SELECT (SELECT count(*) FROM tenant t WHERE ${isThere})::int AS tenants, pg_database_size(current_database())::float8 AS bytes,
    coalesce((SELECT sum(n) FROM workspace w, LATERAL (
      SELECT count(*) AS n FROM transfer t WHERE t.workspace_id = w.id AND t.id >= first_id_at(now() - interval '10 minutes')) made), 0)::int AS transfers`;

/** Tenants, bytes and transfers of a cell. */
export async function figuresOf({ pool }: Pick<Database, 'pool'>): Promise<CellFigures> {
  const { rows } = await pool.query<CellFigures>(figures);
  return rows[0] ?? { tenants: 0, bytes: 0, transfers: 0 };
}

/** What a cell and the directory do not agree on. */
export interface CellDifference {
  /** Tenants of the cell that the directory does not have there, and the other way round. */
  unlisted: string[];
  absent: string[];
  /** Credentials of the cell that the directory does not have. */
  credentials: number;
}

const tenantsThere = `SELECT id FROM tenant t WHERE ${isThere}`;
const placed = 'SELECT tenant_id AS id FROM tenant_place WHERE cell_name = $1 AND pending_since IS NULL';
const credentialsThere = `SELECT hash FROM credential WHERE kind <> 'session' AND workspace_id IN (SELECT w.id FROM workspace w JOIN tenant t ON t.id = w.tenant_id WHERE ${isThere})`;
const known = 'SELECT hash FROM credential WHERE hash = ANY($1)';

/** Compares a cell with the directory. Sessions name their workspace, and are not listed. */
export async function compareCell(
  directory: Pick<Database, 'pool'>,
  { cell, database }: { cell: string; database: Pick<Database, 'pool'> },
): Promise<CellDifference> {
  const there = new Set((await database.pool.query<{ id: string }>(tenantsThere)).rows.map(({ id }) => id));
  const listed = new Set((await directory.pool.query<{ id: string }>(placed, [cell])).rows.map(({ id }) => id));
  const hashes = (await database.pool.query<{ hash: Buffer }>(credentialsThere)).rows.map(({ hash }) => hash);
  const { rows } = await directory.pool.query<{ hash: Buffer }>(known, [hashes]);
  return {
    unlisted: [...there].filter((id) => !listed.has(id)),
    absent: [...listed].filter((id) => !there.has(id)),
    credentials: hashes.length - rows.length,
  };
}
