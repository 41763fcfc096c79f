// What a payment has come to, written to its checkout under the lock of its row: paid, or failed and to be tried again (CONTRACT.md 8).
import { writeEvents } from '../../events/event.js';
import type { Checkout, Prisma } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { checkoutEvents } from './events.js';

/** How a payment that was under way has ended. */
export type PaymentOutcome =
  /** `transferId`: the transfer that has paid, where it was not known before. */
  { status: 'paid'; transferId?: string } | { status: 'failed'; code: string; message: string };

/** The members of a checkout that has been paid at `at`. */
export function paidRow(at: Date) {
  return {
    status: 'paid',
    attemptedAt: at,
    paidAt: at,
    failureCode: null,
    failureMessage: null,
    updatedAt: at,
    dueAt: null,
    leaseUntil: null,
  } as const;
}

/**
 * Ends the payment of a checkout that is pending_payment, in the transaction that ends the payment itself. One that failed may be paid
 * again until its time is over. Nothing happens to a checkout that waits for no payment.
 */
export async function settleCheckout(ctx: Ctx, tx: Tx, id: string, outcome: PaymentOutcome): Promise<Checkout> {
  const row = await lockRow(tx.checkout, id);
  if (row.status !== 'pending_payment') return row;
  const at = ctx.clock.now();
  const update = (data: Prisma.CheckoutUpdateInput) => tx.checkout.update({ where: rowKey(ctx, id), data });
  if (outcome.status === 'failed') {
    const { status, code, message } = outcome;
    // Its time may have passed while the payment was under way: then it is due at once.
    return update({ status, failureCode: code, failureMessage: message, updatedAt: at, dueAt: row.expiresAt, leaseUntil: null });
  }
  const { transferId = row.transferId } = outcome;
  const { attemptedAt: _, ...paid } = paidRow(at);
  const done = await update({ ...paid, transferId });
  const events = checkoutEvents(ctx, 'acp.checkout.completed', done, at);
  if (events.length > 0) await writeEvents(tx, ctx.workspace.id, events);
  return done;
}
