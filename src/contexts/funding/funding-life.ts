// The steps of money that comes in, each taken once under the lock of its row: with it go its money, the status of its transfer, and the
// events (CONTRACT.md 12). What the rail says twice, or too late, changes nothing.
import { type EventRow, eventRecords } from '../../events/event.js';
import type { FundingTransaction, Transfer } from '../../generated/prisma/client.js';
import { lockedTakeable, unboundedAccount } from '../../ledger/account.js';
import { type Leg, posting } from '../../ledger/posting.js';
import { joinRecords } from '../../ledger/record.js';
import { addSeconds } from '../../platform/clock.js';
import { type Ctx, within } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { type WalletRef, walletRef } from '../accounts/wallet-ref.js';
import { declareOrders, type Failure } from '../settlement/order-kind.js';
import { patienceSeconds, type RailAnswer, type RailReason } from '../settlement/rail.js';
import { errorCodeOf } from '../settlement/rail-code.js';
import { postingWithin, postPlainly } from '../spending/posting.js';
import { rulebook } from '../spending/rulebook.js';
import { event, transferData, transferRoles } from '../transfers/events.js';
import { operationOf } from '../transfers/operation.js';
import { aboutOf } from '../transfers/transfer.js';
import { type NewOperation, operationRecord } from '../usage/operation.js';
import { fundingLifecycle } from './funding-transaction.js';

/** Money that comes in as orders of its rails. */
export const fundingOrders = declareOrders<FundingTransaction>({
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
  follow,
  fail,
});

/** Takes the steps that an answer of the rail means. */
async function follow(ctx: Ctx, tx: Tx, row: FundingTransaction, answer: RailAnswer): Promise<FundingTransaction> {
  const isPending = row.status === 'pending';
  switch (answer.state) {
    case 'accepted':
      return isPending && row.confirmedAt === null ? confirm(ctx, tx, row, answer.expectedAt) : row;
    case 'settled':
      return isPending ? complete(ctx, tx, row) : row;
    case 'rejected':
      return isPending ? refuse(ctx, tx, row, answer) : row;
    case 'returned':
      // What was taken back had come, whether or not we heard of it.
      if (isPending) return comeBack(ctx, tx, await complete(ctx, tx, row), answer);
      return row.status === 'completed' && row.returnedAt === null ? comeBack(ctx, tx, row, answer) : row;
    default:
      return row;
  }
}

function confirm(ctx: Ctx, tx: Tx, { id }: FundingTransaction, expectedAt: Date): Promise<FundingTransaction> {
  const at = ctx.clock.now();
  const askAt = addSeconds(expectedAt > at ? expectedAt : at, patienceSeconds);
  const data = { confirmedAt: at, expectedAt, asked: 0, dueAt: askAt, leaseUntil: null };
  return tx.fundingTransaction.update({ where: rowKey(ctx, id), data });
}

const ended = { dueAt: null, leaseUntil: null } as const;

/** The rail has brought the money: the wallet gets it, less the fee (Gap G-169). */
async function complete(
  ctx: Ctx,
  tx: Tx,
  { id, rail, transferId, amount, fee, currency }: FundingTransaction,
): Promise<FundingTransaction> {
  const at = ctx.clock.now();
  const row = await tx.fundingTransaction.update({ where: rowKey(ctx, id), data: { status: 'completed', completedAt: at, ...ended } });
  await lockRow(tx.transfer, transferId);
  const data = { status: 'completed', completedAt: at, updatedAt: at } as const;
  const transfer = await tx.transfer.update({ where: rowKey(ctx, transferId), data });
  const reader = within(ctx, tx);
  const to = await walletOf(reader, row);
  const [clearing, fees] = await Promise.all([
    unboundedAccount(reader, `rail.clearing:${rail}`, currency),
    unboundedAccount(reader, 'fees', currency),
  ]);
  const legs = moving(currency, [
    [clearing, -amount],
    [to.ledger.available, amount - fee],
    [fees, fee],
  ]);
  const roles = transferRoles(transfer, null, to);
  const completed = event(ctx, 'transfer.completed', transferData(transfer), { at, ...aboutOf(transfer), roles });
  const operation = { ...operationOf(transfer, amount, at), externalCost: { amount: fee, currency } };
  await write(ctx, tx, transfer, legs, completed, operation);
  return row;
}

