// The Merkle tree of RFC 6962 as it grows: leaf by leaf, from the roots of the complete trees that it is made of.
import { createHash, hash } from 'node:crypto';

/** A tree of `size` leaves. `peaks` are the roots of the complete trees that it is made of, the largest first. */
export interface Tree {
  size: bigint;
  peaks: readonly Buffer[];
}

export const emptyTree: Tree = { size: 0n, peaks: [] };

/** What a node is hashed from: its prefix, and two hashes. A proof hashes hundreds, so its bytes are used again. */
const nodeBytes = Buffer.alloc(65, 1);

/** The hash of a node above two others. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  nodeBytes.set(left, 1);
  nodeBytes.set(right, 33);
  // Asked for as characters it takes half the time.
  return Buffer.from(hash('sha256', nodeBytes, 'binary'), 'latin1');
}

/** The root of a complete stretch: of 256 leaves at level 1, of 65,536 at level 2. `index` counts those of its level from the left. */
export interface StretchRoot {
  level: number;
  index: bigint;
  hash: Buffer;
}

/** A tile has this many hashes, and its root is eight nodes above them (C2SP tlog-tiles). */
export const tileWidth = 256;
const tileHeight = 8;

/** The tree with one leaf more. `completed` is told of each stretch of tiles that ends with the leaf. */
export function withLeaf({ size, peaks }: Tree, leaf: Buffer, completed?: (stretch: StretchRoot) => void): Tree {
  const grown = [...peaks];
  let node = leaf;
  let height = 0;
  // Two complete trees of one size are one of the next: as many as there are ones at the end of the binary size.
  for (let rest = size; (rest & 1n) === 1n; rest >>= 1n) {
    node = nodeHash(grown.pop() as Buffer, node);
    height += 1;
    if (height % tileHeight === 0) completed?.({ level: height / tileHeight, index: size >> BigInt(height), hash: node });
  }
  grown.push(node);
  return { size: size + 1n, peaks: grown };
}

/** The root; that of no leaf at all is the hash of nothing. */
export function rootOf({ peaks }: Tree): Buffer {
  const last = peaks.at(-1);
  if (last === undefined) return createHash('sha256').digest();
  return peaks.slice(0, -1).reduceRight((right, left) => nodeHash(left, right), last);
}

const hashBytes = 32;

/** Hashes one behind the other, as a column has them. */
export function joinHashes(hashes: readonly Buffer[]): Buffer {
  return Buffer.concat(hashes);
}

/** The hashes in a column. */
export function splitHashes(joined: Uint8Array | null): Buffer[] {
  if (joined === null) return [];
  const bytes = Buffer.from(joined);
  return Array.from({ length: bytes.length / hashBytes }, (_, n) => bytes.subarray(n * hashBytes, (n + 1) * hashBytes));
}
