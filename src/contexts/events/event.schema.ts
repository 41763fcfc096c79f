// The GraphQL face of events and of their catalog.

import { z } from 'zod';
import { type CatalogEntry, catalogOf } from '../../events/catalog.js';
import { describeMembers } from '../../events/member.js';
import type { PublishedEvent } from '../../events/publication.js';
import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { visibleDeliveries } from '../webhooks/delivery.js';
import { mostWebhooks } from '../webhooks/webhook.js';
import { dataOfEvent, event, events, visibleEvents } from './event.js';
import { type EventResend, earlierResend, resendEvent } from './resend.js';
import { rest } from './rest.js';
import { workspaceEvents } from './workspace-stream.js';

type Status = 'pending' | 'processing' | 'delivered' | 'failed' | 'dlq';
const DeliverySummary = builder.objectRef<readonly { status: Status }[]>('DeliverySummary').implement({
  description: 'Deliveries of an event by status, over all subscriptions.',
  fields: (t) => {
    const count = (description: string, ...statuses: Status[]) =>
      t.int({ description, resolve: (deliveries) => deliveries.filter(({ status }) => statuses.includes(status)).length });
    return {
      total: t.int({ description: 'Number of deliveries.', resolve: (deliveries) => deliveries.length }),
      pending: count('Number of deliveries that wait to be sent or are being sent.', 'pending', 'processing'),
      delivered: count('Number of deliveries that arrived.', 'delivered'),
      failed: count('Number of deliveries that will be tried again.', 'failed'),
      dlq: count('Number of deliveries that were given up.', 'dlq'),
    };
  },
});

export const Event = builder.prismaObject('Event', {
  ...byId(rowsOf('event', visibleEvents)),
  description: 'Something that happened. A webhook is sent its id, type, timestamp and data.',
  fields: (t) => ({
    id: t.expose('id', { type: 'EventId' }),
    type: t.exposeString('type', { description: 'Type of the event, such as `transfer.completed`.' }),
    timestamp: t.expose('createdAt', { type: 'DateTime', description: 'When it happened, in workspace time.' }),
    data: t.field({
      type: 'JSONObject',
      description: 'The facts, by type; `GET /v1/webhooks/events` has their JSON Schema.',
      resolve: (row, _args, ctx) => dataOfEvent(ctx, row),
    }),
    deliveries: t.field({
      type: DeliverySummary,
      nullable: true,
      description: 'Its deliveries by status; null for agents, who see none.',
      select: { deliveries: { select: { status: true } } },
      resolve: ({ deliveries }, _args, ctx) => (visibleDeliveries.isWhole(ctx) ? deliveries : null),
    }),
  }),
});
const EventPage = pageOf(Event, 'Event');

const PublishedEventObject = builder.objectRef<PublishedEvent>('PublishedEvent').implement({
  description: 'An event as it is published.',
  fields: (t) => ({
    id: t.expose('id', { type: 'EventId' }),
    type: t.exposeString('type', { description: 'Type of the event, such as `transfer.completed`.' }),
    timestamp: t.expose('createdAt', { type: 'DateTime', description: 'When it happened, in workspace time.' }),
    data: t.expose('data', { type: 'JSONObject', description: 'The facts, by type.' }),
  }),
});

const jsonSchemas = new Map<string, unknown>();
function jsonSchemaOf({ type, data }: CatalogEntry): unknown {
  if (!jsonSchemas.has(type)) jsonSchemas.set(type, describeMembers(z.toJSONSchema(data)));
  return jsonSchemas.get(type);
}

const EventTypeObject = builder.objectRef<CatalogEntry>('EventType').implement({
  description: 'A type of event, with the shape of its data.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'Name of the type, such as `transfer.completed`.' }),
    family: t.exposeString('family', { description: 'Its first word: `transfer.*` subscribes to all types that share it.' }),
    description: t.exposeString('description', { description: 'When it is emitted.' }),
    emitted: t.exposeBoolean('emitted', { description: 'False for a type that is announced and not emitted yet.' }),
    schema: t.field({ type: 'JSONObject', description: 'JSON Schema of the data.', resolve: jsonSchemaOf }),
    example: t.field({ type: 'JSONObject', description: 'Example of the data.', resolve: (entry) => entry.example }),
  }),
});

