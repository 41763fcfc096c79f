// The stretch of time that a report is about (SPEC.md "Usage": the last 30 days by default), and how it is put together from whole
// buckets and the raw rows at its edges, so that it is exact.
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import type { Moment } from '../../platform/schema/scalar.js';

/** From `start` until before `end`. */
export interface Period {
  start: Date;
  end: Date;
}

/** What a caller says of a period. */
export interface PeriodInput {
  start?: Moment | null | undefined;
  end?: Moment | null | undefined;
}

/** Seconds of the buckets of rollups, the longest first. */
export const bucketSizes = [86_400, 3_600, 300] as const;
const [daySeconds, hourSeconds] = bucketSizes;
const defaultDays = 30;
/** How long raw operations, requests by the hour and buckets of five minutes are kept (CONTRACT.md 17). */
export const keptDays = 400;

/** No year is beyond 9999, in dates as they are printed. */
const lastInstant = new Date('9999-12-31T23:59:59.999Z');

/** The last multiple of `seconds` that is not after `at`. */
export function floorTo(at: Date, seconds: number): Date {
  const ms = seconds * 1000;
  return new Date(Math.floor(at.getTime() / ms) * ms);
}

/** The first multiple of `seconds` that is not before `at`. */
export function ceilTo(at: Date, seconds: number): Date {
  const ms = seconds * 1000;
  return new Date(Math.ceil(at.getTime() / ms) * ms);
}

/** Raw rows are kept from here on: whole days. */
export function keptFrom(now: Date): Date {
  return floorTo(addSeconds(now, -keptDays * daySeconds), daySeconds);
}

// Gap G-353: A window runs from `start` until before `end`; a bare date as `end` includes that day.
/**
 * The period that was asked for: the 30 days before its end without a start, until now (this moment included) without an end. A bare date
 * as the end includes that day. 400 when it does not begin before it ends.
 */
export function periodOf(now: Date, { start, end }: PeriodInput): Period {
  const asked = end == null ? new Date(now.getTime() + 1) : end.isDay ? addSeconds(end.at, daySeconds) : end.at;
  const until = asked < lastInstant ? asked : lastInstant;
  const since = start?.at ?? addSeconds(end == null ? now : until, -defaultDays * daySeconds);
  if (since < until) return { start: since, end: until };
  throw end == null ? refusedWindow('start', 'must be before now') : refusedWindow('end', 'must be after start');
}

/** 400 for a window, at one of its ends. */
export function refusedWindow(member: 'start' | 'end', message: string): ValidationFailed {
  return new ValidationFailed([{ path: [member], message, rule: 'window' }]);
}

/** 400 for a period that begins before what is still kept row by row. */
export function refuseBeforeRetention(now: Date, { start }: Period): void {
  const from = keptFrom(now);
  if (start >= from) return;
  const message = `reaches back further than what is kept: ${keptDays} days, now from ${from.toISOString()}`;
  throw new ValidationFailed([{ path: ['start'], message, rule: 'retention' }]);
}

// Gap G-354: Windows older than raw rows (400 days) are rounded to whole hours; lists and request counts are 400 there.
/** The period that can be reported: what is older than raw rows is rounded outwards to whole hours. */
export function reportable({ clock }: Pick<Ctx, 'clock'>, { start, end }: Period): Period {
  const from = keptFrom(clock.now());
  return { start: start < from ? floorTo(start, hourSeconds) : start, end: end < from ? ceilTo(end, hourSeconds) : end };
}

/** Whole buckets of one size. */
export interface Buckets extends Period {
  size: number;
}

/** A period as whole buckets, and stretches at its edges for which raw rows are read. */
export interface Parts {
  buckets: Buckets[];
  raw: Period[];
}

/** The parts of a period, with as few buckets as there can be. `sizes`: those that may be used, the longest first. */
export function partsOf(period: Period, sizes: readonly number[] = bucketSizes): Parts {
  const { start, end } = period;
  if (start >= end) return { buckets: [], raw: [] };
  const [size, ...smaller] = sizes;
  if (size === undefined) return { buckets: [], raw: [period] };
  const whole = { size, start: ceilTo(start, size), end: floorTo(end, size) };
  if (whole.start >= whole.end) return partsOf(period, smaller);
  const before = partsOf({ start, end: whole.start }, smaller);
  const after = partsOf({ start: whole.end, end }, smaller);
  return { buckets: [...before.buckets, whole, ...after.buckets], raw: [...before.raw, ...after.raw] };
}

/** The parts of a period that may reach until now. */
export interface OpenParts extends Parts {
  /** A stretch of the buckets to which what rollups do not have yet is added; none, or one. */
  unheard: Period[];
}

/**
 * The parts of a period, where the current bucket is read whole when the period goes on until now: nothing lies beyond, and the raw rows
 * of some busy minutes are many.
 */
export function openPartsOf(now: Date, period: Period, sizes: readonly number[] = bucketSizes): OpenParts {
  const shortest = sizes.at(-1);
  if (period.end <= now || shortest === undefined) return { ...partsOf(period, sizes), unheard: [] };
  const end = ceilTo(new Date(now.getTime() + 1), shortest);
  const parts = partsOf({ start: period.start, end }, sizes);
  const first = parts.buckets[0]?.start;
  if (first === undefined) return { ...parts, unheard: [] };
  // What was done right before the current bucket may be unheard too.
  const since = addSeconds(end, -2 * shortest);
  return { ...parts, unheard: [{ start: new Date(Math.max(first.getTime(), since.getTime())), end }] };
}
