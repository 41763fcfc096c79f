// The steps of a charge, each taken once under the lock of its row: with it go the money, the limits, the transfer, its events, and what
// is paid for. What the processor says twice, or too late, changes nothing.
import type { CardCharge } from '../../../generated/prisma/client.js';
import { giveBackReserved, useReserved } from '../../../ledger/hold.js';
import { type Ctx, within } from '../../../platform/ctx.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { followCard } from '../../settlement/rail/card-order.js';
import { collectedLegs, collectingWallet, postStep, reversalLegs } from '../../settlement/rail/collection.js';
import type { OrderEnd, OrderFailure, OrderKind } from '../../settlement/rail/order-kind.js';
import type { RailReason } from '../../settlement/rail/rail.js';
import { errorCodeOf } from '../../settlement/rail/rail-code.js';
import { drawOnReserve } from '../../settlement/reserve/reserve.js';
import { mandateOf } from '../../spending/pipeline/mandate.js';
import { completedEvents, event, transferData, transferRoles } from '../../transfers/events.js';
import { operationOf } from '../../transfers/operation.js';
import { transferEventSubject } from '../../transfers/transfer.js';
import { lessWithheldAt } from '../../transfers/withholding.js';
import { cardChargeLifecycle } from './charge.js';
import { chargeSubject } from './charge-subject.js';

const rows = (db: Pick<Tx, 'cardCharge'>) => db.cardCharge;

/** Charges as orders of the rails of their processors. */
export const chargeOrders: OrderKind<CardCharge> = {
  noun: 'cardCharge',
  table: 'card_charge',
  direction: 'in',
  prefix: 'chg',
  lifecycle: cardChargeLifecycle,
  open: ['pending'],
  rows,
  lockBefore: (ctx, tx, { subjectType, subjectId }) => chargeSubject(ctx, subjectType).lock(tx, subjectId),
  endOf,
  follow: followCard({ rows, pay: payCharge, fail: failCharge, reverse: reverseCharge }),
  fail: failCharge,
};

/** The card as its processor knows it: the token is read when it is needed, and kept nowhere else. */
async function endOf(ctx: Ctx, { cardId }: CardCharge): Promise<OrderEnd | OrderFailure> {
  const card = await ctx.db.vaultedCard.findFirst({ where: { id: cardId } });
  if (card?.sealedToken == null) return { code: 'card_deleted', message: 'The card was deleted before it was charged.' };
  const token = ctx.platform.vault.open(card.sealedToken, card.id);
  return { destination: { token }, destinationRef: `****${card.cardLastFour}`, batch: null };
}

const ended = { dueAt: null, leaseUntil: null } as const;

// Gap G-225: The merchant pays the processor's fee; the payer is charged the amount, which its limits count.
/** The processor has paid: the merchant's wallet gets it, less its fee and what is kept back of payments. */
async function payCharge(ctx: Ctx, tx: Tx, { id, transferId }: CardCharge): Promise<CardCharge> {
  const at = ctx.clock.now();
  const charge = await tx.cardCharge.update({ where: rowKey(ctx, id), data: { status: 'paid', completedAt: at, ...ended } });
  await lockRow(tx.transfer, transferId);
  const data = { status: 'completed', completedAt: at, updatedAt: at } as const;
  const transfer = await tx.transfer.update({ where: rowKey(ctx, transferId), data });
  const reader = within(ctx, tx);
  const to = await collectingWallet(reader, charge);
  const { legs, records } = await lessWithheldAt(reader, transfer, await collectedLegs(ctx, tx, charge, to), at);
  const limits = await useReserved(tx, ctx.workspace.id, transferId);
  const mandate = await mandateOf(tx, transfer.mandateId);
  const events = completedEvents(ctx, transfer, {
    at,
    ...transferEventSubject(transfer),
    roles: transferRoles(transfer, null, to),
    mandate,
  });
  const { amount, fee, currency, rail } = charge;
  const operation = { ...operationOf(ctx, transfer, amount, at), externalCost: { amount: fee, currency, provider: rail } };
  await chargeSubject(ctx, charge.subjectType).settle(ctx, tx, charge, { status: 'paid', transfer });
  await postStep(ctx, tx, { transferId, legs, limits, events, operation, records });
  return charge;
}

/** Why a charge was not paid. */
interface ChargeFailure extends OrderFailure {
  /** Somebody called it off: then its transfer is cancelled. */
  isCalledOff?: boolean;
  /** Whoever calls it off knows already. */
  isKnown?: boolean;
}

/** Ends a charge that was not paid: nothing was credited, and the limits get back what it had reserved. The lock of its row is held. */
export async function failCharge(
  ctx: Ctx,
  tx: Tx,
  { id, transferId }: CardCharge,
  { code, message, isCalledOff = false, isKnown = false }: ChargeFailure,
): Promise<CardCharge> {
  const at = ctx.clock.now();
  const charge = await tx.cardCharge.update({ where: rowKey(ctx, id), data: { status: 'failed', errorCode: code, ...ended } });
  await lockRow(tx.transfer, transferId);
  const status = isCalledOff ? 'cancelled' : 'failed';
  const data = { status, failureCode: code, failureMessage: message, updatedAt: at } as const;
  const transfer = await tx.transfer.update({ where: rowKey(ctx, transferId), data });
  const limits = await giveBackReserved(tx, ctx.workspace.id, transferId);
  const events = isCalledOff ? [] : [event(ctx, 'transfer.failed', transferData(transfer), { at, ...transferEventSubject(transfer) })];
  if (!isKnown) await chargeSubject(ctx, charge.subjectType).settle(ctx, tx, charge, { status: 'failed', transfer, code, message });
  await postStep(ctx, tx, { transferId, limits, events, operation: operationOf(ctx, transfer, 0n, at) });
  return charge;
}

// Gap G-226: A payment by card that is taken back comes out of the reserve, then the merchant's wallet; the rest is owed.
/** The holder of the card has got the money back from the processor, which takes it from the merchant. */
async function reverseCharge(ctx: Ctx, tx: Tx, charge: CardCharge, { code }: RailReason): Promise<CardCharge> {
  const { id, transferId, amount } = charge;
  const at = ctx.clock.now();
  await lockRow(tx.transfer, transferId);
  const transfer = await tx.transfer.update({ where: rowKey(ctx, transferId), data: { refundedAmount: amount, updatedAt: at } });
  const drawn = await drawOnReserve(ctx, tx, transferId, amount);
  const { legs, shortfall } = await reversalLegs(ctx, tx, charge, drawn);
  const row = await tx.cardCharge.update({ where: rowKey(ctx, id), data: { returnedAt: at, errorCode: errorCodeOf(code), shortfall } });
  const events = [event(ctx, 'transfer.refunded', transferData(transfer), { at, ...transferEventSubject(transfer) })];
  const operation = { ...operationOf(ctx, transfer, amount, at), operation: 'checkout.charge_returned' };
  await postStep(ctx, tx, { transferId, legs, events, operation });
  return row;
}
