// Agent tokens: long-lived bearer credentials, kept as their hash and rotated as a whole (SPEC.md "Authentication").

import type { AgentToken } from '../../generated/prisma/client.js';
import { printActor } from '../../platform/actor.js';
import { addSeconds } from '../../platform/clock.js';
import { newToken, sha256 } from '../../platform/crypto.js';
import type { Ctx } from '../../platform/ctx.js';
import { ApiKeyRequired, NotFound } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { newId } from '../../platform/schema/id.js';
import { addEntry, endEntries } from '../identity/directory.js';
import { agent, agentRevoked, canSeeAgent, endTokens, lastKeyRevoked } from './agent.js';
import { SessionCredential } from './errors.js';

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
  await tx.agentToken.create({ data: { id, agentId, hash, createdAt: at, createdBy: printActor(ctx.actor.type, ctx.actor.id) } });
  await addEntry(ctx, tx, { kind: 'agent_token', id, hash });
  return { id, token };
}

export interface RotatedToken extends IssuedToken {
  /** When the last of the tokens before it ends. */
  previousExpiresAt: Date | null;
}

// Gap G-63: An API key or the agent's own token rotates the token; a session may not, because the token would outlive it.
/**
 * Gives an agent a new token; the ones before it work for `overlapSeconds` more, at once no longer by default. For an API key or the
 * agent's own token: a session, which lives an hour, gets no credential that outlives it. 403 `forbidden` for one, 409 for an agent that is
 * revoked or whose last key was.
 */
export async function rotateToken(ctx: Ctx, agentId: string, overlapSeconds: number): Promise<RotatedToken> {
  if (ctx.actor.type === 'user') throw new ApiKeyRequired('Only an API key or the agent itself may rotate its token.');
  canSeeAgent(ctx, agentId);
  if (ctx.actor.credential.kind === 'session') throw new SessionCredential(agentId);
  const rotated = await transact(ctx, async (tx) => {
    const { status, keyRevokedAt } = await lockRow(tx.agent, agentId);
    if (status === 'revoked') throw agentRevoked({ id: agentId, status });
    if (keyRevokedAt !== null) throw lastKeyRevoked(agentId);
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

export const agentTokenStatuses = ['active', 'rotated', 'revoked'] as const;
export type AgentTokenStatus = (typeof agentTokenStatuses)[number];

/** Whether a token is accepted at `at`, in real time, or why not. One that was rotated is active until its overlap is over. */
export function agentTokenStatus({ revokedAt, expiresAt }: Pick<AgentToken, 'revokedAt' | 'expiresAt'>, at: Date): AgentTokenStatus {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= at ? 'rotated' : 'active';
}

/** Tokens in a list (see G-22). */
export const mostTokens = 200;

// Gap G-431: The newest 200 tokens are listed, ended ones for a day; only an API key revokes one.
/** The tokens of an agent, never their text, newest first; what ended is shown for a day. */
export async function tokens(ctx: Ctx, agentId: string, query: object = {}): Promise<AgentToken[]> {
  await agent(ctx, agentId);
  return ctx.db.agentToken.findMany({ ...query, where: { agentId }, orderBy: { id: 'desc' }, take: mostTokens });
}

/** Ends a token at once, in every process and in every posting. Again on one that has ended changes nothing. */
export async function revokeToken(ctx: Ctx, agentId: string, id: string): Promise<{ id: string }> {
  const revoked = await transact(ctx, async (tx) => {
    const token = await lockRow(tx.agentToken, id, { where: { agentId } });
    const at = ctx.platform.clock.now();
    if (agentTokenStatus(token, at) === 'active') {
      await endEntries(tx, [token.hash], at);
      await tx.agentToken.update({ where: rowKey(ctx, id), data: { expiresAt: at, revokedAt: at } });
    }
    return { id };
  });
  ctx.platform.cache.drop(`agent_token:${id}`);
  return revoked;
}
