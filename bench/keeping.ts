// What it takes to forget a day of events, beside payments: rows that are deleted, or a partition that is dropped.
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { Agent, request } from 'undici';
import { cpuSeconds, postmasterOf } from './cpu.js';
import { costs } from './keeping-cost.js';
import { dayMs, type Filling, fill, type Kind, makeWorkspaces, midnight, partitionOf } from './keeping-fill.js';
import { get } from './latency.js';
import { median, openBenchDatabase, Sandbox, say, testKey } from './platform.js';
import { makeWallets } from './wallets.js';

const about = `Usage: npm run bench -- keeping [--rows 20000000] [--workspaces 500] [--days 30] [--rate 200] [--seconds 60] [--rounds 3]
       npm run bench -- keeping --only costs [--rows 20000000] [--kind rows|partitions]

Fills the table of events with --rows rows of --workspaces workspaces and --days days, and those of one sandbox whose clock is a year ahead. Then
pays --rate times a second and reads GET /v1/events ten times a second, for --seconds, with nothing beside it and while a day leaves, --rounds
times in turn: first of one table, row by row in sets of 1,000 as a sweep does it, then of a table with a partition for each day. Prints CPU and
WAL of PostgreSQL, what stays behind, and how long payments and reads took. --only costs asks no platform: it prints what
an insert, a look-up, a list and a row that leaves cost PostgreSQL. Uses an embedded PostgreSQL of its own.`;

interface Given extends Filling {
  rate: number;
  seconds: number;
  rounds: number;
}

/** What was spent in one stretch. */
interface Stretch {
  postgres: number;
  server: number;
  walBytes: number;
  transfer: { p50: number; p99: number };
  read: { p50: number; p99: number };
  /** Seconds until the day was gone. */
  removal?: number;
  removed?: number;
}

const connections = new Agent({ connections: 64 });

/** The first id of a millisecond. */
const idOf = (ms: string) => `(lpad(to_hex(${ms}), 12, '0') || repeat('0', 20))::uuid`;

export async function run(args: string[]): Promise<void> {
  const text = { type: 'string' } as const;
  const names = { rows: text, workspaces: text, days: text, rate: text, seconds: text, rounds: text, only: text, kind: text };
  const { values } = parseArgs({ args, options: { ...names, help: { type: 'boolean' } } });
  if (values.help) return say(about);
  if (process.env['DATABASE_URL'] !== undefined) throw new Error('keeping rebuilds the table of events: unset DATABASE_URL');
  const or = (value: string | undefined, preset: number) => Number(value ?? preset);
  const given: Given = {
    rows: or(values.rows, 20_000_000),
    workspaces: or(values.workspaces, 500),
    days: or(values.days, 30),
    rate: or(values.rate, 200),
    seconds: or(values.seconds, 60),
    rounds: or(values.rounds, 3),
  };
  const onlyCosts = values.only === 'costs';
  const database = await openBenchDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  let sandbox: Sandbox | undefined;
  try {
    sandbox = await Sandbox.start(database.url);
    const wallets = onlyCosts ? [] : await makeWallets(sandbox, 200);
    await sandbox.stop();
    sandbox = undefined;
    await makeWorkspaces(pool, given.workspaces);
    for (const kind of ['rows', 'partitions'] as const) {
      if (values.kind !== undefined && values.kind !== kind) continue;
      await fill(pool, kind, given);
      if (onlyCosts) {
        await measureCosts(pool, kind, given);
        continue;
      }
      sandbox = await Sandbox.start(database.url);
      await measureKind(pool, sandbox, wallets, kind, given);
      await sandbox.stop();
      sandbox = undefined;
    }
  } finally {
    await connections.close();
    await sandbox?.stop();
    await pool.end();
    await database.stop();
  }
}

/** After so many days a fifth of the rows is dead, and autovacuum comes. */
const vacuumDays = 6;

async function measureCosts(pool: pg.Pool, kind: Kind, { rows, days }: Given): Promise<void> {
  say(`${kind}:`);
  const client = await pool.connect();
  try {
    const remove = async () => {
      if (kind === 'rows') await deleteDay(client, days - vacuumDays);
      else for (let day = 0; day < vacuumDays; day += 1) await dropDay(pool, day);
    };
    await costs(client, remove, (rows / days) * vacuumDays);
  } finally {
    client.release();
  }
}

async function measureKind(pool: pg.Pool, sandbox: Sandbox, wallets: readonly string[], kind: Kind, given: Given): Promise<void> {
  const postmaster = await postmasterOf(pool);
  const stretch = (removal?: () => Promise<number>) => load(pool, sandbox, { postmaster, wallets, given }, removal);
  await stretch();
  const quiet: Stretch[] = [];
  const leaving: Stretch[] = [];
  for (let round = 0; round < given.rounds; round += 1) {
    quiet.push(await stretch());
    leaving.push(await stretch(() => (kind === 'rows' ? deleteDay(pool, given.days - round - 1) : dropDay(pool, round))));
  }
  for (const [name, all] of [
    ['nothing beside', quiet],
    ['a day leaves', leaving],
  ] as const) {
    const middle = (of: (one: Stretch) => number) => median(all.map(of));
    say(
      `${kind.padEnd(11)} ${name.padEnd(15)} PostgreSQL ${middle((one) => one.postgres).toFixed(1)} s, server ${middle((one) => one.server).toFixed(1)} s, ` +
        `WAL ${(middle((one) => one.walBytes) / 1e6).toFixed(0)} MB; transfer p50 ${middle((one) => one.transfer.p50).toFixed(1)} p99 ${middle((one) => one.transfer.p99).toFixed(1)} ms; ` +
        `GET /v1/events p50 ${middle((one) => one.read.p50).toFixed(1)} p99 ${middle((one) => one.read.p99).toFixed(1)} ms` +
        (all[0]?.removal === undefined
          ? ''
          : `; gone in ${middle((one) => one.removal ?? 0).toFixed(2)} s, ${all.map((one) => one.removed).join(' ')} rows`),
    );
  }
  const { rows } = await pool.query<{ size: string; dead: string }>(
    `SELECT pg_size_pretty(sum(pg_total_relation_size(c.oid))) AS size, sum(pg_stat_get_dead_tuples(c.oid)) AS dead
     FROM pg_class c WHERE c.relname ~ '^event($|_p[0-9]|_default)' AND c.relkind = 'r'`,
  );
  say(`${kind}: ${rows[0]?.size} of disk, ${rows[0]?.dead} dead rows`);
}