const EventResendObject = builder.objectRef<EventResend>('EventResend').implement({
  description: 'The deliveries that were queued.',
  fields: (t) => ({
    eventId: t.expose('eventId', { type: 'EventId', description: 'The event, which keeps its id.' }),
    queued: t.int({ description: 'Number of deliveries that were queued.', resolve: ({ deliveryIds }) => deliveryIds.length }),
    deliveryIds: t.expose('deliveryIds', {
      type: ['DeliveryId'],
      description: 'The new deliveries.',
      ...facts({ most: mostWebhooks, embedded: true }),
    }),
  }),
});

const ResendEventInput = builder.inputType('ResendEventInput', {
  description: 'Where an event is sent again.',
  fields: (t) => ({
    webhookId: t.field({
      type: 'WebhookId',
      required: false,
      description: 'Only to this subscription; without it to every active one that names the type.',
    }),
  }),
});

/** More types than a catalog that a person reads will have. */
const mostEventTypes = 500;

builder.queryFields((t) => ({
  eventTypes: t.field({
    route: rest(
      'GET /v1/webhooks/events',
      'List the event types, with the JSON Schema and an example of their data. Types that are announced and not emitted yet have `emitted: false`.',
    ),
    type: [EventTypeObject],
    authScopes: { audience: 'any', scope: 'webhooks:read' },
    ...facts({ most: mostEventTypes }),
    resolve: (_root, _args, ctx) => catalogOf(ctx).types(),
  }),
  event: t.prismaField({
    route: rest('GET /v1/events/{id}', 'Read an event. Events are kept for 30 days; an agent reads those about itself.'),
    type: Event,
    authScopes: { audience: 'any', scope: 'webhooks:read' },
    args: { id: t.arg({ type: 'EventId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => event(ctx, id, query),
  }),
  events: t.field({
    route: rest(
      'GET /v1/events',
      'List events of the last 30 days, newest first. Filter by type, object, agent or delivery; an agent sees those about itself.',
    ),
    type: EventPage,
    authScopes: { audience: 'any', scope: 'webhooks:read' },
    ...listed(t, events, {
      type: t.arg.stringList({ required: false, description: 'Only events of these types; wildcards such as `transfer.*` are taken.' }),
      objectId: t.arg.string({ required: false, description: 'Only events about the object with this id, bare or with its prefix.' }),
      agentId: t.arg({ type: 'AgentUuid', required: false }),
      delivered: t.arg.boolean({
        required: false,
        description: 'True: only events whose deliveries have all arrived. False: only those with one that has not.',
      }),
    }),
  }),
}));

builder.mutationField('resendEvent', (t) =>
  t.field({
    route: rest(
      'POST /v1/events/{id}/resend',
      'Send an event again, to one subscription or to all that want it. It keeps its id, so that a receiver can recognise it. A subscription that is not active is 409 `state_conflict`.',
      { status: 202 },
    ),
    type: EventResendObject,
    authScopes: { audience: 'operator', scope: 'webhooks:write' },
    args: { id: t.arg({ type: 'EventId' }), input: t.arg({ type: ResendEventInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once(
      (ctx, { id, input }) => resendEvent(ctx, id, input.webhookId ?? null),
      async (_ctx, reference) => earlierResend(reference),
    ),
  }),
);

builder.subscriptionField('workspaceEvents', (t) =>
  t.field({
    type: PublishedEventObject,
    description:
      'Follow the events of the workspace as they happen. Each is sent at least once, in the order of publication; the stream ends after an hour, and `after` continues it.',
    authScopes: { audience: 'operator', scope: 'webhooks:read' },
    args: {
      types: t.arg.stringList({
        required: false,
        description: 'Only these types; wildcards such as `transfer.*` are taken. All by default.',
      }),
      after: t.arg({ type: 'EventId', required: false, description: 'Continue after this event.' }),
    },
    subscribe: (_root, input, ctx) => workspaceEvents(ctx, input),
    resolve: (event) => event as PublishedEvent,
  }),
);
