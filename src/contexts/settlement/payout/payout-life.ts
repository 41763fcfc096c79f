// The steps of a payout, each taken once under the lock of its row: with it go its money, the status of its transfer, and the events
// of both (CONTRACT.md 12). What the rail says twice, or too late, changes nothing.
import { type EventRow, eventRecords } from '../../../events/event.js';
import type { Payout, Prisma, Transfer } from '../../../generated/prisma/client.js';
import { posting } from '../../../ledger/posting.js';
import { joinRecords } from '../../../ledger/record.js';
import { addSeconds } from '../../../platform/clock.js';
import { type Ctx, within } from '../../../platform/ctx.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { walletRef } from '../../accounts/wallet-ref.js';
import { postSpend } from '../../spending/pipeline/posting.js';
import { rulebook } from '../../spending/pipeline/rulebook.js';
import { transferData, event as transferEvent, transferRoles } from '../../transfers/events.js';
import { leavingOf } from '../../transfers/exchange.js';
import { transferEventSubject } from '../../transfers/transfer.js';
import { type NewOperation, operationRecord, writeOperation } from '../../usage/operation.js';
import { aboutPayout, emit, endedData, event, payoutData } from '../events.js';
import type { OrderFailure } from '../rail/order-kind.js';
import { patienceSeconds, type RailAnswer, type RailReason } from '../rail/rail.js';
import { errorCodeOf } from '../rail/rail-code.js';
import { type Movement, payoutOperation, release, releaseLessFee, returnedOf, reversePayout, settlePayout } from './payout-money.js';

/** Takes the steps that an answer of the rail means. Returns the payout as it is then. The lock of its row is held. */
export async function applyPayoutAnswer(ctx: Ctx, tx: Tx, payout: Payout, answer: RailAnswer): Promise<Payout> {
  const { status } = payout;
  switch (answer.state) {
    case 'queued':
      return status === 'pending' && payout.expectedAt?.getTime() !== answer.expectedAt.getTime()
        ? queuePayout(ctx, tx, payout, answer.expectedAt)
        : payout;
    case 'accepted':
      return status === 'pending' ? confirmPayout(ctx, tx, payout, answer.expectedAt) : payout;
    case 'settled': {
      if (status !== 'pending' && status !== 'confirmed') return payout;
      return completePayout(ctx, tx, await confirmed(ctx, tx, payout));
    }
    case 'rejected':
      return status === 'pending' || status === 'confirmed'
        ? failPayout(ctx, tx, payout, { code: errorCodeOf(answer.code), message: answer.reason, reason: answer })
        : payout;
    case 'returned':
      if (status === 'complete') return returnPayout(ctx, tx, payout, answer);
      if (status !== 'pending' && status !== 'confirmed') return payout;
      if (!answer.wasPaid) return returnEarly(ctx, tx, await confirmed(ctx, tx, payout), answer);
      // That it was paid was never heard.
      return returnPayout(ctx, tx, await completePayout(ctx, tx, await confirmed(ctx, tx, payout)), answer);
    default:
      return payout;
  }
}

/** Its rail has it, and begins later. It says so itself when it does. */
function queuePayout(ctx: Ctx, tx: Tx, { id }: Payout, expectedAt: Date): Promise<Payout> {
  const data = { expectedAt, asked: 0, dueAt: addSeconds(expectedAt, patienceSeconds), leaseUntil: null };
  return tx.payout.update({ where: rowKey(ctx, id), data });
}

/** A rail that has paid has accepted before, whether or not it said so. */
async function confirmed(ctx: Ctx, tx: Tx, payout: Payout): Promise<Payout> {
  return payout.status === 'pending' ? confirmPayout(ctx, tx, payout, ctx.clock.now()) : payout;
}

async function confirmPayout(ctx: Ctx, tx: Tx, payout: Payout, expectedAt: Date): Promise<Payout> {
  const at = ctx.clock.now();
  const askAt = addSeconds(expectedAt > at ? expectedAt : at, patienceSeconds);
  const data = { status: 'confirmed', confirmedAt: at, expectedAt, asked: 0, dueAt: askAt, leaseUntil: null } as const;
  const row = await tx.payout.update({ where: rowKey(ctx, payout.id), data });
  await emit(ctx, tx, 'settlement.processing', payoutData(row), { at, ...aboutPayout(row) });
  return row;
}

const ended = { dueAt: null, leaseUntil: null } as const;

async function completePayout(ctx: Ctx, tx: Tx, payout: Payout): Promise<Payout> {
  const at = ctx.clock.now();
  const transfer = await lockRow(tx.transfer, payout.transferId);
  const row = await tx.payout.update({ where: rowKey(ctx, payout.id), data: { status: 'complete', completedAt: at, ...ended } });
  const paid = await tx.transfer.update({
    where: rowKey(ctx, transfer.id),
    data: { status: 'completed', capturedAmount: leavingOf(transfer), completedAt: at, updatedAt: at },
  });
  const from = await walletRef(within(ctx, tx), payout.walletId);
  const told = transferEvent(ctx, 'transfer.completed', transferData(paid), {
    at,
    ...transferEventSubject(paid),
    roles: transferRoles(paid, from, null),
  });
  const events = [event(ctx, 'settlement.completed', payoutData(row), { at, ...aboutPayout(row) }), told];
  const movement = await settlePayout(ctx, tx, payout, transfer, at);
  await write(ctx, tx, paid, movement, events, payoutOperation(row, paid, 'payout.completed', leavingOf(paid), at));
  return row;
}