/** Deletes the oldest day as sweepEvents() does: sets of 1,000 with a pause of 20 ms. */
async function deleteDay(pool: Pick<pg.ClientBase, 'query'>, keptDays: number): Promise<number> {
  const oldest = midnight - keptDays * dayMs;
  let removed = 0;
  for (;;) {
    const { rowCount } = await pool.query({
      name: 'sweep-events',
      text: `DELETE FROM event USING (
          SELECT w.id AS workspace_id, old.id FROM workspace w CROSS JOIN LATERAL (
            SELECT id FROM event e WHERE e.workspace_id = w.id AND e.id < ${idOf('$1::bigint + w.clock_offset_ms')} ORDER BY id LIMIT $2
          ) old LIMIT $2
        ) swept WHERE event.workspace_id = swept.workspace_id AND event.id = swept.id`,
      values: [oldest, 1_000],
    });
    removed += rowCount ?? 0;
    if ((rowCount ?? 0) < 1_000) return removed;
    await pause(20);
  }
}

async function dropDay(pool: pg.Pool, n: number): Promise<number> {
  for (;;) {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SET LOCAL lock_timeout = 50');
      await client.query(`DROP TABLE ${partitionOf(n)}`);
      await client.query('COMMIT');
      return 1;
    } catch {
      await client.query('ROLLBACK');
    } finally {
      client.release();
    }
  }
}

interface Beside {
  postmaster: number;
  wallets: readonly string[];
  given: Given;
}

async function load(
  pool: pg.Pool,
  sandbox: Sandbox,
  { postmaster, wallets, given }: Beside,
  removal?: () => Promise<number>,
): Promise<Stretch> {
  const wal = async () => (await pool.query<{ at: string }>("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn AS at")).rows[0]?.at ?? '0';
  const [cpu, lsn] = [await cpuSeconds(sandbox.url, postmaster), await wal()];
  const until = performance.now() + given.seconds * 1_000;
  const begun = performance.now();
  let done: number | undefined;
  let removed: number | undefined;
  const removing = removal?.().then((count) => {
    removed = count;
    done = (performance.now() - begun) / 1_000;
  });
  const [transfer, read] = await Promise.all([
    paced(given.rate, until, (n) => pay(sandbox, wallets, n)),
    paced(10, until, () => get(sandbox.url, '/v1/events')),
  ]);
  await removing;
  const [cpuAfter, lsnAfter] = [await cpuSeconds(sandbox.url, postmaster), await wal()];
  return {
    postgres: cpuAfter.postgres - cpu.postgres,
    server: cpuAfter.server - cpu.server,
    walBytes: Number(lsnAfter) - Number(lsn),
    transfer,
    read,
    ...(done !== undefined && { removal: done }),
    ...(removed !== undefined && { removed }),
  };
}

/** Calls at a fixed rate, however long an answer takes; milliseconds from when each was due. */
async function paced(rate: number, until: number, call: (n: number) => Promise<void>): Promise<{ p50: number; p99: number }> {
  const taken: number[] = [];
  const open: Promise<void>[] = [];
  const from = performance.now();
  for (let n = 0; ; n += 1) {
    const due = from + (n * 1_000) / rate;
    if (due >= until) break;
    const wait = due - performance.now();
    if (wait > 0) await pause(wait);
    open.push(call(n).then(() => void taken.push(performance.now() - due)));
  }
  await Promise.all(open);
  taken.sort((a, b) => a - b);
  const share = (part: number) => taken[Math.min(taken.length - 1, Math.floor(taken.length * part))] ?? Number.NaN;
  return { p50: share(0.5), p99: share(0.99) };
}

async function pay(sandbox: Sandbox, wallets: readonly string[], n: number): Promise<void> {
  const body = {
    type: 'internal',
    from_wallet_id: wallets[n % wallets.length],
    to_wallet_id: wallets[(n * 7 + 1) % wallets.length],
    amount: '0.01',
    currency: 'USD',
  };
  if (body.from_wallet_id === body.to_wallet_id) return;
  // Costs a third of what fetch does.
  const response = await request(new URL('/v1/transfers', sandbox.url), {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${testKey}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': `${process.pid}-${Date.now()}-${n}`,
    },
    body: JSON.stringify(body),
    dispatcher: connections,
  });
  const text = await response.body.text();
  if (response.statusCode !== 201) throw new Error(text);
}
