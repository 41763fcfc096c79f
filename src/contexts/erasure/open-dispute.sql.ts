// The disputes that keep an account from being erased.
import type { Ctx } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';

/** Disputes of transfers of the account that are not resolved, the oldest first, at most `most`. */
export async function openDisputes({ workspace }: Pick<Ctx, 'workspace'>, tx: Tx, accountId: string, most: number): Promise<string[]> {
  const text = `SELECT d.id FROM dispute d JOIN transfer t ON t.workspace_id = d.workspace_id AND t.id = d.transfer_id
    WHERE d.workspace_id = $1::uuid AND d.status <> 'resolved' AND $2::uuid IN (t.from_account_id, t.to_account_id) ORDER BY d.id LIMIT $3`;
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(text, workspace.id, accountId, most);
  return rows.map(({ id }) => id);
}
