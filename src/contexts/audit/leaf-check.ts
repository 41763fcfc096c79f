// Checking the leaves of blocks against the lines that they stand for, and the lines against the leaves.
import type pg from 'pg';
import { addedDigest, leafHash, lineDigest } from '../../platform/audit-leaf.js';
import { type StoredParts, storedParts } from '../spending/evidence/stored-part.sql.js';
import { type Block, type LineRef, leavesOf, linesBetween, linesOf, nodesOf, type StoredLine, secretOf } from './block.sql.js';
import { namedAmong, type PlacedLine } from './erased-line.js';
import { rootOf, type StretchRoot, type Tree, withLeaf } from './tree.js';

/** How far a check of the tree has come. */
export interface Walk {
  tree: Tree;
  /** Leaves before this one are counted into the tree, but not checked. */
  from: bigint;
  checked: number;
  /** Of the checked ones, those whose content was erased. */
  erased: number;
  /** All lines with ids up to this one have been found among the leaves. */
  highestId: string;
  /** The line of the last leaf. */
  lastId: string | null;
  /** What the first leaf has to say of the chain before it. */
  chainEnd: { position: number; chain_hash: string };
}

/**
 * Checks blocks that follow each other, and moves the walk behind them. Returns the first line that is wrong or comes after a missing one,
 * null where none comes after it, undefined when all is right.
 */
export async function checkBlocks(
  pool: pg.Pool,
  workspaceId: string,
  walk: Walk,
  blocks: readonly Block[],
): Promise<string | null | undefined> {
  const ids = blocks.flatMap(({ lineIds }) => lineIds);
  const found = await linesOf(pool, workspaceId, ids);
  const ended: EndedStretch[] = [];
  const lines = new Map(found.map((line) => [line.id, line]));
  const named = await namedAmong(pool, workspaceId, erasedOf(blocks, lines));
  const stored: StoredLines = { lines, parts: await storedParts(pool, workspaceId, found), named };
  for (const block of blocks) {
    const invalid = checkBlock(walk, block, stored, ended);
    if (invalid !== undefined) return invalid;
  }
  const wrong = await wrongStretch(pool, workspaceId, ended);
  if (wrong !== undefined) return wrong.lineId;
  const highest = [walk.highestId, ...ids].sort().at(-1) as string;
  const [stray] = await strayLines(pool, workspaceId, walk.highestId, highest, new Set(ids));
  walk.highestId = highest;
  return stray?.id;
}

/** Lines of blocks, and what the postings say that they stand with. */
interface StoredLines {
  lines: ReadonlyMap<string, StoredLine>;
  parts: ReadonlyMap<string, StoredParts>;
  /** Ids of those whose content was erased by an erasure that names them. */
  named: ReadonlySet<string>;
}

/** The lines of blocks whose content was erased. */
function erasedOf(blocks: readonly Block[], lines: ReadonlyMap<string, StoredLine>): PlacedLine[] {
  return blocks.flatMap(({ firstLeaf, lineIds, leaves }) =>
    lineIds.flatMap((id, n) => {
      const line = lines.get(id);
      return line?.kept == null ? [] : [{ line, index: firstLeaf + BigInt(n), leaf: leaves[n] as Buffer }];
    }),
  );
}

/** A complete stretch of tiles, and the line of its last leaf. */
interface EndedStretch {
  stretch: StretchRoot;
  lineId: string;
}

/** The first stretch whose root is kept otherwise, or not at all: proofs are made of these. */
async function wrongStretch(pool: pg.Pool, workspaceId: string, ended: readonly EndedStretch[]): Promise<EndedStretch | undefined> {
  if (ended.length === 0) return undefined;
  const kept = await nodesOf(
    pool,
    workspaceId,
    ended.map(({ stretch }) => stretch),
  );
  return ended.find(({ stretch }, n) => kept[n]?.equals(stretch.hash) !== true);
}

function checkBlock(walk: Walk, block: Block, { lines, parts, named }: StoredLines, ended: EndedStretch[]): string | null | undefined {
  const { firstLeaf, lineIds, leaves, root } = block;
  if (firstLeaf !== walk.tree.size || leaves.length !== lineIds.length) return lineIds[0] ?? null;
  let isMissing = false;
  for (const [n, id] of lineIds.entries()) {
    const leaf = leaves[n] as Buffer;
    const index = firstLeaf + BigInt(n);
    walk.tree = withLeaf(walk.tree, leaf, (stretch) => ended.push({ stretch, lineId: id }));
    walk.lastId = id;
    if (index < walk.from) continue;
    const line = lines.get(id);
    isMissing ||= line === undefined;
    if (line === undefined) continue;
    const isErased = line.kept !== null;
    if (isErased && !named.has(id)) return id;
    if (isMissing || !isWhole(line, parts.get(id), leaf) || (index === 0n && !saysChainEnd(line, walk.chainEnd))) return id;
    walk.checked += 1;
    if (isErased) walk.erased += 1;
  }
  if (isMissing) return null;
  return rootOf(walk.tree).equals(root) ? undefined : (lineIds[0] ?? null);
}

/** True when the leaf is what the line says now, and the rows of its posting. */
function isWhole(line: StoredLine, parts: StoredParts | undefined, leaf: Buffer): boolean {
  const { digest } = line;
  const secret = secretOf(line);
  if (secret === null || digest === null) return false;
  const { written = [], added = [] } = parts ?? {};
  return lineDigest(line, secret, written).equals(digest) && leafHash(digest, addedDigest(secret, added)).equals(leaf);
}

function saysChainEnd({ outcome }: StoredLine, { position, chain_hash }: Walk['chainEnd']): boolean {
  const said = outcome as Partial<Walk['chainEnd']> | null;
  return said?.position === position && said.chain_hash === chain_hash;
}

/** Lines with ids above `after`, up to `upTo` where it is given, that are neither among `known` nor a leaf anywhere. */
export async function strayLines(
  pool: pg.Pool,
  workspaceId: string,
  after: string,
  upTo: string | null,
  known: ReadonlySet<string>,
): Promise<LineRef[]> {
  const others = (await linesBetween(pool, workspaceId, after, upTo)).filter(({ id }) => !known.has(id));
  if (others.length === 0) return [];
  const leaves = await leavesOf(
    pool,
    workspaceId,
    others.map(({ id }) => id),
  );
  return others.filter(({ id }) => !leaves.has(id));
}
