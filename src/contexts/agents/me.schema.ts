// The GraphQL face of whoever asks.

import { printActor, wireActorType, wireActorTypes } from '../../platform/actor.js';
import type { ActingConnection, ActingMember, Actor, Ctx } from '../../platform/ctx.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { printId } from '../../platform/schema/id.js';
import { currentLogin } from '../people/login.js';
import { MemberRoleEnum } from '../people/member.input.js';
import { Authority } from '../people/member.schema.js';
import { BrowserSession } from '../people/sign-in.schema.js';
import { agent } from './agent.js';
import { Agent } from './agent.schema.js';
import { mostWallets, myWallets } from './me.js';

const ActorTypeEnum = builder.enumType('ActorType', {
  description:
    'What a credential stands for: an API key, a user with a JWT session, an agent, a customer with a portal token, the platform itself, or nobody.',
  values: wireActorTypes,
});

const ActorObject = builder.objectRef<Actor>('Actor').implement({
  description: 'What the credential of a request stands for.',
  fields: (t) => ({
    type: t.field({ type: ActorTypeEnum, resolve: ({ type }) => wireActorType(type) }),
    id: t.string({ description: 'Its identifier, with the prefix of its kind.', resolve: ({ type, id }) => printActor(type, id) }),
    name: t.exposeString('name', { description: 'Name of the API key, user or agent.' }),
  }),
});

const MeMember = builder.objectRef<ActingMember>('MeMember').implement({
  description: 'The person who asks, as a member of the tenant.',
  fields: (t) => ({
    id: t.expose('id', { type: 'MemberId' }),
    name: t.exposeString('name', { description: 'What the person is called.' }),
    role: t.expose('role', { type: MemberRoleEnum, description: 'What the person may do, as a set of scopes.' }),
    authority: t.field({
      type: Authority,
      nullable: true,
      wire: { orNull: true },
      description: 'Which approvals the person may decide; null: none.',
      resolve: ({ authority }) => authority,
    }),
  }),
});

const ConnectionObject = builder.objectRef<ActingConnection>('MyConnection').implement({
  description: 'The connection whose token is shown.',
  fields: (t) => ({
    id: t.string({ description: 'Its identifier, with the prefix `cnx_`.', resolve: ({ id }) => printId('connection', id) }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it ends by itself, by real time.' }),
    budgetId: t.string({
      nullable: true,
      description: 'The budget that counts what it spends; null for one that only reads.',
      resolve: ({ budgetId }) => (budgetId === null ? null : printId('budget', budgetId)),
    }),
  }),
});

export const Me = builder.objectRef<Ctx>('Me').implement({
  description: 'Who you are here, and what you can reach.',
  fields: (t) => ({
    actor: t.field({ type: ActorObject, description: 'Who you are: the actor behind your credential.', resolve: ({ actor }) => actor }),
    tenantId: t.string({ description: 'The tenant that your credential belongs to.', resolve: ({ workspace }) => workspace.tenantId }),
    environment: t.string({ description: '`test` or `live`.', resolve: ({ workspace }) => workspace.environment }),
    scopes: t.stringList({ description: 'What your credential may do; `*` is everything.', resolve: ({ actor }) => [...actor.scopes] }),
    agent: t.prismaField({
      type: Agent,
      nullable: true,
      description: 'Your agent, where you are one; else null.',
      resolve: (query, { actor }, _args, ctx) => (actor.agent === undefined ? null : agent(ctx, actor.agent.id, query)),
    }),
    member: t.field({
      type: MeMember,
      nullable: true,
      description: 'The person that you are, where you signed in in a browser; else null.',
      resolve: ({ actor }) => actor.member ?? null,
    }),
    session: t.field({
      type: BrowserSession,
      nullable: true,
      description: 'Your browser session with its `csrf_token`, where you signed in in a browser; else null.',
      resolve: (ctx) => currentLogin(ctx),
    }),
    connection: t.field({
      type: ConnectionObject,
      nullable: true,
      description: 'The connection by which you ask, where a program does; else null.',
      resolve: ({ actor }) => actor.connection ?? null,
    }),
    wallets: t.prismaField({
      type: ['Wallet'],
      description: 'The newest 50 wallets that you may read.',
      ...facts({ most: mostWallets }),
      resolve: (query, _me, _args, ctx) => myWallets(ctx, query),
    }),
    serverTime: t.field({
      type: 'DateTime',
      description: 'Real time of the server, which counts for credentials.',
      resolve: ({ platform }) => platform.clock.now(),
    }),
  }),
});

builder.queryFields((t) => ({
  me: t.field({
    type: Me,
    authScopes: { audience: 'any', scope: 'self' },
    description:
      'Read who you are and what you can reach. The answer names the actor behind your credential, its wallets and scopes, and for an agent its limits and the protocols by which it can spend now.',
    resolve: (_root, _args, ctx) => ctx,
  }),
}));
