// An authenticator made by hand: a P-256 key whose answers are right, or wrong in the way that a test says.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { Json } from '../../harness.js';

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest();
const url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');

/** What is wrong with an answer. */
export interface Wrong {
  origin?: string;
  rpId?: string;
  challenge?: string;
  /** The user was not verified. */
  unverified?: true;
  counter?: number;
  type?: string;
}

const head = (major: number, n: number): Buffer =>
  n < 24 ? Buffer.of((major << 5) | n) : n < 256 ? Buffer.of((major << 5) | 24, n) : Buffer.of((major << 5) | 25, n >> 8, n & 255);
const int = (n: number) => (n >= 0 ? head(0, n) : head(1, -1 - n));
const text = (s: string) => Buffer.concat([head(3, s.length), Buffer.from(s)]);
const bytes = (b: Uint8Array) => Buffer.concat([head(2, b.length), b]);
const map = (...pairs: [Buffer, Buffer][]) => Buffer.concat([head(5, pairs.length), ...pairs.flat()]);

/** One passkey. */
export class Authenticator {
  readonly #key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly id = randomBytes(32);
  counter = 0;

  #data(rpId: string, { unverified, counter }: Wrong, attested: Buffer = Buffer.alloc(0)): Buffer {
    this.counter += 1;
    const flags = 1 | (unverified ? 0 : 4) | (attested.length > 0 ? 0x40 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter ?? this.counter);
    return Buffer.concat([sha256(rpId), Buffer.of(flags), count, attested]);
  }

  #client(type: string, challenge: string, origin: string, wrong: Wrong): Buffer {
    const said = { type: wrong.type ?? type, challenge: wrong.challenge ?? challenge, origin: wrong.origin ?? origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(said));
  }

  /** Makes the passkey, as `navigator.credentials.create` does. */
  create({ challenge, rp }: Json, origin: string, wrong: Wrong = {}): Json {
    const { x = '', y = '' } = this.#key.publicKey.export({ format: 'jwk' });
    const [px, py] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
    const cose = map([int(1), int(2)], [int(3), int(-7)], [int(-1), int(1)], [int(-2), bytes(px)], [int(-3), bytes(py)]);
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.of(0, this.id.length), this.id, cose]);
    const authData = this.#data(wrong.rpId ?? rp.id, wrong, attested);
    const attestation = map([text('fmt'), text('none')], [text('attStmt'), map()], [text('authData'), bytes(authData)]);
    const clientDataJSON = url(this.#client('webauthn.create', challenge, origin, wrong));
    const response = { clientDataJSON, attestationObject: url(attestation), transports: ['internal'] };
    return { id: url(this.id), rawId: url(this.id), type: 'public-key', clientExtensionResults: {}, response };
  }

  /** Signs with it, as `navigator.credentials.get` does. */
  get({ challenge, rpId }: Json, origin: string, wrong: Wrong = {}): Json {
    const authData = this.#data(wrong.rpId ?? rpId, wrong);
    const client = this.#client('webauthn.get', challenge, origin, wrong);
    const signature = sign('sha256', Buffer.concat([authData, sha256(client)]), this.#key.privateKey);
    const response = { clientDataJSON: url(client), authenticatorData: url(authData), signature: url(signature) };
    return { id: url(this.id), rawId: url(this.id), type: 'public-key', clientExtensionResults: {}, response };
  }
}
