// API keys: what a tenant's own programs show (SPEC.md "Authentication", CONTRACT.md 18). A key is kept as its SHA-256 and a
// prefix for people; it is told once. Keys live in real time, also where a sandbox has moved its clock.

import type { ApiKey } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import { newToken, sha256 } from '../../platform/crypto.js';
import type { Ctx, Environment } from '../../platform/ctx.js';
import { Forbidden, NotFound, StateConflict, ValidationFailed } from '../../platform/errors.js';
import { manyParts } from '../../platform/extension.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { newId, printId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { fullScope } from '../../platform/scope.js';
import { requireStepUp } from '../../platform/step-up.js';
import type { CreateApiKeyInput, RollApiKeyInput } from './api-key.input.js';
import { addEntry, endEntries } from './directory.js';
import { givenScopes } from './given-scope.js';

export type ApiKeyStatus = 'active' | 'expired' | 'revoked';

/** A key with its text, which only the answer that made it carries. */
export interface IssuedApiKey extends ApiKey {
  key: string;
}

/** `pk_test_` or `pk_live_` and 43 random characters. */
export function newApiKey(environment: Environment): string {
  return newToken(`pk_${environment}_`);
}

export interface ApiKeyFacts {
  key: string;
  name: string;
  /** By default `*`. */
  scopes?: readonly string[] | undefined;
  allowedIps?: readonly string[] | null | undefined;
  expiresAt?: Date | null | undefined;
  /** The key or the member that makes it, and the key whose place it takes. */
  createdById?: string | null | undefined;
  createdByMemberId?: string | null | undefined;
  rolledFromId?: string | null | undefined;
}

/** The row of a key, without its workspace. */
export function apiKeyRow(facts: ApiKeyFacts, at: Date) {
  const { key, name, scopes, allowedIps, expiresAt, createdById, createdByMemberId, rolledFromId } = facts;
  return {
    id: newId(at),
    name,
    prefix: key.slice(0, 12),
    hash: sha256(key),
    scopes: [...(scopes ?? [fullScope])],
    allowedIps: [...(allowedIps ?? [])],
    expiresAt: expiresAt ?? null,
    createdAt: at,
    createdById: createdById ?? null,
    createdByMemberId: createdByMemberId ?? null,
    rolledFromId: rolledFromId ?? null,
  };
}

