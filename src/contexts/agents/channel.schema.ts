// The GraphQL face of an agent's live channel and its liveness.
import { z } from 'zod';
import { NotFound, SessionRequired } from '../../platform/errors.js';
import type { Message } from '../../platform/mailbox.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { agentEvents } from './channel.js';
import { TooManyConnections } from './errors.js';
import { type Liveness, liveness } from './liveness.js';
import { rest } from './rest.js';

const ChannelEvent = builder.objectRef<Message>('ChannelEvent').implement({
  description: 'One event of an agent’s channel.',
  fields: (t) => ({
    id: t.string({
      nullable: true,
      description: 'Its number: give the last one as `lastEventId` to go on.',
      resolve: ({ id }) => id ?? null,
    }),
    event: t.exposeString('event', {
      description: 'Its type, such as connected, transfer_completed or heartbeat.',
    }),
    data: t.field({ type: 'JSON', description: 'With `id`, `type`, `time` and `agent_id`.', resolve: ({ data }) => JSON.parse(data) }),
  }),
});

const LivenessType = builder.objectRef<Liveness>('Liveness').implement({
  description: 'Whether an agent is listening, and what it could read again.',
  fields: (t) => ({
    agentId: t.expose('agentId', { type: 'AgentId' }),
    connected: t.exposeBoolean('connected'),
    connections: t.exposeInt('connections', { description: 'Open streams, at most five.' }),
    connectedAt: t.expose('connectedAt', {
      wire: { orNull: true },
      type: 'DateTime',
      nullable: true,
      description: 'Since when the newest is open.',
    }),
    lastHeartbeatAt: t.expose('lastHeartbeatAt', { wire: { orNull: true }, type: 'DateTime', nullable: true }),
    lastEventId: t.exposeString('lastEventId', {
      wire: { orNull: true },
      nullable: true,
      description: 'The newest number of the channel.',
    }),
    lastDisconnectAt: t.expose('lastDisconnectAt', { wire: { orNull: true }, type: 'DateTime', nullable: true }),
    sessionExpiresAt: t.expose('sessionExpiresAt', {
      wire: { orNull: true },
      type: 'DateTime',
      nullable: true,
      description: 'Of the connected session that lasts longest.',
    }),
    bufferedEvents: t.exposeInt('bufferedEvents', { description: 'How many events can be read again.' }),
    oldestBufferedEventId: t.exposeString('oldestBufferedEventId', { wire: { orNull: true }, nullable: true }),
  }),
});

builder.queryFields((t) => ({
  liveness: t.field({
    route: rest('GET /v1/agents/{id}/liveness', 'Read whether an agent is listening.', { names: { agentId: 'id' } }),
    type: LivenessType,
    authScopes: { audience: 'operator' },
    args: { agentId: t.arg({ type: 'AgentId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { agentId }, ctx) => liveness(ctx, agentId),
  }),
}));

builder.subscriptionType({ authScopes: { audience: 'any' } });
builder.subscriptionFields((t) => ({
  agentEvents: t.field({
    type: ChannelEvent,
    description: 'What happens to an agent, as it happens. Its company may watch; the agent itself connects.',
    args: {
      agentId: t.arg({ type: 'AgentId' }),
      lastEventId: t.arg.string({
        required: false,
        description: 'Go on after this event: the last 100 of five minutes can be read again.',
        validate: z.string().max(64),
      }),
      connect: t.arg.boolean({
        required: false,
        defaultValue: false,
        description: 'As the agent: needs a session, whose one connection this is.',
      }),
    },
    ...facts({ errors: [NotFound, SessionRequired, TooManyConnections] }),
    subscribe: (_root, { connect, ...input }, ctx) => agentEvents(ctx, { ...input, connect: connect ?? false }),
    resolve: (message) => message as Message,
  }),
}));
