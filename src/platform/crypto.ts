// Hashes of credentials, encryption of secrets at rest, and new random tokens. Everything is node:crypto.
import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes } from 'node:crypto';

/** SHA-256 of a credential or key: what is stored in place of it. */
export function sha256(text: string): Buffer<ArrayBuffer> {
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

/** What is done with SECRETS_KEY: secrets are encrypted at rest (AES-256-GCM, bound to the row that holds them), and texts signed. */
export class Vault {
  readonly #key: Buffer;

  /** @param key 64 hexadecimal characters (32 bytes) */
  constructor(key: string) {
    this.#key = Buffer.from(key, 'hex');
    if (this.#key.length !== 32) throw new Error('SECRETS_KEY must be 64 hexadecimal characters');
  }

  /** Nonce, tag and ciphertext of `secret`; `rowId` is authenticated with it, so that it cannot be moved to another row. */
  seal(secret: string, rowId: string): Buffer<ArrayBuffer> {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(rowId));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), text]) as Buffer<ArrayBuffer>;
  }

  /** 16 bytes that only this key makes of `text`. `purpose` keeps the uses of the key apart. */
  sign(purpose: string, text: string): Buffer {
    return createHmac('sha256', this.#key).update(`${purpose}\n${text}`).digest().subarray(0, 16);
  }

  /** The secret again. Throws when the key, the row or the bytes are not those that sealed it. */
  open(sealed: Uint8Array, rowId: string): string {
    const bytes = Buffer.from(sealed);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, 12)).setAAD(Buffer.from(rowId));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
  }
}
