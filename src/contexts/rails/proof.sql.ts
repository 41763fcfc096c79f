// The statements of the proof of a rail: what the ledger says of it, and when it was last proven.
import type pg from 'pg';

/** What came in by a rail less what went out by it, as the ledgers of all live workspaces have it, minor units. */
export async function ledgerOf(tx: pg.ClientBase, rail: string, currency: string): Promise<bigint> {
  const { rows } = await tx.query<{ amount: string }>(
    `SELECT coalesce(-sum(a.balance), 0) AS amount FROM workspace w JOIN ledger_account a
       ON a.workspace_id = w.id AND a.owner_id = w.id AND a.kind = 'rail.clearing:' || $1::text AND a.currency = $2
     WHERE w.environment = 'live'`,
    [rail, currency],
  );
  return BigInt(rows[0]?.amount ?? 0);
}

/** True for the one process that proves a rail now: when it was last tried before `before`. A rail that nobody has looked at yet waits for that. */
export async function takeProof(pool: pg.Pool, rail: string, { at, before }: { at: Date; before: Date }): Promise<boolean> {
  const { rowCount } = await pool.query(
    'UPDATE rail_state SET proof_tried_at = $2 WHERE name = $1 AND (proof_tried_at IS NULL OR proof_tried_at <= $3 OR proof_tried_at > $2)',
    [rail, at, before],
  );
  return rowCount === 1;
}

/** Notes what a proof came to. */
export async function noteProof(pool: pg.Pool, rail: string, { difference, at }: { difference: bigint; at: Date }): Promise<void> {
  await pool.query('UPDATE rail_state SET difference = $2, proved_at = $3 WHERE name = $1', [rail, difference.toString(), at]);
}

/** What the last proof of a rail came to, and when it was; null before the first. */
export async function lastProof(pool: pg.Pool, rail: string): Promise<{ difference: bigint; at: Date } | null> {
  const { rows } = await pool.query<{ difference: string; at: Date }>(
    'SELECT difference, proved_at AS at FROM rail_state WHERE name = $1 AND proved_at IS NOT NULL',
    [rail],
  );
  const [row] = rows;
  return row === undefined ? null : { difference: BigInt(row.difference), at: row.at };
}
