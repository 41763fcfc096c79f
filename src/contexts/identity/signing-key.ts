// The platform's own ES256 keys: JWT sessions are signed with the newest, /.well-known/jwks.json lists those that still count
// (CONTRACT.md 18 and 20). The private half is sealed at rest.
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { SigningKey } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Platform } from '../../platform/ctx.js';
import { serializable } from './serializable.js';

export const signingAlg = 'ES256';
/** Lifetime of the JWT of a session. */
export const jwtTtlSeconds = 3_600;
/** Lifetime of what is signed for longest, the JWT of a mandate. A retired key is listed until the last of them has expired. */
export const longestTtlSeconds = 366 * 86_400;

interface PublicKey {
  key: CryptoKey;
  retiredAt: Date | null;
}

interface SigningKeys {
  kid: string;
  privateKey: CryptoKey;
  publicKeys: ReadonlyMap<string, PublicKey>;
  jwks: { keys: JWK[] };
  loadedAt: Date;
}

/** A key put in or retired by another process is noticed this late; an unknown `kid` looks earlier. */
const maxAgeSeconds = 300;
const minAgeSeconds = 5;
const newestFirst = [{ createdAt: 'desc' as const }, { id: 'desc' as const }];

/**
 * Refuses to start with another SECRETS_KEY than the stored values were sealed with. The signing keys are sealed with it, so they tell: the
 * first start makes one.
 */
export async function checkSecretsKey(platform: Platform, from: string): Promise<void> {
  const rows = await platform.cells.directory.database.unscoped.signingKey.findMany({ orderBy: newestFirst, take: 20 });
  const [newest] = rows;
  if (newest === undefined || rows.some((row) => isOpen(platform, row))) return void (await signingKey(platform));
  throw new Error(
    `SECRETS_KEY (from ${from}) is not the key that the secrets of this database were sealed with: it does not open the signing key ` +
      `${newest.id} of ${newest.createdAt.toISOString()}.\nStart with the SECRETS_KEY of before: that of the environment, or of the file ` +
      'secrets-key in DATA_DIR where none was set. With another key webhooks are not signed, and payouts to bank accounts and charges of ' +
      'cards stop.\nIf that key is lost or was leaked: docs/operations.md, "Rotating keys", says how to go on with a new one.',
  );
}

function isOpen({ vault }: Platform, { sealedKey, id }: SigningKey): boolean {
  try {
    return vault.open(sealedKey, id) !== '';
  } catch {
    return false;
  }
}

/** The key to sign with. The first use of a platform makes it. */
export async function signingKey(platform: Platform): Promise<{ kid: string; privateKey: CryptoKey }> {
  return signingKeys(platform);
}

/** The public key named `kid`, or null. A retired one counts until what it signed, for so many seconds, has expired. */
export async function verificationKey(platform: Platform, kid: string, ttlSeconds: number): Promise<CryptoKey | null> {
  const known = await signingKeys(platform);
  const found = known.publicKeys.get(kid) ?? (await signingKeys(platform, minAgeSeconds)).publicKeys.get(kid);
  if (found === undefined) return null;
  const counts = found.retiredAt === null || found.retiredAt > addSeconds(platform.clock.now(), -ttlSeconds);
  return counts ? found.key : null;
}

/** The public keys as /.well-known/jwks.json prints them. Kept in the process. */
export async function jwks(platform: Platform): Promise<{ keys: JWK[] }> {
  return (await signingKeys(platform)).jwks;
}

async function signingKeys(platform: Platform, oldestSeconds = maxAgeSeconds): Promise<SigningKeys> {
  const name = 'signing_keys';
  const kept = platform.cache.peek<SigningKeys>(name);
  if (kept !== undefined && kept.loadedAt > addSeconds(platform.clock.now(), -oldestSeconds)) return kept;
  if (kept !== undefined) platform.cache.drop(name);
  return platform.cache.get(name, async () => ({ value: await loadSigningKeys(platform), tags: [name] }));
}

async function loadSigningKeys(platform: Platform): Promise<SigningKeys> {
  const loadedAt = platform.clock.now();
  const rows = await countingKeys(platform, loadedAt);
  const newest = (await openNewest(platform, rows)) ?? (await openNewest(platform, await addSigningKey(platform, loadedAt)));
  if (newest === undefined) throw new Error('the signing key that was just made cannot be read');
  const all = rows.some(({ id }) => id === newest.kid) ? rows : await countingKeys(platform, loadedAt);
  const publicKeys = new Map<string, PublicKey>();
  for (const { id, publicJwk, retiredAt } of all) {
    publicKeys.set(id, { key: (await importJWK(publicJwk as JWK, signingAlg)) as CryptoKey, retiredAt });
  }
  return { ...newest, publicKeys, jwks: { keys: all.map(({ publicJwk }) => publicJwk as JWK) }, loadedAt };
}

/** Keys whose signatures may still be on an unexpired JWT, newest first. */
function countingKeys({ cells }: Platform, at: Date): Promise<SigningKey[]> {
  return cells.directory.database.unscoped.signingKey.findMany({
    where: { OR: [{ retiredAt: null }, { retiredAt: { gt: addSeconds(at, -longestTtlSeconds) } }] },
    orderBy: newestFirst,
  });
}

/** The newest key that is not retired and that SECRETS_KEY opens. */
async function openNewest(
  { vault, log }: Platform,
  rows: readonly SigningKey[],
): Promise<{ kid: string; privateKey: CryptoKey } | undefined> {
  for (const { id, sealedKey, retiredAt } of rows) {
    if (retiredAt !== null) continue;
    let text: string;
    try {
      text = vault.open(sealedKey, id);
    } catch (error) {
      log.warn({ err: error, kid: id }, 'a signing key was sealed under another SECRETS_KEY; it signs nothing');
      continue;
    }
    return { kid: id, privateKey: (await importJWK(JSON.parse(text) as JWK, signingAlg)) as CryptoKey };
  }
  return undefined;
}

/**
 * Makes a key unless another process just did. The look and the write are one serializable transaction, so that of several
 * first uses at once one makes the key and the others find it.
 */
async function addSigningKey(platform: Platform, at: Date): Promise<SigningKey[]> {
  const pair = await generateKeyPair(signingAlg, { extractable: true });
  const jwk = await exportJWK(pair.publicKey);
  const id = await calculateJwkThumbprint(jwk);
  const publicJwk = { kty: 'EC', crv: 'P-256', x: String(jwk.x), y: String(jwk.y), kid: id, use: 'sig', alg: signingAlg };
  const sealedKey = platform.vault.seal(JSON.stringify(await exportJWK(pair.privateKey)), id);
  return serializable(platform.cells.directory, async (tx) => {
    const present = await tx.signingKey.findMany({ where: { retiredAt: null }, orderBy: newestFirst });
    if ((await openNewest(platform, present)) !== undefined) return present;
    return [await tx.signingKey.create({ data: { id, publicJwk, sealedKey, createdAt: at } })];
  });
}
