// Secrets in a file under a password: web3 secret storage, version 3, which every tool of the EVM reads and writes. Node's own
// cryptography does the work, off the event loop; the costs that a file may ask for are bounded.
import { createCipheriv, createDecipheriv, pbkdf2, randomBytes, randomUUID, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { scryptAsync } from '@noble/hashes/scrypt.js';
import { z } from 'zod';
import { addressOfKey, isPrivateKey, keccak } from './evm.js';

/** Why a keystore was not opened. No message has a part of the file or of the password. */
export class KeystoreRefused extends Error {
  readonly reason: 'malformed' | 'too_costly' | 'wrong_password';

  constructor(reason: KeystoreRefused['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

const hex = (fewest: number, most: number) =>
  z
    .string()
    .regex(/^([0-9a-fA-F]{2})+$/)
    .min(2 * fewest)
    .max(2 * most);
const whole = z.int().positive();

const kdfSchema = z.discriminatedUnion('kdf', [
  z.object({ kdf: z.literal('scrypt'), kdfparams: z.object({ dklen: whole, n: whole, r: whole, p: whole, salt: hex(1, 64) }) }),
  z.object({
    kdf: z.literal('pbkdf2'),
    kdfparams: z.object({ dklen: whole, c: whole, prf: z.literal('hmac-sha256'), salt: hex(1, 64) }),
  }),
]);

/** A secret has 16 to 64 bytes: a private key has 32, a seed of BIP-32 as many as somebody chose. */
const contentSchema = z
  .object({
    cipher: z.literal('aes-128-ctr'),
    cipherparams: z.object({ iv: hex(16, 16) }),
    ciphertext: hex(16, 64),
    mac: hex(32, 32),
  })
  .and(kdfSchema);

const keystoreSchema = z.object({
  version: z.literal(3),
  address: z
    .string()
    .regex(/^(0x)?[0-9a-fA-F]{40}$/)
    .optional(),
  crypto: contentSchema,
});

type Kdf = z.infer<typeof kdfSchema>;

const longestFile = 16_384;
/** What wallets write asks for 256 MiB or less, and a second. */
const bounds = { n: 2 ** 20, r: 32, p: 8, bytes: 512 * 1024 ** 2, work: 2 ** 24, c: 2 ** 22 };
const pbkdf2Key = promisify(pbkdf2);

/** The text of a keystore file as its secret. Throws KeystoreRefused. Takes about a second, off the event loop. */
export async function openKeystore(text: string, password: string): Promise<Uint8Array> {
  const { crypto, address } = readKeystore(text);
  const key = await derivedKey(crypto, password);
  try {
    const ciphertext = Buffer.from(crypto.ciphertext, 'hex');
    if (!timingSafeEqual(macOf(key, ciphertext), Buffer.from(crypto.mac, 'hex')))
      throw new KeystoreRefused('wrong_password', 'the password is wrong, or the file was changed');
    const decipher = createDecipheriv('aes-128-ctr', key.subarray(0, 16), Buffer.from(crypto.cipherparams.iv, 'hex'));
    const secret = Buffer.concat([decipher.update(ciphertext), decipher.final()]);
    if (address !== undefined && !isOf(secret, address))
      throw new KeystoreRefused('malformed', 'the address in the file is not that of its key');
    return new Uint8Array(secret);
  } finally {
    key.fill(0);
  }
}

function readKeystore(text: string): z.infer<typeof keystoreSchema> {
  if (text.length > longestFile) throw new KeystoreRefused('malformed', `a keystore has at most ${longestFile} characters`);
  const parsed = keystoreSchema.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  const places = parsed.error.issues.map(({ path }) => path.join('.') || 'it');
  throw new KeystoreRefused('malformed', `this is no keystore of version 3 with scrypt or pbkdf2: see ${[...new Set(places)].join(', ')}`);
}

/** Old wallets spell the member `Crypto`. */
function jsonOf(text: string): unknown {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === 'object' && 'Crypto' in value ? { ...value, crypto: value.Crypto } : value;
  } catch {
    return undefined;
  }
}

async function derivedKey({ kdf, kdfparams }: Kdf, password: string): Promise<Buffer> {
  const salt = Buffer.from(kdfparams.salt, 'hex');
  if (kdfparams.dklen < 32 || kdfparams.dklen > 64) throw tooCostly();
  if (kdf === 'pbkdf2') {
    if (kdfparams.c > bounds.c) throw tooCostly();
    return pbkdf2Key(password, salt, kdfparams.c, kdfparams.dklen, 'sha256');
  }
  const { n: N, r, p } = kdfparams;
  const bytes = 128 * r * (N + p + 2);
  if (N < 2 || (N & (N - 1)) !== 0) throw new KeystoreRefused('malformed', 'n of scrypt must be a power of two');
  if (N > bounds.n || r > bounds.r || p > bounds.p || bytes > bounds.bytes || N * r * p > bounds.work) throw tooCostly();
  return scryptKey(password, salt, kdfparams.dklen, { N, r, p, maxmem: bytes + 1024 ** 2 });
}

type Cost = { N: number; r: number; p: number; maxmem: number };

function scryptKey(password: string, salt: Buffer, length: number, cost: Cost): Promise<Buffer> {
  // OpenSSL holds to the bound of RFC 7914, and the example in the definition of keystores does not.
  if (cost.N >= 2 ** (16 * cost.r)) return scryptAsync(password, salt, { ...cost, dkLen: length }).then((key) => Buffer.from(key));
  return new Promise<Buffer>((resolve, reject) => {
    scrypt(password, salt, length, cost, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}

function tooCostly(): KeystoreRefused {
  return new KeystoreRefused('too_costly', 'the file asks for more memory or time than any wallet writes');
}

function macOf(key: Buffer, ciphertext: Buffer): Buffer {
  return Buffer.from(keccak(Buffer.concat([key.subarray(16, 32), ciphertext])).slice(2), 'hex');
}

function isOf(secret: Uint8Array, address: string): boolean {
  return isPrivateKey(secret) && addressOfKey(secret).slice(2) === address.toLowerCase().replace('0x', '');
}

/** What a new file costs who guesses its password: 256 MiB for each guess. */
const newCost = { N: 2 ** 18, r: 8, p: 1 };

/**
 * A secret of 16 to 64 bytes as the text of a keystore file. `withAddress`: it is a private key, whose address is shown in the file; not
 * so the seed of deposit addresses. `cost`: of scrypt.
 */
export async function sealKeystore(
  secret: Uint8Array,
  password: string,
  { withAddress, cost = newCost }: { withAddress: boolean; cost?: { N: number; r: number; p: number } },
): Promise<string> {
  if (password === '') throw new Error('the password is empty');
  const [salt, iv] = [randomBytes(32), randomBytes(16)];
  const key = await scryptKey(password, salt, 32, { ...cost, maxmem: 128 * cost.r * (cost.N + cost.p + 2) + 1024 ** 2 });
  const cipher = createCipheriv('aes-128-ctr', key.subarray(0, 16), iv);
  const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
  const crypto = {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: iv.toString('hex') },
    ciphertext: ciphertext.toString('hex'),
    kdf: 'scrypt',
    kdfparams: { dklen: 32, n: cost.N, r: cost.r, p: cost.p, salt: salt.toString('hex') },
    mac: macOf(key, ciphertext).toString('hex'),
  };
  key.fill(0);
  return JSON.stringify({ version: 3, id: randomUUID(), ...(withAddress ? { address: addressOfKey(secret).slice(2) } : {}), crypto });
}
