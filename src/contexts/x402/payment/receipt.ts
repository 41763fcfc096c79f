// The signed receipt of a payment that is read: as the listener which is asked signs it.
import type { X402Payment } from '../../../generated/prisma/client.js';
import { loadTogether } from '../../../platform/batch.js';
import type { Ctx } from '../../../platform/ctx.js';
import type { ReceiptView } from '../../evidence/receipt-view.js';
import { resourceOf } from '../endpoint/endpoint.js';
import { signReceipt } from '../wire/offer-receipt.js';

/** The receipt of a transfer that x402 has paid; null for any other. */
export const receiptOfTransfer: ReceiptView = async (ctx, transferId) => {
  // A payment on the ledger has the id of its transfer.
  const payment = await ctx.db.x402Payment.findFirst({ where: { id: transferId } });
  return payment === null ? null : receiptOf(ctx, payment);
};

// Gap G-663: A receipt that is read later names the address that its endpoint has then; one of no endpoint here has none.
/** The receipt of a payment; null until it is settled, and for one of an endpoint that is not ours. */
export async function receiptOf(ctx: Ctx, payment: X402Payment): Promise<string | null> {
  const { platform, origin } = ctx;
  if (payment.status !== 'settled' || payment.endpointId === null || origin === undefined) return null;
  const found = await loadTogether(ctx, 'resource of an x402 payment', payment.endpointId, async (ids) => {
    const rows = await ctx.db.x402Endpoint.findMany({ where: { id: { in: [...ids] } }, select: { id: true, url: true } });
    return new Map(rows.map((row) => [row.id, row]));
  });
  if (found === undefined) return null;
  return signReceipt({ platform, origin: origin(), resource: resourceOf(found, origin()) }, payment);
}
