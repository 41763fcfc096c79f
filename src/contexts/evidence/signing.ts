// Heads are signed here: at most once a second for a log, after its leaves are on the disk and the memory outside of the database knows of it.
// A database that knows less than that memory was put back, and its logs halt (CONTRACT.md 25 "No fork"). Payments never wait for any of this.
import type { KeyObject } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { Ctx, Platform } from '../../platform/ctx.js';
import type { RealTimeWork } from '../../platform/due/real-time.js';
import { noteCluster, takeFence } from '../../platform/fence.js';
import type { Memory } from '../../platform/memory.js';
import { inTransaction } from '../../platform/postgres/database.js';
import { type BrokenLog, brokenAmong, brokenOfMemory, factOf, unknownTo } from './comparison.js';
import {
  hasLog,
  insertHeads,
  insertLogs,
  keepCheckpoints,
  type LogHead,
  type MovedTree,
  movedTrees,
  type NewLog,
  type SignedHead,
  signingRows,
} from './head.sql.js';
import { newLog } from './log.js';
import { type NoteSigner, privateKeyOf, signCheckpoint } from './note.js';
import { haltLog, tellHeads } from './notice.js';

/** Heads of a log are at least so far apart. */
const everyMs = 1_000;
/** Logs in a round. */
const mostLogs = 1_000;

/** A process that may not sign looks again after this time. */
const elsewhereMs = 10_000;

/** When the next round of this process for a cell may be, by its own count of milliseconds. */
const nextRound = new WeakMap<Platform, number>();
/** Cells for which this process may not sign, which it has said. */
const elsewhere = new WeakSet<Platform>();

/** Signs the heads of logs that have grown: one round a second. */
export const signingWork: RealTimeWork = {
  name: 'evidence',
  run: async (platform) => {
    const restMs = (nextRound.get(platform) ?? 0) - performance.now();
    if (restMs > 0) return restMs;
    const signed = await signHeads(platform);
    const waitMs = elsewhere.has(platform) ? elsewhereMs : everyMs;
    if (signed > 0 || elsewhere.has(platform)) nextRound.set(platform, performance.now() + waitMs);
    return signed > 0 ? waitMs : null;
  },
};

/** When this process last signed a head of a log, by its own count of milliseconds. */
const signedAt = new LRUCache<string, number>({ max: 10_000 });

/** What is durable has to be so whatever the connection says otherwise. */
const durable = ['SET LOCAL synchronous_commit = on'];

/** Signs the heads of all logs that have grown, or of that of one workspace; how many. None in a process without the memory of the database. */
export async function signHeads(platform: Platform, workspaceId: string | null = null): Promise<number> {
  const { pool } = platform.database;
  const moved = await movedTrees(pool, mostLogs, workspaceId);
  if (moved.length === 0) return 0;
  if (workspaceId !== null) await waitForTurn(moved);
  const fresh = await Promise.all(moved.filter(({ log }) => log === null).map((tree) => newLog(platform, tree)));
  const { heads, broken } = await inTransaction(pool, (tx) => writeHeads(platform, tx, { fresh, workspaceId }), { first: durable });
  for (const log of broken) await haltLog(platform, log);
  if (heads.length === 0) return 0;
  const signed = await inTransaction(pool, (tx) => publishHeads(platform, tx, heads), { first: durable });
  for (const { logId } of signed) signedAt.set(logId, performance.now());
  await tellHeads(platform, signed);
  return signed.length;
}

/** Begins the log of a workspace that has none: before its tree has a first leaf. */
export async function beginLog({ platform, workspace, origin }: Pick<Ctx, 'platform' | 'workspace' | 'origin'>): Promise<void> {
  const log = await newLog(platform, { workspaceId: workspace.id, environment: workspace.environment }, origin?.());
  await inTransaction(platform.database.pool, async (tx) => {
    const { memory } = await takeFence(tx, platform.config);
    if (memory !== null && !(await hasLog(tx, workspace.id))) await insertLogs(tx, [log]);
  });
}

