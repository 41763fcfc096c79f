// What becomes of a transfer that is pending: captured, cancelled, expired, or carried out at its time (CONTRACT.md 2).
import { type EventRow, eventRecords } from '../../events/event.js';
import type { Hold, Transfer } from '../../generated/prisma/client.js';
import { resolve } from '../../ledger/hold.js';
import { type Guard, guardsOf, posting } from '../../ledger/posting.js';
import { joinRecords } from '../../ledger/record.js';
import type { Ending } from '../../manifest/approval-subject.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { ApiError, Forbidden, type NextAction, StateConflict, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { conflict } from '../../platform/lifecycle.js';
import { formatMinor, parseMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { printId } from '../../platform/schema/id.js';
import { canSeeApprovalsOf, refuseWhilePending, withdrawApproval } from '../spending/approval/approval.js';
import { mandateOf } from '../spending/pipeline/mandate.js';
import { workspaceGuard } from '../spending/pipeline/pipeline.js';
import { postSpend } from '../spending/pipeline/posting.js';
import { rulebook } from '../spending/pipeline/rulebook.js';
import { writeOperation } from '../usage/operation.js';
import { HoldExpired } from './errors.js';
import { completedEvents, emit, transferData, transferRoles } from './events.js';
import { captureLegs, paidData } from './exchange.js';
import { operationOf, transferOperation } from './operation.js';
import { executeScheduled } from './schedule.js';
import { refuseCapture, refuseRelease } from './side.js';
import { transferSubjectOf } from './subject.js';
import { transferEventSubject, transferLifecycle } from './transfer.js';
import { reachableTransfers } from './transfer-list.js';
import { lessWithheldAt } from './withholding.js';

// Gap G-42: A frozen wallet keeps what it holds: it can be released, but captured only while the payer's wallet and account are active.
/**
 * Pays out what was held, all of it or `amount`; the rest goes back. Only a manual hold that is pending. 409 `state_conflict` or
 * `hold_expired`, 400 for more than is held, 403 `wallet_frozen` while the payer may not spend, and `forbidden` for the agent of the side
 * that does not capture it.
 */
export function captureTransfer(ctx: Ctx, id: string, amount: string | null): Promise<Transfer> {
  return transact(ctx, async (tx) => {
    const transfer = await lockTransfer(ctx, tx, id);
    if (transfer.status !== 'pending') throw conflict(transferLifecycle, id, transfer.status, 'completed');
    transferSubjectOf(ctx, transfer)?.refuse?.(ctx, transfer);
    refuseAside(transfer);
    await refuseCapture(within(ctx, tx), transfer);
    await refuseWaiting(ctx, tx, transfer, 'The transfer is waiting for an approval: nothing can be captured before that.');
    return captureHeld(ctx, tx, transfer, amount);
  });
}

/** The same for a transfer whose lock is held and which may be captured: what it is a part of has been asked. Amount in major units. */
export async function captureHeld(ctx: Ctx, tx: Tx, transfer: Transfer, amount: string | null): Promise<Transfer> {
  const hold = await openHold(tx, transfer);
  const now = ctx.clock.now();
  if (transfer.holdExpiresAt !== null && transfer.holdExpiresAt <= now) throw new HoldExpired();
  const captured = amount === null ? hold.amount : parseMinor(amount, hold.currency, ['amount']);
  if (captured > hold.amount) {
    throw new ValidationFailed([
      { path: ['amount'], message: `is more than the ${formatMinor(hold.amount, hold.currency)} held`, rule: 'max' },
    ]);
  }
  const done = await tx.transfer.update({
    where: rowKey(ctx, transfer.id),
    data: {
      status: 'completed',
      capturedAmount: captured,
      ...paidData(transfer, captured),
      completedAt: now,
      updatedAt: now,
      dueAt: null,
      leaseUntil: null,
    },
  });
  const completed = completedEvents(ctx, done, { at: now, ...(await captureOf(tx, done)) });
  await resolveHold(ctx, tx, done, hold, captured, completed);
  return done;
}

// Gap G-118: Cancelling a transfer cancels its approval; capturing it while it waits is 409 and names the approval.
// Gap G-45: Cancelling emits no event; `failure.code` is `cancelled`, or `hold_expired` for an expired hold.
/**
 * Calls a pending transfer off, and the approval that it waits for; what was held goes back. 409 `state_conflict` when it is no longer
 * pending, 403 for the agent that pays where the payee captures.
 */
export function cancelTransfer(ctx: Ctx, id: string, reason: string | null): Promise<Transfer> {
  return transact(ctx, async (tx) => {
    const transfer = await lockTransfer(ctx, tx, id);
    if (transfer.status !== 'pending') throw conflict(transferLifecycle, id, transfer.status, 'cancelled');
    transferSubjectOf(ctx, transfer)?.refuse?.(ctx, transfer);
    if (isAside(transfer) && ctx.actor.agent !== undefined)
      throw new Forbidden('Only the tenant can release what a settlement rule holds.');
    await refuseRelease(within(ctx, tx), transfer);
    const whole = transferSubjectOf(ctx, transfer)?.whole;
    if (whole !== undefined) await refuseWaiting(ctx, tx, transfer, `The transfer ${whole}: withdraw its approval, which ends both.`);
    if (transfer.approvalId !== null) await withdrawApproval(ctx, tx, transfer.approvalId);
    return endTransfer(ctx, tx, transfer, { status: 'cancelled', ...(reason !== null && { code: 'cancelled', message: reason }) });
  });
}

/** 409 while a transfer waits for its approval. Its payee is not told which (CONTRACT.md 29 on 2). */
async function refuseWaiting(ctx: Ctx, tx: Tx, { id, status, approvalId }: Transfer, message: string): Promise<void> {
  if (approvalId !== null) await refuseWhilePending(ctx, tx, { approvalId, status, path: `/v1/transfers/${id}` }, message);
}

/** What may be done about a transfer that waits for an approval, by whoever sees that. */
export function approvalActions(ctx: Ctx, { approvalId, agentId }: Transfer): NextAction[] {
  if (approvalId === null || !canSeeApprovalsOf(ctx, agentId)) return [];
  return [{ rel: 'cancel_approval', actor: 'any', method: 'POST', path: `/v1/approvals/${printId('approval', approvalId)}/cancel` }];
}

/** True for money that a settlement rule has set aside in its wallet: it goes nowhere. */
function isAside({ originType, subjectType, toWalletId }: Transfer): boolean {
  return originType === 'settlement_execution' && subjectType === null && toWalletId === null;
}

/** 409 for capturing what a settlement rule holds (see G-204). */
function refuseAside(transfer: Transfer): void {
  if (!isAside(transfer)) return;
  throw new StateConflict('A settlement rule holds this money: cancel the transfer to release it.', transfer.status, [], {
    next_actions: [{ rel: 'cancel', actor: 'any', method: 'POST', path: `/v1/transfers/${transfer.id}/cancel` }],
  });
}

/**
 * Ends a pending transfer without its money, under its lock. What was held goes back, and the limits with it. What the transfer pays for
 * follows.
 */
export async function endTransfer(
  ctx: Ctx,
  tx: Tx,
  transfer: Transfer,
  { status, code, message }: Pick<Ending, 'status'> & Partial<Ending>,
): Promise<Transfer> {
  const now = ctx.clock.now();
  const done = await tx.transfer.update({
    where: rowKey(ctx, transfer.id),
    data: { status, failureCode: code ?? null, failureMessage: message ?? null, updatedAt: now, dueAt: null, leaseUntil: null },
  });
  await transferSubjectOf(ctx, done)?.onEnded?.(ctx, tx, done);
  if (status === 'failed') await emit(ctx, tx, 'transfer.failed', transferData(done), { at: now, ...transferEventSubject(done) });
  if (transfer.holdId === null) await writeOperation(tx, operationOf(ctx, done, 0n, now), (await rulebook(within(ctx, tx))).rates);
  else {
    if (status === 'cancelled') await emit(ctx, tx, '_transfer.released', { transfer_id: printId('transfer', done.id) }, { at: now });
    await resolveHold(ctx, tx, done, await openHold(tx, transfer), 0n);
  }
  return done;
}

const holdExpired = { code: 'hold_expired', message: 'The hold expired before it was captured.' };

/** The due step of a pending transfer: a hold expires, a scheduled transfer is carried out or fails. */
export async function stepTransfer(ctx: Ctx, id: string): Promise<void> {
  try {
    await transact(ctx, async (tx) => {
      const transfer = await lockTransfer(ctx, tx, id);
      if (transfer.status !== 'pending' || transfer.dueAt === null || transfer.dueAt > ctx.clock.now()) return transfer;
      if (transfer.holdId !== null) return endTransfer(ctx, tx, transfer, { status: 'cancelled', ...holdExpired });
      return executeScheduled(ctx, tx, transfer);
    });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    await transact(ctx, (tx) => failTransfer(ctx, tx, id, error));
  }
}

async function failTransfer(ctx: Ctx, tx: Tx, id: string, { code, message }: ApiError): Promise<Transfer> {
  const transfer = await lockTransfer(ctx, tx, id);
  return transfer.status === 'pending' ? endTransfer(ctx, tx, transfer, { status: 'failed', code, message }) : transfer;
}

/** What the events of a capture are about, and whom they concern. */
async function captureOf(tx: Tx, transfer: Transfer) {
  const { fromWalletId, toWalletId } = transfer;
  const ids = [fromWalletId, toWalletId].filter((id) => id !== null);
  const wallets = await tx.wallet.findMany({ where: { id: { in: ids } }, select: { id: true, agentId: true } });
  const [from, to] = [fromWalletId, toWalletId].map((id) => wallets.find((wallet) => wallet.id === id) ?? null);
  const roles = transferRoles(transfer, from ?? null, to ?? null);
  return { ...transferEventSubject(transfer), roles, mandate: await mandateOf(tx, transfer.mandateId) };
}

/** The transfer under its row's lock: whoever resolves it, resolves it once (see G-43). */
async function lockTransfer(ctx: Ctx, tx: Tx, id: string): Promise<Transfer> {
  return lockRow(tx.transfer, id, { where: await reachableTransfers(within(ctx, tx)) });
}

async function openHold(tx: Tx, transfer: Transfer): Promise<Hold> {
  const hold = transfer.holdId === null ? null : await tx.hold.findFirst({ where: { id: transfer.holdId, status: 'held' } });
  if (hold === null) {
    const message = 'Only a transfer created with capture: manual can be captured; this one is scheduled.';
    throw new StateConflict(message, transfer.status, ['pending'], { terminal: true });
  }
  return hold;
}

// Gap G-44: A hold is captured once, for at most what is held; the rest goes back, and limits keep the captured part, rounded up.
/** Moves the held money on: `captured` to the payee, the rest back, and the limits with it. */
export async function resolveHold(
  ctx: Ctx,
  tx: Tx,
  transfer: Transfer,
  hold: Hold,
  captured: bigint,
  emitted: EventRow[] = [],
): Promise<void> {
  const at = ctx.clock.now();
  const { legs, limits } = await resolve(tx, hold, { capture: captured, at });
  const reader = within(ctx, tx);
  const exchanged = captured > 0n ? await captureLegs(reader, transfer) : [];
  const paid = await lessWithheldAt(reader, transfer, [...legs, ...exchanged], at);
  const { rates } = await rulebook(reader);
  const operation = transferOperation(ctx, transfer, captured, at, rates);
  const records = joinRecords(eventRecords(ctx.workspace.id, emitted), operation, paid.records);
  const guards = captured > 0n ? [...guardsOf(ctx), ...payerGuards(ctx, transfer)] : [];
  await postSpend(ctx, posting(ctx, { at, transferId: transfer.id, legs: paid.legs, limits, guards, records }), { in: tx });
}

/** What must hold of the payer when held money is paid out: the workspace and its wallet may spend. */
export function payerGuards(ctx: Ctx, { fromWalletId }: Transfer): Guard[] {
  return [workspaceGuard(ctx), ...(fromWalletId === null ? [] : [{ kind: 'payer' as const, id: fromWalletId }])];
}
