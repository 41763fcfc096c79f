// The GraphQL face of analytics: what moved by each protocol.
import { z } from 'zod';
import { builder, facts } from '../../platform/schema/builder.js';
import { ProtocolEnum } from '../spending/protocol.input.js';
import { recentOperations } from '../usage/operation-list.js';
import { formatUsd } from '../usage/summary.js';
import { UsageOperation, UsagePeriod } from '../usage/usage.schema.js';
import {
  type ActivityBucket,
  activityOf,
  figureOf,
  figuresByProtocol,
  type Measured,
  measure,
  mostBuckets,
  type ProtocolFigures,
  type ProtocolShare,
  protocols,
  sharesOf,
} from './protocol-report.js';
import { rest } from './rest.js';
import { type Metric, metrics, type ReportScope, reportBuckets, scopeOf } from './time-range.js';

export const MetricEnum = builder.enumType('AnalyticsMetric', {
  description: '`volume`: what moved between different owners, in USD, without fundings. `count`: the number of operations.',
  values: metrics,
});
const BucketEnum = builder.enumType('AnalyticsBucket', { description: 'The length of a bucket, in UTC.', values: reportBuckets });

const ProtocolShareType = builder.objectRef<ProtocolShare>('ProtocolShare').implement({
  description: 'The share of one protocol in the total.',
  fields: (t) => ({
    protocol: t.expose('protocol', { type: ProtocolEnum }),
    value: t.expose('value', {
      type: 'Figure',
      description: 'The metric of this protocol: an amount in USD for `volume`, a number for `count`.',
    }),
    share: t.exposeFloat('share', { description: 'Its share of the total, from 0 to 1.' }),
  }),
});

/** The period of a report, which REST names by `timeRange` alone: that is spelled as its query parameter. */
export const shownPeriod = { type: UsagePeriod, description: 'The period that is covered.', wire: { shown: false } } as const;
export const shownTimeRange = {
  type: 'TimeRange',
  nullable: true,
  description: 'The time range that was asked for; null for a period between two times.',
  wire: { name: 'timeRange' },
} as const;

/** A scope that was measured, and the metric that is asked for. */
export type ByMetric<T> = T & { metric: Metric };

export const ProtocolDistribution = builder.objectRef<ByMetric<Measured>>('ProtocolDistribution').implement({
  description: 'The share of each protocol in the total, largest first. Every protocol is listed.',
  fields: (t) => ({
    data: t.field({
      type: [ProtocolShareType],
      description: 'One line per protocol.',
      ...facts({ most: protocols.length }),
      resolve: ({ metric, sums }) => sharesOf(metric, sums),
    }),
    metric: t.expose('metric', { type: MetricEnum }),
    timeRange: t.expose('timeRange', shownTimeRange),
    total: t.field({
      type: 'Figure',
      description: 'The metric of all protocols together: an amount in USD for `volume`, a number for `count`.',
      resolve: ({ metric, sums }) => figureOf(metric, sums),
    }),
    period: t.field({ ...shownPeriod, resolve: ({ period }) => period }),
    asOf: t.expose('asOf', { type: 'DateTime', description: 'When the figures were read.' }),
  }),
});

const ActivityBucketType = builder.objectRef<ActivityBucket>('ActivityBucket').implement({
  description: 'A metric in one hour or day.',
  fields: (t) => ({
    timestamp: t.expose('timestamp', { type: 'DateTime', description: 'First instant of the bucket.' }),
    total: t.expose('total', {
      type: 'Figure',
      description: 'The metric of all protocols together: an amount in USD for `volume`, a number for `count`.',
    }),
    byProtocol: t.expose('byProtocol', {
      type: 'Figures',
      description: 'The metric by protocol; every protocol is listed, with 0 where there is nothing.',
    }),
  }),
});

export const ProtocolActivity = builder.objectRef<ByMetric<ReportScope>>('ProtocolActivity').implement({
  description: 'A metric over time, by protocol. Empty buckets are listed with zeros.',
  fields: (t) => ({
    data: t.field({
      type: [ActivityBucketType],
      description: 'One line per bucket, oldest first.',
      ...facts({ most: mostBuckets, embedded: true }),
      resolve: (scope, _args, ctx) => activityOf(ctx, scope, scope.metric),
    }),
    bucket: t.expose('bucket', { type: BucketEnum, description: 'Length of a bucket: an hour for 24h, a day for longer ranges.' }),
    metric: t.expose('metric', { type: MetricEnum }),
    timeRange: t.expose('timeRange', shownTimeRange),
    period: t.field({ ...shownPeriod, resolve: ({ period }) => period }),
    asOf: t.expose('asOf', { type: 'DateTime', description: 'When the figures were read.' }),
  }),
});