/** Where one log is asked for, its last head may have been signed a moment ago. */
async function waitForTurn(moved: readonly MovedTree[]): Promise<void> {
  const last = Math.max(...moved.map(({ log }) => (log && signedAt.get(log.id)) ?? Number.NEGATIVE_INFINITY));
  const restMs = last + everyMs - performance.now();
  if (restMs > 0) await pause(restMs);
}

/** Memories whose facts this process has compared with the whole database. */
const compared = new WeakSet<Memory>();

/** First the sizes and roots that will be signed, with the leaves that they stand for, become durable. Logs that do not fit are left out. */
async function writeHeads(
  platform: Platform,
  tx: pg.ClientBase,
  { fresh, workspaceId }: { fresh: NewLog[]; workspaceId: string | null },
): Promise<{ heads: LogHead[]; broken: BrokenLog[] }> {
  const fence = await takeFence(tx, platform.config);
  if (fence.memory === null) {
    if (!elsewhere.has(platform)) platform.log.warn(`heads of logs are not signed by this process: ${fence.why}`);
    elsewhere.add(platform);
    return { heads: [], broken: [] };
  }
  elsewhere.delete(platform);
  const { memory, isMoved } = fence;
  // Another process may have begun a log, or have signed.
  const trees = await movedTrees(tx, mostLogs, workspaceId);
  const broken = brokenAmong(memory, trees);
  if (isMoved || !compared.has(memory)) {
    broken.push(...(await brokenOfMemory(platform, tx, memory)), ...(isMoved ? await unknownTo(memory, tx) : []));
    // Until those are halted the next round finds them again.
    if (broken.length === 0) {
      compared.add(memory);
      if (isMoved) await noteCluster(tx);
    }
  }
  const halted = new Set(broken.map(({ logId }) => logId));
  const without = new Set(trees.filter(({ log }) => log === null).map((tree) => tree.workspaceId));
  const begun = fresh.filter((log) => without.has(log.workspaceId));
  if (begun.length > 0) await insertLogs(tx, begun);
  const begunIds = new Map(begun.map((log) => [log.workspaceId, log.id]));
  const heads = trees.flatMap(({ workspaceId: id, size, root, log }): LogHead[] => {
    const logId = log?.id ?? begunIds.get(id);
    return logId === undefined || halted.has(logId) ? [] : [{ workspaceId: id, logId, size, root }];
  });
  await insertHeads(tx, heads, platform.clock.now());
  return { heads, broken };
}

/** Then the memory is told, and then the heads are signed: nobody sees one before. */
async function publishHeads(platform: Platform, tx: pg.ClientBase, heads: readonly LogHead[]): Promise<SignedHead[]> {
  const { memory } = await takeFence(tx, platform.config);
  if (memory === null) return [];
  await memory.put(heads.map(factOf));
  const signers = await signersOf(platform, tx, heads);
  const signed = heads.map((head) => ({
    ...head,
    checkpoint: signCheckpoint(signers.get(head.logId) ?? [], { treeSize: head.size, root: head.root }),
  }));
  await keepCheckpoints(tx, signed);
  return signed;
}

/** Private keys of logs, by their id: opening one costs more than signing with it. */
const opened = new LRUCache<string, KeyObject>({ max: 10_000 });

/** Who signs for each log: its keys that are not retired, the oldest first. */
export async function signersOf(
  { vault, clock }: Pick<Platform, 'vault' | 'clock'>,
  tx: pg.ClientBase,
  heads: readonly LogHead[],
): Promise<Map<string, NoteSigner[]>> {
  const signers = new Map<string, NoteSigner[]>();
  for (const { logId, origin, id, publicKey, sealedKey } of await signingRows(tx, heads, clock.now())) {
    const privateKey = opened.get(id) ?? privateKeyOf(Buffer.from(vault.open(sealedKey, id), 'base64'));
    opened.set(id, privateKey);
    signers.set(logId, [...(signers.get(logId) ?? []), { origin, publicKey, privateKey }]);
  }
  return signers;
}
