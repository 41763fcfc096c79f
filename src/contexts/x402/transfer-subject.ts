// What becomes of the transfer of an x402 payment: one that is authorized up to an amount is settled by its seller (CONTRACT.md 9).
import type { Transfer } from '../../generated/prisma/client.js';
import type { TransferSubject } from '../../manifest/noun.js';
import type { Ctx } from '../../platform/ctx.js';
import { StateConflict } from '../../platform/errors.js';
import { printId } from '../../platform/schema/id.js';
import { approvalActions } from '../transfers/hold.js';
import { failPayment } from './payment/payment-life.js';

export const transfersOfPayments: TransferSubject = {
  operation: () => ({ category: 'x402_payment', operation: 'x402.pay' }),
  refuse: refuseOfSeller,
  onEnded: failPayment,
};

// Gap G-296: The seller ends an `upto` payment by `consume` with the `amount` used; else it expires after an hour.
/** What its seller settles, or it expires. */
function refuseOfSeller(ctx: Ctx, transfer: Transfer): void {
  if (transfer.capture !== 'manual') return;
  const path = `/v1/x402/payments/${printId('x402Payment', transfer.id)}`;
  throw new StateConflict('The transfer is an x402 payment: its seller settles what was used.', transfer.status, [], {
    next_actions: [
      { rel: 'payment', actor: 'any', method: 'GET', path },
      { rel: 'consume', actor: 'any', method: 'POST', path: `${path}/consume` },
      ...approvalActions(ctx, transfer),
    ],
  });
}
