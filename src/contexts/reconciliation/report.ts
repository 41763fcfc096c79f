// A report is one run over a rail and a period (CONTRACT.md 12). It runs in the background: its row is the job (due.ts).
import type { ReconciliationReport, ReportStatus } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Lifecycle } from '../../platform/lifecycle.js';
import { newId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { knownRails } from '../transfers/rail.js';

/** Days of a period, at most. */
const mostDays = 366;

export const reportLifecycle: Lifecycle<ReportStatus> = {
  noun: 'report',
  path: '/v1/reconciliation/reports/{id}',
  steps: { running: ['completed', 'failed'], completed: [], failed: [] },
  requests: [],
};

/** The currency that a rail carries. 400 for a rail that nobody knows. */
export function currencyOf(ctx: Pick<Ctx, 'platform'>, rail: string): string {
  const known = knownRails(ctx);
  const currency = Object.hasOwn(known, rail) ? known[rail] : undefined;
  if (currency !== undefined) return currency;
  const message = `must be one of ${Object.keys(known).join(', ')}`;
  throw new ValidationFailed([{ path: ['rail'], message, rule: 'enum' }]);
}

export interface RunInput {
  rail: string;
  /** Days, YYYY-MM-DD. */
  dateFrom: string;
  dateTo: string;
}

// Gap G-182: A run covers whole UTC days, both included, 366 at most; a pair belongs to the period of its ledger line.
/** Begins a run over the days of a rail, both included. */
export async function startRun(ctx: Ctx, { rail, dateFrom: from, dateTo: to }: RunInput): Promise<ReconciliationReport> {
  currencyOf(ctx, rail);
  const [dateFrom, dateTo] = [new Date(from), new Date(to)];
  const days = (dateTo.getTime() - dateFrom.getTime()) / 86_400_000 + 1;
  if (days < 1 || days > mostDays) {
    const message = days < 1 ? `must not be before ${from}` : `must be at most ${mostDays} days after date_from`;
    throw new ValidationFailed([{ path: ['dateTo'], message, rule: days < 1 ? 'min' : 'max' }]);
  }
  const at = ctx.clock.now();
  const data = { id: newId(at), rail, status: 'running', phase: 'ledger', dateFrom, dateTo, createdAt: at, dueAt: at } as const;
  const report = await transact(ctx, (tx) => tx.reconciliationReport.create({ data }));
  ringAt(ctx, 'reconciliation_report', at);
  return report;
}

/** The report, or 404. */
export async function report(ctx: Ctx, id: string): Promise<ReconciliationReport> {
  const found = await ctx.db.reconciliationReport.findFirst({ where: { id } });
  if (found === null) throw new NotFound();
  return found;
}

/** Reports, newest first. */
export const reports = listOf('reconciliationReport', { kind: 'report' });
