// Checking the audit log: the chain of before is recomputed entry by entry, and the tree leaf by leaf, each from what its line says now.
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { type Checkpoint, checkpointOf } from './archive.sql.js';
import { blockBefore, blocksFrom, leavesOf, notedOtherRoot } from './block.sql.js';
import { checkStretch, type Link, notedOtherwise, strayEntry } from './chain.sql.js';
import { checkBlocks, strayLines, type Walk } from './leaf-check.js';
import { beginningOf, takeUpNow } from './take-up.js';
import { emptyTree, rootOf } from './tree.js';

/** What checking a log came to. */
export interface Verification {
  valid: boolean;
  /** Entries that were recomputed. */
  checked: number;
  /** Of these, those whose content was erased: they stay valid where an erasure names them. */
  erased: number;
  /** The first entry that is not as it was written, or comes after one that is missing. */
  firstInvalidId: string | null;
  /** The root of the tree, or the hash of the newest entry of the chain while there is no tree. */
  headHash: string | null;
  tree: { size: bigint; rootHash: string } | null;
  /** Where the kept part of the log begins, where entries were archived: those before it are not looked at. */
  fromCheckpoint: Checkpoint | null;
  /** Where to go on, when there are more entries than one request checks. */
  nextAfter: string | null;
}

/** Entries of the chain in a step. */
const stretchSize = 5_000;
/** Blocks in a step: other requests go on between two steps. */
const stepBlocks = 5;
/** Gap G-367: One request checks 250,000 entries; `next_after` says where to go on. */
const mostChecked = 250_000;
/** A line that is no leaf yet was written since the check began, or so many seconds before it by another clock. */
const freshSeconds = 60;

/** How a check ended: whole, at its bound (`nextAfter`), or with the first entry that is wrong: null for one that is missing at the end. */
interface Found {
  checked: number;
  erased: number;
  invalid?: string | null;
  nextAfter?: string | null;
}

/** Where a check begins: in the chain, or before a leaf. */
type Start = { chain: Link } | { leaf: bigint; after: string };

