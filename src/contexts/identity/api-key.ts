// API keys: what a tenant's own programs show (SPEC.md "Authentication", CONTRACT.md 18). A key is kept as its SHA-256 and a
// prefix for people; it is told once. Keys live in real time, also where a sandbox has moved its clock.

import type { ApiKey } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import { newToken, sha256 } from '../../platform/crypto.js';
import type { Ctx, Environment } from '../../platform/ctx.js';
import { Forbidden, NotFound, StateConflict, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { newId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import type { CreateApiKeyInput, RollApiKeyInput } from './api-key.input.js';
import { addEntry, endEntries } from './directory.js';
import { fullScope } from './scope.js';

export type ApiKeyStatus = 'active' | 'expired' | 'revoked';

/** A key with its text, which only the answer that made it carries. */
export interface IssuedApiKey extends ApiKey {
  key: string;
}

/**
 * Everything that a key may do. Narrower scopes are refused at creation: taking one that nothing enforces would grant
 * authority (Gap G-25).
 */

/** `pk_test_` or `pk_live_` and 43 random characters. */
export function newApiKey(environment: Environment): string {
  return newToken(`pk_${environment}_`);
}

export interface ApiKeyFacts {
  key: string;
  name: string;
  scopes?: readonly string[] | null | undefined;
  expiresAt?: Date | null | undefined;
  /** The key that makes it, and the one whose place it takes. */
  createdById?: string | null | undefined;
  rolledFromId?: string | null | undefined;
}

/** The row of a key, without its workspace. */
export function apiKeyRow({ key, name, scopes, expiresAt, createdById, rolledFromId }: ApiKeyFacts, at: Date) {
  return {
    id: newId(at),
    name,
    prefix: key.slice(0, 12),
    hash: sha256(key),
    scopes: [...(scopes ?? [fullScope])],
    expiresAt: expiresAt ?? null,
    createdAt: at,
    createdById: createdById ?? null,
    rolledFromId: rolledFromId ?? null,
  };
}

/** Whether a key is accepted at `at`, in real time. */
export function apiKeyStatus({ revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, at: Date): ApiKeyStatus {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= at ? 'expired' : 'active';
}

/** Issues a key for the caller's workspace. 403 `forbidden` for the other environment (Gap G-24), 400 for an expiry that has passed. */
export function createApiKey(ctx: Ctx, input: CreateApiKeyInput): Promise<IssuedApiKey> {
  const at = ctx.platform.clock.now();
  const own = ctx.workspace.environment;
  if (input.environment != null && input.environment !== own) {
    const place = own === 'test' ? 'the production' : 'the sandbox';
    throw new Forbidden(`A ${own} key issues ${own} keys only. Send this request to ${place} address with a ${input.environment} key.`);
  }
  if (input.expiresAt != null && input.expiresAt <= at) {
    throw new ValidationFailed([{ path: ['expiresAt'], message: 'must be in the future', rule: 'future' }]);
  }
  return transact(ctx, (tx) => issueApiKey(tx, own, { ...input, createdById: makerIn(ctx) }, at));
}

/** The key that makes another one; null: the command line does. */
function makerIn({ actor }: Ctx): string | null {
  return actor.type === 'api_key' || actor.type === 'user' ? actor.id : null;
}

async function issueApiKey(tx: Tx, environment: Environment, facts: Omit<ApiKeyFacts, 'key'>, at: Date): Promise<IssuedApiKey> {
  const key = newApiKey(environment);
  const row = await tx.apiKey.create({ data: apiKeyRow({ ...facts, key }, at) });
  await addEntry(tx, { ...row, kind: 'api_key' });
  return { ...row, key };
}

/** Ends a key at once, in every process. Again on a revoked key changes nothing. The key that asks may end itself. */
export async function revokeApiKey(ctx: Ctx, id: string): Promise<ApiKey> {
  const revoked = await transact(ctx, async (tx) => {
    const key = await lockRow(tx.apiKey, id);
    return key.revokedAt === null ? endApiKey(ctx, tx, key, { revokedAt: ctx.platform.clock.now() }) : key;
  });
  ctx.platform.cache.drop(`api_key:${id}`);
  return revoked;
}

/**
 * Issues a key with the name, scopes and expiry of another, which ends at once or after the overlap (never later than it
 * would have). 409 `state_conflict` for a key that has ended already.
 */
export async function rollApiKey(ctx: Ctx, { id, overlapSeconds }: RollApiKeyInput & { id: string }): Promise<IssuedApiKey> {
  const issued = await transact(ctx, async (tx) => {
    const old = await lockRow(tx.apiKey, id);
    const at = ctx.platform.clock.now();
    const status = apiKeyStatus(old, at);
    if (status !== 'active') {
      throw new StateConflict(`This API key is ${status}: create a new one instead.`, status, ['active'], {
        next_actions: [{ rel: 'create', actor: 'api_key', method: 'POST', path: '/v1/api-keys', body: { name: old.name } }],
      });
    }
    await endApiKey(ctx, tx, old, endOf(old, overlapSeconds ?? 0, at));
    return issueApiKey(tx, ctx.workspace.environment, { ...old, createdById: makerIn(ctx), rolledFromId: old.id }, at);
  });
  ctx.platform.cache.drop(`api_key:${id}`);
  return issued;
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