const ProtocolFiguresType = builder.objectRef<ProtocolFigures>('ProtocolFigures').implement({
  description: 'The figures of one protocol.',
  fields: (t) => ({
    protocol: t.expose('protocol', { type: ProtocolEnum }),
    totalVolumeUsd: t.field({
      type: 'Amount',
      description: 'What moved between different owners: the sum of operations that succeeded, without fundings.',
      resolve: ({ volume }) => formatUsd(volume),
    }),
    transactionCount: t.exposeInt('count', { description: 'Operations, those that failed too.' }),
    averageAmountUsd: t.field({
      type: 'Amount',
      description: 'The volume divided by the operations that succeeded, without fundings.',
      resolve: ({ average }) => formatUsd(average),
    }),
    successRate: t.exposeFloat('successRate', {
      description: 'Operations that succeeded divided by all, both without fundings: from 0 to 1, 0 where nothing happened.',
    }),
  }),
});

export const ProtocolStats = builder.objectRef<Measured>('ProtocolStats').implement({
  description: 'Volume, count, average and success rate of each protocol. Every protocol is listed.',
  fields: (t) => ({
    data: t.field({
      type: [ProtocolFiguresType],
      description: 'One line per protocol.',
      ...facts({ most: protocols.length }),
      resolve: ({ sums }) => figuresByProtocol(sums),
    }),
    timeRange: t.expose('timeRange', shownTimeRange),
    period: t.field({ ...shownPeriod, resolve: ({ period }) => period }),
    asOf: t.expose('asOf', { type: 'DateTime', description: 'When the figures were read.' }),
  }),
});

/** Operations of recent activity, at most. */
const mostRecent = 100;

export const timeRangeArg = {
  type: 'TimeRange',
  required: false,
  description: 'Time range up to now: 24h, 7d or 30d; 24h by default.',
} as const;
export const ranged = { names: { timeRange: 'timeRange', timeRangeAlias: 'time_range' }, body: true } as const;
export const timeRangeAliasArg = {
  type: 'TimeRange',
  required: false,
  description: 'Another spelling of `timeRange`; send only one of them.',
} as const;

builder.queryFields((t) => {
  const range = { timeRange: t.arg(timeRangeArg), timeRangeAlias: t.arg(timeRangeAliasArg) };
  const metric = t.arg({ type: MetricEnum, required: false, defaultValue: 'volume' });
  return {
    protocolDistribution: t.field({
      route: rest(
        'GET /v1/analytics/protocol-distribution',
        'Show the share of each protocol in the total, by volume in USD or by count. All seven protocols are listed, with zeros where nothing happened.',
        ranged,
      ),
      type: ProtocolDistribution,
      authScopes: { audience: 'operator', scope: 'usage:read' },
      args: { ...range, metric },
      resolve: async (_root, { metric: asked, ...range }, ctx) => ({
        ...(await measure(ctx, scopeOf(ctx, range))),
        metric: asked ?? 'volume',
      }),
    }),
    protocolActivity: t.field({
      route: rest(
        'GET /v1/analytics/protocol-activity',
        'Show volume or count over time, by protocol: by the hour for 24h, by the day for 7d and 30d. Empty buckets are listed with zeros.',
        ranged,
      ),
      type: ProtocolActivity,
      authScopes: { audience: 'operator', scope: 'usage:read' },
      args: { ...range, metric },
      resolve: (_root, { metric: asked, ...range }, ctx) => ({ ...scopeOf(ctx, range), metric: asked ?? 'volume' }),
    }),
    protocolStats: t.field({
      route: rest(
        'GET /v1/analytics/protocol-stats',
        'Show volume, count, average amount and success rate of each protocol. The success rate is operations that succeeded divided by all; refused requests are no operations.',
        ranged,
      ),
      type: ProtocolStats,
      authScopes: { audience: 'operator', scope: 'usage:read' },
      args: range,
      resolve: (_root, range, ctx) => measure(ctx, scopeOf(ctx, range)),
    }),
    recentActivity: t.field({
      route: rest(
        'GET /v1/analytics/recent-activity',
        'List the last operations across all protocols, newest first. Each has a line of text and the account that was paid.',
        {
          name: 'getRecentActivity',
          also: ['description', 'counterparty'],
        },
      ),
      type: [UsageOperation],
      ...facts({ most: mostRecent }),
      authScopes: { audience: 'operator', scope: 'usage:read' },
      args: {
        limit: t.arg.int({
          required: false,
          defaultValue: 20,
          description: 'Most operations to list, 1 to 100.',
          validate: z.int().min(1).max(mostRecent),
        }),
      },
      resolve: (_root, { limit }, ctx) => recentOperations(ctx, limit ?? 20),
    }),
  };
});