/** Whether a key is accepted at `at`, in real time. */
export function apiKeyStatus({ revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, at: Date): ApiKeyStatus {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= at ? 'expired' : 'active';
}

// Gap G-24: An API key issues keys of its own environment only; the other environment is 403 `forbidden`.
/**
 * Issues a key for the caller's workspace. 403 `forbidden` for the other environment, `insufficient_scope` for more than the caller may do;
 * 400 for an expiry that has passed. A person has to have signed in a moment ago to make a live one.
 */
export function createApiKey(ctx: Ctx, input: CreateApiKeyInput): Promise<IssuedApiKey> {
  const at = ctx.platform.clock.now();
  const own = ctx.workspace.environment;
  if (own === 'live') requireStepUp(ctx);
  if (input.environment != null && input.environment !== own) {
    const place = own === 'test' ? 'the production' : 'the sandbox';
    throw new Forbidden(`A ${own} key issues ${own} keys only. Send this request to ${place} address with a ${input.environment} key.`);
  }
  if (input.expiresAt != null && input.expiresAt <= at) {
    throw new ValidationFailed([{ path: ['expiresAt'], message: 'must be in the future', rule: 'future' }]);
  }
  return transact(ctx, async (tx) => {
    const scopes = await givenScopes(ctx, tx, input.scopes);
    return issueApiKey(ctx, tx, own, { ...input, scopes, ...makerIn(ctx), at });
  });
}

/** Who makes a key: another one, or a member; neither: the command line does. */
function makerIn({ actor: { type, id, member } }: Ctx): Pick<ApiKeyFacts, 'createdById' | 'createdByMemberId'> {
  return { createdById: type === 'api_key' || type === 'user' ? id : null, createdByMemberId: member?.id ?? null };
}

/** Who made a key, as the wire has it; null: the command line, or nobody knows. */
export function makerOf({ createdById, createdByMemberId }: Pick<ApiKey, 'createdById' | 'createdByMemberId'>): string | null {
  if (createdByMemberId !== null) return printId('member', createdByMemberId);
  return createdById === null ? null : printId('apiKey', createdById);
}

async function issueApiKey(
  ctx: Ctx,
  tx: Tx,
  environment: Environment,
  { at, ...facts }: Omit<ApiKeyFacts, 'key'> & { at: Date },
): Promise<IssuedApiKey> {
  const key = newApiKey(environment);
  const row = await tx.apiKey.create({ data: apiKeyRow({ ...facts, key }, at) });
  await addEntry(ctx, tx, { ...row, kind: 'api_key' });
  return { ...row, key };
}

/** Ends what goes with a key that is revoked, in that transaction. For contexts above. */
export type KeyEnding = (ctx: Ctx, tx: Tx, keyId: string) => Promise<void>;
export const keyEndings = manyParts<KeyEnding>('what ends with an API key');

// Gap G-526: Invitations that a key has made end with it when it is revoked; they go on after a roll, and after its `expires_at`.
/** Ends a key at once, in every process. Again on a revoked key changes nothing. The key that asks may end itself. */
export async function revokeApiKey(ctx: Ctx, id: string): Promise<ApiKey> {
  const revoked = await transact(ctx, async (tx) => {
    const key = await lockRow(tx.apiKey, id);
    if (key.revokedAt !== null) return key;
    for (const end of ctx.platform.extensions.of(keyEndings)) await end(ctx, tx, id);
    return endApiKey(ctx, tx, key, { revokedAt: ctx.platform.clock.now() });
  });
  ctx.platform.cache.drop(`api_key:${id}`);
  return revoked;
}

/**
 * Issues a key with the name, scopes and expiry of another, which ends at once or after the overlap (never later than it
 * would have). 409 `state_conflict` for a key that has ended already, 403 `insufficient_scope` for one that may do more than the caller.
 */
export async function rollApiKey(ctx: Ctx, { id, overlapSeconds }: RollApiKeyInput & { id: string }): Promise<IssuedApiKey> {
  if (ctx.workspace.environment === 'live') requireStepUp(ctx);
  const issued = await transact(ctx, async (tx) => {
    const old = await lockRolled(ctx, tx, id);
    const at = ctx.platform.clock.now();
    const status = apiKeyStatus(old, at);
    if (status !== 'active') {
      throw new StateConflict(`This API key is ${status}: create a new one instead.`, status, ['active'], {
        next_actions: [{ rel: 'create', actor: 'api_key', method: 'POST', path: '/v1/api-keys', body: { name: old.name } }],
      });
    }
    const scopes = await givenScopes(ctx, tx, old.scopes);
    await endApiKey(ctx, tx, old, endOf(old, overlapSeconds ?? 0, at));
    return issueApiKey(ctx, tx, ctx.workspace.environment, { ...old, scopes, ...makerIn(ctx), rolledFromId: old.id, at });
  });
  ctx.platform.cache.drop(`api_key:${id}`);
  return issued;
}

/** Locks a key that is rolled, and the one that rolls it: in the order of their ids, as two that roll each other do. */
async function lockRolled({ actor }: Ctx, tx: Tx, id: string): Promise<ApiKey> {
  if (actor.type === 'api_key' && actor.id < id) await lockRow(tx.apiKey, actor.id);
  return lockRow(tx.apiKey, id);
}

type End = { revokedAt: Date } | { expiresAt: Date };

async function endApiKey(ctx: Ctx, tx: Tx, { id, hash }: Pick<ApiKey, 'id' | 'hash'>, end: End): Promise<ApiKey> {
  await endEntries(tx, [hash], 'revokedAt' in end ? end.revokedAt : end.expiresAt);
  return tx.apiKey.update({ where: rowKey(ctx, id), data: end });
}

function endOf({ expiresAt }: ApiKey, overlapSeconds: number, at: Date): End {
  if (overlapSeconds === 0) return { revokedAt: at };
  const end = addSeconds(at, overlapSeconds);
  return { expiresAt: expiresAt !== null && expiresAt < end ? expiresAt : end };
}

/** The key (never its text), or 404. `query` is the caller's selection. */
export async function apiKey(ctx: Ctx, id: string, query: object = {}): Promise<ApiKey> {
  const found = await ctx.db.apiKey.findFirst({ ...query, where: { id } });
  if (found === null) throw new NotFound();
  return found;
}

/** Every key of the workspace, ended ones too, newest first. */
export const apiKeys = listOf('apiKey', {});