function refuse(ctx: Ctx, tx: Tx, row: FundingTransaction, answer: RailReason): Promise<FundingTransaction> {
  return fail(ctx, tx, row, { code: errorCodeOf(answer.code), message: answer.reason, reason: answer });
}

/** Ends one whose money did not come: nothing was credited. */
async function fail(
  ctx: Ctx,
  tx: Tx,
  { id, transferId }: FundingTransaction,
  { code, message, reason }: Failure,
): Promise<FundingTransaction> {
  const at = ctx.clock.now();
  const row = await tx.fundingTransaction.update({
    where: rowKey(ctx, id),
    data: { status: 'failed', errorCode: code, returnReason: reason?.reason ?? null, returnCode: reason?.code ?? null, ...ended },
  });
  await lockRow(tx.transfer, transferId);
  const data = { status: 'failed', failureCode: code, failureMessage: message, updatedAt: at } as const;
  const transfer = await tx.transfer.update({ where: rowKey(ctx, transferId), data });
  const failed = event(ctx, 'transfer.failed', transferData(transfer), { at, ...aboutOf(transfer) });
  await write(ctx, tx, transfer, [], failed, operationOf(transfer, 0n, at));
  return row;
}

/**
 * The source takes back what it has paid. The wallet gives what it has; the rest is owed to the platform, and stands in `receivables`
 * (Gap G-170).
 */
async function comeBack(
  ctx: Ctx,
  tx: Tx,
  { id, rail, walletId, transferId, amount, currency }: FundingTransaction,
  { code, reason }: RailReason,
) {
  const at = ctx.clock.now();
  const reader = within(ctx, tx);
  const from = await walletOf(reader, { walletId });
  const [clearing, receivables] = await Promise.all([
    unboundedAccount(reader, `rail.clearing:${rail}`, currency),
    unboundedAccount(reader, 'receivables', currency),
  ]);
  await lockRow(tx.transfer, transferId);
  const data = { refundedAmount: amount, updatedAt: at };
  const transfer = await tx.transfer.update({ where: rowKey(ctx, transferId), data });
  const there = await lockedTakeable(ctx, tx, walletId);
  const taken = there < amount ? there : amount;
  const row = await tx.fundingTransaction.update({
    where: rowKey(ctx, id),
    data: { returnedAt: at, returnReason: reason, returnCode: code, errorCode: errorCodeOf(code), shortfall: amount - taken },
  });
  const legs = moving(currency, [
    [from.ledger.available, -taken],
    [receivables, taken - amount],
    [clearing, amount],
  ]);
  const refunded = event(ctx, 'transfer.refunded', transferData(transfer), { at, ...aboutOf(transfer) });
  await write(ctx, tx, transfer, legs, refunded, { ...operationOf(transfer, amount, at), operation: 'transfer.returned' });
  return row;
}

async function walletOf(reader: Ctx, { walletId }: Pick<FundingTransaction, 'walletId'>): Promise<WalletRef> {
  const wallet = await walletRef(reader, walletId);
  if (wallet === null) throw new Error(`wallet ${walletId} of a funding transaction is gone`);
  return wallet;
}

function moving(currency: string, movements: readonly [accountId: string, amount: bigint][]): Leg[] {
  return movements.flatMap(([accountId, amount]) => (amount === 0n ? [] : [{ accountId, currency, amount }]));
}

/** The posting of a step: what the rail has done is done, so nothing but the ledger itself refuses it. */
async function write(
  ctx: Ctx,
  tx: Tx,
  { id: transferId }: Transfer,
  legs: readonly Leg[],
  told: EventRow,
  operation: NewOperation,
): Promise<void> {
  const { rates } = await rulebook(within(ctx, tx));
  const records = joinRecords(eventRecords(ctx.workspace.id, [told]), { operation: [operationRecord(ctx, operation, rates)] });
  await postPlainly(ctx, postingWithin(tx), posting(ctx, { at: operation.at, transferId, legs, records }));
}
