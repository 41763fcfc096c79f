// The keys of our agents by the names that signatures give them: the address of a directory, and the id of a key.
import { isLoopback } from '../../../platform/authority.js';
import type { Ctx } from '../../../platform/ctx.js';
import { parseId, printId } from '../../../platform/schema/id.js';
import { keyThumbprint } from '../../agents/ed25519.js';
import { agentKey, directoryPath, ownOrigin, standingAgent } from './key-directory.js';
import { type FoundKey, keyByThumbprint } from './key-directory.sql.js';

/** A key that counts now. */
export interface NamedKey {
  agentId: string;
  /** As it is printed. */
  keyId: string;
  publicKey: Uint8Array;
}

/**
 * The key that a signature names, of an agent of whatever tenant: keys are public. An `address` must be ours: the directory of an agent, or
 * the origin or directory of all of them, in which `keyId` is the thumbprint. Without one the thumbprint alone counts, or the id of a key of
 * the workspace. Null where nothing of ours is named.
 */
export async function namedKey(ctx: Ctx, keyId: string, address: string | null): Promise<NamedKey | null> {
  const found = address === null ? await keyOfId(ctx, keyId) : await keyAtAddress(ctx, keyId, address);
  if (found === null) return null;
  const key = { agentId: found.agentId, keyId: printId('authKey', found.id), publicKey: found.publicKey };
  return keyId === key.keyId || keyId === keyThumbprint(key.publicKey) ? key : null;
}

async function keyAtAddress(ctx: Ctx, keyId: string, address: string): Promise<FoundKey | null> {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !isOurs(ctx, url)) return null;
  if (url.pathname === '/' || url.pathname === directoryPath) return keyOfThumbprint(ctx, keyId);
  if (!url.pathname.startsWith(`${directoryPath}/`)) return null;
  const agentId = parseId('agent', url.pathname.slice(directoryPath.length + 1));
  return agentId === null ? null : agentKey(ctx.platform, ctx.workspace.environment, agentId);
}

/** Null for what is none, and for a key that does not count now. */
async function keyOfId(ctx: Ctx, keyId: string): Promise<FoundKey | null> {
  const id = parseId('authKey', keyId);
  if (id === null) return keyOfThumbprint(ctx, keyId);
  return ctx.db.agentKey.findFirst({ where: { id, status: 'active', agent: standingAgent } });
}

async function keyOfThumbprint({ platform, workspace }: Ctx, keyId: string): Promise<FoundKey | null> {
  if (!/^[\w-]{43}$/.test(keyId)) return null;
  const bytes = Buffer.from(keyId, 'base64url');
  for (const cell of platform.cells.served) {
    const found = await keyByThumbprint(cell, workspace.environment, bytes);
    if (found !== null) return found;
  }
  return null;
}

/** True for an address of ours. Without a public address only this machine is known to be ours. */
function isOurs({ platform, workspace }: Ctx, { origin, hostname }: URL): boolean {
  const own = ownOrigin(platform.config, workspace.environment);
  return own === null ? isLoopback(hostname) : own === origin;
}
