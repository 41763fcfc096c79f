// The scopes that an actor has at this moment, for work that goes on after its request: what was set up with a key runs with the scopes that
// the key has by then (CONTRACT.md 29). Contexts that know a kind of actor say how its scopes are found.
import type { ActorType, Ctx } from './ctx.js';
import { namedParts } from './extension.js';
import type { Tx } from './postgres/database.js';

/** The scopes of an actor by its id. With a transaction its row is locked until that ends. */
export type ScopeSource = (ctx: Ctx, id: string, tx?: Tx) => Promise<readonly string[]>;

/** How the scopes of each type of actor are found. */
export const scopeSources = namedParts<ScopeSource>('the scopes of actors');

/** What an actor may do now. Agents are bound by their limits and have none. */
export async function scopesNow(ctx: Ctx, { type, id }: { type: ActorType; id: string }, tx?: Tx): Promise<readonly string[]> {
  const sources = ctx.platform.extensions.of(scopeSources);
  return sources.has(type) ? sources.get(type)(ctx, id, tx) : [];
}
