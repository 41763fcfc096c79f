// Using a payment up, once: the seller does for the call that it served, and a checkout does that it pays (CONTRACT.md 8, 9).
import type { Transfer, X402Payment } from '../../../generated/prisma/client.js';
import { type Ctx, within } from '../../../platform/ctx.js';
import { NotFound, StateConflict } from '../../../platform/errors.js';
import { wrongStatus } from '../../../platform/lifecycle.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { printId } from '../../../platform/schema/id.js';
import { visiblePayments, x402PaymentLifecycle } from './payment.js';

/** A payment, and the transfer that moved its money; null for one that moved on a chain alone. */
export interface VisiblePayment {
  payment: X402Payment;
  transfer: Transfer | null;
}

/**
 * The payment that the actor may name, under its lock, and before it under that of its transfer: whoever ends or refunds a transfer holds that
 * one. 404 otherwise, at `field` where it was no path.
 */
export async function lockX402Payment(ctx: Ctx, tx: Tx, id: string, field?: string): Promise<VisiblePayment> {
  const where = visiblePayments.reach(ctx);
  const known = await within(ctx, tx).db.x402Payment.findFirst({ where: { AND: [{ id }, where] }, select: { transferId: true } });
  const transfer = known?.transferId == null ? null : await lockRow(tx.transfer, known.transferId);
  return { payment: await lockRow(tx.x402Payment, id, field === undefined ? { where } : { where, field }), transfer };
}

/** The same without locks, for what is only asked. */
export async function visiblePayment(ctx: Ctx, id: string, field: string): Promise<VisiblePayment> {
  const payment = await ctx.db.x402Payment.findFirst({ where: { AND: [{ id }, visiblePayments.reach(ctx)] } });
  if (payment === null) throw new NotFound(field);
  const { transferId } = payment;
  return { payment, transfer: transferId === null ? null : await ctx.db.transfer.findFirst({ where: { id: transferId } }) };
}

// Gap G-324: A payment that was refunded in full has no valid proof: `verify` says `refunded`, consuming it is 409.
/** True for a payment whose money was all given back. */
export function isRefunded(transfer: Pick<Transfer, 'amount' | 'capturedAmount' | 'refundedAmount'> | null): boolean {
  return transfer !== null && transfer.refundedAmount > 0n && transfer.refundedAmount >= (transfer.capturedAmount ?? transfer.amount);
}

/** Throws 409 unless the payment was made and not used, and its proof is still good. */
export function checkUsable({ clock }: Pick<Ctx, 'clock'>, { payment: row, transfer }: VisiblePayment): void {
  const id = printId('x402Payment', row.id);
  const read = { next_actions: [{ rel: 'read', actor: 'any', method: 'GET', path: `/v1/x402/payments/${id}` }] } as const;
  if (row.status === 'pending') throw new StateConflict('The payment has not been made yet.', row.status, ['settled'], read);
  if (row.status === 'failed') {
    throw wrongStatus(x402PaymentLifecycle, id, row.status, ['settled'], 'The payment has failed: nothing was paid.');
  }
  const spent = (reason: string, message: string) => new StateConflict(message, reason, ['settled'], { ...read, reason });
  if (row.consumedAt !== null) throw spent('consumed', 'The proof of this payment was used before.');
  if (isRefunded(transfer)) throw spent('refunded', 'The payment was refunded: it can no longer be used.');
  if (row.expiresAt <= clock.now()) throw spent('expired', 'The proof of this payment has expired.');
}

/** Uses a payment up. Its lock is held. */
export function useUp(ctx: Ctx, tx: Tx, { id }: X402Payment): Promise<X402Payment> {
  return tx.x402Payment.update({ where: rowKey(ctx, id), data: { consumedAt: ctx.clock.now() } });
}
