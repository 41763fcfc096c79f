// The steps of a refund to a card, each taken once under the lock of its row: with it go the money, its transfer, the refund, what the
// original has left, and the limits of the buyer. What the processor says twice, or too late, changes nothing.
import type { CardRefund, Hold, Transfer } from '../../generated/prisma/client.js';
import { unboundedAccount } from '../../ledger/account.js';
import { givenBack, resolve, usesOf } from '../../ledger/hold.js';
import { type Leg, type LimitUse, move } from '../../ledger/posting.js';
import { type Ctx, within } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { walletRef } from '../accounts/wallet-ref.js';
import { chargeSubject } from '../cards/charge/charge-subject.js';
import { followCard } from '../settlement/rail/card-order.js';
import { postStep } from '../settlement/rail/collection.js';
import type { OrderEnd, OrderFailure, OrderKind } from '../settlement/rail/order-kind.js';
import type { RailReason } from '../settlement/rail/rail.js';
import { errorCodeOf } from '../settlement/rail/rail-code.js';
import { completedEvents, event, transferData, transferRoles } from '../transfers/events.js';
import { operationOf } from '../transfers/operation.js';
import { transferEventSubject } from '../transfers/transfer.js';
import { cardRefundLifecycle } from './card-refund.js';
import { followRefund } from './refund-follower.js';

const rows = (db: Pick<Tx, 'cardRefund'>) => db.cardRefund;

/** Refunds to cards as orders of the rails that have charged them. */
export const cardRefundOrders: OrderKind<CardRefund> = {
  noun: 'cardRefund',
  table: 'card_refund',
  direction: 'out',
  prefix: 'crf',
  lifecycle: cardRefundLifecycle,
  open: ['pending'],
  rows,
  lockBefore,
  endOf,
  follow: followCard({ rows, pay: payRefund, fail: failRefund, reverse: reverseRefund }),
  fail: failRefund,
};

/** What was paid for comes first, then the original: in the order in which a charge that comes back takes them. */
async function lockBefore(ctx: Ctx, tx: Tx, { chargeId }: CardRefund): Promise<void> {
  const { subjectType, subjectId, transferId } = await tx.cardCharge.findFirstOrThrow({ where: { id: chargeId } });
  await chargeSubject(ctx, subjectType).lock(tx, subjectId);
  await lockRow(tx.transfer, transferId);
}

/** The charge as its processor knows it, and the card while it is in the vault: money goes back to one that was deleted too. */
async function endOf(ctx: Ctx, { chargeId }: CardRefund): Promise<OrderEnd> {
  const { card, railReference } = await ctx.db.cardCharge.findFirstOrThrow({ where: { id: chargeId }, include: { card: true } });
  const token = card.sealedToken === null ? {} : { token: ctx.platform.vault.open(card.sealedToken, card.id) };
  return { destination: { charge: railReference ?? '', ...token }, destinationRef: `****${card.cardLastFour}`, batch: null };
}

const ended = { dueAt: null, leaseUntil: null } as const;

/** The payment that is refunded, whose lock is held, and what of it has reached the card before, minor units. */
async function originalOf(tx: Tx, { id, chargeId }: CardRefund): Promise<{ original: Transfer; before: bigint; isTakenBack: boolean }> {
  const charge = await tx.cardCharge.findFirstOrThrow({ where: { id: chargeId } });
  const original = await tx.transfer.findFirstOrThrow({ where: { id: charge.transferId } });
  const where = { chargeId, id: { not: id }, status: 'paid', returnedAt: null } as const;
  const { _sum } = await tx.cardRefund.aggregate({ where, _sum: { amount: true } });
  return { original, before: _sum.amount ?? 0n, isTakenBack: charge.returnedAt !== null };
}

/** The processor has paid the card: what was held goes to clearing, and the buyer's limits get their part back. */
async function payRefund(ctx: Ctx, tx: Tx, { id, transferId, amount }: CardRefund): Promise<CardRefund> {
  const at = ctx.clock.now();
  const row = await tx.cardRefund.update({ where: rowKey(ctx, id), data: { status: 'paid', completedAt: at, ...ended } });
  const hold = await openHold(tx, await lockRow(tx.transfer, transferId));
  const data = { status: 'completed', capturedAmount: amount, completedAt: at, updatedAt: at } as const;
  const transfer = await tx.transfer.update({ where: rowKey(ctx, transferId), data });
  await tx.refund.update({ where: rowKey(ctx, id), data: { status: 'completed', completedAt: at } });
  const { original, before } = await originalOf(tx, row);
  const refunded = { ...original, refundedAmount: before + amount };
  await followRefund(ctx, tx, refunded);
  const { legs } = await resolve(tx, hold, { capture: amount, at });
  const uses = await usesOf(tx, ctx.workspace.id, original.id);
  const limits: LimitUse[] = givenBack(uses, { part: amount, whole: original.amount, before });
  const roles = transferRoles(transfer, await walletRef(within(ctx, tx), transfer.fromWalletId ?? ''), null);
  const events = [
    ...completedEvents(ctx, transfer, { at, ...transferEventSubject(transfer), roles, mandate: undefined }),
    event(ctx, 'transfer.refunded', transferData(refunded), { at, ...transferEventSubject(original) }),
  ];
  await postStep(ctx, tx, { transferId, legs, limits, events, operation: operationOf(ctx, transfer, amount, at) });
  return row;
}

