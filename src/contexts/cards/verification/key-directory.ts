// The public keys of agents, as those look them up who check what agents sign (Web Bot Auth): all of them in pages, and those of one
// agent. A key is there while its agent is active or frozen and the key is the one that counts (CONTRACT.md 14, 20).
import type { Config } from '../../../config.js';
import type { AgentKey, Prisma } from '../../../generated/prisma/client.js';
import { decodeBase64 } from '../../../platform/crypto.js';
import type { Environment, Platform } from '../../../platform/ctx.js';
import { systemCtx } from '../../../platform/due/step.js';
import { contentDigest } from '../../../platform/http-signature.js';
import { placeOfAgent } from '../../agents/agent.js';
import { jwkOf, keyThumbprint, publicKeyBytes } from '../../agents/ed25519.js';
import { jwks, signingKey } from '../../identity/signing-key.js';
import { type KeyPage, listedKeys } from './key-directory.sql.js';

export const directoryPath = '/.well-known/http-message-signatures-directory';
export const directoryType = 'application/http-message-signatures-directory+json';

/** The public address of an environment, without a slash at the end; null where none is configured. */
export function ownOrigin({ baseUrl, sandboxUrl }: Pick<Config, 'baseUrl' | 'sandboxUrl'>, environment: Environment): string | null {
  return (environment === 'live' ? baseUrl : sandboxUrl)?.replace(/\/+$/, '') ?? null;
}

/** Keys of one page. */
const pageKeys = 500;
/** How long the signature of a directory counts, seconds. */
const signatureSeconds = 300;

export interface DirectoryKey {
  kty: string;
  crv: string;
  kid: string;
  x: string;
  y?: string;
  use: 'sig';
  alg?: string;
  nbf?: number;
}

/** A directory as it is answered: the bytes, so that what is signed is what is sent. */
export interface Directory {
  keys: DirectoryKey[];
  /** Where the next page begins; null on the last. */
  next: string | null;
}

function directoryKey(publicKey: Uint8Array, since?: Date): DirectoryKey {
  const { kty, crv, x } = jwkOf(publicKey);
  const nbf = since === undefined ? {} : { nbf: Math.floor(since.getTime() / 1000) };
  return { kty, crv, kid: keyThumbprint(publicKey), x, use: 'sig', ...nbf };
}

/** The cursor of a page: base64url of the key before it. Null for what is none. */
export function pageStart(text: string): Buffer | null {
  if (text === '') return Buffer.alloc(0);
  return decodeBase64(`${text.replaceAll('-', '+').replaceAll('_', '/')}=`, publicKeyBytes);
}

// Gap G-600: Keys in a cell that does not answer are left out of the directory of all keys.
/** One page of the keys of every cell: up to where each of them was looked at. */
async function keysOfAll(platform: Platform, environment: Environment, after: Buffer): Promise<KeyPage> {
  const pages: KeyPage[] = [];
  await platform.cells.ask(async (cell) => {
    pages.push(await listedKeys(cell, environment, after, pageKeys));
  });
  const [first, ...others] = pages;
  if (first !== undefined && others.length === 0) return first;
  const ends = pages.flatMap(({ last }) => (last === null ? [] : [Buffer.from(last)])).sort(Buffer.compare);
  const [end] = ends;
  const sorted = pages.flatMap(({ keys }) => keys.map((key) => Buffer.from(key))).sort(Buffer.compare);
  const distinct = sorted.filter((key, at) => sorted[at - 1]?.equals(key) !== true);
  const known = distinct.filter((key) => end === undefined || key.compare(end) <= 0);
  const keys = known.slice(0, pageKeys);
  return { keys, last: known.length > pageKeys ? (keys.at(-1) ?? null) : (end ?? null) };
}

/** One page of the keys of an environment. Pages have at most 500 keys; one may have fewer and not be the last. */
export async function keyDirectory(platform: Platform, environment: Environment, after: Buffer): Promise<Directory> {
  const { keys, last } = await keysOfAll(platform, environment, after);
  const next = last === null ? null : Buffer.from(last).toString('base64url');
  return { keys: [...keys.map((key) => directoryKey(key)), await ownKey(platform)], next };
}

/** An agent whose keys count. */
export const standingAgent = { status: { in: ['active', 'frozen'] } } satisfies Prisma.AgentWhereInput;

/** The key of one agent that counts now; null where it has none, or is none. */
export async function agentKey(platform: Platform, environment: Environment, agentId: string): Promise<AgentKey | null> {
  const place = await placeOfAgent(platform, agentId, environment);
  if (place === null) return null;
  const { db } = systemCtx(place.platform, place.workspace, null);
  return db.agentKey.findFirst({ where: { agentId, status: 'active', agent: standingAgent } });
}

/** The directory of one agent; null where it has no key that counts, or is none. */
export async function agentDirectory(platform: Platform, environment: Environment, agentId: string): Promise<Directory | null> {
  const key = await agentKey(platform, environment, agentId);
  if (key === null) return null;
  return { keys: [directoryKey(key.publicKey, key.createdAt), await ownKey(platform)], next: null };
}

// Gap G-245: A key of the platform signs the directory, because the private keys of agents are not kept.
/** The key by which directories are signed: agents alone have the private halves of theirs. */
async function ownKey(platform: Platform): Promise<DirectoryKey> {
  const { kid } = await signingKey(platform);
  const key = (await jwks(platform)).keys.find((jwk) => jwk.kid === kid);
  if (key === undefined) throw new Error('the key that signs is not among the public ones');
  return { kty: 'EC', crv: 'P-256', kid, x: String(key.x), y: String(key.y), use: 'sig', alg: 'ES256' };
}

const encoder = new TextEncoder();

/**
 * The header fields that sign a directory: who has asked where, and the bytes of the body
 * (draft-meunier-http-message-signatures-directory).
 */
export async function signDirectory(platform: Platform, authority: string, body: string): Promise<Record<string, string>> {
  const { kid, privateKey } = await signingKey(platform);
  const created = Math.floor(platform.clock.now().getTime() / 1000);
  const parameters =
    `("@authority";req "content-digest");created=${created};expires=${created + signatureSeconds};keyid="${kid}"` +
    ';alg="ecdsa-p256-sha256";tag="http-message-signatures-directory"';
  const digest = contentDigest(body);
  const base = `"@authority";req: ${authority}\n"content-digest": ${digest}\n"@signature-params": ${parameters}`;
  const bytes = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, encoder.encode(base));
  return {
    'Content-Digest': digest,
    'Signature-Input': `platform=${parameters}`,
    Signature: `platform=:${Buffer.from(bytes).toString('base64')}:`,
  };
}
