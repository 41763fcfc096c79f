// A platform that lies: it has keys and a tree of its own, and makes packs of whatever it is told, with hashes and signatures that are right.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { canonicalJson } from '../../src/platform/canonical-json.js';
import type { Json } from '../harness.js';

const sha256 = (...parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

/** The greatest power of two below a number. */
const splitOf = (count: number): number => 2 ** Math.ceil(Math.log2(count) - 1);

/** RFC 6962, 2.1: the root, and both kinds of proofs, as the RFC defines them. */
function rootOf(leaves: readonly Buffer[]): Buffer {
  if (leaves.length < 2) return leaves[0] ?? sha256();
  const k = splitOf(leaves.length);
  return sha256(Buffer.of(1), rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)));
}

function pathOf(m: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length === 1) return [];
  const k = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return m < k ? [...pathOf(m, left), rootOf(right)] : [...pathOf(m - k, right), rootOf(left)];
}

function proofOf(m: number, leaves: readonly Buffer[], isKnown = true): Buffer[] {
  if (m === leaves.length) return isKnown ? [] : [rootOf(leaves)];
  const k = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return m <= k ? [...proofOf(m, left, isKnown), rootOf(right)] : [...proofOf(m - k, right, false), rootOf(left)];
}

/** A leaf as it is told: its parts by name. Those that are added when the leaf is made are in `sealed`. */
export interface ToldLeaf {
  role: string;
  parts: Record<string, Json>;
  sealed?: Record<string, Json>;
  /** Bytes of the salts; 16 by default. */
  salt?: number;
  /** Parts that are in the leaf and not shown. */
  hidden?: readonly string[];
}

interface Leaf {
  told: ToldLeaf;
  written: Buffer[];
  sealed: Buffer[];
  disclosures: string[];
  hash: Buffer;
}

/** What a pack says beside its leaves. */
export interface ToldPack {
  transferId: string;
  /** Indexes of the leaves that it shows; all by default. */
  shown?: readonly number[];
  size?: number;
  from?: number;
  /** Of the leaf of the receipt; the last payment by default. */
  receiptOf?: number;
  /** Members of the receipt's claims that are others. */
  claims?: Json;
  header?: Json;
  /** Members of the statement of the key that are others; null leaves it out. */
  keyClaims?: Json | null;
  attached?: Json;
  /** The checkpoint's first line, and a size that it does not have. */
  origin?: string;
  signedSize?: number;
}

const spki = (key: KeyObject) => key.export({ format: 'der', type: 'spki' });

const newKeys = () => ({ log: generateKeyPairSync('ed25519'), platform: generateKeyPairSync('ec', { namedCurve: 'P-256' }) });

/** A platform with a log. */
export class Forger {
  readonly origin: string;
  readonly #keys: ReturnType<typeof newKeys>;
  readonly leaves: Leaf[];

  constructor({ origin = 'pay.example/.well-known/evidence/log_1', keys = newKeys(), leaves = [] as Leaf[] } = {}) {
    this.origin = origin;
    this.#keys = keys;
    this.leaves = leaves;
  }