/** Why a payout was not paid. */
interface PayoutFailure extends OrderFailure {
  /** Somebody called it off: then its transfer is cancelled. */
  isCalledOff?: boolean;
}

/** Ends a payout that was not paid: everything goes back. The lock of its row is held. */
export async function failPayout(ctx: Ctx, tx: Tx, payout: Payout, failure: PayoutFailure): Promise<Payout> {
  const { code, message, reason, isCalledOff = false } = failure;
  const at = ctx.clock.now();
  const transfer = await lockRow(tx.transfer, payout.transferId);
  const row = await tx.payout.update({
    where: rowKey(ctx, payout.id),
    data: { status: 'failed', errorCode: code, returnReason: reason?.reason ?? null, returnCode: reason?.code ?? null, ...ended },
  });
  const over = await tx.transfer.update({
    where: rowKey(ctx, transfer.id),
    data: { status: isCalledOff ? 'cancelled' : 'failed', failureCode: code, failureMessage: message, updatedAt: at },
  });
  const events = [
    event(ctx, 'settlement.failed', endedData(row), { at, ...aboutPayout(row) }),
    ...(over.status === 'failed' ? [transferEvent(ctx, 'transfer.failed', transferData(over), { at, ...transferEventSubject(over) })] : []),
  ];
  const movement = await release(tx, transfer, at);
  await write(ctx, tx, over, movement, events, payoutOperation(row, over, 'payout.failed', 0n, at));
  return row;
}

/** The rail gives back what it accepted before it has paid: the fee is not given back, and the transfer has failed. */
async function returnEarly(ctx: Ctx, tx: Tx, payout: Payout, { code, reason }: RailReason): Promise<Payout> {
  const at = ctx.clock.now();
  const transfer = await lockRow(tx.transfer, payout.transferId);
  const row = await tx.payout.update({ where: rowKey(ctx, payout.id), data: returnData(code, reason) });
  const over = await tx.transfer.update({
    where: rowKey(ctx, transfer.id),
    data: { status: 'failed', capturedAmount: transfer.feeAmount, failureCode: errorCodeOf(code), failureMessage: reason, updatedAt: at },
  });
  const events = [
    event(ctx, 'settlement.returned', endedData(row), { at, ...aboutPayout(row) }),
    transferEvent(ctx, 'transfer.failed', transferData(over), { at, ...transferEventSubject(over) }),
  ];
  const movement = await releaseLessFee(ctx, tx, transfer, at);
  await write(ctx, tx, over, movement, events, payoutOperation(row, over, 'payout.failed', 0n, at));
  return row;
}

function returnData(code: string, reason: string): Prisma.PayoutUncheckedUpdateInput {
  return { status: 'returned', errorCode: errorCodeOf(code), returnReason: reason, returnCode: code, ...ended };
}

/** The rail gives back what it has paid: the transfer stays completed, and is refunded but for the fee. */
async function returnPayout(ctx: Ctx, tx: Tx, payout: Payout, { code, reason }: RailReason): Promise<Payout> {
  const at = ctx.clock.now();
  const transfer = await lockRow(tx.transfer, payout.transferId);
  const row = await tx.payout.update({ where: rowKey(ctx, payout.id), data: returnData(code, reason) });
  const returned = event(ctx, 'settlement.returned', endedData(row), { at, ...aboutPayout(row) });
  const movement = await reversePayout(ctx, tx, payout, transfer);
  if (movement === null) {
    ctx.log.warn({ payoutId: payout.id }, 'a payout came back to a wallet that is closed: its money stays in clearing');
    await emit(ctx, tx, 'settlement.returned', endedData(row), { at, ...aboutPayout(row) });
    await writeOperation(tx, payoutOperation(row, transfer, 'payout.returned', 0n, at), (await rulebook(within(ctx, tx))).rates);
    return row;
  }
  const back = returnedOf(transfer);
  const refunded = await tx.transfer.update({ where: rowKey(ctx, transfer.id), data: { refundedAmount: back, updatedAt: at } });
  const events = [returned, transferEvent(ctx, 'transfer.refunded', transferData(refunded), { at, ...transferEventSubject(refunded) })];
  await write(ctx, tx, refunded, movement, events, payoutOperation(row, refunded, 'payout.returned', back, at));
  return row;
}

/** The posting of a step: what the rail has done is done, so nothing but the ledger itself refuses it. */
async function write(
  ctx: Ctx,
  tx: Tx,
  { id: transferId }: Transfer,
  { legs, limits }: Movement,
  events: readonly EventRow[],
  operation: NewOperation,
): Promise<void> {
  const { rates } = await rulebook(within(ctx, tx));
  const records = joinRecords(eventRecords(ctx.workspace.id, events), { operation: [operationRecord(ctx, operation, rates)] });
  await postSpend(ctx, posting(ctx, { at: operation.at, transferId, legs, limits, records }), { in: tx });
}
