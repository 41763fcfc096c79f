// API keys as requests meet them: looked up once, then kept until any process changes them. Warm, a check costs no query.
import { networkCheck } from '../../platform/cidr.js';
import { AddressNotAllowed, type Identity } from '../../platform/credential.js';
import { type Platform, workspaceOf } from '../../platform/ctx.js';
import type { Db } from '../../platform/postgres/database.js';
import { apiKeyStatus } from './api-key.js';
import { findCredential, type LoadedCredential, nothing } from './directory.js';
import { noteUse, type Used } from './last-use.js';

interface KnownKey extends Used {
  identity: Identity;
  /** Whether it may be used from an address; undefined: from every one. */
  isFrom: ((address: string) => boolean) | undefined;
  /** Null: never. */
  expiresAt: Date | null;
}

/** Who an API key stands for; null when it is unknown, revoked or expired, which is not kept. 403 from an address that is not its own. */
export async function identityOfKey(platform: Platform, key: string, ip: string | undefined): Promise<Identity | null> {
  return admit(platform, ip, await findCredential(platform, 'api_key', key, (db, { id }) => load(platform, db, id)));
}

/** The same for the row's id and its workspace, as a JWT names them. */
export async function identityOfKeyId(
  platform: Platform,
  { workspaceId, id, ip }: { workspaceId: string; id: string; ip: string | undefined },
): Promise<Identity | null> {
  const db = platform.database.forWorkspace(workspaceId);
  return admit(platform, ip, await platform.cache.get(`api_key_id:${workspaceId}:${id}`, () => load(platform, db, id)));
}

function admit(platform: Platform, ip: string | undefined, known: KnownKey | null): Identity | null {
  if (known === null || (known.expiresAt !== null && known.expiresAt <= platform.clock.now())) return null;
  // Work of ours that resolves a credential comes from no address.
  if (ip !== undefined && known.isFrom?.(ip) === false) throw new AddressNotAllowed();
  noteUse(platform, 'api_key', known, ip);
  return known.identity;
}

async function load({ clock }: Platform, db: Db, id: string): Promise<LoadedCredential<KnownKey>> {
  const row = await db.apiKey.findFirst({ where: { id }, include: { workspace: true } });
  if (row === null || apiKeyStatus(row, clock.now()) !== 'active') return nothing;
  const { name, scopes, allowedIps, expiresAt, lastUsedAt, workspace } = row;
  const isFrom = allowedIps.length === 0 ? undefined : networkCheck(allowedIps);
  const identity: Identity = {
    actor: { type: 'api_key', id, name, scopes, credential: { kind: 'api_key', id } },
    workspace: workspaceOf(workspace),
  };
  return {
    value: { id, workspaceId: workspace.id, identity, isFrom, expiresAt, lastUsedAt },
    tags: [`api_key:${id}`, `workspace:${workspace.id}`],
  };
}
