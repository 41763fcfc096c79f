// The GraphQL face of the consent: what the page shows, and the answers of a person.
import { z } from 'zod';
import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { StepUpRequired } from '../../platform/step-up.js';
import { Connection, ConnectionClient } from './connection.schema.js';
import { GrantConnectionInput } from './consent.input.js';
import {
  type ConnectRequest,
  connectRequest,
  denyConnection,
  type Granted,
  grantConnection,
  grantedConnection,
  mostOffered,
  offeredAccounts,
  offeredAgents,
} from './consent.js';
import { AgentFullyConnected, AlreadyAnswered, PersonRequired } from './errors.js';
import { rest } from './rest.js';

const uidShape = { description: 'The authorization, as the address of the page names it.', validate: z.string().min(1).max(64) } as const;

const OfferedAgent = builder.objectRef<{ id: string; name: string; parentAccountId: string }>('OfferedAgent').implement({
  description: 'An agent that a program may be connected to.',
  fields: (t) => ({
    id: t.expose('id', { type: 'AgentId' }),
    name: t.exposeString('name', { description: 'Name of the agent.' }),
    parentAccountId: t.expose('parentAccountId', { type: 'AccountId', description: 'The account that the agent acts and pays for.' }),
  }),
});

const OfferedAccount = builder.objectRef<{ id: string; name: string }>('OfferedAccount').implement({
  description: 'An account that a new agent may act for.',
  fields: (t) => ({
    id: t.expose('id', { type: 'AccountId' }),
    name: t.exposeString('name', { description: 'Name of the person or business.' }),
  }),
});

const ConnectRequestType = builder.objectRef<ConnectRequest>('ConnectRequest').implement({
  description: 'A program that wants to be connected, and waits for the answer of a person.',
  fields: (t) => ({
    client: t.field({ type: ConnectionClient, description: 'The program, as it calls itself.', resolve: (request) => request }),
    redirectHost: t.exposeString('redirectHost', { description: 'Where the answer goes: a host, or the scheme of a program.' }),
    isLoopback: t.exposeBoolean('isLoopback', { description: 'True where the answer goes to a program on the computer of the person.' }),
    scopes: t.exposeStringList('scopes', { description: 'What it asks for: `agent:read`, and `agent:act` to pay.' }),
    agents: t.field({
      type: [OfferedAgent],
      description: 'The newest 200 active agents.',
      ...facts({ most: mostOffered }),
      resolve: (_request, _args, ctx) => offeredAgents(ctx),
    }),
    accounts: t.field({
      type: [OfferedAccount],
      description: 'The newest 200 active accounts, for which a new agent can act.',
      ...facts({ most: mostOffered }),
      resolve: (_request, _args, ctx) => offeredAccounts(ctx),
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Until when it can be answered.' }),
  }),
});

const GrantedConnection = builder.objectRef<Granted>('GrantedConnection').implement({
  description: 'A connection that was allowed.',
  fields: (t) => ({
    redirectTo: t.exposeString('redirectTo', { description: 'Where the browser goes on, to bring the answer to the program.' }),
    connection: t.field({ type: Connection, description: 'The connection.', wire: { shown: true }, resolve: (made) => made.connection }),
  }),
});

const DeniedConnection = builder.objectRef<{ redirectTo: string }>('DeniedConnection').implement({
  description: 'A program that was told no.',
  fields: (t) => ({
    redirectTo: t.exposeString('redirectTo', { description: 'Where the browser goes on, to bring the answer to the program.' }),
  }),
});

builder.queryFields((t) => ({
  connectRequest: t.field({
    route: rest(
      'GET /v1/connect/{uid}',
      'Read what a program asks for, for the page that asks a person. Only a person reads it, in the browser that began it: 404 in any other, and once it was answered.',
      { name: 'getConnectRequest' },
    ),
    type: ConnectRequestType,
    authScopes: { audience: 'operator', scope: 'connections:write' },
    args: { uid: t.arg.string(uidShape) },
    ...facts({ errors: [PersonRequired, NotFound] }),
    resolve: (_root, { uid }, ctx) => connectRequest(ctx, uid),
  }),
}));

builder.mutationFields((t) => ({
  grantConnection: t.field({
    route: rest(
      'POST /v1/connect/{uid}',
      'Connect a program to an agent, with a budget and an end. A person does it, in the browser that the program opened; in production one who has just signed in. `agent:act` needs a budget. The answer says where the browser goes on. Emits `connection.created`.',
    ),
    type: GrantedConnection,
    authScopes: { audience: 'operator', scope: 'connections:write' },
    args: { uid: t.arg.string(uidShape), input: t.arg({ type: GrantConnectionInput }) },
    ...facts({ errors: [PersonRequired, StepUpRequired, NotFound, StateConflict, AgentFullyConnected, AlreadyAnswered] }),
    resolve: once((ctx, { uid, input }) => grantConnection(ctx, uid, input), grantedConnection),
  }),
  denyConnection: t.field({
    route: rest(
      'POST /v1/connect/{uid}/deny',
      'Tell a program that it is not connected. A person does it, in the browser that the program opened. The answer says where the browser goes on.',
    ),
    type: DeniedConnection,
    authScopes: { audience: 'operator', scope: 'connections:write' },
    args: { uid: t.arg.string(uidShape) },
    ...facts({ errors: [PersonRequired, NotFound, AlreadyAnswered], effect: 'none' }),
    resolve: (_root, { uid }, ctx) => denyConnection(ctx, uid),
  }),
}));
