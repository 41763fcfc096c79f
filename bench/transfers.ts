// POST /v1/transfers beside pgbench calling a one-transfer function on the same PostgreSQL, in turn: random wallets at 1, 16 and
// 64 connections, and one wallet that everybody pays. fsync and synchronous_commit are on for both.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.js';
import { makeBaselines } from './baseline.js';
import { type CpuSeconds, cpuSeconds } from './cpu.js';
import { sendLoad } from './http-load.js';

const about = `Usage: npm run bench -- transfers [--rounds 5] [--seconds 4] [--wallets 1000] [--keys]

Needs pgbench on the PATH. Uses an embedded PostgreSQL of its own unless DATABASE_URL names a database that it may fill.
--keys sends an Idempotency-Key with every request.`;

/** A script of pgbench: a payer at random, and a payee at random or always the first wallet. */
function scriptOf(wallets: number, hot: boolean, call: (from: string, to: string) => string): string {
  const pick = `\\set a random(2, ${wallets})\n\\set d random(1, ${wallets - 2})\n\\set b 2 + (:a - 2 + :d) % (${wallets} - 1)\n`;
  return `${pick}SELECT ${call(':a', hot ? '1' : ':b')};\n`;
}

const testKey = 'pk_test_benchmark_0123456789';

/** What pgbench has posted is published before anything else is measured. */
async function drained(db: pg.Client): Promise<void> {
  while ((await db.query('SELECT FROM outbox LIMIT 1')).rowCount !== 0) await pause(100);
}

