// A log never forks: three servers under load, killed at any moment of a signature, and PostgreSQL too. Who keeps every head that was shown
// finds each of them in every later one.
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/platform/postgres/embedded-server.js';
import { ask, make, type Server } from '../../load.js';
import { buildOnce, type DataDir, isAlive, makeDataDir, postmasterPid, type ServerProcess, startServerProcess } from '../../process.js';
import { isSlow } from '../../slow.js';
import { HeadWatcher } from './head-watcher.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Between which two steps of a signature something dies; `any`: at any moment. */
const moments = ['before the head is written', 'before the memory is told', 'before the signature is kept', 'any'] as const;
type Moment = (typeof moments)[number];
const victims = ['one server', 'all servers', 'PostgreSQL'] as const;

const rounds: [seed: number, moment: Moment, victim: (typeof victims)[number]][] = Array.from({ length: isSlow ? 60 : 3 }, (_, n) => [
  n,
  moments[n % moments.length] as Moment,
  victims[(n + 1) % victims.length] as (typeof victims)[number],
]);

let data: DataDir;
let postgres: EmbeddedPostgres;
let servers: ServerProcess[] = [];
let env: Record<string, string>;
let watcher: HeadWatcher;
let isLoaded = true;
let load: Promise<void>[];
const sandbox = ({ test: url }: ServerProcess): Server => ({ url, key: env['BOOTSTRAP_TEST_KEY'] ?? '' });
const alive = () => servers.filter(({ isRunning }) => isRunning).map(sandbox);

/** Pauses that a test sets: a writer of a head waits for the lock of the test. */
const pauses = `
  CREATE FUNCTION test_pause() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock_shared(TG_ARGV[0]::bigint); RETURN NEW; END $$;
  CREATE TRIGGER test_before_head BEFORE INSERT ON evidence_head FOR EACH ROW EXECUTE FUNCTION test_pause('7701');
  CREATE TRIGGER test_before_signature BEFORE UPDATE ON evidence_head FOR EACH ROW EXECUTE FUNCTION test_pause('7703');`;

async function connected<T>(work: (db: pg.Client) => Promise<T>): Promise<T> {
  const db = new pg.Client({ connectionString: postgres.url });
  // PostgreSQL is killed while it holds a lock.
  db.on('error', () => {});
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end().catch(() => {});
  }
}

beforeAll(async () => {
  await buildOnce();
  data = await makeDataDir();
  postgres = await startEmbeddedPostgres({ dataDir: data.dataDir, durable: true, notice: () => {} });
  env = {
    PORT: '0',
    SANDBOX_PORT: '0',
    DATABASE_URL: postgres.url,
    SECRETS_KEY: randomBytes(32).toString('hex'),
    PLATFORM_MEMORY: path.join(data.dataDir, '..', 'memory'),
    BOOTSTRAP_TEST_KEY: `pk_test_${randomUUID()}`,
    BOOTSTRAP_LIVE_KEY: `pk_live_${randomUUID()}`,
    RATE_LIMIT_SANDBOX: '1000000',
    LOG_LEVEL: 'fatal',
  };
  servers = [await startServerProcess(env)];
  await connected((db) => db.query(pauses));
  const [first] = alive() as [Server];
  const account = await make(first, '/v1/accounts', { type: 'business', name: 'Loaded' });
  const { data: log } = (await ask(first, 'GET', '/v1/evidence')).body;
  await ask(first, 'PUT', '/v1/evidence', { head_event_seconds: 60 });
  servers.push(await startServerProcess(env), await startServerProcess(env));
  watcher = new HeadWatcher(alive);
  watcher.vkeys = log.vkeys.map(({ vkey }: { vkey: string }) => vkey);
  load = Array.from({ length: 4 }, async (_, n) => {
    for (let count = 0; isLoaded; count += 1) {
      const server = alive()[(n + count) % 3];
      if (server !== undefined) await ask(server, 'PATCH', `/v1/accounts/${account.id}`, { name: `${n} ${count}` }).catch(() => undefined);
      await pause(20);
    }
  });
});

afterAll(async () => {
  isLoaded = false;
  await Promise.all(load ?? []);
  await watcher?.stop();
  for (const server of servers) if (server.isRunning) await server.kill('SIGKILL');
  await postgres?.stop();
  await data?.remove();
});

/** Holds a writer of a head at a moment, and then lets something happen to it. */
async function paused(moment: Moment, strike: () => Promise<void>): Promise<void> {
  if (moment === 'any') {
    await pause(randomInt(1_500));
    return strike();
  }
  await connected(async (db) => {
    await db.query('BEGIN');
    // Of the fence a writer lets go between its two transactions: who waits for it gets it then, and before the memory is told.
    if (moment === 'before the memory is told') await db.query('SELECT FROM fence FOR UPDATE');
    else await db.query('SELECT pg_advisory_xact_lock($1)', [moment === 'before the head is written' ? 7701 : 7703]);
    const waits = `SELECT FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid WHERE NOT l.granted AND a.datname = current_database()`;
    await connected((other) => expect.poll(async () => (await other.query(waits)).rowCount, { timeout: 20_000 }).toBeGreaterThan(0));
    await strike();
    await db.query('ROLLBACK').catch(() => {});
  });
}

async function killPostgres(): Promise<void> {
  const pid = await postmasterPid(data.dataDir);
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => isAlive(pid), { interval: 20, timeout: 15_000 }).toBe(false);
}

async function strike(victim: (typeof victims)[number]): Promise<void> {
  if (victim === 'PostgreSQL') return killPostgres();
  const dying = victim === 'one server' ? [servers[randomInt(servers.length)] as ServerProcess] : servers;
  await Promise.all(dying.map((server) => server.kill('SIGKILL')));
}

describe('a log under load', () => {
  it.each(rounds)('is one tree, and open again (seed %i: %s, %s is killed)', async (_seed, moment, victim) => {
    const before = watcher.count;
    await paused(moment, () => strike(victim));
    if (victim === 'PostgreSQL') postgres = await startEmbeddedPostgres({ dataDir: data.dataDir, durable: true, notice: () => {} });
    servers = await Promise.all(servers.map((server) => (server.isRunning ? server : startServerProcess(env))));
    await expect.poll(() => watcher.count, { timeout: 60_000, message: 'heads are signed again' }).toBeGreaterThan(before + 1);
    const [server] = alive() as [Server];
    const { body } = await ask(server, 'GET', '/v1/evidence');
    expect(body.data).toMatchObject({ state: 'open', reason: null });
    const kept = await connected((db) =>
      db.query<{ checkpoint: string }>('SELECT checkpoint FROM evidence_head WHERE checkpoint IS NOT NULL'),
    );
    for (const { checkpoint } of kept.rows) if (watcher.isOfLog(checkpoint)) watcher.see(checkpoint);
    await watcher.expectOneTree(server);
  });
});
