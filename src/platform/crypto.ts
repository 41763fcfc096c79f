// Hashes of credentials, and new random tokens. Everything is node:crypto; secrets/vault.ts encrypts.
import { hash, randomBytes } from 'node:crypto';

/** SHA-256 of a credential or key: what is stored in place of it. */
export function sha256(text: string | Uint8Array): Buffer<ArrayBuffer> {
  return hash('sha256', text, 'buffer') as Buffer<ArrayBuffer>;
}

/** `prefix` and 32 random bytes in base64url: 43 characters that cannot be guessed. */
export function newToken(prefix: string): string {
  return prefix + randomBytes(32).toString('base64url');
}

/** Random bytes that nobody has been given yet. */
const drawn = { bytes: Buffer.alloc(0), given: 0 };
const drawnAtOnce = 8_192;

/** A few random bytes. Drawn many at once: asked for one by one they take as long as everything else about an id. */
export function fewRandomBytes(size: number): Buffer {
  if (drawn.given + size > drawn.bytes.length) {
    drawn.bytes = randomBytes(drawnAtOnce);
    drawn.given = 0;
  }
  drawn.given += size;
  return drawn.bytes.subarray(drawn.given - size, drawn.given);
}

/** Strict base64: padded, standard alphabet, no white space, exactly `bytes` long. Null otherwise. */
export function decodeBase64(text: string, bytes: number): Buffer<ArrayBuffer> | null {
  const decoded = Buffer.from(text, 'base64') as Buffer<ArrayBuffer>;
  return decoded.length === bytes && decoded.toString('base64') === text ? decoded : null;
}