// Gap G-263: A card refund that the processor refuses has failed; its money goes to the merchant's wallet.
/** Ends a refund that was not paid: all of its money goes to the merchant's wallet, and it can be asked for again. */
async function failRefund(ctx: Ctx, tx: Tx, { id, transferId }: CardRefund, { code, message }: OrderFailure): Promise<CardRefund> {
  const at = ctx.clock.now();
  const row = await tx.cardRefund.update({ where: rowKey(ctx, id), data: { status: 'failed', errorCode: code, ...ended } });
  const hold = await openHold(tx, await lockRow(tx.transfer, transferId));
  const data = { status: 'failed', failureCode: code, failureMessage: message, updatedAt: at } as const;
  const transfer = await tx.transfer.update({ where: rowKey(ctx, transferId), data });
  await revertRefunded(ctx, tx, row, at);
  const { legs } = await resolve(tx, hold, { capture: 0n, at });
  const events = [event(ctx, 'transfer.failed', transferData(transfer), { at, ...transferEventSubject(transfer) })];
  await postStep(ctx, tx, { transferId, legs, events, operation: operationOf(ctx, transfer, 0n, at) });
  return row;
}

// Gap G-264: A completed refund that the card does not accept becomes `failed`; limits that were given back stay given back.
/** The card did not take what was paid to it: the processor gives it to the merchant again, and the refund has failed after all. */
async function reverseRefund(ctx: Ctx, tx: Tx, before: CardRefund, { code }: RailReason): Promise<CardRefund> {
  const { id, transferId, amount, rail, currency } = before;
  const at = ctx.clock.now();
  const row = await tx.cardRefund.update({ where: rowKey(ctx, id), data: { returnedAt: at, errorCode: errorCodeOf(code) } });
  await lockRow(tx.transfer, transferId);
  const transfer = await tx.transfer.update({ where: rowKey(ctx, transferId), data: { refundedAmount: amount, updatedAt: at } });
  await revertRefunded(ctx, tx, row, at);
  const legs = await legsBack(ctx, tx, transfer, { amount, rail, currency });
  const events = [event(ctx, 'transfer.refunded', transferData(transfer), { at, ...transferEventSubject(transfer) })];
  const operation = { ...operationOf(ctx, transfer, amount, at), operation: 'refund.returned' };
  await postStep(ctx, tx, { transferId, legs, events, operation });
  return row;
}

/** The money to the merchant's wallet; where that was closed meanwhile it stays in clearing. */
async function legsBack(
  ctx: Ctx,
  tx: Tx,
  { id, fromWalletId }: Transfer,
  { amount, rail, currency }: Pick<CardRefund, 'amount' | 'rail' | 'currency'>,
): Promise<Leg[]> {
  const reader = within(ctx, tx);
  const open = await tx.wallet.findFirst({ where: { id: fromWalletId ?? '', status: { not: 'closed' } }, select: { id: true } });
  const wallet = open === null ? null : await walletRef(reader, open.id);
  if (wallet === null) {
    ctx.log.warn({ transferId: id }, 'a refund came back to a wallet that is closed: its money stays in clearing');
    return [];
  }
  const clearing = await unboundedAccount(reader, `rail.clearing:${rail}`, currency);
  return move(currency, amount, clearing, wallet.ledger.available).map((leg) => (leg.amount > 0n ? { ...leg, returns: true } : leg));
}

// Gap G-265: A chargeback after a partial refund takes the whole payment, and nothing is left to refund.
/** The refund has failed: what it was to give back counts as refunded no more. What the processor has taken back stays so. */
async function revertRefunded(ctx: Ctx, tx: Tx, row: CardRefund, at: Date): Promise<void> {
  await tx.refund.update({ where: rowKey(ctx, row.id), data: { status: 'failed', completedAt: null } });
  const { original, isTakenBack } = await originalOf(tx, row);
  if (isTakenBack) return;
  const refundedAmount = original.refundedAmount - row.amount;
  await tx.transfer.update({ where: rowKey(ctx, original.id), data: { refundedAmount, updatedAt: at } });
}

async function openHold(tx: Tx, { id, holdId }: Transfer): Promise<Hold> {
  const hold = await tx.hold.findFirst({ where: { id: holdId ?? '', status: 'held' } });
  if (hold === null) throw new Error(`the transfer ${id} of a refund holds nothing`);
  return hold;
}
