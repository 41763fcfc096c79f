// How many HTTP requests a workspace has sent, in real time (CONTRACT.md 17).
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import type { Counts } from '../../platform/schema/figure.js';
import { ceilTo, floorTo, type Period, type PeriodInput, periodOf, refuseBeforeRetention, refusedWindow } from './period.js';
import { millisecondsOf } from './request-count.js';
import { type RequestSum, readAccountRequests, readRequests } from './request-count.sql.js';

// Gap G-360: Requests of known senders count, also refused ones, by whole hours; `p95_ms` is exact to 19 %.
export interface RouteCount {
  route: string;
  count: number;
  /** Milliseconds within which 95 of 100 were answered, to a tenth of itself; null for customers. */
  p95Ms: number | null;
}

export interface RequestReport {
  /** Whole hours; whole days for a customer. */
  period: Period;
  total: number;
  byStatusClass: Counts;
  byMethod: Counts;
  /** The most used first, at most `mostRoutes`. */
  byRoute: RouteCount[];
  rateLimited: number;
  /** Every day of the period, the oldest first. */
  byDay: { date: string; count: number }[];
}

/** Routes that are shown. */
export const mostRoutes = 500;
/** Days that are kept, and one that has begun. */
export const mostDays = 402;

const total = (sums: readonly RequestSum[]): number => sums.reduce((count, { requests }) => count + requests, 0);

/**
 * Requests of a period, which is rounded outwards to whole hours. 400 for one beyond what is kept, or that has not begun. A customer sees
 * those of its accounts, by whole days (see G-429).
 */
export async function requestReport(ctx: Ctx, input: PeriodInput): Promise<RequestReport> {
  const now = ctx.platform.clock.now();
  const asked = periodOf(now, input);
  refuseBeforeRetention(now, asked);
  if (asked.start > now) throw refusedWindow('start', 'must be before now');
  const end = asked.end > now ? new Date(now.getTime() + 1) : asked.end;
  const { customer } = ctx.actor;
  const unit = customer === undefined ? 3_600 : 86_400;
  const period = { start: floorTo(asked.start, unit), end: ceilTo(end, unit) };
  const sums = customer === undefined ? await readRequests(ctx, period) : await readAccountRequests(ctx, customer.accountIds, period);
  const byStatus = sums.filter(({ status }) => status !== null);
  return {
    period,
    total: total(byStatus),
    byStatusClass: countsOf(byStatus, ({ status }) => `${Math.trunc((status ?? 0) / 100)}xx`),
    byMethod: countsOf(sums, ({ method }) => method),
    byRoute: routesOf(sums),
    rateLimited: total(byStatus.filter(({ status }) => status === 429)),
    byDay: daysOf(sums, period),
  };
}

function countsOf(sums: readonly RequestSum[], wordOf: (sum: RequestSum) => string | null): Counts {
  const counts: Record<string, number> = {};
  for (const sum of sums) {
    const word = wordOf(sum);
    if (word !== null) counts[word] = (counts[word] ?? 0) + sum.requests;
  }
  return counts;
}

function routesOf(sums: readonly RequestSum[]): RouteCount[] {
  const byRoute = new Map<string, RequestSum[]>();
  for (const sum of sums) {
    if (sum.route === null) continue;
    const own = byRoute.get(sum.route) ?? [];
    byRoute.set(sum.route, own);
    own.push(sum);
  }
  return [...byRoute]
    .map(([route, own]) => ({ route, count: total(own), p95Ms: quantile(own, 0.95) }))
    .sort((a, b) => b.count - a.count || (a.route < b.route ? -1 : 1))
    .slice(0, mostRoutes);
}

/** The duration within which this part of the requests was answered; null where none was counted. */
function quantile(sums: readonly RequestSum[], part: number): number | null {
  if (sums.some(({ duration }) => duration === null)) return null;
  const wanted = Math.ceil(total(sums) * part);
  let passed = 0;
  for (const { duration, requests } of [...sums].sort((a, b) => (a.duration ?? 0) - (b.duration ?? 0))) {
    passed += requests;
    if (passed >= wanted) return millisecondsOf(duration ?? 0);
  }
  return 0;
}

function daysOf(sums: readonly RequestSum[], { start, end }: Period): RequestReport['byDay'] {
  const byDay = new Map(sums.flatMap(({ day, requests }) => (day === null ? [] : [[day.getTime(), requests] as const])));
  const days: RequestReport['byDay'] = [];
  for (let day = floorTo(start, 86_400); day < end; day = addSeconds(day, 86_400))
    days.push({ date: day.toISOString().slice(0, 10), count: byDay.get(day.getTime()) ?? 0 });
  return days;
}
