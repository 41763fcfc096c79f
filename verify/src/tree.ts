// The tree of RFC 6962: hashes of leaves and nodes, and the two proofs.
import { bytesOf, equal, joined, sha256 } from './bytes.js';

const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);
const label = bytesOf('agent-payments leaf v1\n');

/** The digest over the digests of parts: 32 zero bytes where there are none. */
export function partsDigest(digests: readonly Uint8Array[]): Uint8Array {
  return digests.length === 0 ? new Uint8Array(32) : sha256(joined(digests));
}

/** The hash of a leaf whose parts have these digests. */
export function leafHash(written: readonly Uint8Array[], sealed: readonly Uint8Array[]): Uint8Array {
  const entry = sha256(label, partsDigest(written), partsDigest(sealed));
  return sha256(leafPrefix, entry);
}

const nodeHash = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(nodePrefix, left, right);

/** The root that follows from a leaf and its proof (RFC 9162, 2.1.3.2); undefined where the proof is too short or too long. */
export function rootOfLeaf(index: bigint, size: bigint, leaf: Uint8Array, proof: readonly Uint8Array[]): Uint8Array | undefined {
  if (index >= size) return undefined;
  let [place, last, root] = [index, size - 1n, leaf];
  for (const hash of proof) {
    if (last === 0n) return undefined;
    if (place % 2n === 1n || place === last) {
      root = nodeHash(hash, root);
      while (place % 2n === 0n && place !== 0n) [place, last] = [place / 2n, last / 2n];
    } else {
      root = nodeHash(root, hash);
    }
    [place, last] = [place / 2n, last / 2n];
  }
  return last === 0n ? root : undefined;
}

/** True where a tree of `from` leaves with one root is the beginning of one of `to` leaves with another (RFC 9162, 2.1.4.2). */
export function isConsistent(
  { size: from, root: fromRoot }: { size: bigint; root: Uint8Array },
  { size: to, root: toRoot }: { size: bigint; root: Uint8Array },
  proof: readonly Uint8Array[],
): boolean {
  if (from === 0n || from > to) return false;
  if (from === to) return proof.length === 0 && equal(fromRoot, toRoot);
  const isPower = (from & (from - 1n)) === 0n;
  const path = isPower ? [fromRoot, ...proof] : [...proof];
  const first = path.shift();
  if (first === undefined) return false;
  let [place, last] = [from - 1n, to - 1n];
  while (place % 2n === 1n) [place, last] = [place / 2n, last / 2n];
  let [earlier, later] = [first, first];
  for (const hash of path) {
    if (last === 0n) return false;
    if (place % 2n === 1n || place === last) {
      [earlier, later] = [nodeHash(hash, earlier), nodeHash(hash, later)];
      while (place % 2n === 0n && place !== 0n) [place, last] = [place / 2n, last / 2n];
    } else {
      later = nodeHash(later, hash);
    }
    [place, last] = [place / 2n, last / 2n];
  }
  return last === 0n && equal(earlier, fromRoot) && equal(later, toRoot);
}
