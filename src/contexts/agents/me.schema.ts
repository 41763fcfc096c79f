// The GraphQL face of whoever asks.

import type { Actor, ActorType, Ctx } from '../../platform/ctx.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { agent } from './agent.js';
import { Agent } from './agent.schema.js';
import { actorId, mostWallets, myWallets } from './me.js';

const actorTypes = ['api_key', 'user', 'agent', 'portal', 'system', 'anonymous'] as const satisfies readonly ActorType[];
const ActorTypeEnum = builder.enumType('ActorType', { values: actorTypes });

const ActorObject = builder.objectRef<Actor>('Actor').implement({
  description: 'Who a credential stands for.',
  fields: (t) => ({
    type: t.expose('type', { type: ActorTypeEnum }),
    id: t.string({ resolve: actorId }),
    name: t.exposeString('name'),
  }),
});

export const Me = builder.objectRef<Ctx>('Me').implement({
  description: 'Who you are here, and what you can reach.',
  fields: (t) => ({
    actor: t.field({ type: ActorObject, resolve: ({ actor }) => actor }),
    tenantId: t.string({ resolve: ({ workspace }) => workspace.tenantId }),
    environment: t.string({ description: '`test` or `live`.', resolve: ({ workspace }) => workspace.environment }),
    scopes: t.stringList({ resolve: ({ actor }) => [...actor.scopes] }),
    agent: t.prismaField({
      type: Agent,
      nullable: true,
      description: 'When you are one.',
      resolve: (query, { actor }, _args, ctx) => (actor.agent === undefined ? null : agent(ctx, actor.agent.id, query)),
    }),
    wallets: t.prismaField({
      type: ['Wallet'],
      description: `The newest ${mostWallets} wallets that you see.`,
      ...facts({ most: mostWallets }),
      resolve: (query, _me, _args, ctx) => myWallets(ctx, query),
    }),
    serverTime: t.field({
      type: 'DateTime',
      description: 'Real time, in which credentials live.',
      resolve: ({ platform }) => platform.clock.now(),
    }),
  }),
});

builder.queryFields((t) => ({
  me: t.field({ type: Me, resolve: (_root, _args, ctx) => ctx }),
}));
