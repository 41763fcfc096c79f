// The statements of the search: the primary key of each table, and an index for each kind of name.
import type { Ctx } from '../../platform/ctx.js';

/** A row that was found, of whichever table. */
export interface FoundRow {
  type: string;
  id: string;
  name: string | null;
  status: string | null;
  transferId: string | null;
}

/** What is told of a row of any table. */
const told = `row->>'name' AS name, row->>'status' AS status, coalesce(row->>'transfer_id', row->>'original_transfer_id') AS "transferId"`;

/** The rows with that id, of each of the tables. Their names come from the manifest. */
export async function rowsOfId(ctx: Ctx, tables: readonly { type: string; table: string }[], id: string): Promise<FoundRow[]> {
  const parts = tables.map(
    ({ type, table }) =>
      `SELECT '${type}' AS type, t.workspace_id, t.id, to_jsonb(t) AS row FROM ${table} t WHERE t.workspace_id = $1 AND t.id = $2`,
  );
  const text = `SELECT type, id, ${told} FROM (${parts.join(' UNION ALL ')}) found WHERE workspace_id = $1`;
  const { rows } = await ctx.platform.database.pool.query<FoundRow>(text, [ctx.workspace.id, id]);
  return rows;
}

const beginnings = [
  ['account', 'name'],
  ['account', 'email'],
  ['agent', 'name'],
  ['merchant', 'name'],
] as const;

/** The transfers and the accounts of that reference, and who is called so or has such an address, newest first. */
export async function rowsOfText(ctx: Ctx, text: string, most: number): Promise<FoundRow[]> {
  const parts = beginnings.map(
    ([table, column]) => `(SELECT '${table}' AS type, t.workspace_id, t.id, to_jsonb(t) AS row FROM ${table} t
      WHERE t.workspace_id = $1 AND lower(t.${column}) LIKE $3 ORDER BY t.id DESC LIMIT $4)`,
  );
  const byReference = `(SELECT 'transfer' AS type, t.workspace_id, t.id, to_jsonb(t) AS row FROM transfer t
    WHERE t.workspace_id = $1 AND t.reference = $2 ORDER BY t.id DESC LIMIT $4)`;
  const byCustomer = `(SELECT 'account' AS type, t.workspace_id, t.id, to_jsonb(t) AS row FROM account t
    WHERE t.workspace_id = $1 AND t.customer_reference = $2 ORDER BY t.id DESC LIMIT $4)`;
  const statement = `SELECT DISTINCT type, id, ${told} FROM (${[byReference, byCustomer, ...parts].join(' UNION ALL ')}) found
    WHERE workspace_id = $1 ORDER BY type DESC, id DESC`;
  const beginning = `${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  const { rows } = await ctx.platform.database.pool.query<FoundRow>(statement, [ctx.workspace.id, text, beginning, most]);
  return rows;
}
