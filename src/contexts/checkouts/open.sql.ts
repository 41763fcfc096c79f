// What keeps a wallet open: money of it that is held for a checkout, or on its way to it.
import type { OpenOn } from '../../manifest/noun.js';
import type { Ctx } from '../../platform/ctx.js';
import { runIn, type Tx } from '../../platform/postgres/database.js';
import { checkoutPath, printCheckoutId } from './checkout.js';

type Row = Parameters<typeof checkoutPath>[0];

const statement = {
  name: 'open-checkouts',
  text: `
    SELECT subject_id AS id, protocol FROM transfer
    WHERE workspace_id = $1::uuid AND from_wallet_id = ANY ($2::uuid[]) AND status IN ('pending', 'processing')
      AND subject_type IN ('acp_checkout', 'ucp_checkout')
    UNION SELECT subject_id, protocol FROM transfer
    WHERE workspace_id = $1::uuid AND to_wallet_id = ANY ($2::uuid[]) AND status IN ('pending', 'processing')
      AND subject_type IN ('acp_checkout', 'ucp_checkout')
    ORDER BY id LIMIT $3::int`,
};

/** Checkouts whose payment, from or to one of the wallets, is not final. Of one by card the charge says so. */
export async function openCheckouts({ workspace }: Ctx, tx: Tx, walletIds: readonly string[], most: number): ReturnType<OpenOn> {
  const rows = await runIn<Row>(tx, statement, [workspace.id, walletIds, most]);
  return rows.map((row) => ({
    type: 'checkout',
    id: printCheckoutId(row),
    ends: { rel: 'cancel', actor: 'any', method: 'POST', path: `${checkoutPath(row)}/cancel` },
  }));
}
