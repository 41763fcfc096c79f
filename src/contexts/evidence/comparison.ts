// What the memory outside of the database says of logs, against what the database says. Where they do not fit, the database was put back or
// written anew, and the log is halted before anything is signed.
import type pg from 'pg';
import type { Platform } from '../../platform/ctx.js';
import type { Memory, Remembered } from '../../platform/memory.js';
import { TreeReader } from '../audit/proof.js';
import { type LogHead, type MovedTree, openLogs, signedLogsAfter } from './head.sql.js';

/** Why a log is halted. */
export const haltReasons = ['memory_ahead', 'memory_differs', 'memory_missing'] as const;
export type HaltReason = (typeof haltReasons)[number];

/** A log that does not fit. `size` is what the database has signed of it, `knownSize` what the memory knows. */
export interface BrokenLog {
  workspaceId: string;
  logId: string;
  reason: HaltReason;
  size: bigint;
  knownSize: bigint;
}

/** How far a log was signed, as the database has it. */
type LogState = Omit<LogHead, 'root'> & { root: Buffer | null };

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const nameOf = ({ workspaceId, logId }: Pick<LogHead, 'workspaceId' | 'logId'>): string => `log ${workspaceId} ${logId}`;

/** What the memory is told of a head. */
export function factOf(head: LogHead): Remembered {
  return { name: nameOf(head), number: head.size, value: hex(head.root) };
}

/** What is wrong with a log at one look: without reading its tree. */
function brokenAt(memory: Memory, { root, ...log }: LogState): BrokenLog | null {
  const known = memory.get(nameOf(log));
  if (known === undefined || known.number < log.size) return null;
  const broken = { ...log, knownSize: known.number };
  if (known.number > log.size) return { ...broken, reason: 'memory_ahead' };
  return root === null || known.value === hex(root) ? null : { ...broken, reason: 'memory_differs' };
}

/** Those of the logs that are about to be signed that do not fit. */
export function brokenAmong(memory: Memory, trees: readonly MovedTree[]): BrokenLog[] {
  const logs = trees.flatMap(({ workspaceId, log }) =>
    log === null ? [] : [{ workspaceId, logId: log.id, size: log.size, root: log.root }],
  );
  return logs.flatMap((log) => brokenAt(memory, log) ?? []);
}

/** Logs in one look. */
const lookSize = 1_000;

/** Every open log that the memory knows of and that does not fit, its tree at the size of the memory included. */
export async function brokenOfMemory({ database }: Platform, tx: pg.ClientBase, memory: Memory): Promise<BrokenLog[]> {
  const names = memory.names('log ').map((name) => {
    const [, workspaceId = '', logId = ''] = name.split(' ');
    return { workspaceId, logId };
  });
  const broken: BrokenLog[] = [];
  while (names.length > 0) {
    for (const log of await openLogs(tx, names.splice(0, lookSize))) {
      const found = brokenAt(memory, log);
      if (found !== null) broken.push(found);
      else if (!(await hasKnownRoot(database.pool, memory, log)))
        broken.push({ ...log, reason: 'memory_differs', knownSize: memory.get(nameOf(log))?.number ?? 0n });
    }
  }
  return broken;
}

/** True where the tree had, at the size that the memory knows, the root that it knows. */
async function hasKnownRoot(pool: pg.Pool, memory: Memory, { size, ...log }: LogState): Promise<boolean> {
  const known = memory.get(nameOf(log));
  if (known === undefined || known.number === size) return true;
  // A tree that cannot be read any more is not the one that was signed.
  const root = await new TreeReader(pool, log.workspaceId).root(known.number).catch(() => Buffer.alloc(0));
  return hex(root) === known.value;
}

/** Every open log that was signed and of which the memory knows nothing. */
export async function unknownTo(memory: Memory, tx: pg.ClientBase): Promise<BrokenLog[]> {
  const unknown: BrokenLog[] = [];
  let after = { workspaceId: firstId, logId: firstId };
  for (let page = await signedLogsAfter(tx, after, lookSize); page.length > 0; page = await signedLogsAfter(tx, after, lookSize)) {
    const missing = page.filter((log) => memory.get(nameOf(log)) === undefined);
    unknown.push(...missing.map((log) => ({ ...log, reason: 'memory_missing' as const, knownSize: 0n })));
    after = page.at(-1) as typeof after;
  }
  return unknown;
}
const firstId = '00000000-0000-0000-0000-000000000000';
