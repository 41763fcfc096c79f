// The GraphQL face of deliveries: how they stand, testing an endpoint, sending again.

import { DeliveryStatus } from '../../generated/prisma/enums.js';
import { NotFound, StateConflict, TestModeOnly } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { visibleRelation } from '../../platform/schema/visible-relation.js';
import { ReplayWebhookInput, TestWebhookInput } from './delivery.input.js';
import {
  type DeliveryHour,
  type DeliveryStats,
  deliveries,
  delivery,
  deliveryHours,
  deliveryStats,
  shownHours,
  visibleDeliveries,
} from './delivery.js';
import { InvalidWebhookUrl } from './errors.js';
import { replayDelivery, replayRange } from './replay.js';
import { rest } from './rest.js';
import { mostAttempts } from './retry.js';
import { type TestDelivery, testDelivery, testWebhook } from './test-delivery.js';

const DeliveryStatusEnum = builder.enumType(DeliveryStatus, {
  name: 'DeliveryStatus',
  description:
    '`pending`: waits to be sent. `processing`: being sent. `delivered`: answered with 2xx. `failed`: to be tried again. `dlq`: given up, in the dead-letter queue.',
});

const Attempt = builder.prismaObject('DeliveryAttempt', {
  description: 'One attempt to send a delivery.',
  fields: (t) => ({
    deliveryId: t.expose('id', { type: 'AttemptId', description: 'Id of this attempt, the `X-Svc-Delivery-Id` of its request.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it was sent.' }),
    durationMs: t.exposeInt('durationMs', { description: 'Milliseconds until the answer or the failure.' }),
    responseCode: t.exposeInt('responseCode', { nullable: true, description: 'HTTP status of the answer; null where there was none.' }),
    error: t.exposeString('error', { nullable: true, description: 'Why it failed; null where it did not.' }),
  }),
});

const Delivery = builder.prismaObject('WebhookDelivery', {
  ...byId(rowsOf('webhookDelivery', visibleDeliveries)),
  name: 'Delivery',
  description: 'One event to be sent to one subscription.',
  fields: (t) => ({
    id: t.expose('id', { type: 'DeliveryId' }),
    webhookId: t.expose('webhookId', { type: 'WebhookId', description: 'The subscription.' }),
    eventId: t.expose('eventId', { type: 'EventId', description: 'The event.' }),
    eventType: t.exposeString('eventType', { description: 'Type of the event.' }),
    status: t.expose('status', { type: DeliveryStatusEnum }),
    attemptCount: t.exposeInt('attemptCount', { description: 'Number of attempts so far.' }),
    maxAttempts: t.exposeInt('maxAttempts', { description: 'Most attempts before it is given up.' }),
    lastResponseCode: t.exposeInt('lastResponseCode', {
      nullable: true,
      description: 'HTTP status of the last answer; null where there was none.',
    }),
    lastResponseBody: t.exposeString('lastResponseBody', {
      nullable: true,
      description: 'Body of the last answer, cut to 1 KiB; null where there was none.',
    }),
    lastError: t.exposeString('lastError', { nullable: true, description: 'Why the last attempt failed; null where it did not.' }),
    nextRetryAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it is tried again; null where it is not.',
      resolve: ({ status, dueAt }) => (status === 'failed' ? dueAt : null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    deliveredAt: t.expose('deliveredAt', { type: 'DateTime', nullable: true, description: 'When it arrived; null where it has not.' }),
    dlqAt: t.expose('dlqAt', { type: 'DateTime', nullable: true, description: 'When it was given up; null where it was not.' }),
    dlqReason: t.exposeString('dlqReason', {
      nullable: true,
      description:
        'Why it was given up: attempts_exhausted, url_refused, subscription_deleted, subscription_paused or subscription_disabled. Null where it was not.',
    }),
    attempts: t.field({
      wire: { shown: true },
      type: [Attempt],
      description: 'Every attempt, oldest first.',
      ...visibleRelation('attempts', visibleDeliveries, { most: mostAttempts, query: { orderBy: { id: 'asc' } } }),
    }),
  }),
});
const DeliveryPage = pageOf(Delivery, 'Delivery');

const WebhookTest = builder.objectRef<TestDelivery>('WebhookTest').implement({
  description: 'What an endpoint answered to a test.',
  fields: (t) => ({
    deliveryId: t.field({ type: 'DeliveryId', description: 'The delivery of the test.', resolve: ({ delivery }) => delivery.id }),
    eventId: t.field({ type: 'EventId', description: 'The event of the test.', resolve: ({ delivery }) => delivery.eventId }),
    status: t.field({ type: DeliveryStatusEnum, resolve: ({ delivery }) => delivery.status }),
    responseCode: t.int({
      nullable: true,
      description: "HTTP status of the endpoint's answer; null where there was none.",
      resolve: ({ attempt }) => attempt?.responseCode ?? null,
    }),
    durationMs: t.int({
      nullable: true,
      description: 'Milliseconds until the answer; null where there was none.',
      resolve: ({ attempt }) => attempt?.durationMs ?? null,
    }),
    error: t.string({
      nullable: true,
      description: 'Why it failed; null where it did not.',
      resolve: ({ delivery }) => delivery.lastError,
    }),
  }),
});

const Stats = builder.objectRef<DeliveryStats>('WebhookStats').implement({
  description: 'Deliveries of a subscription by status, and how fast its endpoint answers.',
  fields: (t) => ({
    pending: t.exposeInt('pending', { description: 'Number of deliveries that wait to be sent.' }),
    delivered: t.exposeInt('delivered', { description: 'Number of deliveries that arrived.' }),
    failed: t.exposeInt('failed', { description: 'Number of deliveries that will be tried again.' }),
    dlq: t.exposeInt('dlq', { description: 'Number of deliveries that were given up.' }),
    p50Ms: t.exposeInt('p50Ms', {
      nullable: true,
      description: "Median time of the endpoint's answers, in milliseconds, over the newest 1,000 deliveries; null without any.",
    }),
    p95Ms: t.exposeInt('p95Ms', {
      nullable: true,
      description: 'Time within which 95 of 100 answers came, in milliseconds, over the newest 1,000 deliveries; null without any.',
    }),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when no delivery has arrived; null where the last one did.',
    }),
  }),
});

