// The due step of a report. It works through its phases a stretch at a time; each stretch is one transaction under the lock of the row, and
// leaves in it where the next one begins. So a run of any length holds no locks for long, and goes on where a process has died.

import { writeEvents } from '../../events/event.js';
import { Prisma, type ReconciliationReport, type ReportPhase } from '../../generated/prisma/client.js';
import { unboundedAccount } from '../../ledger/account.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { newId } from '../../platform/schema/id.js';
import { completedData, dayText, discrepancyDataOf, emit, event } from './events.js';
import { writeFindings } from './finding.sql.js';
import { claimRemainder, matchEquals } from './remainder.sql.js';
import { currencyOf, reportLifecycle } from './report.js';
import { type Found, type MatchedStretch, type WalkScope, walkLedger, walkStatement } from './walk.sql.js';

/** Lines of a stretch. */
const stretchLines = 1_000;
/** Milliseconds for which a step goes on to the next stretch. After that others have their turn. */
const turnMs = 2_000;
/** A run that fails so often without coming on has failed. */
const mostFailures = 5;

type Work = (tx: Tx, scope: WalkScope, cursor: readonly string[] | null) => Promise<MatchedStretch>;

/** What is done in each phase, in their order. */
const phases: Readonly<Record<ReportPhase, Work>> = {
  ledger: walkLedger,
  statement: walkStatement,
  same_day: (tx, scope, cursor) => matchEquals(tx, scope, cursor, 0),
  next_day: (tx, scope, cursor) => matchEquals(tx, scope, cursor, 1),
  day_before: (tx, scope, cursor) => matchEquals(tx, scope, cursor, -1),
  remainder: claimRemainder,
};
const order = Object.keys(phases) as ReportPhase[];

/** Takes a report on, `most` lines at a time. Nothing happens to one that has ended. */
export async function stepReport(ctx: Ctx, id: string, most = stretchLines): Promise<void> {
  const endsAt = performance.now() + turnMs;
  try {
    while (await takeStretch(ctx, id, most, () => performance.now() < endsAt));
  } catch (error) {
    await countFailure(ctx, id);
    throw error;
  }
}

/** True when another stretch is to follow at once. */
async function takeStretch(ctx: Ctx, id: string, most: number, hasTime: () => boolean): Promise<boolean> {
  let rung = 0;
  let goesOn = false;
  const report = await transact(ctx, async (tx) => {
    const before = await lockRow<ReconciliationReport>(tx.reconciliationReport, id);
    goesOn = false;
    if (before.status !== 'running') return before;
    const scope = { ...(await scopeOf(ctx, tx, before)), most };
    const stretch = await phases[before.phase](tx, scope, before.cursor as string[] | null);
    rung = stretch.rung;
    await recordFindings(ctx, tx, before, stretch.found);
    const phase = stretch.next === null ? order[order.indexOf(before.phase) + 1] : before.phase;
    const counts = countsOf(before, stretch);
    if (phase === undefined) return complete(ctx, tx, id, counts);
    goesOn = hasTime();
    const cursor = stretch.next === null ? Prisma.DbNull : [...stretch.next];
    const turn = goesOn ? {} : { dueAt: scope.now, leaseUntil: null };
    return tx.reconciliationReport.update({ where: rowKey(ctx, id), data: { ...counts, ...turn, phase, cursor, failures: 0 } });
  });
  // Gap G-186: A payout that is on the statement but still under way here is `rail_only`, and its rail is asked at once.
  if (rung > 0) ringAt(ctx, 'payout', ctx.clock.now());
  if (!goesOn && report.dueAt !== null) ringAt(ctx, 'reconciliation_report', report.dueAt);
  return goesOn;
}

async function scopeOf(ctx: Ctx, tx: Tx, { id, rail, dateFrom, dateTo }: ReconciliationReport): Promise<Omit<WalkScope, 'most'>> {
  const clearingId = await unboundedAccount(within(ctx, tx), `rail.clearing:${rail}`, currencyOf(ctx, rail));
  return {
    workspaceId: ctx.workspace.id,
    rail,
    clearingId,
    reportId: id,
    from: dayText(dateFrom),
    to: dayText(dateTo),
    now: ctx.clock.now(),
  };
}

/** Each line agrees with one of the other side, or is named in one finding. */
function countsOf(before: ReconciliationReport, { matched, found }: MatchedStretch) {
  return {
    matched: before.matched + matched,
    unmatchedLedger: before.unmatchedLedger + found.filter(({ ledger }) => ledger !== null).length,
    unmatchedRail: before.unmatchedRail + found.filter(({ rail }) => rail !== null).length,
    discrepancies: before.discrepancies + found.length,
  };
}

/** Writes the findings of a step, and an event for each discrepancy that is new. */
async function recordFindings(ctx: Ctx, tx: Tx, { id: reportId, rail }: ReconciliationReport, found: readonly Found[]): Promise<void> {
  const at = ctx.clock.now();
  const about = { workspaceId: ctx.workspace.id, reportId, rail, currency: currencyOf(ctx, rail), at };
  const identified = found.map((one) => ({ ...one, id: newId(at) }));
  const fresh = await writeFindings(tx, about, identified);
  if (fresh.size === 0) return;
  const told = identified.filter(({ id }) => fresh.has(id));
  const events = told.map((one) => event(ctx, 'reconciliation.discrepancy', discrepancyDataOf(one, about), { at, objectId: one.id }));
  await writeEvents(tx, ctx.workspace.id, events);
}

const ended = { dueAt: null, leaseUntil: null } as const;

async function complete(ctx: Ctx, tx: Tx, id: string, counts: ReturnType<typeof countsOf>): Promise<ReconciliationReport> {
  const completedAt = ctx.clock.now();
  const data = { ...counts, status: 'completed', completedAt, ...ended } as const;
  const report = await tx.reconciliationReport.update({ where: rowKey(ctx, id), data });
  await emit(ctx, tx, 'reconciliation.completed', completedData(report), { at: completedAt, objectId: id });
  return report;
}

/** A run that does not come on is tried again when its lease has ended, and in the end given up: another one may be begun. */
async function countFailure(ctx: Ctx, id: string): Promise<void> {
  await transact(ctx, async (tx) => {
    const { failures, status } = await lockRow<ReconciliationReport>(tx.reconciliationReport, id);
    const over = failures + 1 >= mostFailures && reportLifecycle.steps[status].includes('failed');
    const data = over ? ({ status: 'failed', completedAt: ctx.clock.now(), ...ended } as const) : {};
    return tx.reconciliationReport.update({ where: rowKey(ctx, id), data: { failures: failures + 1, ...data } });
  });
}
