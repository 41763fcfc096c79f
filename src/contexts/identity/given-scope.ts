// Nobody gives what he has not (CONTRACT.md 22): the scopes of a key are among those of whoever makes it, as they are when it is made.
import type { Ctx } from '../../platform/ctx.js';
import { InsufficientScope, NotFound } from '../../platform/errors.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow } from '../../platform/postgres/row.js';
import { firstBeyond, fullScope } from '../../platform/scope.js';
import { scopesNow } from '../../platform/scopes-now.js';
import { standingScopes } from './key-lineage.sql.js';

/** 403 `insufficient_scope` where `wanted` is more than `held`. */
function refuseBeyond(held: readonly string[], wanted: readonly string[]): void {
  const required = firstBeyond(held, wanted);
  if (required === undefined) return;
  throw new InsufficientScope({ required, scopes: held }, `You cannot give ${required} to a credential: yours does not have it.`);
}

/**
 * The scopes of a new credential: those that are wanted, by default all that the maker has. The maker's row is locked, so that nothing is
 * given that is taken from it at the same time. 403 `insufficient_scope` for more than it has.
 */
export async function givenScopes(ctx: Ctx, tx: Tx, wanted: readonly string[] | null | undefined): Promise<readonly string[]> {
  const held = ctx.actor.type === 'system' ? [fullScope] : await scopesNow(ctx, ctx.actor, tx);
  if (wanted == null) return held.includes(fullScope) ? [fullScope] : held;
  refuseBeyond(held, wanted);
  return wanted;
}

/**
 * The scopes that a key has now, in a transaction in which it gives some. For what it has set up they are those of the key that stands for it:
 * its last successor by roll. One that was revoked keeps those that it had, for what it set up goes on.
 */
export async function scopesOfKey({ db, workspace }: Ctx, id: string, tx?: Tx): Promise<readonly string[]> {
  if (tx !== undefined) return (await lockRow(tx.apiKey, id)).scopes;
  const scopes = await standingScopes(db as unknown as Tx, workspace.id, id);
  if (scopes === null) throw new NotFound();
  return scopes;
}
