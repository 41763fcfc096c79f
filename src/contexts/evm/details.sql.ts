// The statements about where payouts and deposits are on their chain.
import type { Ctx } from '../../platform/ctx.js';
import type { DetailedOrder, RailDetails } from '../settlement/rail/rail-details.js';

const statements: Readonly<Record<DetailedOrder, string>> = {
  payout: `SELECT id, tx_hash, block_number FROM chain_payment WHERE workspace_id = $1 AND id = ANY ($2::uuid[])`,
  fundingTransaction: `SELECT funding_id AS id, tx_hash, CASE WHEN state <> 'gone' THEN block_number END AS block_number
    FROM chain_arrival WHERE workspace_id = $1 AND funding_id = ANY ($2::uuid[])`,
};

/** What the chain of a network is known to say of orders. */
export async function detailsOn(
  network: string,
  { platform, workspace }: Ctx,
  kind: DetailedOrder,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RailDetails>> {
  const { rows } = await platform.database.pool.query<{ id: string; tx_hash: string | null; block_number: string | null }>({
    name: `chain-details-${kind}`,
    text: statements[kind],
    values: [workspace.id, ids],
  });
  return new Map(
    rows.map(({ id, tx_hash, block_number }) => [
      id,
      { txHash: tx_hash, network, blockNumber: block_number === null ? null : BigInt(block_number) },
    ]),
  );
}
