// Settlement windows: payouts over one rail in one currency wait for the closing of their window and are submitted together (CONTRACT.md
// 12). One enabled window takes the payouts of its rail and currency.
import type { Payout, SettlementWindow } from '../../../generated/prisma/client.js';
import { loadTogether } from '../../../platform/batch.js';
import { addSeconds } from '../../../platform/clock.js';
import type { Ctx } from '../../../platform/ctx.js';
import { ringAt } from '../../../platform/due/due-bell.js';
import { NotFound, StateConflict, ValidationFailed } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { newId } from '../../../platform/schema/id.js';
import { listOf } from '../../../platform/schema/list.js';
import { checkRail } from '../../transfers/rail.js';
import { railOf } from '../rail/rail.js';
import type { CreateSettlementWindowInput, UpdateSettlementWindowInput } from './window.input.js';
import { isAwaited, lockWindows, shareWindows } from './window.sql.js';
import { completeSchedule, nextClosing, scheduleFaults, type WindowSchedule } from './window-schedule.js';

/** Payouts that are submitted together at most, where the window does not say. */
const usualBatchSize = 1_000;

/** Opens a window. 400 for a wrong schedule, 422 for a rail that does not carry the currency, 409 when another one takes its payouts. */
export async function createWindow(ctx: Ctx, input: CreateSettlementWindowInput): Promise<SettlementWindow> {
  const { name, rail, currency, minBatchAmountCents, maxBatchSize } = input;
  checkRail(ctx, rail, currency);
  const schedule = checkedSchedule({
    frequency: input.frequency,
    scheduleUtc: input.scheduleUtc ?? [],
    cronExpression: input.cronExpression ?? null,
  });
  const enabled = input.enabled !== false;
  const created = await transact(ctx, async (tx) => {
    await lockWindows(ctx, tx);
    if (enabled) await checkFree(tx, { rail, currency });
    const at = ctx.clock.now();
    return tx.settlementWindow.create({
      data: {
        id: newId(at),
        name,
        rail,
        currency,
        ...stored(schedule),
        minBatchAmountCents: BigInt(minBatchAmountCents ?? 0),
        maxBatchSize: maxBatchSize ?? usualBatchSize,
        enabled,
        createdAt: at,
        updatedAt: at,
        dueAt: enabled ? nextClosing(schedule, at) : null,
      },
    });
  });
  ring(ctx, created);
  return created;
}

// Gap G-174: Waiting payouts go with the next closing of a changed window, and at once when it is disabled, deleted or realtime.
// Gap G-173: Rail and currency of a window never change (400); a second enabled window for them is 409.
/**
 * Changes a window. Payouts that wait go with its next closing, and at once when it is disabled or becomes realtime. Errors as of
 * createWindow(). Its rail and its currency stay: payouts wait for it.
 */
export async function updateWindow(ctx: Ctx, input: UpdateSettlementWindowInput & { id: string }): Promise<SettlementWindow> {
  const changed = await transact(ctx, async (tx) => {
    await lockWindows(ctx, tx);
    const before = await lockRow(tx.settlementWindow, input.id, { where: { deletedAt: null } });
    const schedule = checkedSchedule(changedSchedule(before, input));
    const enabled = input.enabled ?? before.enabled;
    if (enabled && !before.enabled) await checkFree(tx, before);
    const at = ctx.clock.now();
    const { name, minBatchAmountCents, maxBatchSize } = input;
    const isMoved = enabled !== before.enabled || input.frequency != null || input.scheduleUtc != null || input.cronExpression != null;
    return tx.settlementWindow.update({
      where: rowKey(ctx, before.id),
      data: {
        ...(name != null && { name }),
        ...stored(schedule),
        ...(minBatchAmountCents != null && { minBatchAmountCents: BigInt(minBatchAmountCents) }),
        ...(maxBatchSize != null && { maxBatchSize }),
        enabled,
        updatedAt: at,
        ...(isMoved && (await moved(ctx, tx, before, enabled ? nextClosing(schedule, at) : null))),
      },
    });
  });
  ring(ctx, changed);
  return changed;
}

/** Deletes a window; payouts that wait for it are submitted at once. */
export async function deleteWindow(ctx: Ctx, id: string): Promise<SettlementWindow> {
  const deleted = await transact(ctx, async (tx) => {
    await lockWindows(ctx, tx);
    const before = await lockRow(tx.settlementWindow, id, { where: { deletedAt: null } });
    const at = ctx.clock.now();
    const data = { enabled: false, deletedAt: at, updatedAt: at, ...(await moved(ctx, tx, before, null)) };
    return tx.settlementWindow.update({ where: rowKey(ctx, id), data });
  });
  ring(ctx, deleted);
  return deleted;
}

