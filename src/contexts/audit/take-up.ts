// Lines of the audit log become leaves after their commit, in the order in which they were published. Payments never wait for it.
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { EventListener, Stretch } from '../../events/listener.js';
import { insertLines, linesOf as linesOfList, sealLine } from '../../platform/audit.js';
import { addedDigest, leafHash } from '../../platform/audit-leaf.js';
import { sha256 } from '../../platform/crypto.js';
import type { Ctx } from '../../platform/ctx.js';
import { writeDenials } from '../../platform/denial.js';
import { newId } from '../../platform/schema/id.js';
import { addedParts } from '../spending/evidence/stored-part.sql.js';
import {
  type ChainEnd,
  type CommittedLine,
  insertBlock,
  insertNodes,
  leafColumns,
  linesOfStretch,
  linesWait,
  lockHead,
  moveHead,
} from './block.sql.js';
import { rootOf, type StretchRoot, type Tree, withLeaf } from './tree.js';

/** A block never crosses a multiple of so many leaves: the width of a tile. */
const blockSize = 256n;
/** Under load a block is for the lines of so many milliseconds. */
const everyMs = 500;

/** The process that takes up the lines of a workspace has the row of this listener locked: there is one at a time. */
export const takeUpLines: EventListener = { name: 'audit', paceMs: everyMs, hear: takeUp };

/** Makes leaves of what was done in the workspace by now, and of what it was denied, for whoever reads the tree. */
export async function takeUpNow({ platform, workspace }: Ctx): Promise<void> {
  await writeDenials(platform);
  for (let n = 0; n < mostLooks; n += 1) {
    await platform.agenda.publish(workspace.id);
    if (!(await linesWait(platform.database.pool, workspace.id, takeUpLines.name))) return;
    // Another process is at it.
    await pause(lookAgainMs);
  }
}
/** What is written while a reader waits is for the next one. */
const mostLooks = 80;
const lookAgainMs = 25;

async function takeUp(tx: pg.ClientBase, stretch: Stretch): Promise<void> {
  const { workspaceId } = stretch;
  const lines = await linesOfStretch(tx, stretch);
  const [first] = lines;
  if (first === undefined) return;
  const { tree: before, chain } = await lockHead(tx, workspaceId, beginningOf(workspaceId));
  const fresh = before.size === 0n ? [await beginTree(tx, workspaceId, first.at, chain), ...lines] : lines;
  let tree = before;
  while (fresh.length > 0) tree = await addBlock(tx, workspaceId, tree, fresh.splice(0, Number(blockSize - (tree.size % blockSize))));
  await moveHead(tx, workspaceId, tree, rootOf(tree));
}

/** Where every chain began: at the hash of the workspace's id. */
export function beginningOf(workspaceId: string): Buffer {
  return sha256(workspaceId);
}

/** The first line of the tree says where the chain before it ended. */
async function beginTree(tx: pg.ClientBase, workspaceId: string, at: Date, { position, hash }: ChainEnd): Promise<CommittedLine> {
  const line = sealLine(workspaceId, {
    id: newId(at),
    at,
    actorType: 'system',
    actorId: null,
    via: null,
    keyThumbprint: null,
    action: 'log.begin',
    resourceType: null,
    resourceId: null,
    requestId: null,
    ip: null,
    changes: null,
    outcome: { chain_hash: hash.toString('hex'), position: Number(position) },
  });
  const insert = `WITH e AS (${insertLines(linesOfList('$1'), 'true')} RETURNING *) SELECT e.position, e.at, ${leafColumns} FROM e`;
  const { rows } = await tx.query<CommittedLine>(insert, [JSON.stringify([line])]);
  return rows[0] as CommittedLine;
}

async function addBlock(tx: pg.ClientBase, workspaceId: string, before: Tree, lines: readonly CommittedLine[]): Promise<Tree> {
  const added = await addedParts(tx, workspaceId, lines);
  const leaves = lines.map(({ id, seed, digest }) => leafHash(digest, addedDigest(seed, added.get(id) ?? [])));
  const stretches: StretchRoot[] = [];
  const tree = leaves.reduce((grown, leaf) => withLeaf(grown, leaf, (stretch) => stretches.push(stretch)), before);
  if (stretches.length > 0) await insertNodes(tx, workspaceId, stretches);
  await insertBlock(tx, workspaceId, {
    firstLeaf: before.size,
    lineIds: lines.map(({ id }) => id),
    lastPosition: highest(lines.map(({ position }) => BigInt(position))),
    leaves,
    peaks: tree.peaks,
    root: rootOf(tree),
  });
  return tree;
}

function highest(numbers: readonly bigint[]): bigint {
  return [...numbers].sort((a, b) => (a < b ? -1 : 1)).at(-1) ?? 0n;
}
