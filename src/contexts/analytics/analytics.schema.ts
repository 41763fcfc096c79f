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
  description: 'volume: what moved, in USD. count: how many operations there were.',
  values: metrics,
});
const BucketEnum = builder.enumType('AnalyticsBucket', { values: reportBuckets });

const ProtocolShareType = builder.objectRef<ProtocolShare>('ProtocolShare').implement({
  description: 'What one protocol has of the whole.',
  fields: (t) => ({
    protocol: t.expose('protocol', { type: ProtocolEnum }),
    value: t.expose('value', { type: 'Figure' }),
    share: t.exposeFloat('share', { description: 'From 0 to 1.' }),
  }),
});

/** The period of a report, which REST names by `timeRange` alone: that is spelled as its query parameter. */
export const shownPeriod = { type: UsagePeriod, wire: { shown: false } } as const;
export const shownTimeRange = { type: 'TimeRange', nullable: true, wire: { name: 'timeRange' } } as const;

/** A scope that was measured, and the metric that is asked for. */
export type ByMetric<T> = T & { metric: Metric };

export const ProtocolDistribution = builder.objectRef<ByMetric<Measured>>('ProtocolDistribution').implement({
  description: 'What each protocol has of the whole, the largest first. Every protocol is listed.',
  fields: (t) => ({
    data: t.field({
      type: [ProtocolShareType],
      ...facts({ most: protocols.length }),
      resolve: ({ metric, sums }) => sharesOf(metric, sums),
    }),
    metric: t.expose('metric', { type: MetricEnum }),
    timeRange: t.expose('timeRange', shownTimeRange),
    total: t.field({ type: 'Figure', resolve: ({ metric, sums }) => figureOf(metric, sums) }),
    period: t.field({ ...shownPeriod, resolve: ({ period }) => period }),
    asOf: t.expose('asOf', { type: 'DateTime' }),
  }),
});

const ActivityBucketType = builder.objectRef<ActivityBucket>('ActivityBucket').implement({
  description: 'What a metric came to in one hour or day.',
  fields: (t) => ({
    timestamp: t.expose('timestamp', { type: 'DateTime', description: 'Its first instant, in UTC.' }),
    total: t.expose('total', { type: 'Figure' }),
    byProtocol: t.expose('byProtocol', { type: 'Figures', description: 'Every protocol, with 0 where there is nothing.' }),
  }),
});

export const ProtocolActivity = builder.objectRef<ByMetric<ReportScope>>('ProtocolActivity').implement({
  description: 'How a metric went over time, by protocol. Hours and days in which nothing happened are there, with zeros.',
  fields: (t) => ({
    data: t.field({
      type: [ActivityBucketType],
      description: 'The oldest first.',
      ...facts({ most: mostBuckets, embedded: true }),
      resolve: (scope, _args, ctx) => activityOf(ctx, scope, scope.metric),
    }),
    bucket: t.expose('bucket', { type: BucketEnum, description: 'An hour for 24h, a day for what is longer.' }),
    metric: t.expose('metric', { type: MetricEnum }),
    timeRange: t.expose('timeRange', shownTimeRange),
    period: t.field({ ...shownPeriod, resolve: ({ period }) => period }),
    asOf: t.expose('asOf', { type: 'DateTime' }),
  }),
});

const ProtocolFiguresType = builder.objectRef<ProtocolFigures>('ProtocolFigures').implement({
  description: 'The figures of one protocol.',
  fields: (t) => ({
    protocol: t.expose('protocol', { type: ProtocolEnum }),
    totalVolumeUsd: t.field({ type: 'Amount', description: 'What moved.', resolve: ({ volume }) => formatUsd(volume) }),
    transactionCount: t.exposeInt('count', { description: 'Operations, those that failed too.' }),
    averageAmountUsd: t.field({ type: 'Amount', description: 'Of those that succeeded.', resolve: ({ average }) => formatUsd(average) }),
    successRate: t.exposeFloat('successRate', { description: 'From 0 to 1; 0 where nothing happened.' }),
  }),
});

export const ProtocolStats = builder.objectRef<Measured>('ProtocolStats').implement({
  description: 'Volume, count, average and success rate of each protocol. Every protocol is listed.',
  fields: (t) => ({
    data: t.field({ type: [ProtocolFiguresType], ...facts({ most: protocols.length }), resolve: ({ sums }) => figuresByProtocol(sums) }),
    timeRange: t.expose('timeRange', shownTimeRange),
    period: t.field({ ...shownPeriod, resolve: ({ period }) => period }),
    asOf: t.expose('asOf', { type: 'DateTime' }),
  }),
});

/** Operations of recent activity, at most. */
const mostRecent = 100;

export const timeRangeArg = { type: 'TimeRange', required: false, description: '24h, 7d or 30d; 24h without it.' } as const;
export const ranged = { names: { timeRange: 'timeRange', timeRangeAlias: 'time_range' }, body: true } as const;
export const timeRangeAliasArg = { type: 'TimeRange', required: false, description: 'Another spelling of timeRange.' } as const;

builder.queryFields((t) => {
  const range = { timeRange: t.arg(timeRangeArg), timeRangeAlias: t.arg(timeRangeAliasArg) };
  const metric = t.arg({ type: MetricEnum, required: false, defaultValue: 'volume' });
  return {
    protocolDistribution: t.field({
      route: rest('GET /v1/analytics/protocol-distribution', undefined, ranged),
      type: ProtocolDistribution,
      description: 'What each protocol has of what moved.',
      authScopes: { audience: 'operator' },
      args: { ...range, metric },
      resolve: async (_root, { metric: asked, ...range }, ctx) => ({
        ...(await measure(ctx, scopeOf(ctx, range))),
        metric: asked ?? 'volume',
      }),
    }),
    protocolActivity: t.field({
      route: rest(
        'GET /v1/analytics/protocol-activity',
        'What moved over time, by protocol: by the hour for 24h, by the day for 7d and 30d.',
        ranged,
      ),
      type: ProtocolActivity,
      description: 'What moved over time, by protocol.',
      authScopes: { audience: 'operator' },
      args: { ...range, metric },
      resolve: (_root, { metric: asked, ...range }, ctx) => ({ ...scopeOf(ctx, range), metric: asked ?? 'volume' }),
    }),
    protocolStats: t.field({
      route: rest('GET /v1/analytics/protocol-stats', 'Volume, count, average amount and success rate of each protocol.', ranged),
      type: ProtocolStats,
      description: 'The figures of each protocol.',
      authScopes: { audience: 'operator' },
      args: range,
      resolve: (_root, range, ctx) => measure(ctx, scopeOf(ctx, range)),
    }),
    recentActivity: t.field({
      route: rest('GET /v1/analytics/recent-activity', 'The last operations across all protocols.', {
        name: 'getRecentActivity',
        also: ['description', 'counterparty'],
      }),
      type: [UsageOperation],
      ...facts({ most: mostRecent }),
      description: 'The last operations across all protocols, newest first.',
      authScopes: { audience: 'operator' },
      args: { limit: t.arg.int({ required: false, defaultValue: 20, validate: z.int().min(1).max(mostRecent) }) },
      resolve: (_root, { limit }, ctx) => recentOperations(ctx, limit ?? 20),
    }),
  };
});
