// The statements about what has reached the addresses of wallets.
import type pg from 'pg';

/** What is deep and waits, because its wallet was closed. */
export async function unclaimedOn(pool: pg.Pool, chainId: bigint): Promise<{ count: number; amount: bigint }> {
  const { rows } = await pool.query<{ count: number; amount: string }>(
    `SELECT count(*)::int AS count, coalesce(sum(a.value), 0)::text AS amount FROM chain_arrival a
       JOIN wallet w ON w.workspace_id = a.workspace_id AND w.id = a.wallet_id
     WHERE a.chain_id = $1 AND a.state = 'deep' AND w.status = 'closed'`,
    [chainId.toString()],
  );
  const [row] = rows;
  return { count: row?.count ?? 0, amount: BigInt(row?.amount ?? 0) };
}
