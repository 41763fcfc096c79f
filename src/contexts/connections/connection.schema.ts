// The GraphQL face of connections.
import { ConnectionStatus } from '../../generated/prisma/enums.js';
import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { printId } from '../../platform/schema/id.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { connection, connections, nameOfMember, revokeConnection, shortenConnection, statusOf, visibleConnections } from './connection.js';
import { UpdateConnectionInput } from './consent.input.js';
import { rest } from './rest.js';

export const ConnectionStatusEnum = builder.enumType(ConnectionStatus, {
  name: 'ConnectionStatus',
  description: '`active`: its tokens work. `revoked`: ended before its time. `expired`: ended by itself.',
});

export interface Client {
  clientName: string;
  redirectHost: string;
}

export const ConnectionClient = builder.objectRef<Client>('ConnectionClient').implement({
  description: 'A program that is connected, as it called itself. Nobody vouches for its name.',
  fields: (t) => ({
    name: t.exposeString('clientName', { description: 'The name that the program gave itself, at most 60 characters. It is text.' }),
    kind: t.string({ description: '`registered`: the program registered itself.', resolve: () => 'registered' }),
    host: t.exposeString('redirectHost', { description: 'The host to which its answers go, or the scheme of a program.' }),
  }),
});

export const ConnectionMember = builder.objectRef<{ memberId: string }>('ConnectionMember').implement({
  description: 'The person who allowed a connection.',
  fields: (t) => ({
    id: t.string({ description: 'Its identifier, with the prefix `mem_`.', resolve: ({ memberId }) => printId('member', memberId) }),
    name: t.string({
      nullable: true,
      description: 'Name of the person; null where it is not known any more.',
      resolve: ({ memberId }, _args, ctx) => nameOfMember(ctx, memberId),
    }),
  }),
});

export const Connection = builder.prismaObject('Connection', {
  ...byId(rowsOf('connection', visibleConnections)),
  description: 'A program that acts as an agent within a budget, until a person revokes it or it expires.',
  fields: (t) => ({
    id: t.expose('id', { type: 'ConnectionId' }),
    client: t.field({ type: ConnectionClient, description: 'The program, as it called itself.', resolve: (row) => row }),
    redirectHost: t.exposeString('redirectHost', { description: 'Where its answers go: a host, or the scheme of a program.' }),
    agentId: t.expose('agentId', { type: 'AgentId', description: 'The agent that it acts as.' }),
    member: t.field({ type: ConnectionMember, description: 'The person who allowed it.', resolve: (row) => row }),
    scopes: t.exposeStringList('scopes', { description: 'What it may do: `agent:read`, and `agent:act` to pay.' }),
    budgetId: t.expose('budgetId', {
      type: 'BudgetId',
      nullable: true,
      description: 'The budget that counts what it spends; null for one that only reads.',
    }),
    status: t.field({
      type: ConnectionStatusEnum,
      resolve: (row, _args, ctx) => statusOf(row, ctx.platform.clock.now()),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a token of it was last used, to the minute; null while none was.',
    }),
    lastIp: t.exposeString('lastIp', { nullable: true, description: 'The address from which it was last used; null while it was not.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it ends by itself, by real time.' }),
  }),
});
const ConnectionPage = pageOf(Connection, 'Connection');

builder.queryFields((t) => ({
  connection: t.prismaField({
    route: rest('GET /v1/connections/{id}', 'Read a connection, one that has ended too. It says who allowed it and when it was last used.'),
    type: Connection,
    authScopes: { audience: 'operator', scope: 'connections:read' },
    args: { id: t.arg({ type: 'ConnectionId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => connection(ctx, id, query),
  }),
  connections: t.field({
    route: rest('GET /v1/connections', 'List connections, newest first. Those that have ended are included; filter by agent or status.'),
    type: ConnectionPage,
    authScopes: { audience: 'operator', scope: 'connections:read' },
    ...listed(t, connections, {
      agentId: t.arg({ type: 'AgentId', required: false }),
      status: t.arg({ type: ConnectionStatusEnum, required: false }),
    }),
  }),
}));

builder.mutationFields((t) => ({
  updateConnection: t.field({
    route: rest('PATCH /v1/connections/{id}', 'Let a connection end earlier. A later end is 400: the program has to be connected again.'),
    type: Connection,
    authScopes: { audience: 'operator', scope: 'connections:write' },
    args: { id: t.arg({ type: 'ConnectionId' }), input: t.arg({ type: UpdateConnectionInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id, input }) => shortenConnection(ctx, id, input.expiresAt), connection),
  }),
  revokeConnection: t.field({
    route: rest(
      'DELETE /v1/connections/{id}',
      'Revoke a connection: its tokens are refused at once, and no payment of it is made any more. Its budget ends with it. Revoking it again changes nothing. Emits `connection.revoked`.',
    ),
    type: Connection,
    authScopes: { audience: 'operator', scope: 'connections:write' },
    args: { id: t.arg({ type: 'ConnectionId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id }) => revokeConnection(ctx, id), connection),
  }),
}));
