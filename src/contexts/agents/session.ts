// Challenge and response: an agent proves its key and gets a session of an hour (SPEC.md "Ed25519 session flow"). Everything
// here lives in real time, and nothing tells an unknown agent from a known one to who cannot sign for it.
import { randomBytes } from 'node:crypto';
import type { AgentSession } from '../../generated/prisma/client.js';
import { auditLine } from '../../platform/audit.js';
import { newTokenIn } from '../../platform/cell/mark.js';
import { addSeconds } from '../../platform/clock.js';
import { sha256 } from '../../platform/crypto.js';
import type { Ctx, Platform } from '../../platform/ctx.js';
import { noteCredential } from '../../platform/denial.js';
import { commitAlone } from '../../platform/effect.js';
import { NotFound } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { newId, printId } from '../../platform/schema/id.js';
import { endedAgeSeconds } from '../identity/directory.js';
import { admitAgent, agent, agentHash, canSeeAgent } from './agent.js';
import { generateKeyPair, verifySignature } from './ed25519.js';
import { ChallengeInvalid, KeyRevoked, SignatureInvalid } from './errors.js';
import type { AuthenticateInput } from './session.input.js';
import { type ChallengedAgent, consumeChallenge, insertChallenge, insertSession } from './session.sql.js';

export const challengeTtlSeconds = 60;
export const sessionTtlSeconds = 3_600;

/** Signatures for agents that do not exist are checked against this key, so that they fail like any wrong one. */
const decoy = generateKeyPair().publicKey;

export interface NewSessionChallenge {
  challenge: string;
  expiresIn: number;
}

// Gap G-59: A challenge for an unknown agent has the same shape by the same work, and fails like a wrong signature.
/** A challenge for an agent, known or not: the same shape by the same work. Kept as its hash. */
export async function createChallenge(
  { platform, workspace: { environment }, effect }: Ctx,
  agentId: string,
): Promise<NewSessionChallenge> {
  const expiresAt = addSeconds(platform.clock.now(), challengeTtlSeconds);
  const nonce = randomBytes(32).toString('base64url');
  const challenge = `svc-auth:v1:${printId('agent', agentId)}:${nonce}:${Math.floor(expiresAt.getTime() / 1000)}`;
  const agent = { agentId, agentHash: agentHash(agentId), environment };
  const there = await platformOf(platform, agent.agentHash);
  await commitAlone(effect, () => insertChallenge(there.database.pool, agent, { hash: sha256(challenge), expiresAt }));
  return { challenge, expiresIn: challengeTtlSeconds };
}

/** That of the agent's cell; the first one keeps the challenges of nobody. */
async function platformOf({ cells }: Platform, hash: Buffer): Promise<Platform> {
  return cells.only ?? (await cells.find({ hash }));
}

export interface NewSession {
  sessionToken: string;
  expiresIn: number;
  agentId: string;
}

// Gap G-60: Any answer uses the challenge up, a wrong one too.
/**
 * Trades a signed challenge for a session. Any answer uses the challenge up; of many at once exactly one wins. 401 `challenge_invalid`,
 * `signature_invalid`, `key_revoked` (signed by a key that was revoked); 403 `agent_suspended`.
 */
export async function authenticateAgent(
  ctx: Ctx,
  { agentId, challenge, signature }: AuthenticateInput & { agentId: string },
): Promise<NewSession> {
  const { environment } = ctx.workspace;
  const agent = { agentId, agentHash: agentHash(agentId), environment };
  const platform = await platformOf(ctx.platform, agent.agentHash);
  const { clock, database } = platform;
  const shown = { hash: sha256(challenge), at: clock.now() };
  const found = await commitAlone(ctx.effect, () => consumeChallenge(database.pool, agent, shown));
  const known = found.workspaceId === null ? null : { workspaceId: found.workspaceId, kind: 'agent', id: agentId };
  const { workspaceId, keyId } = await signedBy(found, agentId, { challenge, signature }).catch((error) => {
    noteCredential(platform, ctx, error, { kind: 'challenge', owner: known });
    throw error;
  });

  const createdAt = clock.now();
  const expiresAt = addSeconds(createdAt, sessionTtlSeconds);
  const sessionToken = newTokenIn(platform, 'sess_', workspaceId);
  const row = { workspaceId, id: newId(createdAt), keyId, hash: sha256(sessionToken), ip: ctx.ip, createdAt, expiresAt };
  const actor = { type: 'agent' as const, id: agentId, name: '', scopes: [], credential: { kind: 'none' as const, id: '' } };
  const asAgent = { ...ctx, platform, actor, workspace: { ...ctx.workspace, id: workspaceId } };
  const changes = () => ({ session_id: printId('session', row.id) });
  const line = auditLine(asAgent, agentId, { action: 'authenticateAgent', resourceType: 'agent', changes });
  if (!(await insertSession(database.pool, row, line))) throw wrongSignature();
  return { sessionToken, expiresIn: sessionTtlSeconds, agentId };
}

/** The key by which an answer is signed; throws what `authenticateAgent` says of any other. */
async function signedBy(
  { used, workspaceId, status, keyId, publicKey, keyStatus }: ChallengedAgent,
  agentId: string,
  { challenge, signature }: Pick<AuthenticateInput, 'challenge' | 'signature'>,
): Promise<{ workspaceId: string; keyId: string }> {
  if (!used) throw new ChallengeInvalid();
  const signed = verifySignature(publicKey ?? decoy, challenge, signature);
  if (!signed || workspaceId === null || status === null || keyId === null) throw wrongSignature();
  admitAgent({ id: agentId, status });
  if (keyStatus !== 'active') throw new KeyRevoked('This key was revoked. A new one has to be provisioned by an API key.');
  return { workspaceId, keyId };
}

function wrongSignature(): SignatureInvalid {
  return new SignatureInvalid('The signature must be the base64 Ed25519 signature of the challenge, by the current key of the agent.');
}

/** Sessions in a list (see G-22). */
export const mostSessions = 200;

// Gap G-65: The list has live sessions; an ended one is deleted a day after it would have expired.
/** The live sessions of an agent, newest first. */
export async function sessions(ctx: Ctx, agentId: string, query: object = {}): Promise<AgentSession[]> {
  await agent(ctx, agentId);
  const live = { agentId, revokedAt: null, expiresAt: { gt: ctx.platform.clock.now() } };
  return ctx.db.agentSession.findMany({ ...query, where: live, orderBy: { id: 'desc' }, take: mostSessions });
}

/** Ends one session at once. 404 when it is not live. */
export async function revokeSession(ctx: Ctx, agentId: string, id: string): Promise<{ id: string }> {
  canSeeAgent(ctx, agentId);
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

/** Deletes challenges that have expired, and sessions and agent tokens that did a day ago; how many. For the worker. */
export async function sweepLogins({ database: { unscoped }, clock }: Platform, most = 1_000): Promise<number> {
  const at = clock.now();
  const ended = { expiresAt: { lte: addSeconds(at, -endedAgeSeconds) } };
  const challenges = await unscoped.challenge.deleteMany({ where: { expiresAt: { lte: at } }, limit: most });
  const sessions = await unscoped.agentSession.deleteMany({ where: ended, limit: most });
  const tokens = await unscoped.agentToken.deleteMany({ where: ended, limit: most });
  return challenges.count + sessions.count + tokens.count;
}
