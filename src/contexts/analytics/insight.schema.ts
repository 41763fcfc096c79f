// The GraphQL root of dashboards: every report of one period in one request (CONTRACT.md 17).
import { builder, pageArgs } from '../../platform/schema/builder.js';
import { operations } from '../usage/operation-list.js';
import { periodOf, refusedWindow, reportable } from '../usage/period.js';
import type { UsageSum } from '../usage/rollup.sql.js';
import { since, UsageCosts, UsageOperationPage, UsagePeriod, UsageSummary, until } from '../usage/usage.schema.js';
import { MetricEnum, ProtocolActivity, ProtocolDistribution, ProtocolStats } from './analytics.schema.js';
import { demandOf } from './demand.js';
import { CheckoutDemand } from './demand.schema.js';
import { measure, mostBuckets } from './protocol-report.js';
import { type ReportScope, scopeBetween } from './time-range.js';

/** The scope of a dashboard, and its sums, which are read once for all its reports. */
interface Insight extends ReportScope {
  sums: () => Promise<readonly UsageSum[]>;
}

const daySeconds = 86_400;

const metric = { type: MetricEnum, required: false, defaultValue: 'volume' } as const;

const InsightType = builder.objectRef<Insight>('Insight').implement({
  description: 'What happened in a period, in every way that it is reported.',
  fields: (t) => ({
    period: t.field({ type: UsagePeriod, resolve: ({ period }) => period }),
    asOf: t.expose('asOf', { type: 'DateTime' }),
    summary: t.field({
      type: UsageSummary,
      description: 'How much happened.',
      resolve: async ({ period, sums }) => ({ period, sums: await sums() }),
    }),
    costs: t.field({
      type: UsageCosts,
      description: 'What rails and networks took.',
      resolve: async ({ period, sums }) => ({ period, sums: await sums() }),
    }),
    operations: t.field({
      type: UsageOperationPage,
      description: 'The operations themselves, newest first.',
      args: (({ page, limit, after }) => ({ page, limit, after }))(pageArgs(t)),
      resolve: ({ period: { start, end } }, args, ctx) =>
        operations(ctx, { ...args, start: { at: start, isDay: false }, end: { at: end, isDay: false } }),
    }),
    distribution: t.field({
      type: ProtocolDistribution,
      description: 'What each protocol has of the whole.',
      args: { metric: t.arg(metric) },
      resolve: async (insight, args) => ({ ...insight, sums: await insight.sums(), metric: args.metric ?? 'volume' }),
    }),
    activity: t.field({
      type: ProtocolActivity,
      description: 'How it went over time: by the hour up to two days, by the day for longer periods.',
      args: { metric: t.arg(metric) },
      resolve: (insight, args) => ({ ...insight, metric: args.metric ?? 'volume' }),
    }),
    stats: t.field({
      type: ProtocolStats,
      description: 'The figures of each protocol.',
      resolve: async (insight) => ({ ...insight, sums: await insight.sums() }),
    }),
    demand: t.field({
      type: CheckoutDemand,
      description: 'What became of the checkouts that were opened.',
      resolve: (insight, _args, ctx) => demandOf(ctx, insight),
    }),
  }),
});

builder.queryField('insight', (t) =>
  t.field({
    type: InsightType,
    description: 'Every report of one period, of at most 400 days: a dashboard in one request.',
    authScopes: { audience: 'operator' },
    args: { start: t.arg(since), end: t.arg(until) },
    resolve: (_root, input, ctx) => {
      const scope = scopeBetween(ctx, reportable(ctx, periodOf(ctx.clock.now(), input)));
      const { start, end } = scope.period;
      if ((end.getTime() - start.getTime()) / 1000 > (mostBuckets - 2) * daySeconds)
        throw refusedWindow('start', `must be at most ${mostBuckets - 2} days before end`);
      let sums: Promise<readonly UsageSum[]> | undefined;
      return {
        ...scope,
        sums: () => {
          sums ??= measure(ctx, scope).then((measured) => measured.sums);
          return sums;
        },
      };
    },
  }),
);
