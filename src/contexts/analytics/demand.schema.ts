// The GraphQL face of the funnel of checkouts.
import { builder, facts } from '../../platform/schema/builder.js';
import { ranged, shownPeriod, shownTimeRange, timeRangeAliasArg, timeRangeArg } from './analytics.schema.js';
import { type Demand, demandOf, dropOffStages, type MerchantDemand, merchantName, mostMerchants, mostReasons } from './demand.js';
import { rest } from './rest.js';
import { scopeOf } from './time-range.js';

const DropOffStageEnum = builder.enumType('DropOffStage', {
  description: 'Where a checkout stands that is not completed, or how it has ended.',
  values: dropOffStages,
});

const DropOff = builder.objectRef<Demand['dropOff'][number]>('DropOff').implement({
  description: 'Checkouts that were not completed, by where they stand.',
  fields: (t) => ({
    stage: t.expose('stage', { type: DropOffStageEnum }),
    count: t.exposeInt('count'),
    share: t.exposeFloat('share', { description: 'Of all that were opened, from 0 to 1.' }),
  }),
});

const CancelReason = builder.objectRef<Demand['topCancelReasons'][number]>('CancelReason').implement({
  description: 'Why checkouts were cancelled.',
  fields: (t) => ({ reason: t.exposeString('reason', { description: 'As the buyer said it.' }), count: t.exposeInt('count') }),
});

const MerchantDemandType = builder.objectRef<MerchantDemand>('MerchantDemand').implement({
  description: 'The checkouts of one merchant.',
  fields: (t) => ({
    merchantId: t.expose('merchantId', { type: 'MerchantId' }),
    name: t.string({ nullable: true, resolve: ({ merchantId }, _args, ctx) => merchantName(ctx, merchantId) }),
    sessionsOpened: t.exposeInt('opened'),
    sessionsCompleted: t.exposeInt('completed'),
    completionRate: t.exposeFloat('completionRate', { description: 'From 0 to 1.' }),
  }),
});

export const CheckoutFunnel = builder.objectRef<Demand>('CheckoutFunnel').implement({
  description: 'What became of the checkouts that were opened in a stretch of time.',
  fields: (t) => ({
    sessionsOpened: t.exposeInt('opened'),
    sessionsCompleted: t.exposeInt('completed', { description: 'Those that were paid.' }),
    completionRate: t.exposeFloat('completionRate', { description: 'From 0 to 1; 0 where none was opened.' }),
    averageTimeToCompleteSeconds: t.exposeInt('averageSeconds', {
      wire: { orNull: true },
      nullable: true,
      description: 'From opening to payment; null where none was paid.',
    }),
    medianTimeToCompleteSeconds: t.exposeInt('medianSeconds', {
      wire: { orNull: true },
      nullable: true,
      description: 'The same, to one part in a hundred.',
    }),
    dropOff: t.field({
      type: [DropOff],
      description: 'Every stage, with 0 where none stands.',
      ...facts({ most: dropOffStages.length }),
      resolve: ({ dropOff }) => dropOff,
    }),
    topCancelReasons: t.field({
      type: [CancelReason],
      ...facts({ most: mostReasons }),
      resolve: ({ topCancelReasons }) => topCancelReasons,
    }),
    byMerchant: t.field({
      type: [MerchantDemandType],
      description: `The ${mostMerchants} merchants with the most.`,
      ...facts({ most: mostMerchants }),
      resolve: ({ byMerchant }) => byMerchant,
    }),
  }),
});

export const CheckoutDemand = builder.objectRef<Demand>('CheckoutDemand').implement({
  description: 'The funnel of checkouts, and what it covers.',
  fields: (t) => ({
    data: t.field({ type: CheckoutFunnel, resolve: (demand) => demand }),
    timeRange: t.expose('timeRange', shownTimeRange),
    period: t.field({ ...shownPeriod, resolve: ({ period }) => period }),
    asOf: t.expose('asOf', { type: 'DateTime' }),
  }),
});

builder.queryField('checkoutDemand', (t) =>
  t.field({
    route: rest(
      'GET /v1/analytics/checkout-demand',
      'What became of the checkouts that were opened: completion, drop-off and times.',
      ranged,
    ),
    type: CheckoutDemand,
    description: 'What became of the checkouts that were opened: how many were paid, where the others stand, and how long it took.',
    authScopes: { audience: 'operator' },
    args: { timeRange: t.arg(timeRangeArg), timeRangeAlias: t.arg(timeRangeAliasArg) },
    resolve: (_root, range, ctx) => demandOf(ctx, scopeOf(ctx, range)),
  }),
);
