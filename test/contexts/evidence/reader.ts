// A reader of logs of evidence that knows them by their documents alone: RFC 6962, RFC 9162 for its checks, C2SP signed-note. Written without
// a look at the code of the platform.
import { createHash, createPublicKey, verify } from 'node:crypto';
import type { Json } from '../../harness.js';

const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer<ArrayBuffer> => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest() as Buffer<ArrayBuffer>;
};
const node = (left: Buffer, right: Buffer) => sha256(Buffer.of(1), left, right);

/** The checkpoint of a note, where the key has signed it; else null. */
export function openNote(note: string, vkey: string): { origin: string; size: number; root: string } | null {
  const [, name = '', id = '', key = ''] = /^(.+)\+([0-9a-f]{8})\+(.+)$/.exec(vkey) ?? [];
  const bytes = Buffer.from(key, 'base64');
  const named = sha256(`${name}\n`, bytes).subarray(0, 4).toString('hex');
  if (named !== id || bytes[0] !== 1 || bytes.length !== 33) return null;
  const end = note.lastIndexOf('\n\n');
  const text = note.slice(0, end + 1);
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), bytes.subarray(1)]);
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  const isSigned = note
    .slice(end + 2)
    .split('\n')
    .some((line) => {
      const [dash, signer, value = ''] = line.split(' ');
      const signature = Buffer.from(value, 'base64');
      return (
        dash === '—' &&
        signer === name &&
        signature.subarray(0, 4).toString('hex') === id &&
        verify(null, Buffer.from(text), publicKey, signature.subarray(4))
      );
    });
  const [origin = '', size = '', root = ''] = text.split('\n');
  return isSigned && origin === name ? { origin, size: Number(size), root } : null;
}

/** The hash of a leaf, from the digests of its parts: entry = SHA-256 of a label, W and S. */
export function leafOfEntry(leaf: Json): Buffer {
  const shown = (leaf.disclosures as string[]).map((text) => sha256(text).toString('base64'));
  for (const digest of shown) if (!leaf.written.includes(digest)) throw new Error('a disclosure is not among the digests');
  const written = sha256(Buffer.concat((leaf.written as string[]).map((one) => Buffer.from(one, 'base64')).sort(Buffer.compare)));
  const sealed =
    leaf.sealed.length === 0 ? Buffer.alloc(32) : sha256(Buffer.concat(leaf.sealed.map((one: string) => Buffer.from(one, 'base64'))));
  const entry = sha256('agent-payments leaf v1\n', written, sealed);
  if (entry.toString('base64') !== leaf.entry) throw new Error('the entry is not that of the digests');
  return sha256(Buffer.of(0), entry);
}

/** RFC 9162, 2.1.3.2. */
export function leadsTo(leaf: Json, rootHash: string): boolean {
  let [fn, sn] = [BigInt(leaf.index), BigInt(leaf.tree_size) - 1n];
  let hash = Buffer.from(leaf.leaf_hash, 'hex');
  for (const step of leaf.inclusion_proof as string[]) {
    const p = Buffer.from(step, 'base64');
    if (sn === 0n) return false;
    if ((fn & 1n) === 1n || fn === sn) {
      hash = node(p, hash);
      while ((fn & 1n) === 0n && fn !== 0n) [fn, sn] = [fn >> 1n, sn >> 1n];
    } else hash = node(hash, p);
    [fn, sn] = [fn >> 1n, sn >> 1n];
  }
  return sn === 0n && hash.toString('hex') === rootHash;
}

/** RFC 9162, 2.1.4.2. */
export function consistencyHolds({ from, to, proof }: { from: Json; to: Json; proof: string[] }): boolean {
  const path = proof.map((one) => Buffer.from(one, 'base64'));
  const first = BigInt(from.tree_size);
  const second = BigInt(to.tree_size);
  if (first === second) return path.length === 0 && from.root_hash === to.root_hash;
  if ((first & (first - 1n)) === 0n) path.unshift(Buffer.from(from.root_hash, 'hex'));
  let [fn, sn] = [first - 1n, second - 1n];
  while ((fn & 1n) === 1n) [fn, sn] = [fn >> 1n, sn >> 1n];
  const [start, ...rest] = path;
  if (start === undefined) return false;
  let [fr, sr] = [start, start];
  for (const c of rest) {
    if (sn === 0n) return false;
    if ((fn & 1n) === 1n || fn === sn) {
      fr = node(c, fr);
      sr = node(c, sr);
      while ((fn & 1n) === 0n && fn !== 0n) [fn, sn] = [fn >> 1n, sn >> 1n];
    } else sr = node(sr, c);
    [fn, sn] = [fn >> 1n, sn >> 1n];
  }
  return sn === 0n && fr.toString('hex') === from.root_hash && sr.toString('hex') === to.root_hash;
}
