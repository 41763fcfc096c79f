// The Ed25519 keys of agents: provisioned and revoked by an API key, rotated by whoever signs with the current one
// (SPEC.md "Agent authentication key", CONTRACT.md 5). One key is active at a time; private keys are told once and never kept.

import type { Agent, AgentKey, AgentKeyStatus } from '../../generated/prisma/client.js';
import { printActor } from '../../platform/actor.js';
import { decodeBase64 } from '../../platform/crypto.js';
import type { Ctx } from '../../platform/ctx.js';
import { AlreadyExists, ApiKeyRequired, MissingCredential, NotFound, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { conflict, type Lifecycle } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { createCtx } from '../../platform/request.js';
import { newId, printId } from '../../platform/schema/id.js';
import { admitAgent, agent, agentRevoked, canSeeAgent, endSessions, lastKeyRevoked, placeOfAgent, revokeTokens } from './agent.js';
import { notifyKeyEnded } from './channel.js';
import { generateKeyPair, isPublishedKey, publicKeyBytes, verifySignature, weaknessOf } from './ed25519.js';
import { KeyRevoked, SignatureInvalid } from './errors.js';
import type { RotateAuthKeyInput } from './key.input.js';

/** SPEC.md "Agent authentication key". */
export const keyLifecycle: Lifecycle<AgentKeyStatus> = {
  noun: 'key',
  path: '/v1/agents/{id}/auth-keys',
  steps: { active: ['rotated', 'revoked'], rotated: [], revoked: [] },
  requests: [
    { to: 'rotated', rel: 'rotate', actor: 'any', method: 'POST', path: '/rotate' },
    { to: 'revoked', rel: 'revoke', actor: 'api_key', method: 'DELETE' },
  ],
};

/** A key that was just made. The private key is null for an imported one, and on a replay. */
export interface NewKey {
  key: AgentKey;
  privateKey: string | null;
}

/** The raw bytes of a public key of the caller's own. 400 at `path` for one that is malformed or weak. */
function importKey(publicKey: string, path: string): Buffer<ArrayBuffer> {
  const bytes = decodeBase64(publicKey, publicKeyBytes);
  const fault = bytes === null ? `must be the base64 of ${publicKeyBytes} bytes` : weaknessOf(bytes);
  if (bytes === null || fault !== null) throw new ValidationFailed([{ path: [path], message: fault ?? '', rule: 'ed25519' }]);
  return bytes;
}

/** What is said of a key that is made. */
interface KeyRequest {
  publicKey?: string | null | undefined;
  /** The member of the request that has the public key. */
  path?: string;
  /** By default the actor. */
  createdBy?: string | null;
}

// Gap G-61: A weak point is 400 as a public key, and so is a key that the agent has or had: a revoked key does not come back.
/**
 * Writes the active key of an agent, in the transaction of whoever needs one: its own public key or a generated pair. 400 at `path` for a
 * key that this agent had before: what was rotated or revoked does not come back.
 */
export async function insertKey(
  ctx: Ctx,
  tx: Tx,
  agentId: string,
  { publicKey, path = 'publicKey', createdBy = printActor(ctx.actor.type, ctx.actor.id) }: KeyRequest = {},
): Promise<NewKey> {
  const made = publicKey == null ? generateKeyPair() : { publicKey: importKey(publicKey, path), privateKey: null };
  if (ctx.workspace.environment === 'live' && isPublishedKey(made.publicKey)) {
    throw new ValidationFailed([
      { path: [path], message: 'is the key of a published example: everybody can sign with it', rule: 'ed25519' },
    ]);
  }
  if (made.privateKey === null && (await tx.agentKey.count({ where: { agentId, publicKey: made.publicKey } })) > 0) {
    throw new ValidationFailed([{ path: [path], message: 'is a key that this agent has or had already', rule: 'unique' }]);
  }
  const at = ctx.platform.clock.now();
  const key = await tx.agentKey.create({ data: { id: newId(at), agentId, publicKey: made.publicKey, createdAt: at, createdBy } });
  return { key, privateKey: made.privateKey };
}

/** Gives an agent without an active key a new one. What ended with the key before does not come back. 409 when it has one. */
export async function provisionKey(ctx: Ctx, agentId: string, publicKey?: string | null): Promise<NewKey> {
  const made = await transact(
    ctx,
    async (tx) => {
      refuseRevoked(await lockRow(tx.agent, agentId));
      if ((await activeKey(tx, agentId)) !== null) {
        throw new AlreadyExists('The agent has an active key: rotate it, or revoke it first.', {
          details: {
            next_actions: [
              { rel: 'rotate', actor: 'api_key', method: 'POST', path: `/v1/agents/${printId('agent', agentId)}/auth-keys/rotate` },
            ],
          },
        });
      }
      const inserted = await insertKey(ctx, tx, agentId, { publicKey });
      await tx.agent.update({ where: rowKey(ctx, agentId), data: { keyRevokedAt: null } });
      return inserted;
    },
    ({ key }) => key.id,
  );
  ctx.platform.cache.drop(`agent:${agentId}`);
  return made;
}

/** What provisioning made, without the private key. */
export async function provisionedKey(ctx: Ctx, id: string): Promise<NewKey> {
  const key = await ctx.db.agentKey.findFirst({ where: { id } });
  if (key === null) throw new NotFound();
  return { key, privateKey: null };
}

export interface RotatedKey extends NewKey {
  previousKeyId: string;
  sessionsRevoked: number;
}

// Gap G-62: An API key may rotate an agent's key without proof when it gives a `reason`.
/**
 * Replaces the active key and ends the agent's sessions. The proof is enough; without one an API key may, with a reason. 401
 * `signature_invalid` for a proof that the current key did not sign and for an agent that nobody knows, 401 `key_revoked` for one by a
 * revoked key, 409 when there is no active key to rotate.
 */
export async function rotateKey(ctx: Ctx, input: RotateAuthKeyInput & { agentId: string }): Promise<RotatedKey> {
  const { agentId, proof, newPublicKey } = input;
  if (proof == null) checkRecovery(ctx, input);
  const within = await ctxOfAgent(ctx, agentId);
  let afterCommit: (() => void) | undefined;
  const rotated = await transact(
    within,
    async (tx) => {
      const found = await lockRow(tx.agent, agentId);
      const previous = proof == null ? await activeKey(tx, agentId) : await provenKey(tx, agentId, proof);
      if (proof != null) admitAgent(found);
      refuseRevoked(found);
      if (previous === null) throw await noActiveKey(tx, agentId, 'rotated');
      await tx.agentKey.update({ where: rowKey(within, previous.id), data: { status: 'rotated', rotatedAt: within.platform.clock.now() } });
      const sessionsRevoked = await endSessions(within, tx, agentId);
      // By a proof alone the key changes hands of nobody.
      const isOperator = ctx.actor.type !== 'anonymous' && ctx.actor.type !== 'agent';
      const made = await insertKey(within, tx, agentId, {
        publicKey: newPublicKey,
        path: 'newPublicKey',
        ...(!isOperator && { createdBy: previous.createdBy }),
      });
      afterCommit = await notifyKeyEnded(within, tx, previous, made.key);
      return { ...made, previousKeyId: previous.id, sessionsRevoked };
    },
    ({ key }) => key.id,
  );
  afterCommit?.();
  ctx.platform.cache.drop(`agent:${agentId}`);
  return rotated;
}

/** Who may rotate without a proof: an API key that says why. */
function checkRecovery({ actor }: Ctx, { reason }: RotateAuthKeyInput): void {
  if (actor.type === 'anonymous') {
    throw new MissingCredential('Send a `proof` signed by the current key, or an API key with a `reason`.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  if (actor.type !== 'api_key') throw new ApiKeyRequired('Without a `proof` only an API key rotates the key of an agent.');
  if (reason == null) throw new ValidationFailed([{ path: ['reason'], message: 'is required without a proof', rule: 'required' }]);
}

/** The ctx of the agent's workspace. Who shows a credential stays within what it sees; without one the listener's environment is searched. */
async function ctxOfAgent(ctx: Ctx, agentId: string): Promise<Ctx> {
  if (ctx.actor.type !== 'anonymous') {
    await agent(ctx, agentId);
    return ctx;
  }
  const place = await placeOfAgent(ctx.platform, agentId, ctx.workspace.environment);
  if (place === null) throw new SignatureInvalid(wrongProof);
  return createCtx(place.platform, { actor: ctx.actor, workspace: place.workspace }, ctx);
}

const wrongProof = 'The proof must be the base64 signature of `rotate:` and the id of the agent, by its current key.';

/** The active key, which must have signed the proof. Asked under the agent's lock, so that a key proves once. */
async function provenKey(tx: Tx, agentId: string, proof: string): Promise<AgentKey> {
  const texts = [`rotate:${printId('agent', agentId)}`, `rotate:${agentId}`];
  const key = await latestKey(tx, agentId);
  if (key === null || !texts.some((text) => verifySignature(key.publicKey, text, proof))) throw new SignatureInvalid(wrongProof);
  if (key.status !== 'active') throw new KeyRevoked('This key was revoked. A new one has to be provisioned by an API key.');
  return key;
}

/** The newest key of an agent: the active one where there is one, else the one that was revoked last. */
function latestKey(tx: Tx, agentId: string): Promise<AgentKey | null> {
  return tx.agentKey.findFirst({ where: { agentId, status: { in: ['active', 'revoked'] } }, orderBy: [{ status: 'asc' }, { id: 'desc' }] });
}

function activeKey(tx: Tx, agentId: string): Promise<AgentKey | null> {
  return tx.agentKey.findFirst({ where: { agentId, status: 'active' } });
}

function refuseRevoked(found: Agent): void {
  if (found.status === 'revoked') throw agentRevoked(found);
}

/** 409 for an agent whose last key has ended, 404 for one that never had any. */
async function noActiveKey(tx: Tx, agentId: string, to: AgentKeyStatus): Promise<Error> {
  const last = await latestKey(tx, agentId);
  if (last === null) return new NotFound();
  if (last.status === to) return conflict(keyLifecycle, printId('agent', agentId), last.status, to);
  return lastKeyRevoked(agentId);
}

export interface RevokedKey {
  key: AgentKey;
  sessionsRevoked: number;
}

// Gap G-64: Revoking the key ends tokens and sessions for good; until there is a new key they are 401 `key_revoked`.
/** Revokes the active key, and with it the agent's sessions and tokens for good. */
export async function revokeKey(ctx: Ctx, agentId: string): Promise<RevokedKey> {
  let afterCommit: (() => void) | undefined;
  const revoked = await transact(
    ctx,
    async (tx) => {
      await lockRow(tx.agent, agentId);
      const active = await activeKey(tx, agentId);
      if (active === null) throw await noActiveKey(tx, agentId, 'revoked');
      const at = ctx.platform.clock.now();
      const key = await tx.agentKey.update({ where: rowKey(ctx, active.id), data: { status: 'revoked', revokedAt: at } });
      await tx.agent.update({ where: rowKey(ctx, agentId), data: { keyRevokedAt: at } });
      await revokeTokens(tx, agentId, at);
      afterCommit = await notifyKeyEnded(ctx, tx, key, null);
      return { key, sessionsRevoked: await endSessions(ctx, tx, agentId) };
    },
    ({ key }) => key.id,
  );
  afterCommit?.();
  ctx.platform.cache.drop(`agent:${agentId}`);
  return revoked;
}

/** What revoking made: the sessions that ended with the key. */
export async function revokedKey(ctx: Ctx, id: string): Promise<RevokedKey> {
  const key = await ctx.db.agentKey.findFirst({ where: { id } });
  if (key === null) throw new NotFound();
  return { key, sessionsRevoked: await ctx.db.agentSession.count({ where: { keyId: id, revokedAt: key.revokedAt } }) };
}

// Gap G-22: Lists without pages are bounded: the newest 200 keys, 200 tokens and 200 live sessions of an agent.
/** Keys in a list: an agent has one at a time, so that the oldest of more than these are history. */
export const mostKeys = 200;

/** The keys of an agent, newest first. */
export async function keys(ctx: Ctx, agentId: string, query: object = {}): Promise<AgentKey[]> {
  canSeeAgent(ctx, agentId);
  await agent(ctx, agentId);
  return ctx.db.agentKey.findMany({ ...query, where: { agentId }, orderBy: { id: 'desc' }, take: mostKeys });
}
