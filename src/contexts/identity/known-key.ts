// API keys as requests meet them: looked up once, then kept until any process changes them. Warm, a check costs no query.
import type { Prisma } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Identity } from '../../platform/credential.js';
import { sha256 } from '../../platform/crypto.js';
import type { Platform } from '../../platform/ctx.js';
import { apiKeyStatus } from './api-key.js';

interface KnownKey {
  identity: Identity;
  /** Null: never. */
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

const usedEverySeconds = 60;

/** Who an API key stands for; null when it is unknown, revoked or expired, which is not kept. */
export function identityOfKey(platform: Platform, key: string): Promise<Identity | null> {
  const hash = sha256(key);
  return identify(platform, `api_key_hash:${hash.toString('base64')}`, { hash });
}

/** The same for the row's id, as a JWT names it. */
export function identityOfKeyId(platform: Platform, id: string): Promise<Identity | null> {
  return identify(platform, `api_key_id:${id}`, { id });
}

async function identify(platform: Platform, name: string, where: Prisma.ApiKeyWhereUniqueInput): Promise<Identity | null> {
  const known = platform.cache.peek<KnownKey>(name) ?? (await platform.cache.get(name, () => load(platform, where)));
  if (known === null) return null;
  const at = platform.clock.now();
  if (known.expiresAt !== null && known.expiresAt <= at) return null;
  noteUse(platform, known, at);
  return known.identity;
}

async function load(platform: Platform, where: Prisma.ApiKeyWhereUniqueInput): Promise<{ value: KnownKey | null; tags: string[] }> {
  const row = await platform.database.unscoped.apiKey.findUnique({ where, include: { workspace: true } });
  if (row === null || apiKeyStatus(row, platform.clock.now()) !== 'active') return { value: null, tags: [] };
  const { id, name, scopes, expiresAt, lastUsedAt, workspace } = row;
  const identity: Identity = {
    actor: { type: 'api_key', id, name, scopes, credential: { kind: 'api_key', id } },
    workspace: {
      id: workspace.id,
      tenantId: workspace.tenantId,
      environment: workspace.environment,
      clockOffsetMs: Number(workspace.clockOffsetMs),
    },
  };
  return { value: { identity, expiresAt, lastUsedAt }, tags: [`api_key:${id}`, `workspace:${workspace.id}`] };
}

/** Writes `last_used_at` at most once a minute, beside the request: nobody waits for it and no request fails with it. */
function noteUse({ database, log }: Platform, known: KnownKey, at: Date): void {
  const before = addSeconds(at, -usedEverySeconds);
  if (known.lastUsedAt !== null && known.lastUsedAt > before) return;
  known.lastUsedAt = at;
  const { id } = known.identity.actor;
  database.unscoped.apiKey
    .updateMany({ where: { id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: before } }] }, data: { lastUsedAt: at } })
    .catch((error: unknown) => log.warn({ err: error, apiKeyId: id }, 'the last use of an API key was not written'));
}
