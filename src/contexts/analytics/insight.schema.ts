// The GraphQL root of dashboards: every report of one period in one request (CONTRACT.md 17).
import { builder, pageArgs } from '../../platform/schema/builder.js';
import { operations } from '../usage/operation-list.js';
import { periodOf, refusedWindow, reportable } from '../usage/period.js';
import type { UsageSum } from '../usage/rollup.sql.js';
import { formatUsd } from '../usage/summary.js';
import { since, UsageCosts, UsageOperationPage, UsagePeriod, UsageSummary, until } from '../usage/usage.schema.js';
import { MetricEnum, ProtocolActivity, ProtocolDistribution, ProtocolStats } from './analytics.schema.js';
import { demandOf } from './demand.js';
import { CheckoutDemand } from './demand.schema.js';
import { measure, mostBuckets, volumeOf } from './protocol-report.js';
import { type Refusals, refusalsIn } from './refusal.js';
import { type ReportScope, scopeBetween } from './time-range.js';

/** The scope of a dashboard, and its sums, which are read once for all its reports. */
interface Insight extends ReportScope {
  sums: () => Promise<readonly UsageSum[]>;
}

const daySeconds = 86_400;

const metric = { type: MetricEnum, required: false, defaultValue: 'volume' } as const;

const RefusalsType = builder.objectRef<Refusals>('InsightRefusals').implement({
  description:
    'How many spends were refused, each counted once, by the first layer of the pipeline that refused it. Requests that were faulty by ' +
    'themselves are none. Dry runs are none. Counted in whole five minutes: a period is widened to them at both ends.',
  fields: (t) => ({
    policy: t.exposeInt('policy', { description: 'By a policy, or by a limit of the tier of the agent (KYA).' }),
    budget: t.exposeInt('budget', { description: 'By a budget that would be passed.' }),
    mandate: t.exposeInt('mandate', { description: 'By the scope or a limit of a mandate.' }),
    balance: t.exposeInt('balance', { description: 'For want of money in the wallet that pays.' }),
    frozen: t.exposeInt('frozen', { description: 'By a freeze of the workspace, the agent or the wallet.' }),
  }),
});

const InsightType = builder.objectRef<Insight>('Insight').implement({
  description: 'Every report of one period.',
  fields: (t) => ({
    period: t.field({ type: UsagePeriod, description: 'The period that is covered.', resolve: ({ period }) => period }),
    asOf: t.expose('asOf', { type: 'DateTime', description: 'When the figures were read.' }),
    summary: t.field({
      type: UsageSummary,
      description:
        'Number of operations, by category and protocol. `successRate` is the operations that succeeded divided by all operations, both without fundings; refused ' +
        'requests are no operations.',
      resolve: async ({ period, sums }) => ({ period, sums: await sums() }),
    }),
    volumeUsd: t.field({
      type: 'Amount',
      description:
        'What moved between different owners, in USD by the rates of the day: the sum of the amounts of operations that succeeded, ' +
        'without fundings and without what moved between wallets of one account.',
      resolve: async ({ sums }) => formatUsd(volumeOf(await sums())),
    }),
    refusals: t.field({
      type: RefusalsType,
      description: 'What was refused, beside the operations.',
      resolve: ({ period }, _args, ctx) => refusalsIn(ctx, period),
    }),
    costs: t.field({
      type: UsageCosts,
      description: 'Costs of rails and networks.',
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
      description: 'The share of each protocol in the total.',
      args: { metric: t.arg(metric) },
      resolve: async (insight, args) => ({ ...insight, sums: await insight.sums(), metric: args.metric ?? 'volume' }),
    }),
    activity: t.field({
      type: ProtocolActivity,
      description: 'A metric over time: by the hour up to two days, by the day for longer periods.',
      args: { metric: t.arg(metric) },
      resolve: (insight, args) => ({ ...insight, metric: args.metric ?? 'volume' }),
    }),
    stats: t.field({
      type: ProtocolStats,
      description: 'Volume, count, average and success rate of each protocol.',
      resolve: async (insight) => ({ ...insight, sums: await insight.sums() }),
    }),
    demand: t.field({
      type: CheckoutDemand,
      description: 'The checkouts that were opened, and how they ended.',
      resolve: (insight, _args, ctx) => demandOf(ctx, insight),
    }),
  }),
});

builder.queryField('insight', (t) =>
  t.field({
    type: InsightType,
    description:
      'Get every report of one period in one request, for dashboards. The period is at most 400 days; ask only for the reports that you show.',
    authScopes: { audience: 'operator', scope: 'usage:read' },
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
