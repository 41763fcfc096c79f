// The funnel of checkouts: how many were opened in a period, what became of them, and how long it took (SPEC.md "checkout-demand").
import { loadTogether } from '../../platform/batch.js';
import type { Ctx } from '../../platform/ctx.js';
import { visibleMerchants } from '../accounts/merchant.js';
import { rateOf } from '../usage/summary.js';
import { type DemandRow, readDemand, secondsOfStep } from './demand.sql.js';
import type { ReportScope } from './time-range.js';

export const dropOffStages = ['created', 'pending_payment', 'failed', 'expired', 'cancelled'] as const;
export type DropOffStage = (typeof dropOffStages)[number];

export interface MerchantDemand {
  merchantId: string;
  opened: number;
  completed: number;
  completionRate: number;
}

export interface Demand extends ReportScope {
  opened: number;
  completed: number;
  completionRate: number;
  /** Null where none was completed. */
  averageSeconds: number | null;
  // Gap G-357: Checkouts opened in the range count, by what became of them; the median comes from a scale with steps of 5 %.
  /** Within a fortieth part of itself. */
  medianSeconds: number | null;
  /** Where those that are not completed stand, or have ended. */
  dropOff: { stage: DropOffStage; count: number; share: number }[];
  topCancelReasons: { reason: string; count: number }[];
  byMerchant: MerchantDemand[];
}

/** Reasons that are shown, and merchants. */
export const mostReasons = 10;
export const mostMerchants = 20;

const count = (rows: readonly DemandRow[]): number => rows.reduce((total, { checkouts }) => total + checkouts, 0);

/** The funnel of the checkouts that were opened in a scope. */
export async function demandOf(ctx: Ctx, scope: ReportScope): Promise<Demand> {
  const rows = await readDemand(ctx, scope.period, mostReasons);
  const merchants = rows.filter(({ dimension }) => dimension === 'merchant');
  const done = merchants.filter(({ outcome }) => outcome === 'completed');
  const [opened, completed] = [count(merchants), count(done)];
  return {
    ...scope,
    opened,
    completed,
    completionRate: rateOf(completed, opened),
    averageSeconds: completed === 0 ? null : Math.round(done.reduce((total, { seconds }) => total + seconds, 0) / completed),
    medianSeconds: medianOf(rows.filter(({ dimension }) => dimension === 'time')),
    dropOff: dropOffStages.map((stage) => {
      const lost = count(merchants.filter(({ outcome }) => outcome === stage));
      return { stage, count: lost, share: rateOf(lost, opened) };
    }),
    topCancelReasons: reasonsOf(rows.filter(({ dimension }) => dimension === 'reason')),
    byMerchant: merchantsOf(merchants),
  };
}

/** The step of the scale of times in which the one in the middle stands. */
function medianOf(times: readonly DemandRow[]): number | null {
  const middle = Math.ceil(count(times) / 2);
  let passed = 0;
  for (const { key, checkouts } of [...times].sort((a, b) => Number(a.key) - Number(b.key))) {
    passed += checkouts;
    if (passed >= middle) return secondsOfStep(Number(key));
  }
  return null;
}

function reasonsOf(rows: readonly DemandRow[]): Demand['topCancelReasons'] {
  return rows
    .map(({ key: reason, checkouts }) => ({ reason, count: checkouts }))
    .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1))
    .slice(0, mostReasons);
}

function merchantsOf(rows: readonly DemandRow[]): MerchantDemand[] {
  const tally = new Map<string, { opened: number; completed: number }>();
  for (const { key, outcome, checkouts } of rows) {
    const own = tally.get(key) ?? { opened: 0, completed: 0 };
    tally.set(key, own);
    own.opened += checkouts;
    if (outcome === 'completed') own.completed += checkouts;
  }
  return [...tally]
    .map(([merchantId, own]) => ({ merchantId, ...own, completionRate: rateOf(own.completed, own.opened) }))
    .sort((a, b) => b.opened - a.opened || (a.merchantId < b.merchantId ? -1 : 1))
    .slice(0, mostMerchants);
}

/** What a merchant is called; those of a report are read together. */
export async function merchantName(ctx: Ctx, merchantId: string): Promise<string | null> {
  const name = await loadTogether(ctx, 'merchant name', merchantId, async (ids) => {
    const where = { AND: [{ id: { in: [...ids] } }, visibleMerchants.where(ctx)] };
    const rows = await ctx.db.merchant.findMany({ where, select: { id: true, name: true } });
    return new Map(rows.map((row) => [row.id, row.name]));
  });
  return name ?? null;
}