const Hour = builder.objectRef<DeliveryHour>('WebhookHour').implement({
  description: 'How the deliveries of an hour went.',
  fields: (t) => ({
    hour: t.expose('hour', { type: 'DateTime', description: 'Its first instant.' }),
    delivered: t.exposeInt('delivered', { description: 'Deliveries that arrived.' }),
    undelivered: t.exposeInt('undelivered', { description: 'Deliveries that were tried and have not arrived.' }),
  }),
});

const Replay = builder.objectRef<number>('WebhookReplay').implement({
  description: 'The deliveries that were queued.',
  fields: (t) => ({
    queued: t.int({ description: 'Number of deliveries queued; ten are sent per second.', resolve: (queued) => queued }),
  }),
});

builder.queryFields((t) => ({
  delivery: t.prismaField({
    route: rest(
      'GET /v1/webhooks/deliveries/{id}',
      'Read a delivery with each attempt. It shows the answers of the endpoint and when it is tried again.',
    ),
    type: Delivery,
    authScopes: { audience: 'operator', scope: 'webhooks:read' },
    args: { id: t.arg({ type: 'DeliveryId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => delivery(ctx, id, query),
  }),
  deliveries: t.field({
    route: rest(
      'GET /v1/webhooks/{id}/deliveries',
      'List the deliveries of a subscription, newest first, with each attempt. Filter by status or event type; those of a deleted subscription stay readable.',
      {
        names: { webhookId: 'id' },
      },
    ),
    type: DeliveryPage,
    authScopes: { audience: 'operator', scope: 'webhooks:read' },
    ...facts({ errors: [NotFound] }),
    ...listed(t, deliveries, {
      webhookId: t.arg({ type: 'WebhookId', required: false }),
      status: t.arg({ type: DeliveryStatusEnum, required: false }),
      eventType: t.arg.string({ required: false }),
      eventId: t.arg({ type: 'EventId', required: false, description: 'The event that they bring.' }),
    }),
  }),
  webhookHours: t.field({
    type: [Hour],
    description:
      'How the newest 10,000 deliveries of the last 24 hours went, by the hour in which they were queued, oldest first. What was not tried yet is left out.',
    authScopes: { audience: 'operator', scope: 'webhooks:read' },
    args: { id: t.arg({ type: 'WebhookId' }) },
    ...facts({ errors: [NotFound], most: shownHours }),
    resolve: (_root, { id }, ctx) => deliveryHours(ctx, id),
  }),
  webhookStats: t.field({
    route: rest(
      'GET /v1/webhooks/{id}/stats',
      'Count the deliveries of a subscription by status, with how fast its endpoint answers. Times are those of the newest 1,000 deliveries.',
    ),
    type: Stats,
    authScopes: { audience: 'operator', scope: 'webhooks:read' },
    args: { id: t.arg({ type: 'WebhookId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => deliveryStats(ctx, id),
  }),
}));

builder.mutationFields((t) => ({
  testWebhook: t.field({
    route: rest(
      'POST /v1/webhooks/{id}/test',
      'Send a test event to an endpoint and wait for its answer. It works for subscriptions that are not active too; a failed test is tried again like any other delivery.',
      { status: 202 },
    ),
    type: WebhookTest,
    authScopes: { audience: 'api_key', scope: 'webhooks:write' },
    args: { id: t.arg({ type: 'WebhookId' }), input: t.arg({ type: TestWebhookInput }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id, input }) => testWebhook(ctx, id, input.eventType ?? null), testDelivery),
  }),
  replayDelivery: t.field({
    route: rest(
      'POST /v1/webhooks/deliveries/{id}/replay',
      'Send a delivery again: a new delivery of the same event, with the same event id. While it is under way, or when its subscription is not active, the answer is 409.',
      { status: 202 },
    ),
    type: Delivery,
    authScopes: { audience: 'operator', scope: 'webhooks:write' },
    args: { id: t.arg({ type: 'DeliveryId' }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id }) => replayDelivery(ctx, id), delivery),
  }),
  replayWebhook: t.field({
    route: rest(
      'POST /v1/webhooks/{id}/replay',
      'Send the events of a period again, ten per second. By default only those that ended in the dead-letter queue; at most 10,000 events at a time. A subscription that is not active is 409.',
      { status: 202 },
    ),
    type: Replay,
    authScopes: { audience: 'api_key', scope: 'webhooks:write' },
    args: { id: t.arg({ type: 'WebhookId' }), input: t.arg({ type: ReplayWebhookInput }) },
    ...facts({ errors: [NotFound, StateConflict, TestModeOnly, InvalidWebhookUrl] }),
    resolve: once(
      (ctx, { id, input }) => replayRange(ctx, { ...input, webhookId: id }),
      async (_ctx, reference) => Number(reference),
    ),
  }),
}));