/** A window whose next closing is another one. Without any, what waits for it goes now; a closing that has begun goes on. */
async function moved(ctx: Ctx, tx: Tx, before: SettlementWindow, next: Date | null): Promise<Pick<SettlementWindow, 'closing' | 'dueAt'>> {
  const closing = before.closing || (next === null && (await isAwaited(ctx, tx, before.id)));
  return { closing, dueAt: closing ? ctx.clock.now() : next };
}

function ring(ctx: Ctx, { dueAt }: SettlementWindow): void {
  if (dueAt !== null) ringAt(ctx, 'settlement_window', dueAt);
}

/** What a change leaves of a schedule: with another frequency the times of the old one are gone. */
function changedSchedule(
  before: SettlementWindow,
  { frequency, scheduleUtc, cronExpression }: UpdateSettlementWindowInput,
): WindowSchedule {
  const kept = frequency == null || frequency === before.frequency ? before : { scheduleUtc: [], cronExpression: null };
  return {
    frequency: frequency ?? before.frequency,
    scheduleUtc: scheduleUtc ?? kept.scheduleUtc,
    cronExpression: cronExpression ?? kept.cronExpression,
  };
}

function checkedSchedule(schedule: WindowSchedule): WindowSchedule {
  const faults = scheduleFaults(schedule);
  if (faults.length > 0) throw new ValidationFailed(faults);
  return completeSchedule(schedule);
}

function stored({ frequency, scheduleUtc, cronExpression }: WindowSchedule) {
  return { frequency, scheduleUtc: [...scheduleUtc], cronExpression };
}

/** The lock of windows is held. */
async function checkFree(tx: Tx, { rail, currency }: Pick<SettlementWindow, 'rail' | 'currency'>): Promise<void> {
  const taken = await takingWindow(tx, rail, currency);
  if (taken === null) return;
  const path = `/v1/settlement-windows/${taken.id}`;
  throw new StateConflict(
    `Another window already collects the payouts over ${rail} in ${currency}: disable it first.`,
    'enabled',
    ['disabled'],
    {
      window_id: taken.id,
      next_actions: [
        { rel: 'disable', actor: 'api_key', method: 'PATCH', path, body: { enabled: false } },
        { rel: 'window', actor: 'api_key', method: 'GET', path },
      ],
    },
  );
}

function takingWindow(tx: Tx, rail: string, currency: string): Promise<SettlementWindow | null> {
  return tx.settlementWindow.findFirst({ where: { rail, currency, enabled: true, deletedAt: null } });
}

/** Finds the window that takes payouts, for one that begins in this transaction: until its end the window stays as it is. */
export async function joinWindow(ctx: Ctx, tx: Tx, rail: string, currency: string): Promise<SettlementWindow | null> {
  await shareWindows(ctx, tx);
  return takingWindow(tx, rail, currency);
}

/** When a payout goes that begins now: at once, or when its window closes. */
export function startOf(window: SettlementWindow | null, at: Date): Pick<Payout, 'windowId' | 'batchReference' | 'dueAt'> {
  if (window === null) return { windowId: null, batchReference: null, dueAt: at };
  if (window.frequency === 'realtime') return { windowId: window.id, batchReference: newBatchReference(at), dueAt: at };
  return { windowId: window.id, batchReference: null, dueAt: null };
}

/** What the payouts of a group have in common at their rail: at most 35 characters. */
export function newBatchReference(at: Date): string {
  return `pb${newId(at).replaceAll('-', '')}`;
}

// Gap G-176: `expected_at` is the next closing plus the rail's usual time; `batch_reference` is null until the window has closed.
/** When a payout is to arrive: as its rail has said, or counted from the closing that it waits for. */
export async function expectedAt(ctx: Ctx, payout: Payout): Promise<Date | null> {
  const { expectedAt: said, status, windowId, batchReference } = payout;
  if (said !== null || status !== 'pending' || windowId === null || batchReference !== null) return said;
  const closing = await loadTogether(ctx, 'closing', windowId, (ids) => closings(ctx, ids));
  const rail = railOf(ctx, payout.rail);
  return closing == null || rail === undefined ? null : addSeconds(closing, rail.latencySeconds);
}

async function closings({ db }: Ctx, ids: readonly string[]): Promise<Map<string, Date | null>> {
  const rows = await db.settlementWindow.findMany({ where: { id: { in: [...ids] } }, select: { id: true, dueAt: true } });
  return new Map(rows.map(({ id, dueAt }) => [id, dueAt]));
}

/** The window, or 404. */
export async function settlementWindow({ db }: Ctx, id: string): Promise<SettlementWindow> {
  const found = await db.settlementWindow.findFirst({ where: { id, deletedAt: null } });
  if (found === null) throw new NotFound();
  return found;
}

/** Windows, newest first. */
export const settlementWindows = listOf('settlementWindow', { where: { deletedAt: null } });
