// How the wire names whoever acts: a kind, and an id with the prefix of its noun. People and JWT sessions are both `user` there; the ids
// tell them apart.
import type { ActorType } from './ctx.js';
import { printId } from './schema/id.js';

/** The kinds of actor as the wire has them. */
export const wireActorTypes = ['api_key', 'user', 'agent', 'portal', 'system', 'anonymous'] as const satisfies readonly ActorType[];
export type WireActorType<Type extends string = ActorType> = Exclude<Type, 'member'>;

const idKindOf = { api_key: 'apiKey', user: 'apiKey', member: 'member', agent: 'agent', portal: 'portalToken' } as const;

/** The kind of an actor as the wire has it. */
export function wireActorType<Type extends string>(type: Type): WireActorType<Type | 'user'> {
  return (type === 'member' ? 'user' : type) as WireActorType<Type | 'user'>;
}

/** The id of an actor as the wire has it. */
export function printActor(type: string, id: string): string {
  return type in idKindOf ? printId(idKindOf[type as keyof typeof idKindOf], id) : id;
}

/** An actor as the wire has it. */
export function actorOnWire<Type extends string>({ type, id }: { type: Type; id: string }) {
  return { type: wireActorType(type), id: printActor(type, id) };
}
