// Agent tokens: long-lived bearer credentials, kept as their hash and rotated as a whole (SPEC.md "Authentication").

import { addSeconds } from '../../platform/clock.js';
import { newToken, sha256 } from '../../platform/crypto.js';
import type { Ctx } from '../../platform/ctx.js';
import { ApiKeyRequired, NotFound } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow } from '../../platform/postgres/row.js';
import { newId } from '../../platform/schema/id.js';
import { addEntry } from '../identity/directory.js';
import { agentRevoked, endTokens, seesAgent } from './agent.js';

/** A token that was just made. Its text is null on a replay: nothing keeps it. */
export interface IssuedToken {
  id: string;
  token: string | null;
}

/** Makes a token of an agent, in the transaction of whoever needs one. */
export async function issueToken(ctx: Ctx, tx: Tx, agentId: string): Promise<IssuedToken> {
  const at = ctx.platform.clock.now();
  const id = newId(at);
  const token = newToken('agent_');
  const hash = sha256(token);
  await tx.agentToken.create({ data: { id, agentId, hash, createdAt: at } });
  await addEntry(tx, { kind: 'agent_token', id, hash });
  return { id, token };
}

export interface RotatedToken extends IssuedToken {
  /** When the last of the tokens before it ends. */
  previousExpiresAt: Date | null;
}

/**
 * Gives an agent a new token; the ones before it work for `overlapSeconds` more, at once no longer by default. For an API key
 * or the agent itself: a JWT session, which lives an hour, gets no credential that outlives it (Gap G-63).
 */
export async function rotateToken(ctx: Ctx, agentId: string, overlapSeconds: number): Promise<RotatedToken> {
  if (ctx.actor.type === 'user') throw new ApiKeyRequired('Only an API key or the agent itself may rotate its token.');
  seesAgent(ctx, agentId);
  const rotated = await transact(ctx, async (tx) => {
    const { status } = await lockRow(tx.agent, agentId);
    if (status === 'revoked') throw agentRevoked({ id: agentId, status });
    const until = addSeconds(ctx.platform.clock.now(), overlapSeconds);
    await endTokens(tx, agentId, until);
    return { ...(await issueToken(ctx, tx, agentId)), previousExpiresAt: until };
  });
  ctx.platform.cache.drop(`agent:${agentId}`);
  return rotated;
}

/** What a rotation made, without the token itself. */
export async function rotatedToken(ctx: Ctx, id: string): Promise<RotatedToken> {
  const made = await ctx.db.agentToken.findFirst({ where: { id } });
  if (made === null) throw new NotFound();
  const before = await ctx.db.agentToken.findFirst({ where: { agentId: made.agentId, id: { lt: id } }, orderBy: { id: 'desc' } });
  return { id, token: null, previousExpiresAt: before?.expiresAt ?? null };
}
