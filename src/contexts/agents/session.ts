// Challenge and response: an agent proves its key and gets a session of an hour (SPEC.md "Ed25519 session flow"). Everything
// here lives in real time, and nothing tells an unknown agent from a known one to who cannot sign for it.
import { randomBytes } from 'node:crypto';
import type { AgentSession } from '../../generated/prisma/client.js';
import { KeyRevoked } from '../../ledger/errors.js';
import { addSeconds } from '../../platform/clock.js';
import { newToken, sha256 } from '../../platform/crypto.js';
import type { Ctx, Platform } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { newId, printId } from '../../platform/ids.js';
import { admitAgent, agent, findAgent, nowhere, seesAgent } from './agent.js';
import { generateKeyPair, verifySignature } from './ed25519.js';
import { ChallengeInvalid, SignatureInvalid } from './errors.js';
import { latestKey } from './key.js';

export const challengeTtlSeconds = 60;
export const sessionTtlSeconds = 3_600;

/** Signatures for agents that do not exist are checked against this key, so that they fail like any wrong one. */
const decoy = generateKeyPair().publicKey;

export interface NewChallenge {
  challenge: string;
  expiresIn: number;
}

/** A challenge for an agent, known or not: the same shape by the same work (Gap G-52). Kept as its hash. */
export async function createChallenge(ctx: Ctx, agentId: string): Promise<NewChallenge> {
  const { platform, workspace } = ctx;
  const expiresAt = addSeconds(platform.clock.now(), challengeTtlSeconds);
  const nonce = randomBytes(32).toString('base64url');
  const challenge = `svc-auth:v1:${printId('agent', agentId)}:${nonce}:${Math.floor(expiresAt.getTime() / 1000)}`;
  const found = await findAgent(platform, agentId, workspace.environment);
  await platform.database.unscoped.challenge.create({
    data: { hash: sha256(challenge), workspaceId: found?.workspace.id ?? nowhere, agentId, expiresAt },
  });
  return { challenge, expiresIn: challengeTtlSeconds };
}

export interface AuthenticateInput {
  agentId: string;
  challenge: string;
  /** Strict base64 of the 64 bytes that sign the challenge's UTF-8 text. */
  signature: string;
}

export interface NewSession {
  sessionToken: string;
  expiresIn: number;
  agentId: string;
}

/**
 * Trades a signed challenge for a session. Any answer uses the challenge up (Gap G-53); of many at once exactly one wins.
 * 401 `challenge_invalid`, `signature_invalid`, `key_revoked` (signed by a key that was revoked); 403 `agent_suspended`.
 */
export async function authenticateAgent(ctx: Ctx, { agentId, challenge, signature }: AuthenticateInput): Promise<NewSession> {
  const { platform, workspace } = ctx;
  const found = await findAgent(platform, agentId, workspace.environment);
  const workspaceId = found?.workspace.id ?? nowhere;
  await consumeChallenge(platform, { workspaceId, agentId, hash: sha256(challenge) });
  const db = platform.database.forWorkspace(workspaceId);
  const key = await latestKey(db, agentId);
  const signed = verifySignature(key?.publicKey ?? decoy, challenge, signature);
  if (!signed || key === null || found === null) throw wrongSignature();
  admitAgent(found.agent);
  if (key.status !== 'active') throw new KeyRevoked('This key was revoked. A new one has to be provisioned by an API key.');

  const at = platform.clock.now();
  const sessionToken = newToken('sess_');
  await db.$transaction(async (tx) => {
    // Whoever ends a key changes its row before its sessions: no session is made beside them.
    const { count } = await tx.agentKey.updateMany({ where: { id: key.id, status: 'active' }, data: { lastUsedAt: at } });
    if (count === 0) throw wrongSignature();
    await tx.agentSession.create({
      data: {
        id: newId(at),
        agentId,
        keyId: key.id,
        hash: sha256(sessionToken),
        ip: ctx.ip,
        createdAt: at,
        expiresAt: addSeconds(at, sessionTtlSeconds),
      },
    });
  });
  return { sessionToken, expiresIn: sessionTtlSeconds, agentId };
}

function wrongSignature(): SignatureInvalid {
  return new SignatureInvalid('The signature must be the base64 Ed25519 signature of the challenge, by the current key of the agent.');
}

/** Uses a challenge up: one conditional update, so that it is used once. */
async function consumeChallenge(
  { database, clock }: Platform,
  challenge: { workspaceId: string; agentId: string; hash: Buffer<ArrayBuffer> },
): Promise<void> {
  const at = clock.now();
  const { count } = await database.unscoped.challenge.updateMany({
    where: { ...challenge, usedAt: null, expiresAt: { gt: at } },
    data: { usedAt: at },
  });
  if (count === 0) throw new ChallengeInvalid();
}

/** The live sessions of an agent, newest first (Gap G-58). */
export async function sessions(ctx: Ctx, agentId: string, query: object = {}): Promise<AgentSession[]> {
  await agent(ctx, agentId);
  const live = { agentId, revokedAt: null, expiresAt: { gt: ctx.platform.clock.now() } };
  return ctx.db.agentSession.findMany({ ...query, where: live, orderBy: { id: 'desc' } });
}

/** Ends one session at once. 404 when it is not live. */
export async function revokeSession(ctx: Ctx, agentId: string, id: string): Promise<{ id: string }> {
  seesAgent(ctx, agentId);
  const at = ctx.platform.clock.now();
  const revoked = await transact(ctx, async (tx) => {
    const { count } = await tx.agentSession.updateMany({
      where: { id, agentId, revokedAt: null, expiresAt: { gt: at } },
      data: { revokedAt: at },
    });
    if (count === 0) throw new NotFound();
    return { id };
  });
  ctx.platform.cache.drop(`session:${id}`);
  return revoked;
}

const sweptSessionsAgeSeconds = 86_400;

/** Deletes challenges that have expired, and sessions that did a day ago; how many. For the worker. */
export async function sweepLogins({ database, clock }: Platform, most = 1_000): Promise<number> {
  const at = clock.now();
  const challenges = await database.unscoped.challenge.deleteMany({ where: { expiresAt: { lte: at } }, limit: most });
  const ended = await database.unscoped.agentSession.deleteMany({
    where: { expiresAt: { lte: addSeconds(at, -sweptSessionsAgeSeconds) } },
    limit: most,
  });
  return challenges.count + ended.count;
}
