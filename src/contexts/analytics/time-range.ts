// What analytics are asked for: a stretch of time that ends now, and what is measured (SPEC.md "Analytics").
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import type { TimeRange } from '../../platform/schema/figure.js';
import { floorTo, type Period } from '../usage/period.js';

export const metrics = ['volume', 'count'] as const;
export type Metric = (typeof metrics)[number];
export const reportBuckets = ['hour', 'day'] as const;
export type ReportBucket = (typeof reportBuckets)[number];
export const bucketSeconds: Readonly<Record<ReportBucket, number>> = { hour: 3_600, day: 86_400 };

/** What a report covers. `timeRange` is null where its period was given by its ends. */
export interface ReportScope {
  period: Period;
  timeRange: TimeRange | null;
  bucket: ReportBucket;
  asOf: Date;
}

const ranges: Readonly<Record<TimeRange, { bucket: ReportBucket; buckets: number }>> = {
  '24h': { bucket: 'hour', buckets: 24 },
  '7d': { bucket: 'day', buckets: 7 },
  '30d': { bucket: 'day', buckets: 30 },
};

export interface TimeRangeInput {
  timeRange?: TimeRange | null | undefined;
  /** Another spelling of the same. */
  timeRangeAlias?: TimeRange | null | undefined;
}

// Gap G-355: 24h, 7d and 30d are whole UTC hours or days, of which the last is the current one; 24h by default.
/** The last 24 hours, 7 days or 30 days, in whole buckets of UTC of which the last is the current one. By default 24 hours. */
export function scopeOf({ clock }: Pick<Ctx, 'clock'>, { timeRange, timeRangeAlias }: TimeRangeInput): ReportScope {
  if (timeRange != null && timeRangeAlias != null && timeRange !== timeRangeAlias) {
    const message = 'says something else than timeRange: send one of them';
    throw new ValidationFailed([{ path: ['timeRangeAlias'], message, rule: 'exclusive' }]);
  }
  const range = timeRange ?? timeRangeAlias ?? '24h';
  const asOf = clock.now();
  const { bucket, buckets: count } = ranges[range];
  const seconds = bucketSeconds[bucket];
  const start = addSeconds(floorTo(asOf, seconds), -(count - 1) * seconds);
  return { period: { start, end: new Date(asOf.getTime() + 1) }, timeRange: range, bucket, asOf };
}

/** Periods up to this are shown by the hour, longer ones by the day. */
const mostHourly = 48 * 3_600;

/** A period between two given ends. */
export function scopeBetween({ clock }: Pick<Ctx, 'clock'>, period: Period): ReportScope {
  const seconds = (period.end.getTime() - period.start.getTime()) / 1000;
  return { period, timeRange: null, bucket: seconds <= mostHourly ? 'hour' : 'day', asOf: clock.now() };
}
