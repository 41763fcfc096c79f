// API keys as requests meet them: looked up once, then kept until any process changes them. Warm, a check costs no query.
import type { Identity } from '../../platform/credential.js';
import { type Platform, workspaceOf } from '../../platform/ctx.js';
import type { Db } from '../../platform/postgres/database.js';
import { apiKeyStatus } from './api-key.js';
import { findCredential, type LoadedCredential, nothing } from './directory.js';
import { noteUse, type Used } from './last-use.js';

interface KnownKey extends Used {
  identity: Identity;
  /** Null: never. */
  expiresAt: Date | null;
}

/** Who an API key stands for; null when it is unknown, revoked or expired, which is not kept. */
export async function identityOfKey(platform: Platform, key: string): Promise<Identity | null> {
  return admit(platform, await findCredential(platform, 'api_key', key, (db, { id }) => load(platform, db, id)));
}

/** The same for the row's id and its workspace, as a JWT names them. */
export async function identityOfKeyId(platform: Platform, workspaceId: string, id: string): Promise<Identity | null> {
  const db = platform.database.forWorkspace(workspaceId);
  return admit(platform, await platform.cache.get(`api_key_id:${workspaceId}:${id}`, () => load(platform, db, id)));
}

function admit(platform: Platform, known: KnownKey | null): Identity | null {
  if (known === null || (known.expiresAt !== null && known.expiresAt <= platform.clock.now())) return null;
  noteUse(platform, 'api_key', known);
  return known.identity;
}

async function load({ clock }: Platform, db: Db, id: string): Promise<LoadedCredential<KnownKey>> {
  const row = await db.apiKey.findFirst({ where: { id }, include: { workspace: true } });
  if (row === null || apiKeyStatus(row, clock.now()) !== 'active') return nothing;
  const { name, scopes, expiresAt, lastUsedAt, workspace } = row;
  const identity: Identity = {
    actor: { type: 'api_key', id, name, scopes, credential: { kind: 'api_key', id } },
    workspace: workspaceOf(workspace),
  };
  return {
    value: { id, workspaceId: workspace.id, identity, expiresAt, lastUsedAt },
    tags: [`api_key:${id}`, `workspace:${workspace.id}`],
  };
}