interface Sandbox {
  url: URL;
  child: ChildProcess;
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      wallets: { type: 'string' },
      keys: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  if (values.help) return say(about);
  const [rounds, seconds, wallets] = [Number(values.rounds ?? 5), Number(values.seconds ?? 4), Number(values.wallets ?? 1000)];
  const scratch = await mkdtemp(path.join(tmpdir(), 'payments-bench-'));
  // As root PostgreSQL runs as another user, who must be able to enter.
  await chmod(scratch, 0o711);
  const postgres = process.env['DATABASE_URL']
    ? undefined
    : await startEmbeddedPostgres({ dataDir: path.join(scratch, 'data'), notice: say });
  const databaseUrl = process.env['DATABASE_URL'] ?? postgres?.url ?? '';
  const db = new pg.Client({ connectionString: databaseUrl });
  let sandbox: Sandbox | undefined;
  try {
    await db.connect();
    say(
      `PostgreSQL ${(await db.query('SHOW server_version')).rows[0].server_version}, fsync ${(await db.query('SHOW fsync')).rows[0].fsync}, ${rounds} rounds of ${seconds} s, ${wallets} wallets`,
    );
    sandbox = await startSandbox(databaseUrl);
    const ids = await makeWallets(sandbox.url, wallets, say);
    await makeBaselines(db, wallets);

    for (const [kind, connections] of [
      ['random', 1],
      ['random', 16],
      ['random', 64],
      ['hot', 64],
    ] as const) {
      const next = requestMaker(sandbox.url, ids, kind === 'hot', values.keys ?? false);
      const file = path.join(scratch, 'script.sql');
      const baseline = async (call: (from: string, to: string) => string, time: number): Promise<number> => {
        await writeFile(file, scriptOf(wallets, kind === 'hot', call));
        return pgbench(databaseUrl, file, connections, time);
      };
      const bare = (time: number) => baseline((from, to) => `bench.pay(${from}, ${to}, 1)`, time);
      await sendLoad(sandbox.url, 16, 4, next);
      await bare(1);
      const results = [];
      for (let round = 0; round < rounds; round += 1) {
        const theirs = await bare(seconds);
        const ours = await measure(sandbox.url, connections, seconds, next);
        const posted = await baseline((from, to) => `bench.post(${from}, ${to}, 1)`, seconds);
        await drained(db);
        results.push({ theirs, posted, ...ours });
      }
      say(`${kind.padEnd(6)} ${String(connections).padStart(2)} connections: ${describe(results)}`);
    }
  } finally {
    sandbox?.child.kill('SIGTERM');
    if (sandbox) await once(sandbox.child, 'exit');
    await db.end();
    await postgres?.stop();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Transactions per second of pgbench: with tables of its own, and with the platform's rows. */
interface Baselines {
  theirs: number;
  posted: number;
}

interface Result {
  /** Requests per second. */
  ours: number;
  /** CPU microseconds per request. */
  server: number;
  postgres: number;
  load: number;
}

async function measure(url: URL, connections: number, seconds: number, next: () => string): Promise<Result> {
  const before = await cpuSeconds(url);
  const load = await sendLoad(url, connections, seconds, next);
  const after = await cpuSeconds(url);
  if (load.failures > 0) throw new Error(`${load.failures} of ${load.requests} requests failed`);
  const micros = (part: keyof CpuSeconds) => ((after[part] - before[part]) * 1e6) / load.requests;
  return { ours: load.requests / load.seconds, server: micros('server'), postgres: micros('postgres'), load: micros('load') };
}

function describe(results: readonly (Result & Baselines)[]): string {
  const middle = (of: keyof Result | keyof Baselines) => median(results.map((result) => result[of])).toFixed(0);
  const ratios = results.map(({ ours, theirs }) => ours / theirs);
  return (
    `${middle('ours')}/s beside pgbench ${middle('theirs')}/s, ratio ${median(ratios).toFixed(2)} ` +
    `(${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}); with the same rows ${middle('posted')}/s, ` +
    `ratio ${median(results.map(({ ours, posted }) => ours / posted)).toFixed(2)}; CPU a request: server ${middle('server')} us, ` +
    `PostgreSQL ${middle('postgres')} us, load ${middle('load')} us`
  );
}

async function startSandbox(databaseUrl: string): Promise<Sandbox> {
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    SECRETS_KEY: '00'.repeat(32),
    PORT: '0',
    SANDBOX_PORT: '0',
    BOOTSTRAP_TEST_KEY: testKey,
    RATE_LIMIT_SANDBOX: '100000000',
    LOG_LEVEL: 'warn',
  };
  const child = spawn(process.execPath, ['--enable-source-maps', '--max-semi-space-size=32', 'dist/main.js'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    const found = /Sandbox\s+(http:\S+)/.exec(printed);
    if (found?.[1] !== undefined && printed.includes('First call')) {
      child.stdout.resume();
      return { url: new URL(found[1]), child };
    }
  }
  throw new Error(`the server did not start:\n${printed}`);
}

async function makeWallets(url: URL, count: number, say: (text: string) => void): Promise<string[]> {
  const call = async (target: string, body: object): Promise<string> => {
    const response = await fetch(new URL(target, url), {
      method: 'POST',
      headers: { Authorization: `Bearer ${testKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { data: { id: string } };
    if (!response.ok) throw new Error(JSON.stringify(answer));
    return answer.data.id;
  };
  const owner = await call('/v1/accounts', { type: 'business', name: 'Bench' });
  const ids: string[] = [];
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (ids.length < count) {
        const at = ids.push('') - 1;
        const id = await call('/v1/wallets', { owner_type: 'account', owner_id: owner, currency: 'USD' });
        await call(`/v1/wallets/${id}/fund`, { amount: '1000000.00' });
        ids[at] = id;
      }
    }),
  );
  say(`${count} wallets made and funded`);
  return ids;
}

function requestMaker(url: URL, ids: readonly string[], hot: boolean, keys: boolean): () => string {
  const run = Math.random().toString(36).slice(2);
  let n = 0;
  return () => {
    n += 1;
    const a = 1 + Math.floor(Math.random() * (ids.length - 1));
    const b = hot ? 0 : 1 + ((a - 1 + 1 + Math.floor(Math.random() * (ids.length - 2))) % (ids.length - 1));
    const body = `{"type":"internal","from_wallet_id":"${ids[a]}","to_wallet_id":"${ids[b]}","amount":"0.01","currency":"USD"}`;
    return `POST /v1/transfers HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${testKey}\r\nContent-Type: application/json\r\n${keys ? `Idempotency-Key: ${run}-${n}\r\n` : ''}Content-Length: ${body.length}\r\n\r\n${body}`;
  };
}

const execute = promisify(execFile);
async function pgbench(databaseUrl: string, file: string, connections: number, seconds: number): Promise<number> {
  const { stdout } = await execute('pgbench', [
    '-n',
    '-M',
    'prepared',
    '-f',
    file,
    '-c',
    String(connections),
    '-j',
    String(Math.min(2, connections)),
    '-T',
    String(seconds),
    databaseUrl,
  ]);
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
