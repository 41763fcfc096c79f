// The GraphQL face of events and of their catalog.
import { z } from 'zod';
import { type CatalogEntry, catalogOf } from '../../events/catalog.js';
import type { PublishedEvent } from '../../events/publication.js';
import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { visibleDeliveries } from '../webhooks/delivery.js';
import { dataOfEvent, event, events } from './event.js';
import { type EventResend, earlierResend, resendEvent } from './resend.js';
import { rest } from './rest.js';
import { workspaceEvents } from './workspace-stream.js';

type Status = 'pending' | 'processing' | 'delivered' | 'failed' | 'dlq';
const DeliverySummary = builder.objectRef<readonly { status: Status }[]>('DeliverySummary').implement({
  description: 'How the deliveries of an event stand, over all subscriptions.',
  fields: (t) => {
    const count = (...statuses: Status[]) =>
      t.int({ resolve: (deliveries) => deliveries.filter(({ status }) => statuses.includes(status)).length });
    return {
      total: t.int({ resolve: (deliveries) => deliveries.length }),
      pending: count('pending', 'processing'),
      delivered: count('delivered'),
      failed: count('failed'),
      dlq: count('dlq'),
    };
  },
});

export const Event = builder.prismaObject('Event', {
  description: 'Something that happened. What is posted to a webhook is its id, type, timestamp and data.',
  fields: (t) => ({
    id: t.expose('id', { type: 'EventId' }),
    type: t.exposeString('type'),
    timestamp: t.expose('createdAt', { type: 'DateTime', description: 'Workspace time.' }),
    data: t.field({ type: 'JSONObject', resolve: (row, _args, ctx) => dataOfEvent(ctx, row) }),
    deliveries: t.field({
      type: DeliverySummary,
      nullable: true,
      description: 'How they stand; null for agents, who see no deliveries.',
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
    type: t.exposeString('type'),
    timestamp: t.expose('createdAt', { type: 'DateTime', description: 'Workspace time.' }),
    data: t.expose('data', { type: 'JSONObject' }),
  }),
});

const jsonSchemas = new Map<string, unknown>();
function jsonSchemaOf({ type, data }: CatalogEntry): unknown {
  if (!jsonSchemas.has(type)) jsonSchemas.set(type, z.toJSONSchema(data));
  return jsonSchemas.get(type);
}

const EventTypeObject = builder.objectRef<CatalogEntry>('EventType').implement({
  description: 'A type of event, and what its data looks like.',
  fields: (t) => ({
    type: t.exposeString('type'),
    family: t.exposeString('family', { description: 'The first word: `transfer.*` subscribes to all that share it.' }),
    description: t.exposeString('description', { description: 'When it fires.' }),
    emitted: t.exposeBoolean('emitted', { description: 'False for what is announced and not emitted yet.' }),
    schema: t.field({ type: 'JSONObject', description: 'JSON Schema of the data.', resolve: jsonSchemaOf }),
    example: t.field({ type: 'JSONObject', description: 'Example of the data.', resolve: (entry) => entry.example }),
  }),
});

const EventResendObject = builder.objectRef<EventResend>('EventResend').implement({
  description: 'What was queued to be sent once more.',
  fields: (t) => ({
    eventId: t.expose('eventId', { type: 'EventId' }),
    queued: t.int({ resolve: ({ deliveryIds }) => deliveryIds.length }),
    deliveryIds: t.expose('deliveryIds', { type: ['DeliveryId'] }),
  }),
});

const ResendEventInput = builder.inputType('ResendEventInput', {
  fields: (t) => ({
    webhookId: t.field({ type: 'WebhookId', required: false, description: 'Without it: every active subscription that names the type.' }),
  }),
});

/** More types than a catalog that a person reads will have. */
const mostEventTypes = 500;

builder.queryFields((t) => ({
  eventTypes: t.field({
    route: rest('GET /v1/webhooks/events', 'List the event types, with the JSON Schema of their data.'),
    type: [EventTypeObject],
    ...facts({ most: mostEventTypes }),
    resolve: (_root, _args, ctx) => catalogOf(ctx).types(),
  }),
  event: t.prismaField({
    route: rest('GET /v1/events/{id}', 'Read an event.'),
    type: Event,
    args: { id: t.arg({ type: 'EventId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => event(ctx, id, query),
  }),
  events: t.field({
    route: rest('GET /v1/events', 'List events of the last 30 days.'),
    type: EventPage,
    ...listed(t, events, {
      type: t.arg.stringList({ required: false, description: 'Types or wildcards such as `transfer.*`, any of which.' }),
      objectId: t.arg.string({ required: false, description: 'Id of what it is about, bare or with its prefix.' }),
      agentId: t.arg({ type: 'AgentUuid', required: false }),
      delivered: t.arg.boolean({ required: false, description: 'Whether all its deliveries arrived; false: some have not.' }),
    }),
  }),
}));

builder.mutationField('resendEvent', (t) =>
  t.field({
    route: rest('POST /v1/events/{id}/resend', 'Send an event once more.', { status: 202 }),
    type: EventResendObject,
    authScopes: { audience: 'operator' },
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
    description: 'What happens in the workspace, as it happens.',
    authScopes: { audience: 'operator' },
    args: {
      types: t.arg.stringList({ required: false, description: 'Types or wildcards such as `transfer.*`; all without it.' }),
      after: t.arg({ type: 'EventId', required: false, description: 'Go on after this event.' }),
    },
    subscribe: (_root, input, ctx) => workspaceEvents(ctx, input),
    resolve: (event) => event as PublishedEvent,
  }),
);
