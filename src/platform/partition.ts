// Tables whose rows leave with their time. They are partitioned by ranges of a time, or of ids that begin with one: what is over is dropped
// whole, which leaves no dead row and nothing to vacuum (decisions 0066, 0097). Partitions are made ahead. A row that has none falls into the
// DEFAULT partition, the net.
import type pg from 'pg';
import { Gauge } from 'prom-client';
import { addSeconds } from './clock.js';
import type { Platform } from './ctx.js';
import type { Sweep } from './due/sweep.js';
import { sqlState } from './postgres/failure.js';
import { byIndex } from './postgres/lookup-plan.js';
import { firstIdAt } from './schema/page.js';

/** A partitioned table. Its net is called `<table>_default`, and has an index of `column` alone. */
export interface PartitionedTable {
  table: string;
  /** The column by which it is partitioned. */
  column: string;
  /** Of a time, a timestamptz; or of ids, UUIDv7, which begin with the time. */
  kind: 'time' | 'id';
  /** What a partition holds, in UTC. */
  unit: keyof typeof digits;
  /** From where to where there are partitions, in seconds from now: they are made from the first time at which rows are written. */
  from: number;
  to: number;
  /** Seconds for which a partition is kept after its end: clocks of processes differ. */
  kept: number;
  /** Rows of the net that are moved into a partition when it is made. Where there are more, its time stays in the net. */
  moved: number;
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
const digits = { hour: 10, day: 8, week: 8, month: 6 };

/**
 * How long a change of the tables may wait for whoever reads them. What they are asked after it waits as well, so it is short, and the
 * next look tries again.
 */
const patienceMs = 50;

/**
 * The net is read under a lock when a partition is made: a second for each GB or two. Where it is larger, none is made
 * (docs/operations.md, alert PartitionsShort).
 */
const mostNetBytes = 1_073_741_824;

/**
 * The sweep of a partitioned table: makes the partitions that rows will need, drops those that are over, and deletes what is over from the net.
 * Returns how many rows it deleted. A table that is not partitioned yet, because an upgrade is not done, is left as it is.
 */
export function tendPartitions(table: string, tableOf: (platform: Platform) => Omit<PartitionedTable, 'table'>): Sweep {
  const tend: Sweep = async (platform, most) => {
    const { pool } = platform.database;
    const each = { table, ...tableOf(platform) };
    const now = platform.clock.now();
    const over = addSeconds(now, -each.kept);
    const partitions = await partitionsOf(pool, each.table);
    if (partitions === null) return 0;
    for (const range of rangesOf(each, now)) {
      const free = freeOf(range, partitions);
      if (free !== null) await make(platform, each, free);
    }
    for (const { name, to } of partitions) if (to <= over) await change(platform, [`DROP TABLE ${name}`]);
    const last = (await partitionsOf(pool, each.table))?.at(-1);
    if (last !== undefined) partitionsEnd.set({ table: each.table }, last.to.getTime() / 1_000);
    return sweepNet(pool, each, { over, most });
  };
  // Metrics tell sweeps by their names.
  return Object.defineProperty(tend, 'name', { value: `tendPartitions of ${table}` });
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
  const begins = {
    hour: () => Date.UTC(year, month, day, hour + later),
    day: () => Date.UTC(year, month, day + later),
    // On Mondays.
    week: () => Date.UTC(year, month, day - ((at.getUTCDay() + 6) % 7) + 7 * later),
    month: () => Date.UTC(year, month + later),
  };
  return new Date(begins[unit]());
}

function overlaps({ from, to }: Partition, range: Range): boolean {
  return (from === null || from < range.to) && range.from < to;
}

/** What of a range is behind the partition in which it begins: all of it where there is none. Null where nothing is. */
function freeOf(range: Range, partitions: readonly Partition[]): Range | null {
  const first = partitions.find(({ from, to }) => (from === null || from <= range.from) && range.from < to);
  const free = { from: first?.to ?? range.from, to: range.to };
  return free.from < free.to && !partitions.some((other) => overlaps(other, free)) ? free : null;
}

/** SQL: the time of a bound as PostgreSQL prints it. An id has its milliseconds in its first 48 bits. */
const timeOf = (bound: string) => `CASE WHEN ${bound} ~ '^[0-9a-f]{8}-'
  THEN to_timestamp(('x' || lpad(left(replace(${bound}, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000.0) ELSE ${bound}::timestamptz END`;

/** The partitions of a table but for its net, in order; null where it is not partitioned. */
export async function partitionsOf(pool: pg.Pool, table: string): Promise<Partition[] | null> {
  const { rows } = await pool.query<Partition | { name: null }>({
    name: 'partitions',
    text: `
      SELECT c.oid::regclass::text AS name, ${timeOf("nullif(bound[1], 'MINVALUE')")} AS from, ${timeOf('bound[2]')} AS to
      FROM pg_partitioned_table p LEFT JOIN (pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        CROSS JOIN LATERAL regexp_match(replace(pg_get_expr(c.relpartbound, c.oid), '''', ''), '^FOR VALUES FROM \\((.*)\\) TO \\((.*)\\)$') bound
      ) ON i.inhparent = p.partrelid AND bound IS NOT NULL
      WHERE p.partrelid = $1::regclass ORDER BY 3`,
    values: [table],
  });
  return rows.length === 0 ? null : rows.filter((row): row is Partition => row.name !== null);
}

/** A time as a bound of partitions. */
const boundAt = ({ kind }: PartitionedTable, at: Date): string => (kind === 'id' ? firstIdAt(at) : at.toISOString());

/**
 * Makes a partition. Attached to its table it takes no lock that a statement on the table would wait for, as CREATE TABLE ... PARTITION OF
 * would; it is empty, or has the few rows that the net had of its time. Where these are more, they stay in the net, and so does all that
 * follows of that time.
 */
async function make(platform: Platform, each: PartitionedTable, { from, to }: Range): Promise<void> {
  const { table, column, unit, moved } = each;
  const net = `${table}_default`;
  const own = [boundAt(each, from), boundAt(each, to)] as const;
  const inRange = `${column} >= '${own[0]}' AND ${column} < '${own[1]}'`;
  const { rows } = await byIndex(platform.database.pool, (tx) =>
    tx.query<{ caught: number; bytes: string }>(
      `SELECT (SELECT count(*) FROM (SELECT FROM ${net} WHERE ${inRange} LIMIT ${moved + 1}) few)::int AS caught,
         pg_relation_size('${net}')::text AS bytes`,
    ),
  );
  const { caught = 0, bytes = '0' } = rows[0] ?? {};
  if (caught > moved) return;
  if (Number(bytes) > mostNetBytes) {
    platform.log.warn({ table, bytes }, 'the DEFAULT partition is too large to be read under a lock: no partition is made');
    return;
  }
  const name = `${table}_${from.toISOString().replace(/\D/g, '').slice(0, digits[unit])}`;
  await change(platform, [
    `CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)`,
    ...(caught === 0
      ? []
      : [
          `LOCK TABLE ${net} IN ACCESS EXCLUSIVE MODE`,
          `WITH caught AS (DELETE FROM ${net} WHERE ${inRange} RETURNING *) INSERT INTO ${name} SELECT * FROM caught`,
        ]),
    `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${own[0]}') TO ('${own[1]}')`,
  ]);
}

/** Somebody reads or writes what is to be changed, or another worker has changed it. */
const busy = ['55P03', '40P01', '23514', '23505', '42P07', '42710', '42P01'];

/** Changes tables in one transaction. Where somebody is in its way nothing is changed, and the next look tries again. */
async function change({ database, log }: Platform, statements: readonly string[]): Promise<void> {
  try {
    await byIndex(database.pool, async (tx) => {
      await tx.query(`SET LOCAL lock_timeout = ${patienceMs}`);
      for (const statement of statements) await tx.query(statement);
    });
  } catch (error) {
    if (!busy.includes(sqlState(error) ?? '')) throw error;
    log.info({ err: error, statement: statements[0] }, 'a partition was busy: the next run tries again');
  }
}

async function sweepNet(pool: pg.Pool, each: PartitionedTable, { over, most }: { over: Date; most: number }): Promise<number> {
  const { table, column } = each;
  const { rowCount } = await byIndex(pool, (tx) =>
    tx.query(
      `DELETE FROM ${table}_default d USING (
         SELECT ctid AS place FROM ${table}_default WHERE ${column} < $1 ORDER BY ${column} LIMIT $2 FOR UPDATE SKIP LOCKED
       ) old WHERE d.ctid = old.place`,
      [boundAt(each, over), most],
    ),
  );
  return rowCount ?? 0;
}
