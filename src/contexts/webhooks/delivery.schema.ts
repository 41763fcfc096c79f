// The GraphQL face of deliveries: how they stand, testing an endpoint, sending again.
import { DeliveryStatus } from '../../generated/prisma/enums.js';
import { NotFound, StateConflict, TestModeOnly } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { visibleRelation } from '../../platform/schema/visible-relation.js';
import { ReplayWebhookInput, TestWebhookInput } from './delivery.input.js';
import { type DeliveryStats, deliveries, delivery, deliveryStats, visibleDeliveries } from './delivery.js';
import { InvalidWebhookUrl } from './errors.js';
import { replayDelivery, replayRange } from './replay.js';
import { rest } from './rest.js';
import { mostAttempts } from './retry.js';
import { type TestDelivery, testDelivery, testWebhook } from './test-delivery.js';

const DeliveryStatusEnum = builder.enumType(DeliveryStatus, { name: 'DeliveryStatus' });

const Attempt = builder.prismaObject('DeliveryAttempt', {
  description: 'One send of a delivery.',
  fields: (t) => ({
    deliveryId: t.expose('id', { type: 'AttemptId', description: 'Its X-Svc-Delivery-Id.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime' }),
    durationMs: t.exposeInt('durationMs'),
    responseCode: t.exposeInt('responseCode', { nullable: true }),
    error: t.exposeString('error', { nullable: true }),
  }),
});

const Delivery = builder.prismaObject('WebhookDelivery', {
  name: 'Delivery',
  description: 'One event on its way to one subscription.',
  fields: (t) => ({
    id: t.expose('id', { type: 'DeliveryId' }),
    webhookId: t.expose('webhookId', { type: 'WebhookId' }),
    eventId: t.expose('eventId', { type: 'EventId' }),
    eventType: t.exposeString('eventType'),
    status: t.expose('status', { type: DeliveryStatusEnum }),
    attemptCount: t.exposeInt('attemptCount'),
    maxAttempts: t.exposeInt('maxAttempts'),
    lastResponseCode: t.exposeInt('lastResponseCode', { nullable: true }),
    lastResponseBody: t.exposeString('lastResponseBody', { nullable: true, description: 'At most 1 KiB.' }),
    lastError: t.exposeString('lastError', { nullable: true }),
    nextRetryAt: t.field({
      type: 'DateTime',
      nullable: true,
      resolve: ({ status, dueAt }) => (status === 'failed' ? dueAt : null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    deliveredAt: t.expose('deliveredAt', { type: 'DateTime', nullable: true }),
    dlqAt: t.expose('dlqAt', { type: 'DateTime', nullable: true }),
    dlqReason: t.exposeString('dlqReason', {
      nullable: true,
      description: 'attempts_exhausted, url_refused, subscription_deleted, subscription_paused or subscription_disabled.',
    }),
    attempts: t.field({
      wire: { shown: true },
      type: [Attempt],
      description: 'Every send of it, the first one first.',
      ...visibleRelation('attempts', visibleDeliveries, { most: mostAttempts, query: { orderBy: { id: 'asc' } } }),
    }),
  }),
});
const DeliveryPage = pageOf(Delivery, 'Delivery');

const WebhookTest = builder.objectRef<TestDelivery>('WebhookTest').implement({
  description: 'What an endpoint answered to a test.',
  fields: (t) => ({
    deliveryId: t.field({ type: 'DeliveryId', resolve: ({ delivery }) => delivery.id }),
    eventId: t.field({ type: 'EventId', resolve: ({ delivery }) => delivery.eventId }),
    status: t.field({ type: DeliveryStatusEnum, resolve: ({ delivery }) => delivery.status }),
    responseCode: t.int({ nullable: true, resolve: ({ attempt }) => attempt?.responseCode ?? null }),
    durationMs: t.int({ nullable: true, resolve: ({ attempt }) => attempt?.durationMs ?? null }),
    error: t.string({ nullable: true, resolve: ({ delivery }) => delivery.lastError }),
  }),
});

const Stats = builder.objectRef<DeliveryStats>('WebhookStats').implement({
  fields: (t) => ({
    pending: t.exposeInt('pending'),
    delivered: t.exposeInt('delivered'),
    failed: t.exposeInt('failed'),
    dlq: t.exposeInt('dlq'),
    p50Ms: t.exposeInt('p50Ms', { nullable: true, description: 'Of the attempts of the newest 1,000 deliveries.' }),
    p95Ms: t.exposeInt('p95Ms', { nullable: true }),
    failingSince: t.expose('failingSince', { type: 'DateTime', nullable: true }),
  }),
});

const Replay = builder.objectRef<number>('WebhookReplay').implement({
  fields: (t) => ({ queued: t.int({ description: 'Deliveries queued, ten a second.', resolve: (queued) => queued }) }),
});

builder.queryFields((t) => ({
  delivery: t.prismaField({
    route: rest('GET /v1/webhooks/deliveries/{id}', 'Read a delivery, with each attempt.'),
    type: Delivery,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'DeliveryId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => delivery(ctx, id, query),
  }),
  deliveries: t.field({
    route: rest('GET /v1/webhooks/{id}/deliveries', 'List the deliveries of a subscription, with each attempt.', {
      names: { webhookId: 'id' },
    }),
    type: DeliveryPage,
    authScopes: { audience: 'operator' },
    ...facts({ errors: [NotFound] }),
    ...listed(t, deliveries, {
      webhookId: t.arg({ type: 'WebhookId', required: false }),
      status: t.arg({ type: DeliveryStatusEnum, required: false }),
      eventType: t.arg.string({ required: false }),
    }),
  }),
  webhookStats: t.field({
    route: rest('GET /v1/webhooks/{id}/stats', "Count a subscription's deliveries, and say how fast its endpoint answers."),
    type: Stats,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'WebhookId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => deliveryStats(ctx, id),
  }),
}));

builder.mutationFields((t) => ({
  testWebhook: t.field({
    route: rest('POST /v1/webhooks/{id}/test', 'Send a test event to an endpoint and wait for its answer.', { status: 202 }),
    type: WebhookTest,
    authScopes: { audience: 'api_key' },
    args: { id: t.arg({ type: 'WebhookId' }), input: t.arg({ type: TestWebhookInput }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id, input }) => testWebhook(ctx, id, input.eventType ?? null), testDelivery),
  }),
  replayDelivery: t.field({
    route: rest('POST /v1/webhooks/deliveries/{id}/replay', 'Send a delivery again: a new delivery of the same event.', { status: 202 }),
    type: Delivery,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'DeliveryId' }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id }) => replayDelivery(ctx, id), delivery),
  }),
  replayWebhook: t.field({
    route: rest('POST /v1/webhooks/{id}/replay', 'Send the events of a stretch of time again, ten a second.', { status: 202 }),
    type: Replay,
    authScopes: { audience: 'api_key' },
    args: { id: t.arg({ type: 'WebhookId' }), input: t.arg({ type: ReplayWebhookInput }) },
    ...facts({ errors: [NotFound, StateConflict, TestModeOnly, InvalidWebhookUrl] }),
    resolve: once(
      (ctx, { id, input }) => replayRange(ctx, { ...input, webhookId: id }),
      async (_ctx, reference) => Number(reference),
    ),
  }),
}));
