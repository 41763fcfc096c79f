// Charges that wait for an approval, and charges that are called off before the processor has them (CONTRACT.md 6).
import type { Approval, CardCharge } from '../../../generated/prisma/client.js';
import { type ApprovalSubject, type Ending, SubjectRefused } from '../../../manifest/approval-subject.js';
import { type Ctx, within } from '../../../platform/ctx.js';
import { ringAt } from '../../../platform/due/due-bell.js';
import { ApiError, StateConflict } from '../../../platform/errors.js';
import type { Currency } from '../../../platform/money.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { collectingWallet } from '../../settlement/rail/collection.js';
import type { OrderFailure } from '../../settlement/rail/order-kind.js';
import { withdrawApproval } from '../../spending/approval/approval.js';
import { approveHeld } from '../../spending/approval/approved-spend.js';
import { mandateNow } from '../../spending/pipeline/mandate.js';
import { lockCharge } from './charge.js';
import { failCharge } from './charge-life.js';
import { authorizeCharge, type ChargeSpend, lockPayable } from './charge-request.js';
import { chargeSubject } from './charge-subject.js';

/** How a charge is approved and ended. */
export const cardChargeSubject: ApprovalSubject = {
  kind: 'cardCharge',
  lock: lockCharge,
  approve: approveCharge,
  end: async (ctx, tx, { subjectId }, { status, code, message }: Ending) => {
    const charge = await tx.cardCharge.findFirstOrThrow({ where: { id: subjectId } });
    return failCharge(ctx, tx, charge, { code, message, isCalledOff: status === 'cancelled' });
  },
};

/** The limits are used anew, as of now, and the charge goes to its processor. */
async function approveCharge(ctx: Ctx, tx: Tx, approval: Approval): Promise<() => void> {
  const { card, ...charge } = await tx.cardCharge.findFirstOrThrow({ where: { id: approval.subjectId }, include: { card: true } });
  const subject = chargeSubject(ctx, charge.subjectType);
  if (subject.check !== undefined) await refusing(subject.check(ctx, tx, charge.subjectId));
  const transfer = await lockRow(tx.transfer, charge.transferId);
  const reader = within(ctx, tx);
  const to = await collectingWallet(reader, charge);
  const { amount, merchantId } = charge;
  const spend: ChargeSpend = {
    to,
    amount,
    merchantId,
    currency: charge.currency as Currency,
    protocol: transfer.protocol as ChargeSpend['protocol'],
    agentId: approval.agentId ?? undefined,
    mandate: await mandateNow(ctx, tx, transfer.mandateId),
    lifted: approval.lifted,
    traceId: transfer.traceId,
  };
  const authority = await authorizeCharge(reader, card, spend);
  await refusing(lockPayable(ctx, tx, card, authority));
  const { at } = authority;
  const held = { approval, authority, id: transfer.id, guards: [{ kind: 'payee', id: to.walletId } as const] };
  await approveHeld(ctx, tx, held, async (decisionId) => {
    await tx.transfer.update({ where: rowKey(ctx, transfer.id), data: { decisionId, updatedAt: at } });
    await tx.cardCharge.update({ where: rowKey(ctx, charge.id), data: { dueAt: at } });
    return {};
  });
  return () => ringAt(ctx, 'card_charge', at);
}

/** What refuses the card, or what it pays for, has nothing to do with who approves. */
async function refusing(check: Promise<void>): Promise<void> {
  try {
    await check;
  } catch (error) {
    throw error instanceof ApiError && error.status < 500 ? new SubjectRefused(error) : error;
  }
}

const calledOff: OrderFailure = { code: 'cancelled', message: 'The charge was cancelled.' };

/**
 * Calls a charge off that its processor has not heard of, and the approval that it waits for. Call it under the lock of the subject, which
 * is not told. 409 once it was submitted: what becomes of it is up to the processor.
 */
export async function withdrawCharge(ctx: Ctx, tx: Tx, id: string, why: OrderFailure = calledOff): Promise<CardCharge> {
  const charge = await lockRow(tx.cardCharge, id);
  const { status, submittedAt, transferId } = charge;
  if (status !== 'pending' || submittedAt !== null) {
    const next_actions = [{ rel: 'transfer', actor: 'any', method: 'GET', path: `/v1/transfers/${transferId}` }] as const;
    const message = 'The charge was sent to the processor, which decides its outcome.';
    throw new StateConflict(message, status, [], { reason: 'submitted', next_actions });
  }
  const { approvalId } = await lockRow(tx.transfer, transferId);
  if (approvalId !== null) await withdrawApproval(ctx, tx, approvalId);
  return failCharge(ctx, tx, charge, { ...why, isCalledOff: true, isKnown: true });
}
