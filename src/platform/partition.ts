// Tables whose rows leave with their time. They are partitioned by ranges of a time: what is over is dropped whole, which leaves no dead row
// and nothing to vacuum (decision 0066). Partitions are made ahead. A row that has none falls into the DEFAULT partition, the net.
import type pg from 'pg';
import { Gauge } from 'prom-client';
import { addSeconds } from './clock.js';
import type { Platform } from './ctx.js';
import type { Sweep } from './due/sweep.js';
import { inTransaction } from './postgres/database.js';
import { sqlState } from './postgres/failure.js';
import { byIndex } from './postgres/lookup-plan.js';

/** A partitioned table. Its net is called `<table>_default`, and has an index of `column` alone. */
export interface PartitionedTable {
  table: string;
  /** The time by which it is partitioned: a timestamptz. */
  column: string;
  /** What a partition holds, in UTC. */
  unit: keyof typeof digits;
  /** From where to where there are partitions, in seconds from now: they are made from the first time at which rows are written. */
  from: number;
  to: number;
  /** Seconds for which a partition is kept after its end: clocks of processes differ. */
  kept: number;
}

/** The times of a partition: `from` belongs to it, `to` does not. */
interface Range {
  from: Date;
  to: Date;
}

interface Partition {
  name: string;
  /** Null of the first of all, which begins nowhere. */
  from: Date | null;
  to: Date;
}

/** Digits of the time in the name of a partition. */
const digits = { hour: 10, day: 8, month: 6 };

/**
 * How long a change of the tables may wait for whoever reads them. What they are asked after it waits as well, so it is short, and the
 * next look tries again.
 */
const patienceMs = 50;

/**
 * The sweep of a partitioned table: makes the partitions that rows will need, drops those that are over, and deletes what is over from the net.
 * Returns how many rows it deleted.
 */
export function tendPartitions(each: PartitionedTable): Sweep {
  return async function tendPartitions(platform, most) {
    const { pool } = platform.database;
    const now = platform.clock.now();
    const over = addSeconds(now, -each.kept);
    const partitions = await partitionsOf(pool, each.table);
    for (const range of rangesOf(each, now)) {
      if (!partitions.some((other) => overlaps(other, range))) await make(platform, each, range);
    }
    for (const { name, to } of partitions) if (to <= over) await change(platform, [`DROP TABLE ${name}`]);
    const last = (await partitionsOf(pool, each.table)).at(-1);
    if (last !== undefined) partitionsEnd.set({ table: each.table }, last.to.getTime() / 1_000);
    return sweepNet(pool, each, { over, most });
  };
}

/** By table. */
export const partitionsEnd = new Gauge({
  name: 'partitions_end_timestamp_seconds',
  help: 'The time up to which a table has partitions, as seconds since 1970. Rows of later times go into its DEFAULT partition.',
  labelNames: ['table'],
  registers: [],
});

/** The ranges for which there should be partitions now. */
function rangesOf({ unit, from, to }: PartitionedTable, now: Date): Range[] {
  const ranges: Range[] = [];
  const end = addSeconds(now, to);
  for (let begin = turn(addSeconds(now, from), unit); begin <= end; begin = turn(begin, unit, 1)) {
    ranges.push({ from: begin, to: turn(begin, unit, 1) });
  }
  return ranges;
}

/** The begin of the unit in which a time is, or of one that comes after it. */
function turn(at: Date, unit: PartitionedTable['unit'], later = 0): Date {
  const [year, month, day, hour] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), at.getUTCHours()];
  if (unit === 'month') return new Date(Date.UTC(year, month + later));
  return new Date(unit === 'day' ? Date.UTC(year, month, day + later) : Date.UTC(year, month, day, hour + later));
}

function overlaps({ from, to }: Partition, range: Range): boolean {
  return (from === null || from < range.to) && range.from < to;
}

/** The partitions of a table but for its net. Their bounds are read as PostgreSQL prints them. */
async function partitionsOf(pool: pg.Pool, table: string): Promise<Partition[]> {
  const { rows } = await pool.query<Partition>({
    name: 'partitions',
    text: `
      SELECT c.oid::regclass::text AS name, nullif(bound[1], 'MINVALUE')::timestamptz AS from, bound[2]::timestamptz AS to
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      CROSS JOIN LATERAL regexp_match(replace(pg_get_expr(c.relpartbound, c.oid), '''', ''), '^FOR VALUES FROM \\((.*)\\) TO \\((.*)\\)$') bound
      WHERE i.inhparent = $1::regclass AND bound IS NOT NULL ORDER BY 3`,
    values: [table],
  });
  return rows;
}

/**
 * Makes a partition. Attached to its table it takes no lock that a statement on the table would wait for, as CREATE TABLE ... PARTITION OF
 * would; it is empty, so nothing in it is looked at. What the net has of its time stays in the net, and so does all that follows of it.
 */
async function make(platform: Platform, { table, column, unit }: PartitionedTable, { from, to }: Range): Promise<void> {
  const caught = await byIndex(platform.database.pool, (tx) =>
    tx.query(`SELECT FROM ${table}_default WHERE ${column} >= $1 AND ${column} < $2 LIMIT 1`, [from, to]),
  );
  if (caught.rowCount !== 0) return;
  const name = `${table}_${from.toISOString().replace(/\D/g, '').slice(0, digits[unit])}`;
  await change(platform, [
    `CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)`,
    `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${from.toISOString()}') TO ('${to.toISOString()}')`,
  ]);
}

/** Somebody reads or writes what is to be changed, or another worker has changed it. */
const busy = ['55P03', '40P01', '23514', '23505', '42P07', '42710', '42P01'];

/** Changes tables in one transaction. Where somebody is in its way nothing is changed, and the next look tries again. */
async function change({ database, log }: Platform, statements: readonly string[]): Promise<void> {
  try {
    await inTransaction(database.pool, async (tx) => {
      await tx.query(`SET LOCAL lock_timeout = ${patienceMs}`);
      for (const statement of statements) await tx.query(statement);
    });
  } catch (error) {
    if (!busy.includes(sqlState(error) ?? '')) throw error;
    log.info({ err: error, statement: statements[0] }, 'a partition was busy: the next run tries again');
  }
}

async function sweepNet(pool: pg.Pool, { table, column }: PartitionedTable, { over, most }: { over: Date; most: number }): Promise<number> {
  const { rowCount } = await byIndex(pool, (tx) =>
    tx.query(
      `DELETE FROM ${table}_default d USING (
         SELECT ctid AS place FROM ${table}_default WHERE ${column} < $1 ORDER BY ${column} LIMIT $2 FOR UPDATE SKIP LOCKED
       ) old WHERE d.ctid = old.place`,
      [over, most],
    ),
  );
  return rowCount ?? 0;
}
