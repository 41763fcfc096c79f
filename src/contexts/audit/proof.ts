// Proofs of the tree (RFC 6962, 2.1): that a leaf is in a tree of some size, and that a tree of one size is the beginning of one of another.
// They are put together from tiles, at most a few for each level, however long the log is.
import type pg from 'pg';
import { leafTile, nodeTile } from './tile.sql.js';
import { nodeHash, tileWidth } from './tree.js';

const tileHeight = 8;

/** Reads a tree. What was read once is kept as long as the reader: one for each question. */
export class TreeReader {
  readonly #pool: pg.Pool;
  readonly #workspaceId: string;
  readonly #tiles = new Map<string, Promise<Buffer[]>>();

  constructor(pool: pg.Pool, workspaceId: string) {
    this.#pool = pool;
    this.#workspaceId = workspaceId;
  }

  /** The hashes of a tile as far as there are any: of leaves at level 0, of complete stretches of 256 of the level below above it. */
  tile(level: number, index: bigint): Promise<Buffer[]> {
    const name = `${level}/${index}`;
    const known = this.#tiles.get(name);
    if (known !== undefined) return known;
    const read = level === 0 ? leafTile(this.#pool, this.#workspaceId, index) : nodeTile(this.#pool, this.#workspaceId, level, index);
    this.#tiles.set(name, read);
    return read;
  }

  /** The root of the first `size` leaves. */
  root(size: bigint): Promise<Buffer> {
    return this.#rootOf(0n, size);
  }

  /** The hashes that lead from a leaf to the root of a tree of `size` leaves, the lowest first. */
  async inclusion(index: bigint, size: bigint): Promise<Buffer[]> {
    const path: Promise<Buffer>[] = [];
    let [first, end] = [0n, size];
    while (end - first > 1n) {
      const middle = first + splitOf(end - first);
      path.push(index < middle ? this.#rootOf(middle, end) : this.#rootOf(first, middle));
      [first, end] = index < middle ? [first, middle] : [middle, end];
    }
    return (await Promise.all(path)).reverse();
  }

  /** The hashes by which the roots of `from` and of `to` leaves follow, in the order of the RFC. Empty where the sizes are equal. */
  async consistency(from: bigint, to: bigint): Promise<Buffer[]> {
    if (from === to) return [];
    const path: Promise<Buffer>[] = [];
    let [first, end] = [0n, to];
    // The root of the smaller tree is known to whoever asks, as long as nothing was cut off it.
    let isKnown = true;
    while (from !== end) {
      const middle = first + splitOf(end - first);
      if (from <= middle) {
        path.push(this.#rootOf(middle, end));
        end = middle;
      } else {
        path.push(this.#rootOf(first, middle));
        first = middle;
        isKnown = false;
      }
    }
    const rest = isKnown ? [] : [await this.#rootOf(first, end)];
    return [...rest, ...(await Promise.all(path)).reverse()];
  }

  /** The root of the leaves from `first` on, before `end`; `first` is a multiple of the greatest power of two below their number. */
  async #rootOf(first: bigint, end: bigint): Promise<Buffer> {
    const count = end - first;
    const half = splitOf(count);
    if (count === 1n || half * 2n === count) return this.#node(count, first / count);
    const [left, right] = await Promise.all([this.#node(half, first / half), this.#rootOf(first + half, end)]);
    return nodeHash(left, right);
  }

  /** The root of the complete tree of `count` leaves, a power of two, with this place among those of its size. */
  async #node(count: bigint, place: bigint): Promise<Buffer> {
    const height = count.toString(2).length - 1;
    const level = Math.floor(height / tileHeight);
    const wide = 1 << (height % tileHeight);
    const first = place * BigInt(wide);
    const tile = await this.tile(level, first / BigInt(tileWidth));
    const start = Number(first % BigInt(tileWidth));
    let hashes = tile.slice(start, start + wide);
    if (hashes.length < wide) throw new Error(`the tree has no node ${level}/${first}`);
    while (hashes.length > 1) hashes = pairs(hashes);
    return hashes[0] as Buffer;
  }
}

function pairs(hashes: readonly Buffer[]): Buffer[] {
  return Array.from({ length: hashes.length / 2 }, (_, n) => nodeHash(hashes[2 * n] as Buffer, hashes[2 * n + 1] as Buffer));
}

/** The greatest power of two below a number; 1 for 1. */
function splitOf(count: bigint): bigint {
  return count <= 2n ? 1n : 1n << BigInt((count - 1n).toString(2).length - 1);
}
