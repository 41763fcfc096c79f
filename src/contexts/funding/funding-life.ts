// The steps of money that comes in, each taken once under the lock of its row: with it go its money, the status of its transfer, and the
// events (CONTRACT.md 12). What the rail says twice, or too late, changes nothing.
import type { FundingTransaction } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import { type Ctx, within } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { collectedLegs, collectingWallet, postStep, reversalLegs } from '../settlement/rail/collection.js';
import type { OrderFailure, OrderKind } from '../settlement/rail/order-kind.js';
import { patienceSeconds, type RailAnswer, type RailReason } from '../settlement/rail/rail.js';
import { errorCodeOf } from '../settlement/rail/rail-code.js';
import { event, transferData, transferRoles } from '../transfers/events.js';
import { operationOf } from '../transfers/operation.js';
import { transferEventSubject } from '../transfers/transfer.js';
import { fundingLifecycle } from './funding-transaction.js';

/** Money that comes in as orders of its rails. */
export const fundingOrders: OrderKind<FundingTransaction> = {
  noun: 'fundingTransaction',
  table: 'funding_transaction',
  direction: 'in',
  prefix: 'fnd',
  lifecycle: fundingLifecycle,
  open: ['pending'],
  rows: (db) => db.fundingTransaction,
  endOf: async (_ctx, { sourceRef }) => ({
    destination: sourceRef === null ? {} : { source_ref: sourceRef },
    destinationRef: sourceRef ?? '',
    batch: null,
  }),
  follow: applyFundingAnswer,
  fail: failFunding,
};

/** Takes the steps that an answer of the rail means. */
async function applyFundingAnswer(ctx: Ctx, tx: Tx, row: FundingTransaction, answer: RailAnswer): Promise<FundingTransaction> {
  const isPending = row.status === 'pending';
  switch (answer.state) {
    case 'accepted':
      return isPending && row.confirmedAt === null ? confirmFunding(ctx, tx, row, answer.expectedAt) : row;
    case 'settled':
      return isPending ? completeFunding(ctx, tx, row) : row;
    case 'rejected':
      return isPending ? refuse(ctx, tx, row, answer) : row;
    case 'returned':
      // What was taken back had come, whether or not we heard of it.
      if (isPending) return reverseFunding(ctx, tx, await completeFunding(ctx, tx, row), answer);
      return row.status === 'completed' && row.returnedAt === null ? reverseFunding(ctx, tx, row, answer) : row;
    default:
      return row;
  }
}

function confirmFunding(ctx: Ctx, tx: Tx, { id }: FundingTransaction, expectedAt: Date): Promise<FundingTransaction> {
  const at = ctx.clock.now();
  const askAt = addSeconds(expectedAt > at ? expectedAt : at, patienceSeconds);
  const data = { confirmedAt: at, expectedAt, asked: 0, dueAt: askAt, leaseUntil: null };
  return tx.fundingTransaction.update({ where: rowKey(ctx, id), data });
}

const ended = { dueAt: null, leaseUntil: null } as const;

// Gap G-169: The fee is part of `amount`, rounded up; the transfer is pending from the start and ends with the funding transaction.
/** The rail has brought the money: the wallet gets it, less the fee. */
async function completeFunding(
  ctx: Ctx,
  tx: Tx,
  { id, rail, walletId, transferId, amount, fee, currency }: FundingTransaction,
): Promise<FundingTransaction> {
  const at = ctx.clock.now();
  const row = await tx.fundingTransaction.update({ where: rowKey(ctx, id), data: { status: 'completed', completedAt: at, ...ended } });
  await lockRow(tx.transfer, transferId);
  const data = { status: 'completed', completedAt: at, updatedAt: at } as const;
  const transfer = await tx.transfer.update({ where: rowKey(ctx, transferId), data });
  const to = await collectingWallet(within(ctx, tx), row);
  const legs = await collectedLegs(ctx, tx, { rail, walletId, amount, fee, currency }, to);
  const roles = transferRoles(transfer, null, to);
  const completed = event(ctx, 'transfer.completed', transferData(transfer), { at, ...transferEventSubject(transfer), roles });
  const operation = { ...operationOf(ctx, transfer, amount, at), externalCost: { amount: fee, currency, provider: rail } };
  await postStep(ctx, tx, { transferId, legs, events: [completed], operation });
  return row;
}

function refuse(ctx: Ctx, tx: Tx, row: FundingTransaction, answer: RailReason): Promise<FundingTransaction> {
  return failFunding(ctx, tx, row, { code: errorCodeOf(answer.code), message: answer.reason, reason: answer });
}

/** Ends one whose money did not come: nothing was credited. */
async function failFunding(
  ctx: Ctx,
  tx: Tx,
  { id, transferId }: FundingTransaction,
  { code, message, reason }: OrderFailure,
): Promise<FundingTransaction> {
  const at = ctx.clock.now();
  const row = await tx.fundingTransaction.update({
    where: rowKey(ctx, id),
    data: { status: 'failed', errorCode: code, returnReason: reason?.reason ?? null, returnCode: reason?.code ?? null, ...ended },
  });
  await lockRow(tx.transfer, transferId);
  const data = { status: 'failed', failureCode: code, failureMessage: message, updatedAt: at } as const;
  const transfer = await tx.transfer.update({ where: rowKey(ctx, transferId), data });
  const failed = event(ctx, 'transfer.failed', transferData(transfer), { at, ...transferEventSubject(transfer) });
  await postStep(ctx, tx, { transferId, events: [failed], operation: operationOf(ctx, transfer, 0n, at) });
  return row;
}

/** The source takes back what it has paid (see G-170). */
async function reverseFunding(
  ctx: Ctx,
  tx: Tx,
  { id, rail, walletId, transferId, amount, currency }: FundingTransaction,
  { code, reason }: RailReason,
) {
  const at = ctx.clock.now();
  await lockRow(tx.transfer, transferId);
  const data = { refundedAmount: amount, updatedAt: at };
  const transfer = await tx.transfer.update({ where: rowKey(ctx, transferId), data });
  const { legs, shortfall } = await reversalLegs(ctx, tx, { rail, walletId, amount, currency });
  const row = await tx.fundingTransaction.update({
    where: rowKey(ctx, id),
    data: { returnedAt: at, returnReason: reason, returnCode: code, errorCode: errorCodeOf(code), shortfall },
  });
  const refunded = event(ctx, 'transfer.refunded', transferData(transfer), { at, ...transferEventSubject(transfer) });
  const operation = { ...operationOf(ctx, transfer, amount, at), operation: 'transfer.returned' };
  await postStep(ctx, tx, { transferId, legs, events: [refunded], operation });
  return row;
}
