// The GraphQL face of the funnel of checkouts.
import { builder, facts } from '../../platform/schema/builder.js';
import { ranged, shownPeriod, shownTimeRange, timeRangeAliasArg, timeRangeArg } from './analytics.schema.js';
import { type Demand, demandOf, dropOffStages, type MerchantDemand, merchantName, mostMerchants, mostReasons } from './demand.js';
import { rest } from './rest.js';
import { scopeOf } from './time-range.js';

const DropOffStageEnum = builder.enumType('DropOffStage', {
  description: 'The status of a checkout that was not completed.',
  values: dropOffStages,
});

const DropOff = builder.objectRef<Demand['dropOff'][number]>('DropOff').implement({
  description: 'Checkouts that were not completed, by status.',
  fields: (t) => ({
    stage: t.expose('stage', { type: DropOffStageEnum }),
    count: t.exposeInt('count', { description: 'Number of checkouts.' }),
    share: t.exposeFloat('share', { description: 'Their share of all that were opened, from 0 to 1.' }),
  }),
});

const CancelReason = builder.objectRef<Demand['topCancelReasons'][number]>('CancelReason').implement({
  description: 'Why checkouts were cancelled.',
  fields: (t) => ({
    reason: t.exposeString('reason', { description: 'The reason, as the buyer gave it.' }),
    count: t.exposeInt('count', { description: 'Number of checkouts.' }),
  }),
});

const MerchantDemandType = builder.objectRef<MerchantDemand>('MerchantDemand').implement({
  description: 'The checkouts of one merchant.',
  fields: (t) => ({
    merchantId: t.expose('merchantId', { type: 'MerchantId', description: 'The merchant.' }),
    name: t.string({
      nullable: true,
      description: 'Name of the merchant; null where it is not known any more.',
      resolve: ({ merchantId }, _args, ctx) => merchantName(ctx, merchantId),
    }),
    sessionsOpened: t.exposeInt('opened', { description: 'Number of checkouts that were opened.' }),
    sessionsCompleted: t.exposeInt('completed', { description: 'Number of them that were paid.' }),
    completionRate: t.exposeFloat('completionRate', { description: 'Checkouts paid divided by checkouts opened, from 0 to 1.' }),
  }),
});

export const CheckoutFunnel = builder.objectRef<Demand>('CheckoutFunnel').implement({
  description: 'The checkouts that were opened in a period, and how they ended.',
  fields: (t) => ({
    sessionsOpened: t.exposeInt('opened', { description: 'Number of checkouts that were opened.' }),
    sessionsCompleted: t.exposeInt('completed', { description: 'Number of them that were paid.' }),
    completionRate: t.exposeFloat('completionRate', {
      description: 'Checkouts paid divided by checkouts opened, from 0 to 1; 0 without checkouts.',
    }),
    averageTimeToCompleteSeconds: t.exposeInt('averageSeconds', {
      wire: { orNull: true },
      nullable: true,
      description: 'Average time from opening to payment, in seconds; null where none was paid.',
    }),
    medianTimeToCompleteSeconds: t.exposeInt('medianSeconds', {
      wire: { orNull: true },
      nullable: true,
      description: 'Median time from opening to payment, in seconds, to one part in a hundred; null where none was paid.',
    }),
    dropOff: t.field({
      type: [DropOff],
      description: 'Checkouts that were not completed, by status; every status is listed.',
      ...facts({ most: dropOffStages.length }),
      resolve: ({ dropOff }) => dropOff,
    }),
    topCancelReasons: t.field({
      type: [CancelReason],
      description: 'The 20 most frequent reasons for cancelling.',
      ...facts({ most: mostReasons }),
      resolve: ({ topCancelReasons }) => topCancelReasons,
    }),
    byMerchant: t.field({
      type: [MerchantDemandType],
      description: 'The 20 merchants with the most checkouts.',
      ...facts({ most: mostMerchants }),
      resolve: ({ byMerchant }) => byMerchant,
    }),
  }),
});

export const CheckoutDemand = builder.objectRef<Demand>('CheckoutDemand').implement({
  description: 'The funnel of checkouts, and the period that it covers.',
  fields: (t) => ({
    data: t.field({ type: CheckoutFunnel, description: 'The figures.', resolve: (demand) => demand }),
    timeRange: t.expose('timeRange', shownTimeRange),
    period: t.field({ ...shownPeriod, resolve: ({ period }) => period }),
    asOf: t.expose('asOf', { type: 'DateTime', description: 'When the figures were read.' }),
  }),
});

builder.queryField('checkoutDemand', (t) =>
  t.field({
    route: rest(
      'GET /v1/analytics/checkout-demand',
      'Show how the checkouts of a period ended. The answer has how many were paid, at which status the others stand, why they were cancelled, and how long paying took.',
      ranged,
    ),
    type: CheckoutDemand,
    authScopes: { audience: 'operator', scope: 'usage:read' },
    args: { timeRange: t.arg(timeRangeArg), timeRangeAlias: t.arg(timeRangeAliasArg) },
    resolve: (_root, range, ctx) => demandOf(ctx, scopeOf(ctx, range)),
  }),
);
