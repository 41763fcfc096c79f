// Refunds and disputes, as tests of every operation need them.
import type { Example } from '../../example.js';
import { transferBody } from '../../factories/payment.js';
import { disputeBody, refundBody, storedDispute, storedRefund } from '../../factories/refund.js';

export const example: Example = {
  stored: async ({ harness, client }) => ({
    refund: (await storedRefund(harness, client)).id,
    dispute: (await storedDispute(harness, client)).id,
  }),
  made: async ({ client, wallet, payee }) => {
    const paid = await client.make('/v1/transfers', transferBody(wallet, payee.wallet, '10.00'));
    const refund = await client.make('/v1/refunds', refundBody(paid, { amount: '1.00' }));
    const dispute = await client.make('/v1/disputes', disputeBody(paid));
    const refundable = await client.make('/v1/transfers', transferBody(wallet, payee.wallet, '10.00'));
    return { refund: refund.id, dispute: dispute.id, original_transfer: refundable.id };
  },
  bodies: { createDispute: ({ original_transfer }) => ({ transfer_id: original_transfer }) },
};
