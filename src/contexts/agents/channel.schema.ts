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
      description: 'Event number; send the last one back as `lastEventId` to continue. Null for heartbeats.',
      resolve: ({ id }) => id ?? null,
    }),
    event: t.exposeString('event', {
      description: 'Its type, such as connected, transfer_completed or heartbeat.',
    }),
    data: t.field({ type: 'JSON', description: 'With `id`, `type`, `time` and `agent_id`.', resolve: ({ data }) => JSON.parse(data) }),
  }),
});

const LivenessType = builder.objectRef<Liveness>('Liveness').implement({
  description: 'Whether an agent is connected to its event channel, and what it could read again.',
  fields: (t) => ({
    agentId: t.expose('agentId', { type: 'AgentId', description: 'The agent.' }),
    connected: t.exposeBoolean('connected', { description: 'True while at least one stream of the agent is open.' }),
    connections: t.exposeInt('connections', { description: 'Number of open streams, at most five.' }),
    connectedAt: t.expose('connectedAt', {
      wire: { orNull: true },
      type: 'DateTime',
      nullable: true,
      description: 'When the newest open stream was opened; null while none is open.',
    }),
    lastHeartbeatAt: t.expose('lastHeartbeatAt', {
      wire: { orNull: true },
      type: 'DateTime',
      nullable: true,
      description: 'When a heartbeat was last sent; null where none was.',
    }),
    lastEventId: t.exposeString('lastEventId', {
      wire: { orNull: true },
      nullable: true,
      description: 'The newest event number of the channel; null while there is none.',
    }),
    lastDisconnectAt: t.expose('lastDisconnectAt', {
      wire: { orNull: true },
      type: 'DateTime',
      nullable: true,
      description: 'When a stream was last closed; null where none was.',
    }),
    sessionExpiresAt: t.expose('sessionExpiresAt', {
      wire: { orNull: true },
      type: 'DateTime',
      nullable: true,
      description: 'When the connected session that lasts longest expires; null while none is connected.',
    }),
    bufferedEvents: t.exposeInt('bufferedEvents', { description: 'Number of events that can still be read again.' }),
    oldestBufferedEventId: t.exposeString('oldestBufferedEventId', {
      wire: { orNull: true },
      nullable: true,
      description: 'The oldest event number that can still be read again; null where there is none.',
    }),
  }),
});

builder.queryFields((t) => ({
  liveness: t.field({
    route: rest(
      'GET /v1/agents/{id}/liveness',
      'Read whether an agent is connected to its event channel. The answer also says when it was last seen and which events it can still read again.',
      { names: { agentId: 'id' } },
    ),
    type: LivenessType,
    authScopes: { audience: 'operator', scope: 'agents:read' },
    args: { agentId: t.arg({ type: 'AgentId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { agentId }, ctx) => liveness(ctx, agentId),
  }),
}));

builder.subscriptionType({ authScopes: { audience: 'any' } });
builder.subscriptionFields((t) => ({
  agentEvents: t.field({
    type: ChannelEvent,
    authScopes: { audience: 'any', scope: 'agents:read' },
    description:
      'Follow the events of an agent as they happen. The agent itself connects with its session; an operator may watch without connecting.',
    args: {
      agentId: t.arg({ type: 'AgentId' }),
      lastEventId: t.arg.string({
        required: false,
        description: 'Continue after this event number; the last 100 events of the last five minutes can be read again.',
        validate: z.string().max(64),
      }),
      connect: t.arg.boolean({
        required: false,
        defaultValue: false,
        description: 'True: connect as the agent, which needs its session; each session has one connection.',
      }),
    },
    ...facts({ errors: [NotFound, SessionRequired, TooManyConnections] }),
    subscribe: (_root, { connect, ...input }, ctx) => agentEvents(ctx, { ...input, connect: connect ?? false }),
    resolve: (message) => message as Message,
  }),
}));
