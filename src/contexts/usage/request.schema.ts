// The GraphQL face of counted requests.
import { Forbidden } from '../../platform/errors.js';
import { authorize } from '../../platform/schema/audience.js';
import { builder, facts, openToPortal } from '../../platform/schema/builder.js';
import { mostDays, mostRoutes, type RequestReport, type RouteCount, requestReport } from './request-report.js';
import { rest } from './rest.js';
import { since, UsagePeriod, until } from './usage.schema.js';

const RouteCountType = builder.objectRef<RouteCount>('RouteCount').implement({
  description: 'The requests of one route.',
  fields: (t) => ({
    route: t.exposeString('route', { description: 'As it is declared; unknown for what has no endpoint.' }),
    count: t.exposeInt('count'),
    p95Ms: t.exposeFloat('p95Ms', {
      nullable: true,
      description: 'Milliseconds within which 95 of 100 were answered, to a tenth of itself; null for a portal token.',
    }),
  }),
});

const DayCount = builder.objectRef<RequestReport['byDay'][number]>('DayCount').implement({
  description: 'The requests of one day, in UTC.',
  fields: (t) => ({ date: t.expose('date', { type: 'Date' }), count: t.exposeInt('count') }),
});

const UsageRequests = builder.objectRef<RequestReport>('UsageRequests').implement({
  description: 'HTTP requests whose sender was known, in real time; a few seconds behind.',
  fields: (t) => ({
    period: t.field({
      type: UsagePeriod,
      description: 'Rounded outwards to whole hours; to whole days for a portal token.',
      resolve: ({ period }) => period,
    }),
    total: t.exposeInt('total'),
    byStatusClass: t.expose('byStatusClass', { type: 'Counts', description: 'By 2xx, 4xx and the like.' }),
    byMethod: t.expose('byMethod', { type: 'Counts' }),
    byRoute: t.field({
      type: [RouteCountType],
      description: 'The most used first.',
      ...facts({ most: mostRoutes, embedded: true }),
      resolve: ({ byRoute }) => byRoute,
    }),
    rateLimited: t.exposeInt('rateLimited', { description: 'Those that were answered 429.' }),
    byDay: t.field({
      type: [DayCount],
      description: 'Every day of the period, the oldest first.',
      ...facts({ most: mostDays, embedded: true }),
      resolve: ({ byDay }) => byDay,
    }),
  }),
});

builder.queryField('usageRequests', (t) =>
  t.field({
    route: rest('GET /v1/usage/requests', 'How many HTTP requests came, by status, method, route and day.', { body: true }),
    type: UsageRequests,
    description: 'How many HTTP requests came, and how they were answered. A portal token sees those of its accounts.',
    ...openToPortal('usage:read'),
    args: { start: t.arg(since), end: t.arg(until) },
    ...facts({ errors: [Forbidden] }),
    resolve: (_root, period, ctx) => {
      authorize(ctx.actor, 'operator', 'usage:read');
      return requestReport(ctx, period);
    },
  }),
);
