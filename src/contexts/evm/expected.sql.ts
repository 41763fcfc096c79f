// The statements about money that a chain brings and that is in no deep block yet: no posting says anything of it.
import type { Ctx } from '../../platform/ctx.js';

const now = `SELECT wallet_id, sum(amount)::text AS amount FROM (
    SELECT wallet_id, amount FROM funding_transaction
      WHERE workspace_id = $1 AND wallet_id = ANY ($2::uuid[]) AND status = 'pending' AND provider = 'evm'
    UNION ALL
    SELECT wallet_id, amount FROM x402_payment
      WHERE workspace_id = $1 AND wallet_id = ANY ($2::uuid[]) AND status = 'settled' AND transfer_id IS NULL AND credited_at IS NULL
  ) AS expected GROUP BY wallet_id`;

// Gap G-855: `pending_in` of the past leaves out what did not come, and x402 payments that were credited since.
const then = `SELECT wallet_id, sum(amount)::text AS amount FROM (
    SELECT wallet_id, amount FROM funding_transaction
      WHERE workspace_id = $1 AND wallet_id = ANY ($2::uuid[]) AND created_at <= $3 AND provider = 'evm'
        AND (status = 'pending' OR completed_at > $3)
    UNION ALL
    SELECT wallet_id, amount FROM x402_payment
      WHERE workspace_id = $1 AND wallet_id = ANY ($2::uuid[]) AND status = 'settled' AND transfer_id IS NULL AND credited_at IS NULL
        AND settled_at <= $3
  ) AS expected GROUP BY wallet_id`;

/** What is on its way to wallets, minor units by wallet: deposits that were seen, and x402 payments that were not credited. */
export async function expectedOf(
  { platform, workspace }: Ctx,
  walletIds: readonly string[],
  at?: Date,
): Promise<ReadonlyMap<string, bigint>> {
  const { rows } = await platform.database.pool.query<{ wallet_id: string; amount: string }>({
    name: at === undefined ? 'chain-expected' : 'chain-expected-then',
    text: at === undefined ? now : then,
    values: at === undefined ? [workspace.id, walletIds] : [workspace.id, walletIds, at],
  });
  return new Map(rows.map(({ wallet_id, amount }) => [wallet_id, BigInt(amount)]));
}
