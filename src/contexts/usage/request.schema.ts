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
    route: t.exposeString('route', { description: 'The route as it is declared; `unknown` for requests without an endpoint.' }),
    count: t.exposeInt('count', { description: 'Number of requests.' }),
    p95Ms: t.exposeFloat('p95Ms', {
      nullable: true,
      description: 'Milliseconds within which 95 of 100 requests were answered, to a tenth of itself; null for a portal token.',
    }),
  }),
});

const DayCount = builder.objectRef<RequestReport['byDay'][number]>('DayCount').implement({
  description: 'The requests of one day, in UTC.',
  fields: (t) => ({
    date: t.expose('date', { type: 'Date', description: 'The day, in UTC.' }),
    count: t.exposeInt('count', { description: 'Number of requests.' }),
  }),
});

const UsageRequests = builder.objectRef<RequestReport>('UsageRequests').implement({
  description: 'HTTP requests with a known sender, in real time, a few seconds behind.',
  fields: (t) => ({
    period: t.field({
      type: UsagePeriod,
      description: 'The period, rounded outwards to whole hours; to whole days for a portal token.',
      resolve: ({ period }) => period,
    }),
    total: t.exposeInt('total', { description: 'Number of requests.' }),
    byStatusClass: t.expose('byStatusClass', {
      type: 'Counts',
      description: 'Number of requests by class of status: `2xx`, `4xx` and so on.',
    }),
    byMethod: t.expose('byMethod', { type: 'Counts', description: 'Number of requests by HTTP method.' }),
    byRoute: t.field({
      type: [RouteCountType],
      description: 'Number of requests by route, the most used first.',
      ...facts({ most: mostRoutes, embedded: true }),
      resolve: ({ byRoute }) => byRoute,
    }),
    rateLimited: t.exposeInt('rateLimited', { description: 'Number of requests answered with 429.' }),
    byDay: t.field({
      type: [DayCount],
      description: 'Number of requests by day, oldest first; every day of the period is listed.',
      ...facts({ most: mostDays, embedded: true }),
      resolve: ({ byDay }) => byDay,
    }),
  }),
});

builder.queryField('usageRequests', (t) =>
  t.field({
    route: rest(
      'GET /v1/usage/requests',
      'Count your HTTP requests by status, method, route and day. Counts are by real time and a few seconds behind; a portal token sees those of its accounts.',
      { body: true },
    ),
    type: UsageRequests,
    ...openToPortal('usage:read'),
    args: { start: t.arg(since), end: t.arg(until) },
    ...facts({ errors: [Forbidden] }),
    resolve: (_root, period, ctx) => {
      authorize(ctx.actor, { audience: 'operator', scope: 'usage:read', portal: 'usage:read' });
      return requestReport(ctx, period);
    },
  }),
);
