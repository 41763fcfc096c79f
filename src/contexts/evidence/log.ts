// A log of evidence: the tree of the audit log of a workspace as others know it, by a name, an id and keys of its own (CONTRACT.md 25).
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { listeningOrigin } from '../../platform/authority.js';
import { sha256 } from '../../platform/crypto.js';
import type { Environment, Platform } from '../../platform/ctx.js';
import { newId, printId } from '../../platform/schema/id.js';
import { listEntries } from '../identity/directory.js';
import type { NewLog } from './head.sql.js';
import { rawPublicKey } from './note.js';

/** Where what is published of a log begins. */
export const evidencePath = '/.well-known/evidence';

/** Under what the directory knows a log: SHA-256 of its id as it is printed. */
export function logHash(id: string): Buffer<ArrayBuffer> {
  return sha256(printId('evidenceLog', id));
}

/** The public address of an environment, without a slash at the end. A process that has none configured names the address that it listens on. */
export function addressOf({ config }: Platform, environment: Environment): string {
  const [baseUrl, port] = environment === 'live' ? [config.baseUrl, config.port] : [config.sandboxUrl, config.sandboxPort];
  return baseUrl?.replace(/\/+$/, '') ?? listeningOrigin(config.host, port);
}

/** What a new log of a workspace is written with. Its id is not to be guessed, and its name is fixed. */
export async function newLog(
  platform: Platform,
  { workspaceId, environment }: { workspaceId: string; environment: Environment },
  address = addressOf(platform, environment),
): Promise<NewLog> {
  const at = platform.clock.now();
  const id = uuidOf(randomBytes(16));
  const { host, pathname } = new URL(address);
  const origin = `${host}${pathname.replace(/\/$/, '')}${evidencePath}/${printId('evidenceLog', id)}`;
  const hash = logHash(id);
  await listEntries(platform, [{ workspaceId, kind: 'evidence_log', id, hash }]);
  return { workspaceId, id, origin, hash, key: newKey(platform, at), at };
}

/** A new key, its seed sealed under its id. */
export function newKey({ vault }: Pick<Platform, 'vault'>, at: Date): NewLog['key'] {
  const { privateKey } = generateKeyPairSync('ed25519');
  const id = newId(at);
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
  return { id, publicKey: rawPublicKey(privateKey), sealedKey: vault.seal(seed.toString('base64'), id) };
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
