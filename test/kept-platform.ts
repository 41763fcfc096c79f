// One platform for the test files of a worker process that ask for nothing special: a start costs more than most files. A file finds it
// as it would find a new one, with an empty database, or else it gets a new one.
import { subscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { manifest } from '../src/contexts.js';
import type { Clock } from '../src/platform/clock.js';
import type { Platform } from '../src/platform/ctx.js';
import type { RunningServer } from '../src/server.js';

/** The clock of the platform: that of the file which is running. */
export class BorrowedClock implements Clock {
  #lender: Clock;

  constructor(lender: Clock) {
    this.#lender = lender;
  }

  lend(lender: Clock): void {
    this.#lender = lender;
  }

  now(): Date {
    return this.#lender.now();
  }
}

/** A server, with its database and what removes both. */
export interface Started extends RunningServer {
  /** Stops the server and drops its database. */
  remove(): Promise<void>;
}

/** What a new platform was like. */
interface Kept {
  started: Started;
  clock: BorrowedClock;
  parts: Platform;
  shape: string;
  /** Tables that have rows from the start. */
  filled: readonly string[];
}

/** How long work that a file has left under way may take to end. */
const patienceMs = 250;

/** Answers that a server of this process is giving. */
const answering = new Set<ServerResponse>();
subscribe('http.server.request.start', (message) => {
  const { response } = message as { response: ServerResponse };
  answering.add(response);
  response.once('close', () => answering.delete(response));
});

let kept: Kept | undefined;

/** The platform that the last file gave back, or a new one; with the time of `lender`. */
export async function takePlatform(lender: Clock, start: (clock: Clock) => Promise<Started>): Promise<Started> {
  if (kept !== undefined) {
    kept.clock.lend(lender);
    return kept.started;
  }
  const clock = new BorrowedClock(lender);
  const started = await start(clock);
  const { platform } = started;
  kept = {
    started,
    clock,
    parts: { ...platform },
    shape: await shapeOf(platform),
    filled: (await filledTables(platform)).map(({ name }) => name),
  };
  return started;
}

/** Empties the platform for the next file. One that cannot be as new again, or of a file that failed, is removed. */
export async function givePlatformBack({ failed }: { failed: boolean }): Promise<void> {
  if (kept === undefined) return;
  const { started } = kept;
  const reusable = !failed && (await isIdle(kept)) && (await empty(kept).catch(() => false));
  if (reusable) return;
  kept = undefined;
  await started.remove();
}

/** True when nothing of the file is under way any more, and every part of the platform is in its place. */
async function isIdle({ started: { platform }, parts }: Kept): Promise<boolean> {
  if (Object.entries(parts).some(([name, part]) => platform[name as keyof Platform] !== part)) return false;
  for (const write of manifest.lastWrites) await write(platform);
  const { pool } = platform.database;
  const begun = performance.now();
  while (answering.size > 0 || pool.idleCount < pool.totalCount || pool.waitingCount > 0) {
    if (performance.now() - begun > patienceMs) return false;
    await pause(5);
  }
  return true;
}

/** A table of more bytes gives its pages back: readers pass over the rows that were deleted. */
const mostBytes = 256 * 1024;

/**
 * Empties every table that was written, by DELETE: TRUNCATE makes new files for a table, its indexes and all that refer to it. False
 * when the database is another than it was: a new table, a trigger, statistics.
 */
async function empty({ started: { platform }, shape, filled }: Kept): Promise<boolean> {
  const { pool } = platform.database;
  if ((await shapeOf(platform)) !== shape) return false;
  const written = (await filledTables(platform)).filter(({ name }) => !filled.includes(name));
  const deletes = written.map(({ name }) => `DELETE FROM ${name};`).join(' ');
  await withoutTriggers(pool, `${deletes} DROP SCHEMA IF EXISTS saved CASCADE; ${restartSequences}`);
  for (const { name, bytes } of written) if (bytes > mostBytes) await pool.query(`VACUUM ${name}`);
  platform.cache.clear();
  return true;
}

/** Changes rows in one transaction. The ledger refuses to be emptied: its triggers do not fire for a replica. */
export async function withoutTriggers(pool: Platform['database']['pool'], sql: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`BEGIN; SET LOCAL lock_timeout = ${patienceMs}; SET LOCAL session_replication_role = replica; ${sql}; COMMIT`);
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

interface FilledTable {
  name: string;
  bytes: number;
}

/** Tables with pages: those that were ever written. */
export async function filledTables({ database }: Platform): Promise<FilledTable[]> {
  const { rows } = await database.pool.query<FilledTable>(`
    SELECT oid::regclass::text AS name, pg_relation_size(oid)::float8 AS bytes FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0`);
  return rows;
}

const restartSequences =
  "SELECT setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace";

/** Changes with the tables, columns, constraints, triggers and functions, with the statistics that plans rest on, and with who is connected. */
async function shapeOf({ database }: Platform): Promise<string> {
  const { rows } = await database.pool.query<{ shape: string }>(`
    SELECT concat_ws(' ',
      (SELECT md5(string_agg(oid || relname, ',' ORDER BY oid)) FROM pg_class WHERE relnamespace = 'public'::regnamespace),
      (SELECT count(*) || '/' || max(a.xmin::text::bigint) FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
        WHERE relnamespace = 'public'::regnamespace),
      (SELECT count(*) || '/' || max(xmin::text::bigint) FROM pg_constraint WHERE connamespace = 'public'::regnamespace),
      (SELECT count(*) || '/' || max(xmin::text::bigint) FROM pg_trigger),
      (SELECT count(*) || '/' || max(xmin::text::bigint) FROM pg_proc WHERE pronamespace = 'public'::regnamespace),
      (SELECT count(*) FROM pg_statistic WHERE starelid >= 16384)) AS shape`);
  return rows[0]?.shape ?? '';
}
