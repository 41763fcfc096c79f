// What moved by each protocol: shares of the whole, figures, and how they went over time (SPEC.md "Analytics"). Every protocol is
// listed, with zeros where there is nothing.
import { Protocol } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import type { Figure, Figures } from '../../platform/schema/figure.js';
import { floorTo } from '../usage/period.js';
import { readSeries, readUsage, type SeriesSum, type UsageSum } from '../usage/rollup.sql.js';
import { formatUsd, operationsOf, rateOf, successRate, withoutFunding } from '../usage/summary.js';
import { bucketSeconds, type Metric, type ReportScope } from './time-range.js';

export const protocols = Object.values(Protocol);

/** Sums of what happened, and what they cover. */
export interface Measured extends ReportScope {
  sums: readonly UsageSum[];
}

/** Measures a scope. */
export async function measure(ctx: Ctx, scope: ReportScope): Promise<Measured> {
  return { ...scope, sums: await readUsage(ctx, scope.period) };
}

// Gap G-356: Volume is what moved between different owners (see G-436), in USD by the rate of its day; what failed moved nothing.
/** What has moved between different owners, in millionths of a US dollar (see G-436). */
export function volumeOf(sums: readonly UsageSum[]): bigint {
  return withoutFunding(sums).reduce((total, { success, amountUsd }) => (success ? total + amountUsd : total), 0n);
}

/** What a metric comes to. */
export function figureOf(metric: Metric, sums: readonly UsageSum[]): Figure {
  return metric === 'count' ? operationsOf(sums) : formatUsd(volumeOf(sums));
}

/** The part that some sums have in all of them, by a metric. */
function shareOf(metric: Metric, part: readonly UsageSum[], whole: readonly UsageSum[]): number {
  if (metric === 'count') return rateOf(operationsOf(part), operationsOf(whole));
  return rateOf(Number(volumeOf(part)), Number(volumeOf(whole)));
}

const of = (protocol: Protocol, sums: readonly UsageSum[]): UsageSum[] => sums.filter((sum) => sum.protocol === protocol);

export interface ProtocolShare {
  protocol: Protocol;
  value: Figure;
  /** 0 to 1. */
  share: number;
}

/** What each protocol has of the whole, the largest first. */
export function sharesOf(metric: Metric, sums: readonly UsageSum[]): ProtocolShare[] {
  const shares = protocols.map((protocol) => {
    const own = of(protocol, sums);
    return { protocol, value: figureOf(metric, own), share: shareOf(metric, own, sums) };
  });
  return shares.sort((a, b) => b.share - a.share);
}

export interface ProtocolFigures {
  protocol: Protocol;
  /** Millionths of a US dollar. */
  volume: bigint;
  count: number;
  successRate: number;
  /** Of those that succeeded, rounded down. */
  average: bigint;
}

/** Volume, count, average and success rate of each protocol. */
export function figuresByProtocol(sums: readonly UsageSum[]): ProtocolFigures[] {
  return protocols.map((protocol) => {
    const own = of(protocol, sums);
    const volume = volumeOf(own);
    const moved = BigInt(operationsOf(withoutFunding(own).filter(({ success }) => success)));
    return { protocol, volume, count: operationsOf(own), successRate: successRate(own), average: moved === 0n ? 0n : volume / moved };
  });
}

export interface ActivityBucket {
  /** Its first instant. */
  timestamp: Date;
  total: Figure;
  byProtocol: Figures;
}

/** Buckets of a series, at most: more than a year by the day. */
export const mostBuckets = 402;

/** What a metric came to in each bucket of a scope, the oldest first; those in which nothing happened have zeros. */
export async function activityOf(ctx: Ctx, { period, bucket }: ReportScope, metric: Metric): Promise<ActivityBucket[]> {
  const seconds = bucketSeconds[bucket];
  const sums = await readSeries(ctx, period, seconds);
  const key = (at: Date, protocol: Protocol): string => `${at.getTime()} ${protocol}`;
  const found = new Map(sums.map((sum) => [key(sum.at, sum.protocol), sum]));
  const series: ActivityBucket[] = [];
  for (let ms = floorTo(period.start, seconds).getTime(); ms < period.end.getTime(); ms += seconds * 1000) {
    const timestamp = new Date(ms);
    const own = protocols.map((protocol) => found.get(key(timestamp, protocol)) ?? nothing(timestamp, protocol));
    const byProtocol = Object.fromEntries(own.map((sum) => [sum.protocol, seriesFigure(metric, [sum])]));
    series.push({ timestamp, total: seriesFigure(metric, own), byProtocol });
  }
  return series;
}

const nothing = (at: Date, protocol: Protocol): SeriesSum => ({ at, protocol, operations: 0, volume: 0n });

function seriesFigure(metric: Metric, sums: readonly SeriesSum[]): Figure {
  if (metric === 'count') return sums.reduce((total, { operations }) => total + operations, 0);
  return formatUsd(sums.reduce((total, { volume }) => total + volume, 0n));
}