/** The end of the chain, and of the tree. */
interface Head {
  position: bigint;
  hash: Uint8Array;
  treeSize: bigint;
  root: Uint8Array | null;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const ended = ({ invalid, nextAfter }: Found): boolean => invalid !== undefined || nextAfter != null;

/**
 * Recomputes the log of the workspace from its beginning or the end of its archive, or from the entry `after` on. An entry that was changed, added or removed is found;
 * one that is missing at the end has no id. What was written anew with all its hashes is found where a snapshot of the treasury has noted
 * the root. 404 for an unknown entry.
 */
export async function verifyAuditLog(ctx: Ctx, after: string | null): Promise<Verification> {
  await takeUpNow(ctx);
  const head: Head | null = await ctx.db.auditHead.findFirst();
  const checkpoint = await checkpointOf(ctx.platform.database.pool, ctx.workspace.id);
  const start = after === null ? { chain: { position: 0n, hash: beginningOf(ctx.workspace.id) } } : await startAfter(ctx, after);
  let found: Found = { checked: 0, erased: 0 };
  if (head !== null) {
    if ('chain' in start) found = await checkChain(ctx, start.chain, head);
    if (!ended(found) && head.root !== null) {
      const tree = await checkTree(
        ctx,
        'leaf' in start ? start : { leaf: checkpoint?.leafIndex ?? 0n, after: firstId },
        head,
        mostChecked - found.checked,
      );
      found = { ...tree, checked: found.checked + tree.checked, erased: found.erased + tree.erased };
    }
  }
  return {
    valid: found.invalid === undefined,
    checked: found.checked,
    erased: found.erased,
    firstInvalidId: found.invalid ?? null,
    headHash: head && hex(head.root ?? head.hash),
    tree: head?.root ? { size: head.treeSize, rootHash: hex(head.root) } : null,
    fromCheckpoint: checkpoint ?? null,
    nextAfter: found.nextAfter ?? null,
  };
}
const firstId = '00000000-0000-0000-0000-000000000000';

async function startAfter(ctx: Ctx, id: string): Promise<Start> {
  const entry = await ctx.db.auditEntry.findFirst({ where: { id }, select: { position: true, hash: true } });
  if (entry === null) throw new NotFound('after');
  const { position, hash } = entry;
  if (hash !== null) return { chain: { position, hash } };
  const leaf = (await leavesOf(ctx.platform.database.pool, ctx.workspace.id, [id])).get(id);
  if (leaf === undefined) throw new NotFound('after');
  return { leaf: leaf.index + 1n, after: id };
}

async function checkChain(ctx: Ctx, from: Link, { position: end, hash }: Head): Promise<Found> {
  const { pool } = ctx.platform.database;
  const { id: workspaceId } = ctx.workspace;
  let link = from;
  let checked = 0;
  let erased = 0;
  while (link.position < end && checked < mostChecked) {
    const most = Number(end - link.position < BigInt(stretchSize) ? end - link.position : stretchSize);
    const stretch = await checkStretch(pool, workspaceId, link, most);
    checked += stretch.checked;
    erased += stretch.erased;
    if (stretch.invalid !== null || stretch.checked < most) return { checked, erased, invalid: stretch.invalid };
    link = stretch;
  }
  const isWhole = link.position >= end;
  const noted = await notedOtherwise(pool, workspaceId, from.position, isWhole ? null : link.position);
  if (noted !== null) return { checked, erased, invalid: noted.id };
  if (!isWhole) return { checked, erased, nextAfter: await idAt(ctx, link.position) };
  const stray = await strayEntry(pool, workspaceId, end);
  if (stray !== null) return { checked, erased, invalid: stray };
  return hex(link.hash) === hex(hash) ? { checked, erased } : { checked, erased, invalid: null };
}

async function idAt(ctx: Ctx, position: bigint): Promise<string | null> {
  return (await ctx.db.auditEntry.findFirst({ where: { position, hash: { not: null } }, select: { id: true } }))?.id ?? null;
}

async function checkTree(ctx: Ctx, { leaf, after }: { leaf: bigint; after: string }, head: Head, most: number): Promise<Found> {
  const { pool } = ctx.platform.database;
  const { id: workspaceId } = ctx.workspace;
  // The tree before the block of the first leaf is what the block before says: it was checked by the request before, or is by the next.
  const own = await blockBefore(pool, workspaceId, leaf + 1n);
  const before = own && (await blockBefore(pool, workspaceId, own.firstLeaf));
  const begun = ctx.platform.clock.now();
  const walk: Walk = {
    tree: before === undefined ? emptyTree : { size: own?.firstLeaf ?? 0n, peaks: before.peaks },
    from: leaf,
    checked: 0,
    erased: 0,
    highestId: after,
    lastId: null,
    chainEnd: { position: Number(head.position), chain_hash: hex(head.hash) },
  };
  while (walk.tree.size < head.treeSize) {
    if (walk.checked >= most) return { checked: walk.checked, erased: walk.erased, nextAfter: walk.lastId };
    const blocks = await blocksFrom(pool, workspaceId, walk.tree.size, stepBlocks);
    // Blocks that were added since the head was read belong to the next check.
    const known = blocks.filter(({ firstLeaf }) => firstLeaf < head.treeSize);
    if (known.length === 0) return { checked: walk.checked, erased: walk.erased, invalid: null };
    const invalid = await checkBlocks(pool, workspaceId, walk, known);
    if (invalid !== undefined) return { checked: walk.checked, erased: walk.erased, invalid };
  }
  const { checked, erased } = walk;
  if (walk.tree.size > head.treeSize) return { checked, erased, invalid: walk.lastId };
  if (hex(rootOf(walk.tree)) !== hex(head.root ?? Buffer.alloc(0))) return { checked, erased, invalid: null };
  const noted = await notedOtherRoot(pool, workspaceId, leaf, head.treeSize);
  if (noted !== null) return { checked, erased, invalid: noted.lineId };
  const beyond = await strayLines(pool, workspaceId, walk.highestId, null, new Set());
  const stray = beyond.find(({ at }) => at < addSeconds(begun, -freshSeconds) || at > addSeconds(begun, freshSeconds));
  return stray === undefined ? { checked, erased } : { checked, erased, invalid: stray.id };
}
