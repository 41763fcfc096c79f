// What becomes of a payment on the ledger network that is pending: approved, settled by its seller, or failed with its transfer. A proof is
// used up once (CONTRACT.md 9).
import { writeEvents } from '../../../events/event.js';
import type { Transfer, X402Payment } from '../../../generated/prisma/client.js';
import type { ApprovalSubject } from '../../../manifest/approval-subject.js';
import { addSeconds } from '../../../platform/clock.js';
import type { Ctx } from '../../../platform/ctx.js';
import { Forbidden, StateConflict, ValidationFailed } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import { parseMinor } from '../../../platform/money.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { printId } from '../../../platform/schema/id.js';
import { refuseWhilePending } from '../../spending/approval/approval.js';
import { transferSubject } from '../../transfers/approval.js';
import { deliveries } from '../../transfers/delivery.js';
import { captureHeld } from '../../transfers/hold.js';
import type { ConsumeX402PaymentInput } from './payment.input.js';
import { completedEvent, proofSeconds, settlementHash } from './payment.js';
import { checkUsable, lockX402Payment, useUp } from './payment-use.js';
import { signProof } from './proof.js';

/** How a payment is approved, which settles it, and ended. */
export const paymentSubject: ApprovalSubject = {
  ...transferSubject,
  kind: 'x402Payment',
  approve: async (ctx, tx, approval) => {
    const after = await transferSubject.approve(ctx, tx, approval);
    const transfer = await tx.transfer.findFirstOrThrow({ where: { id: approval.subjectId } });
    // Of an `upto` payment the money is held on, until its seller settles it.
    if (transfer.status === 'completed') await settlePayment(ctx, tx, transfer);
    return after;
  },
};

/** A payment whose transfer ends without its money has failed, whoever ends it: an approval, an expiry, the payer. */
export async function failPayment(_ctx: Ctx, tx: Tx, { id, status, failureCode }: Transfer): Promise<void> {
  const data = { status: 'failed', failureReason: failureCode ?? status, dueAt: null } as const;
  await tx.x402Payment.updateMany({ where: { id, status: 'pending' }, data });
}

/** The money of a payment has moved: it is settled, and proves it. Under the lock of the transfer. */
async function settlePayment(ctx: Ctx, tx: Tx, transfer: Transfer): Promise<X402Payment> {
  const before = await lockRow(tx.x402Payment, transfer.id);
  const at = ctx.clock.now();
  const settled = {
    amount: transfer.capturedAmount ?? transfer.amount,
    expiresAt: addSeconds(at, proofSeconds),
    txHash: settlementHash(transfer),
  };
  const proof = await signProof(ctx.platform, { ...before, ...settled });
  const data = { ...settled, proof, status: 'settled', settledAt: at } as const;
  const row = await tx.x402Payment.update({ where: rowKey(ctx, before.id), data });
  await writeEvents(tx, row.workspaceId, [completedEvent(ctx, row)]);
  return row;
}

/**
 * Uses a proof up, as the seller: the call was served. An `upto` payment is settled with it, for `amount` or all that was authorized. 409
 * `state_conflict` for one that was used before, that has ended, or that has not been paid; 403 for its payer.
 */
export function consumePayment(
  ctx: Ctx,
  id: string,
  { amount = null, responseSha256 }: Partial<ConsumeX402PaymentInput>,
): Promise<X402Payment> {
  return transact(ctx, async (tx) => {
    const seen = await lockX402Payment(ctx, tx, id);
    refusePayer(ctx, seen.payment);
    const isUpto = seen.payment.status === 'pending' && seen.payment.scheme === 'upto';
    const settled = isUpto ? await settleUsed(ctx, tx, seen.payment, amount) : seen.payment;
    checkUsable(ctx, { ...seen, payment: settled });
    if (!isUpto) checkWhole(settled, amount);
    if (responseSha256 != null) await noteAnswer(ctx, tx, settled, responseSha256);
    return useUp(ctx, tx, settled);
  });
}

/** What the seller answered is what was delivered for the transfer. */
async function noteAnswer(ctx: Ctx, tx: Tx, { id, transferId, status }: X402Payment, sha256: string): Promise<void> {
  const transfer = transferId === null ? null : await tx.transfer.findFirst({ where: { id: transferId } });
  if (transfer === null) {
    const path = `/v1/x402/payments/${printId('x402Payment', id)}/consume`;
    throw new StateConflict('No transfer carries this payment, for which something could be delivered.', status, ['settled'], {
      next_actions: [{ rel: 'consume', actor: 'any', method: 'POST', path, body: {} }],
    });
  }
  await ctx.platform.extensions.of(deliveries)(ctx, tx, transfer, sha256);
}

// Gap G-306: Operators and the agent whose wallet was paid consume a payment; its payer is 403.
/** An agent consumes what its own wallet was paid. */
function refusePayer({ actor }: Ctx, { payeeAgentId }: X402Payment): void {
  if (actor.agent !== undefined && payeeAgentId !== actor.agent.id)
    throw new Forbidden('Only the seller of a call can consume its payment.');
}

async function settleUsed(ctx: Ctx, tx: Tx, seen: X402Payment, amount: string | null): Promise<X402Payment> {
  const transfer = await tx.transfer.findFirstOrThrow({ where: { id: seen.id } });
  if (transfer.approvalId !== null) {
    const message = 'The payment is waiting for an approval: nothing can be settled before that.';
    const path = `/v1/x402/payments/${printId('x402Payment', seen.id)}`;
    await refuseWhilePending(ctx, tx, { approvalId: transfer.approvalId, status: transfer.status, path }, message);
  }
  return settlePayment(ctx, tx, await captureHeld(ctx, tx, transfer, amount));
}

/** Throws 400 for another amount than the one that was paid. */
function checkWhole(row: X402Payment, amount: string | null): void {
  if (amount === null || parseMinor(amount, row.currency, ['amount']) === row.amount) return;
  throw new ValidationFailed([{ path: ['amount'], message: 'is what was paid: only an upto payment is settled for less', rule: 'scheme' }]);
}
