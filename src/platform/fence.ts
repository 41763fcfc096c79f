// The fence around what leaves for good: signed heads of logs, and orders of rails. It keeps a database that was put back from saying again, or
// otherwise, what was said before (CONTRACT.md 25 "No fork", 27 "Switch").
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Config } from '../config.js';
import { Memory, memoryId } from './memory.js';

/** How a process stands to the memory of a database. */
export type Fence =
  /** It may tell others, after it has put down what. `isMoved`: the database is in another cluster than when something was last told. */
  | { memory: Memory; isMoved: boolean }
  /** The memory is elsewhere, or cannot be used, as `why` says: another process may tell, this one waits. */
  | { memory: null; why: string };

interface FenceRow {
  id: string;
  memory_id: string;
  is_same: boolean;
}

/** The timeline counts promotions; the control file would tell it only after the next checkpoint. */
const identity = `(SELECT system_identifier::text FROM pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8),
  (SELECT oid::text FROM pg_database WHERE datname = current_database())`;

const opened = new Map<string, Memory>();

/**
 * Takes the fence of a database for a transaction: nobody else tells anything until it ends. A database that has none yet is given the memory
 * of this process.
 */
export async function takeFence(tx: pg.ClientBase, { memoryDir }: Pick<Config, 'memoryDir'>): Promise<Fence> {
  const found = await memoryId(memoryDir).catch((error: Error) => error);
  if (found instanceof Error) return { memory: null, why: `the folder of PLATFORM_MEMORY cannot be used: ${found.message}` };
  const row = (await lockFence(tx)) ?? (await beginFence(tx, found));
  if (row.memory_id !== found) return { memory: null, why: `the memory of this database is in another PLATFORM_MEMORY than ${memoryDir}` };
  const name = `${memoryDir} ${row.id}`;
  const memory = opened.get(name) ?? new Memory(memoryDir, row.id);
  opened.set(name, memory);
  await memory.refresh();
  return { memory, isMoved: !row.is_same };
}

async function lockFence(tx: pg.ClientBase): Promise<FenceRow | undefined> {
  const { rows } = await tx.query<FenceRow>({
    name: 'fence-lock',
    text: `SELECT id, memory_id, (system_identifier, timeline, database_oid) = (${identity}) AS is_same FROM fence FOR UPDATE`,
  });
  return rows[0];
}

async function beginFence(tx: pg.ClientBase, memory: string): Promise<FenceRow> {
  await tx.query(
    `INSERT INTO fence (id, memory_id, system_identifier, timeline, database_oid) SELECT $1::uuid, $2, ${identity} ON CONFLICT DO NOTHING`,
    [randomUUID(), memory],
  );
  return (await lockFence(tx)) as FenceRow;
}

/** Notes the cluster in which the database is now: what the memory says has been compared with it. */
export async function noteCluster(tx: pg.ClientBase): Promise<void> {
  await tx.query(`UPDATE fence SET (system_identifier, timeline, database_oid) = (SELECT ${identity})`);
}

/** Makes the memory of this process the one of the database. */
export async function adoptMemory(tx: pg.ClientBase, { memoryDir }: Pick<Config, 'memoryDir'>): Promise<void> {
  await tx.query(`UPDATE fence SET memory_id = $1, (system_identifier, timeline, database_oid) = (SELECT ${identity})`, [
    await memoryId(memoryDir),
  ]);
}
