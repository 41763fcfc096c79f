// The books of the simulated rails: what a provider would keep. An order is accepted, settles or is rejected in its time, and may come back;
// what happens is booked on the statement, and the platform is told through the same door as by a real provider (CONTRACT.md 12).
import type { RailFaultKind, RailOrder as Row } from '../../../generated/prisma/client.js';
import { addSeconds } from '../../../platform/clock.js';
import type { Ctx } from '../../../platform/ctx.js';
import { ringAt } from '../../../platform/due/due-bell.js';
import { systemCtx } from '../../../platform/due/step.js';
import { transact } from '../../../platform/idempotency.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { isUniqueViolation } from '../../../platform/postgres/failure.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { newId } from '../../../platform/schema/id.js';
import { type CallbackState, sendCallback } from './callback.js';
import type { RailAnswer, RailOrder } from './rail.js';
import { reasonOfCode } from './rail-code.js';
import { consumeFaults } from './rail-fault.js';

/** How a simulated rail behaves. */
export interface RailFigures {
  name: string;
  /** From the order to the payment. */
  latencySeconds: number;
  /** What goes wrong on it. */
  codes: readonly [string, ...string[]];
  /** How it treats an order, where the order itself says so. */
  treatmentOf?: (order: RailOrder) => Treatment;
}

/** How an order is treated: what is left out is as usual. */
export interface Treatment {
  latencySeconds?: number;
  faults?: readonly RailFaultKind[];
  /** Why it is rejected. */
  code?: string;
}

/** An order with the fault `latency` takes so many times as long. */
const slowness = 10;

/** What a provider writes into its own books is no change of the platform: the audit log is not told. */
const asProvider = (ctx: Ctx): Ctx => ({ ...ctx, act: null });

/** Books an order, once for a reference. One that comes too late is not booked, and never will be. */
export async function book(ctx: Ctx, figures: RailFigures, order: RailOrder): Promise<RailAnswer> {
  const { name: rail, codes } = figures;
  const { latencySeconds = figures.latencySeconds, faults: asked = [], code: why } = figures.treatmentOf?.(order) ?? {};
  const at = ctx.clock.now();
  if (at > order.expiresAt) return { state: 'missing' };
  const usual = addSeconds(at, latencySeconds);
  try {
    const row = await transact(asProvider(ctx), async (tx) => {
      const faults = [...new Set([...asked, ...(await consumeFaults(tx, rail, order))])];
      const settlesAt = addSeconds(at, faults.includes('latency') ? latencySeconds * slowness : latencySeconds);
      const fails = faults.includes('reject') || faults.includes('return');
      const { reference, direction, amount, currency } = order;
      const code = fails ? (why ?? codes[Math.floor(Math.random() * codes.length)] ?? codes[0]) : null;
      const state = 'accepted';
      return tx.railOrder.create({
        data: {
          id: newId(at),
          rail,
          reference,
          direction,
          amount,
          currency,
          state,
          told: state,
          faults,
          code,
          settlesAt,
          createdAt: at,
          dueAt: settlesAt,
        },
      });
    });
    ringAt(ctx, 'rail_order', row.settlesAt);
    const isSilent = has(row, 'lost_ack') || has(row, 'out_of_order');
    return isSilent ? { state: 'unknown' } : { state: 'accepted', expectedAt: usual };
  } catch (error) {
    if (isUniqueViolation(error)) return lookUpOrder(ctx, rail, order.reference);
    throw error;
  }
}

/** What the books say of a reference. */
export async function lookUpOrder(ctx: Ctx, rail: string, reference: string): Promise<RailAnswer> {
  const row = await ctx.db.railOrder.findFirst({ where: { rail, reference } });
  if (row === null) return { state: 'missing' };
  if (row.state === 'accepted') return { state: 'accepted', expectedAt: row.settlesAt };
  if (row.state === 'settled') return { state: 'settled' };
  if (row.state === 'rejected') return { state: row.state, ...reasonFor(row) };
  return { state: row.state, wasPaid: await wasPaid(ctx, row), ...reasonFor(row) };
}

/** Whether the statement has a payment of an order. */
async function wasPaid(ctx: Ctx, { rail, reference }: Row): Promise<boolean> {
  return (await ctx.db.railStatement.findFirst({ where: { rail, reference, importId: null }, select: { id: true } })) !== null;
}

/** The due step of an order: what its time has brought is booked, then told. What was not told when the process died is told again. */
export async function stepOrder(ctx: Ctx, id: string): Promise<void> {
  const row = await transact(ctx, async (tx) => {
    const before = await lockRow(tx.railOrder, id);
    if (before.dueAt === null || before.dueAt > ctx.clock.now() || before.told !== before.state) return before;
    if (before.state === 'accepted') return enter(ctx, tx, before, has(before, 'reject') ? 'rejected' : 'settled');
    return before.state === 'settled' && has(before, 'return') ? enter(ctx, tx, before, 'returned') : before;
  });
  if (row.dueAt === null || row.dueAt > ctx.clock.now()) return;
  await sendCallbacks(ctx, row);
}

