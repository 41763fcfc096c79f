// What is done with data keys: secrets are encrypted at rest (AES-256-GCM, bound to the row that holds them), and texts are signed
// (CONTRACT.md 24). The keys come from key-ring.ts, and may change while the process runs.
import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Data keys of 32 bytes, as a process knows them. */
export interface KeyRing {
  /** By their numbers. Those that the process cannot unwrap are absent. */
  keys: ReadonlyMap<number, Buffer>;
  /** The number of the one that seals and signs. */
  current: number;
  /** What makes names to look things up by. It never changes, whatever is rotated. */
  index: Buffer | undefined;
  /** True while the key that seals is the one of a release before data keys: processes of that release open what it seals. */
  isOfBefore?: boolean;
}

/** The key of what was sealed before values named theirs. */
export const firstKey = 1;

const mark = Buffer.from('APV1');
const headBytes = 8;
const nonceBytes = 12;
const tagBytes = 16;

export class Vault {
  #ring: KeyRing;

  /**
   * A vault of one key, until it is given a ring.
   * @param key 64 hexadecimal characters (32 bytes)
   */
  constructor(key: string) {
    const bytes = Buffer.from(key, 'hex');
    if (bytes.length !== 32) throw new Error('SECRETS_KEY must be 64 hexadecimal characters');
    this.#ring = { keys: new Map([[firstKey, bytes]]), current: firstKey, index: bytes };
  }

  /** The keys that it works with from now on. */
  use(ring: KeyRing): void {
    this.#ring = ring;
  }

  get ring(): KeyRing {
    return this.#ring;
  }

  /** False where the newest key cannot be unwrapped: nothing can be sealed then. */
  get canSeal(): boolean {
    return this.#ring.keys.has(this.#ring.current);
  }

  /**
   * `APV1`, number of the key, nonce, tag and ciphertext of `secret`; for processes of before without the first two. `rowId` is
   * authenticated with it, so that it cannot be moved to another row.
   */
  seal(secret: string, rowId: string): Buffer<ArrayBuffer> {
    const { current, isOfBefore } = this.#ring;
    const head = isOfBefore ? Buffer.alloc(0) : headOf(current);
    const sealed = encrypt(this.#key(current), Buffer.from(secret), Buffer.concat([head, Buffer.from(rowId)]));
    return Buffer.concat([head, sealed]) as Buffer<ArrayBuffer>;
  }

  /** The secret again. Throws when the key, the row or the bytes are not those that sealed it. */
  open(sealed: Uint8Array, rowId: string): string {
    const bytes = Buffer.from(sealed);
    const number = keyOf(bytes);
    const row = Buffer.from(rowId);
    if (number === undefined) return decrypt(this.#key(firstKey), bytes, row);
    try {
      return decrypt(this.#key(number), bytes.subarray(headBytes), Buffer.concat([bytes.subarray(0, headBytes), row]));
    } catch (error) {
      // The nonce of a value of before begins like the mark, once in four billion.
      return decryptOf(this.#ring.keys.get(firstKey), bytes, row) ?? rethrow(error);
    }
  }

  /** 16 bytes that only the newest key makes of `text`. `purpose` keeps the uses of the key apart. */
  sign(purpose: string, text: string): Buffer {
    return macOf(this.#key(this.#ring.current), purpose, text);
  }

  /** The same of every key that still counts, that of the newest one first. */
  signatures(purpose: string, text: string): Buffer[] {
    const { keys, current } = this.#ring;
    const others = [...keys].filter(([number]) => number !== current).sort(([a], [b]) => b - a);
    return [this.#key(current), ...others.map(([, key]) => key)].map((key) => macOf(key, purpose, text));
  }

  /** True for what one of these keys has signed. */
  isSigned(purpose: string, text: string, given: Uint8Array): boolean {
    return this.signatures(purpose, text).some((mac) => mac.length === given.length && timingSafeEqual(mac, given));
  }

  /** 16 bytes by which `text` is looked up. They stay the same when keys are rotated. */
  nameOf(purpose: string, text: string): Buffer {
    if (this.#ring.index === undefined) throw new Error('the key of names cannot be unwrapped by SECRETS_KEY or SECRETS_KEYS_OLD');
    return macOf(this.#ring.index, purpose, text);
  }

  #key(number: number): Buffer {
    const key = this.#ring.keys.get(number);
    if (key === undefined) throw new Error(`the data key ${number} cannot be unwrapped by SECRETS_KEY or SECRETS_KEYS_OLD`);
    return key;
  }
}

/** The first bytes of what a key seals. */
export function headOf(key: number): Buffer {
  const head = Buffer.alloc(headBytes);
  mark.copy(head);
  head.writeUInt32BE(key, mark.length);
  return head;
}

/** The number of the key that sealed a value; undefined for a value of before. */
export function keyOf(sealed: Buffer): number | undefined {
  return sealed.length > headBytes && sealed.subarray(0, mark.length).equals(mark) ? sealed.readUInt32BE(mark.length) : undefined;
}

/** Nonce, tag and ciphertext. */
export function encrypt(key: Buffer, content: Uint8Array, about: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(about);
  const text = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** What was encrypted. Throws for another key, other bytes, or what is not about this. */
export function decryptBytes(key: Buffer, bytes: Buffer, about: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes)).setAAD(about);
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
}

const decrypt = (key: Buffer, bytes: Buffer, about: Uint8Array): string => decryptBytes(key, bytes, about).toString('utf8');

function decryptOf(key: Buffer | undefined, bytes: Buffer, about: Uint8Array): string | undefined {
  try {
    return key && decrypt(key, bytes, about);
  } catch {
    return undefined;
  }
}

function rethrow(error: unknown): never {
  throw error;
}

function macOf(key: Buffer, purpose: string, text: string): Buffer {
  return createHmac('sha256', key).update(`${purpose}\n${text}`).digest().subarray(0, 16);
}
