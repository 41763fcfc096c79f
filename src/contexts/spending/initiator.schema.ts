// The GraphQL face of whoever asked for something, or decided it.
import type { InitiatorType as InitiatorKind } from '../../generated/prisma/client.js';
import { printActor, wireActorType } from '../../platform/actor.js';
import type { Ctx } from '../../platform/ctx.js';
import { builder } from '../../platform/schema/builder.js';
import { voterOf } from '../people/voter.js';

export const InitiatorTypeEnum = builder.enumType('InitiatorType', {
  description: 'Who acted: an API key, a user (a member, or a JWT session of a key), an agent, or the platform itself.',
  values: ['api_key', 'user', 'agent', 'system'] as const,
});

/** The name of a member who acted, for those who see everything of the workspace; else null, without a query. */
export function memberName(ctx: Ctx, type: string, id: string): Promise<string | null> | null {
  if (type !== 'member' || !['api_key', 'user', 'member', 'system'].includes(ctx.actor.type)) return null;
  return voterOf(ctx, id).then((voter) => voter?.name ?? null);
}

export const Initiator = builder.objectRef<{ type: InitiatorKind; id: string }>('Initiator').implement({
  extensions: { component: false },
  description: 'Who acted: the kind of actor and its id.',
  fields: (t) => ({
    type: t.field({ type: InitiatorTypeEnum, resolve: ({ type }) => wireActorType(type) }),
    id: t.string({
      description: 'The identifier of the actor, with the prefix of its kind.',
      resolve: ({ type, id }) => printActor(type, id),
    }),
    name: t.string({
      nullable: true,
      description: 'Name of the member; null where no member acted, and for agents.',
      resolve: ({ type, id }, _args, ctx) => memberName(ctx, type, id),
    }),
  }),
});
