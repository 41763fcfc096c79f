// Ed25519 keys as the wire shows them, and signatures checked by node:crypto (CONTRACT.md 5). A public key of low order makes
// forged signatures verify in OpenSSL, so no such key ever comes in.
import { createPublicKey, generateKeyPairSync, hash, type KeyObject, verify } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { decodeBase64 } from '../../platform/crypto.js';

export const publicKeyBytes = 32;
const signatureBytes = 64;

/** A new pair: the raw public key, and the base64 of the NaCl secret key (seed, then public key). */
export interface KeyPair {
  publicKey: Buffer<ArrayBuffer>;
  privateKey: string;
}

/** Makes a key pair. The private key is the caller's alone: nothing here keeps it. */
export function generateKeyPair(): KeyPair {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const publicKey = Buffer.from(x, 'base64url') as Buffer<ArrayBuffer>;
  return { publicKey, privateKey: Buffer.concat([Buffer.from(d, 'base64url'), publicKey]).toString('base64') };
}

const keys = new LRUCache<string, KeyObject>({ max: 10_000 });

/** A raw public key, ready to check signatures with. Kept in the process. */
export function verifyingKey(publicKey: Uint8Array): KeyObject {
  const x = Buffer.from(publicKey).toString('base64url');
  let key = keys.get(x);
  if (key === undefined) {
    key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    keys.set(x, key);
  }
  return key;
}

/** Keys of published examples (RFC 9421, RFC 8037), base64url: everybody has their private halves. */
const published = new Set(['JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs', '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIuiAgAoho']);

/** True for a public key whose private half is printed in a standard. */
export function isPublishedKey(publicKey: Uint8Array): boolean {
  return published.has(Buffer.from(publicKey).toString('base64url'));
}

/** The members of the JWK of a raw public key that count for its thumbprint (RFC 8037). */
export function jwkOf(publicKey: Uint8Array): { crv: 'Ed25519'; kty: 'OKP'; x: string } {
  return { crv: 'Ed25519', kty: 'OKP', x: Buffer.from(publicKey).toString('base64url') };
}

/** The thumbprint of the JWK of a raw public key (RFC 7638): what Web Bot Auth names a key by. */
export function keyThumbprint(publicKey: Uint8Array): string {
  return hash('sha256', JSON.stringify(jwkOf(publicKey)), 'base64url');
}

/** True when `signature` (strict base64 of 64 bytes) is that of `text` (its UTF-8 bytes) under the raw public key. */
export function verifySignature(publicKey: Uint8Array, text: string, signature: string): boolean {
  const bytes = decodeBase64(signature, signatureBytes);
  return bytes !== null && verify(null, Buffer.from(text), verifyingKey(publicKey), bytes);
}

// The curve -x^2 + y^2 = 1 + d x^2 y^2 over the integers modulo p (RFC 8032 5.1).
const p = 2n ** 255n - 19n;
const d = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/** y of the points whose eightfold is the neutral element, whatever the sign of their x. */
const lowOrder = new Set([
  0n,
  1n,
  p - 1n,
  littleEndian('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'),
  littleEndian('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'),
]);

function littleEndian(hex: string): bigint {
  return BigInt(`0x${Buffer.from(hex, 'hex').reverse().toString('hex')}`);
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let factor = base % p, rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * factor) % p;
    factor = (factor * factor) % p;
  }
  return result;
}

/** What is wrong with 32 bytes as a public key, or null: not canonical, of low order, or no point of the curve. */
export function weaknessOf(publicKey: Uint8Array): string | null {
  const bytes = Buffer.from(publicKey);
  bytes[31] = (bytes[31] as number) & 0x7f;
  const y = littleEndian(bytes.toString('hex'));
  if (y >= p) return 'is not the canonical encoding of a point';
  if (lowOrder.has(y)) return 'is a point of low order: anybody could sign for it';
  // x^2 = u / v has a root when u v is a square.
  const u = (y * y - 1n + p) % p;
  const v = (d * ((y * y) % p) + 1n) % p;
  return power(u * v, (p - 1n) / 2n) === 1n ? null : 'is not a point of the curve';
}