  /** The same platform with its first leaves, which goes on by itself: a fork. */
  fork(size = this.leaves.length, origin = this.origin): Forger {
    return new Forger({ origin, keys: this.#keys, leaves: this.leaves.slice(0, size) });
  }

  get vkey(): string {
    const key = Buffer.concat([Buffer.of(1), spki(this.#keys.log.publicKey).subarray(-32)]);
    return `${this.origin}+${sha256(Buffer.from(`${this.origin}\n`), key)
      .subarray(0, 4)
      .toString('hex')}+${key.toString('base64')}`;
  }

  get jwks(): Json {
    const { x, y } = this.#keys.platform.publicKey.export({ format: 'jwk' });
    return { keys: [{ alg: 'ES256', crv: 'P-256', kid: 'one', kty: 'EC', use: 'sig', x, y }] };
  }

  /** Adds a leaf; its index. */
  add(told: ToldLeaf): number {
    const made = (parts: Record<string, Json>) =>
      Object.entries(parts).map(([name, value]) => {
        const salt = randomBytes(told.salt ?? 16).toString('base64url');
        const text = Buffer.from(`["${salt}",${JSON.stringify(name)},${canonicalJson(value)}]`).toString('base64url');
        return { name, text, digest: sha256(Buffer.from(text)) };
      });
    const [written, sealed] = [made(told.parts), made(told.sealed ?? {})];
    const digests = [written, sealed].map((parts) => parts.map(({ digest }) => digest).sort(Buffer.compare)) as [Buffer[], Buffer[]];
    const [w, s] = digests.map((list) => (list.length === 0 ? Buffer.alloc(32) : sha256(...list))) as [Buffer, Buffer];
    const entry = sha256(Buffer.from('agent-payments leaf v1\n'), w, s);
    const disclosures = [...written, ...sealed].filter(({ name }) => !told.hidden?.includes(name)).map(({ text }) => text);
    this.leaves.push({ told, written: digests[0], sealed: digests[1], disclosures, hash: sha256(Buffer.of(0), entry) });
    return this.leaves.length - 1;
  }

  /** The signed head of the first `size` leaves. */
  checkpoint(size = this.leaves.length, { origin = this.origin, signedSize = size }: Pick<ToldPack, 'origin' | 'signedSize'> = {}): string {
    const text = `${origin}\n${signedSize}\n${rootOf(this.#hashes(size)).toString('base64')}\n`;
    const keyId = Buffer.from(this.vkey.split('+')[1] ?? '', 'hex');
    const signature = Buffer.concat([keyId, sign(null, Buffer.from(text), this.#keys.log.privateKey)]);
    return `${text}\n— ${this.origin} ${signature.toString('base64')}\n`;
  }

  /** A statement of the platform. */
  statement(claims: Json, header: Json = {}): string {
    const coded = (value: Json) => Buffer.from(canonicalJson(value)).toString('base64url');
    const text = `${coded({ alg: 'ES256', kid: 'one', ...header })}.${coded(claims)}`;
    const signature = sign('sha256', Buffer.from(text), { key: this.#keys.platform.privateKey, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  }

  /** A pack as a value: tests change what is no matter of hashes. */
  packValue(told: ToldPack): Json {
    const { transferId, size = this.leaves.length, from, claims, header, keyClaims = {}, attached = {} } = told;
    const shown = told.shown ?? this.leaves.slice(0, size).map((_, index) => index);
    const paying = this.leaves.findLastIndex(({ told: { role } }) => role === 'payment' || role === 'capture');
    const index = told.receiptOf ?? paying;
    const receipt = {
      iss: 'https://pay.example',
      iat: 1,
      sub: transferId,
      _sd: this.leaves[index]?.written.map((digest) => digest.toString('base64url')) ?? [],
      _sd_alg: 'sha-256',
      leaf_index: index,
      origin: this.origin,
      ...claims,
    };
    const statement = { iss: 'https://pay.example', origin: this.origin, vkey: this.vkey, ...keyClaims };
    const base64 = (hashes: readonly Buffer[]) => hashes.map((hash) => hash.toString('base64'));
    return {
      format: 'agent-payments/evidence@1',
      subject: { type: 'transfer', id: transferId },
      log: {
        origin: this.origin,
        continues: null,
        vkeys: [this.vkey],
        key_jws: keyClaims === null ? null : this.statement(statement),
        jwks: this.jwks,
      },
      checkpoint: this.checkpoint(size, told),
      consistency: from === undefined ? null : { from, proof: base64(proofOf(from, this.#hashes(size))) },
      attached: { receipt_jws: this.statement(receipt, { typ: 'receipt+sd-jwt', ...header }), ...attached },
      leaves: shown.map((n) => {
        const { told: leaf, written, sealed, disclosures } = this.leaves[n] as Leaf;
        return {
          role: leaf.role,
          index: n,
          proof: base64(pathOf(n, this.#hashes(size))),
          written: base64(written),
          sealed: base64(sealed),
          disclosures,
        };
      }),
    };
  }

  /** A pack as it is sent. */
  pack(told: ToldPack): string {
    return canonicalJson(this.packValue(told));
  }

  #hashes(size: number): Buffer[] {
    return this.leaves.slice(0, size).map(({ hash }) => hash);
  }
}

export const forgedId = 'tx_01990000-0000-7000-8000-000000000001';

/** What a plain payment of 4.00 says of its money. `change` makes it another. */
export function forgedMoney(change: Json = {}): Json {
  return {
    amount: '4.00',
    at: '2026-03-02T10:00:00.000Z',
    currency: 'USD',
    destination_amount: null,
    destination_currency: null,
    fee: '0.00',
    from: { account_id: 'acc_1', wallet_id: 'wal_1' },
    legs: [
      { amount: '-4.00', currency: 'USD', kind: 'wallet.available', owner_id: 'wal_1' },
      { amount: '4.00', currency: 'USD', kind: 'wallet.available', owner_id: 'wal_2' },
    ],
    protocol: 'internal',
    status: 'completed',
    to: { account_id: 'acc_2', wallet_id: 'wal_2' },
    transaction_id: '01990000-0000-7000-8000-000000000001',
    transfer_id: forgedId,
    type: 'internal',
    ...change,
  };
}