/** What is to become of an order now. */
export interface Forced {
  rail: string;
  reference: string;
  state: 'settled' | 'rejected' | 'returned';
  code: string;
  /** What a repeated Idempotency-Key answers with. */
  resultId: string;
}

/** Forces what becomes of an order now. False when it is too late for that, or the rail has no such order. */
export async function force(ctx: Ctx, { rail, reference, state, code, resultId }: Forced): Promise<boolean> {
  const found = await ctx.db.railOrder.findFirst({ where: { rail, reference, state: { in: beforeOf(state) } }, select: { id: true } });
  if (found === null) return false;
  const row = await transact(
    ctx,
    async (tx) => {
      const before = await lockRow(tx.railOrder, found.id);
      return beforeOf(state).includes(before.state) ? enter(ctx, tx, { ...before, code }, state) : before;
    },
    () => resultId,
  );
  if (row.state === state) await sendCallbacks(systemCtx(ctx.platform, ctx.workspace, null), row);
  return row.state === state;
}

/** The states that an order may have before. */
function beforeOf(state: Forced['state']): Row['state'][] {
  return state === 'returned' ? ['accepted', 'settled'] : ['accepted'];
}

/** Books a new state of an order, and the line of the statement that it means. */
async function enter(ctx: Ctx, tx: Tx, row: Row, state: Exclude<CallbackState, 'accepted'>): Promise<Row> {
  const at = ctx.clock.now();
  const { rail, reference, currency } = row;
  const isReturn = state === 'returned' && row.state === 'settled';
  if (state === 'settled' || isReturn) {
    // What comes in is a credit, and so is what was paid and comes back.
    const direction = (row.direction === 'in') === isReturn ? 'debit' : 'credit';
    const description = isReturn ? `return ${row.code ?? ''}`.trim() : row.direction === 'in' ? 'collection' : 'payment';
    const line = { id: newId(at), rail, reference, amount: bookedOf(row), currency, direction, description, bookedAt: at } as const;
    await tx.railStatement.create({ data: line });
  }
  // Due until it was told.
  return tx.railOrder.update({ where: rowKey(ctx, row.id), data: { state, code: row.code, dueAt: at } });
}

/** What the statement and the callbacks say: with a mismatch a minor unit too much. */
function bookedOf(row: Row): bigint {
  return has(row, 'amount_mismatch') ? row.amount + 1n : row.amount;
}

/** Sends the platform the callbacks for what an order has become, as often and in the order that its faults say; then nothing is due but its return. */
async function sendCallbacks(ctx: Ctx, row: Row): Promise<void> {
  const { state } = row;
  const paid = state === 'returned' ? { paid: await wasPaid(ctx, row) } : {};
  for (const said of callbacksOf(row)) await sendCallback(ctx, row.rail, { ...callbackBody(row, said), ...(said === state && paid) });
  const comesBack = state === 'settled' && has(row, 'return');
  const dueAt = comesBack ? new Date(2 * row.settlesAt.getTime() - row.createdAt.getTime()) : null;
  await transact(asProvider(ctx), async (tx) => {
    // Whoever booked another state meanwhile tells it.
    await tx.railOrder.updateMany({ where: { id: row.id, state }, data: { told: state, dueAt, leaseUntil: null } });
    return row;
  });
  if (dueAt !== null) ringAt(ctx, 'rail_order', dueAt);
}

/** What is told of an order. With an acknowledgment that is lost nothing reaches us by itself but money that comes back. */
function callbacksOf(row: Row): CallbackState[] {
  const { state } = row;
  if (has(row, 'lost_ack') && state !== 'returned') return [];
  const reported: CallbackState[] = [state];
  if (has(row, 'duplicate_callback')) reported.push(state);
  if (has(row, 'out_of_order') && state !== 'accepted') reported.push('accepted');
  return reported;
}

function callbackBody(row: Row, state: CallbackState) {
  const { reference, currency, settlesAt } = row;
  const why = state === 'rejected' || state === 'returned' ? reasonFor(row) : {};
  const expected = state === 'accepted' ? { expected_at: settlesAt.toISOString() } : {};
  return { reference, state, amount: bookedOf(row), currency, ...why, ...expected };
}

function reasonFor({ code }: Row): { code: string; reason: string } {
  const given = code ?? 'unknown';
  return { code: given, reason: reasonOfCode(given) };
}

function has({ faults }: Row, kind: RailFaultKind): boolean {
  return faults.includes(kind);
}
