// Whether a checkout is to be paid, by whom, and what a payment that is begun makes of its row, whatever pays it (CONTRACT.md 8).
import type { Checkout, Prisma } from '../../generated/prisma/client.js';
import { sha256 } from '../../platform/crypto.js';
import type { Ctx } from '../../platform/ctx.js';
import { StateConflict, ValidationFailed } from '../../platform/errors.js';
import { wrongStatus } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { refuseWhilePending } from '../spending/approval/approval.js';
import { checkoutPath, isBuyerSide, lifecycleOf, printCheckoutId, refuseExpired } from './checkout.js';
import { storedAddress } from './checkout-request.js';
import { NotYourCheckout } from './errors.js';
import type { CompleteCheckout } from './payment.js';

// Gap G-249: The tenant, the creating and the named agent complete a checkout; any other agent needs the client secret.
/** Throws unless the actor may pay: it buys, or it has the client secret. */
export function checkBuyer(ctx: Ctx, row: Checkout, clientSecret: string | null | undefined): void {
  if (clientSecret != null && !sha256(clientSecret).equals(row.secretHash)) {
    throw new ValidationFailed([{ path: ['clientSecret'], message: 'is not that of this checkout', rule: 'secret' }]);
  }
  if (clientSecret == null && !isBuyerSide(ctx, row)) {
    throw new NotYourCheckout('Only whoever created a checkout, or has its client secret, can pay it.');
  }
}

/** The checkout as it is to be paid: where it goes may come with the payment. */
export function atAddress(row: Checkout, { shippingAddress }: CompleteCheckout): Checkout {
  return shippingAddress == null ? row : { ...row, shippingAddress: storedAddress(shippingAddress) as Prisma.JsonObject };
}

/** Throws 409 unless the checkout is to be paid. `reader` reads its approval. */
export async function checkUnpaid(ctx: Ctx, reader: Tx, row: Checkout): Promise<void> {
  refuseExpired(ctx, row);
  if (row.status === 'created' || row.status === 'failed') return;
  if (row.status === 'pending_payment') {
    const message = 'The checkout has a payment that is not final yet.';
    const { approvalId, status } = row;
    if (approvalId !== null) await refuseWhilePending(ctx, reader, { approvalId, status, path: checkoutPath(row) }, message);
    throw new StateConflict(message, row.status, ['created', 'failed'], {
      next_actions: [{ rel: 'read', actor: 'any', method: 'GET', path: checkoutPath(row) }],
    });
  }
  const message = `Only a checkout that is not paid can be completed; this one is ${row.status}.`;
  throw wrongStatus(lifecycleOf(row), printCheckoutId(row), row.status, ['created', 'failed'], message);
}

/** The members of a checkout whose payment was begun at `at` and is not final. */
export function waitingRow(at: Date) {
  return { status: 'pending_payment', attemptedAt: at, failureCode: null, failureMessage: null, updatedAt: at } as const;
}

/** What a payment that was begun makes of the row. */
type BegunPayment = Partial<Checkout> & Pick<Checkout, 'status' | 'paidBy' | 'transferId' | 'approvalId' | 'payerAgentId' | 'attemptedAt'>;

/** What is written to the row of a checkout whose payment was begun, with what the request says beside it. */
export function begunRow(row: Checkout, { shippingAddress, details: detailsOf }: CompleteCheckout, payment: BegunPayment): BegunPayment {
  const details = detailsOf?.(row);
  return {
    ...payment,
    ...(row.attemptedAt !== null && { attemptedAt: row.attemptedAt }),
    ...(details !== undefined && { details: details as Prisma.JsonObject }),
    ...(shippingAddress != null && { shippingAddress: storedAddress(shippingAddress) as Prisma.JsonObject }),
  };
}
