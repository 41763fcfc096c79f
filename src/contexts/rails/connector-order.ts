// An order that a rail of production has accepted, on its way: its steps are those of its kind, what it counts among is the day of the rail, and
// whoever waits for it hears how it ends in the transaction that says so.
import type pg from 'pg';
import type { ConnectorOrder } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { type FoundOrder, findOrder as findOwner, lockOrder } from '../settlement/rail/order-kind.js';
import type { RailAnswer, RailReason } from '../settlement/rail/rail.js';
import { configuredRail } from './configured-rails.js';
import { lockDay, setDay } from './connector-order.sql.js';
import type { ConfiguredRail } from './rail-kind.js';
import { countInDay } from './rail-state.sql.js';

/** When a rail of the file is not there any more its orders wait, and are looked at again after so many seconds. */
const unknownRailSeconds = 3_600;

/** When an order is expected to have been paid that begins at `at`. */
export function expectedAt({ expectedSeconds }: Pick<ConfiguredRail, 'expectedSeconds'>, at: Date): Date {
  return addSeconds(at, expectedSeconds);
}

/** What the rail says of an order. */
export function answerOf({ state, code, reason, expectedAt: expected }: ConnectorOrder): RailAnswer {
  const why = { code: code ?? 'unknown', reason: reason ?? 'The rail did not say why.' };
  switch (state) {
    case 'accepted':
      return { state: 'queued', expectedAt: expected };
    case 'settled':
      return { state };
    case 'rejected':
      return { state, ...why };
    case 'returned':
      return { state, wasPaid: true, ...why };
  }
}

/** The due step of an order. */
export async function stepConnectorOrder(ctx: Ctx, id: string): Promise<void> {
  const order = await ctx.db.connectorOrder.findFirst({ where: { id } });
  if (order === null || order.state !== 'accepted' || order.dueAt === null || order.dueAt > ctx.clock.now()) return;
  const rail = configuredRail(ctx, order.rail);
  if (rail === undefined) {
    ctx.log.error({ rail: order.rail, order: id }, 'RAILS_FILE names the rail of an open order no more: it waits');
    return void (await waitOrder(ctx, order, addSeconds(ctx.clock.now(), unknownRailSeconds)));
  }
  if (order.day === null && !(await isAwaited(ctx, order))) return endUnsent(ctx, order);
  await rail.step(ctx, order);
}

/** Whether somebody still waits for an order that has not begun to leave: one that was given up before it arrived is not carried out. */
async function isAwaited(ctx: Ctx, order: ConnectorOrder): Promise<boolean> {
  const owner = await ownerOf(ctx, order);
  if (owner === null) return false;
  const { kind, row } = owner;
  return kind.open.includes(row.status) && row.railReference === order.reference;
}

function ownerOf(ctx: Pick<Ctx, 'db' | 'platform'>, { rail, reference }: ConnectorOrder): Promise<FoundOrder | null> {
  return findOwner(ctx, { rail, railReference: reference });
}

async function endUnsent(ctx: Ctx, order: ConnectorOrder): Promise<void> {
  await transact(ctx, async (tx) => {
    const row = await lockRow(tx.connectorOrder, order.id);
    // Somebody has asked for it again meanwhile.
    if (row.state !== 'accepted' || row.day !== null || row.reference !== order.reference) return row;
    return tx.connectorOrder.update({ where: rowKey(ctx, order.id), data: { state: 'rejected', code: 'not_awaited', ...ended(ctx) } });
  });
}

/** Writes when an order goes on. `expected`: when it is to be paid, where that has changed; whoever waits hears it. */
export async function waitOrder(ctx: Ctx, order: ConnectorOrder, dueAt: Date, expected?: Date): Promise<void> {
  const isLater = expected !== undefined && expected.getTime() !== order.expectedAt.getTime();
  const data = { dueAt, leaseUntil: null, ...(isLater && { expectedAt: expected }) };
  if (!isLater) await ctx.db.connectorOrder.updateMany({ where: { id: order.id, state: 'accepted' }, data });
  else await tell(ctx, order, { state: 'queued', expectedAt: expected }, data);
  ringAt(ctx, 'connector_order', dueAt);
}

/** The rail has begun to carry the order out, and expects to have paid by then. The order goes on at `dueAt`. */
export async function confirmOrder(ctx: Ctx, order: ConnectorOrder, { expected, dueAt }: { expected: Date; dueAt: Date }): Promise<void> {
  await tell(ctx, order, { state: 'accepted', expectedAt: expected }, { expectedAt: expected, dueAt, leaseUntil: null });
  ringAt(ctx, 'connector_order', dueAt);
}

/** The rail has paid. `also`: what is written in the same transaction, once. */
export async function settleOrder(ctx: Ctx, order: ConnectorOrder, also?: (tx: Tx) => Promise<void>): Promise<void> {
  await tell(ctx, order, { state: 'settled' }, { state: 'settled', ...ended(ctx) }, also);
}

/** The rail will not pay: the money goes back. */
export async function rejectOrder(ctx: Ctx, order: ConnectorOrder, why: RailReason): Promise<void> {
  await tell(ctx, order, { state: 'rejected', ...why }, { state: 'rejected', ...why, ...ended(ctx) });
}

function ended({ clock }: Ctx) {
  return { endedAt: clock.now(), dueAt: null, leaseUntil: null } as const;
}

type OrderData = Partial<Pick<ConnectorOrder, 'state' | 'code' | 'reason' | 'endedAt' | 'expectedAt' | 'dueAt'>> & { leaseUntil: null };

/** The step is that of whoever waits: the audit log is told of the payout, not of the order that keeps its books. */
function ctxOf(ctx: Ctx, owner: FoundOrder | null): Ctx {
  if (owner === null) return ctx;
  const { table } = owner.kind;
  return { ...ctx, act: { action: `due.${table}`, resourceType: table, resourceId: owner.row.id } };
}

/** Writes what has become of an order, and tells whoever waits for it, in one transaction. Once: an order that has ended stays as it is. */
async function tell(ctx: Ctx, order: ConnectorOrder, answer: RailAnswer, data: OrderData, also?: (tx: Tx) => Promise<void>): Promise<void> {
  const owner = await ownerOf(ctx, order);
  const told = ctxOf(ctx, owner);
  await transact(told, async (tx) => {
    const awaited = owner === null ? null : await lockOrder(told, owner.kind, tx, owner.row);
    const row = await lockRow(tx.connectorOrder, order.id);
    if (row.state !== 'accepted') return row;
    await also?.(tx);
    const after = await tx.connectorOrder.update({ where: rowKey(ctx, order.id), data });
    if (awaited !== null && awaited.railReference === order.reference) await owner?.kind.follow(told, tx, awaited, answer);
    return after;
  });
}

/**
 * Counts an order in the limits of today, within the transaction that lets it leave. False where the day is full, and it waits for the next one,
 * or where it has ended meanwhile. An order counts once.
 */
export async function countOrder(tx: pg.ClientBase, { limits }: ConfiguredRail, order: ConnectorOrder, at: Date): Promise<boolean> {
  const counted = await lockDay(tx, order);
  if (counted !== null) return counted !== undefined;
  const day = dayOf(at);
  const limit = { rail: order.rail, day, perDay: limits.perDay, perDayCount: limits.perDayCount };
  if (!(await countInDay(tx, limit, order.amount))) return false;
  await setDay(tx, order, day);
  return true;
}

/** The day of UTC that a time is in. */
export function dayOf(at: Date): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()));
}
