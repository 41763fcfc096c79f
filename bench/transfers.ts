// POST /v1/transfers beside pgbench calling a one-transfer function on the same PostgreSQL, in turn: random wallets at 1, 16 and
// 64 connections, and one wallet that everybody pays. fsync and synchronous_commit are on for both.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { runAudited } from './audited.js';
import { makeBaselines } from './baseline.js';
import { fill } from './fill.js';
import { sendLoad } from './http-load.js';
import { measure, type Next, type Result } from './measure.js';
import { median, openBenchDatabase, Sandbox, say } from './platform.js';
import { runPolicies } from './policies.js';
import { runRailed } from './railed.js';
import { runScoped } from './scoped.js';
import { runTraced } from './traced.js';
import { makeWallets, requestMaker } from './wallets.js';

const about = `Usage: npm run bench -- transfers [--rounds 5] [--seconds 4] [--wallets 1000] [--no-keys] [--full 2000000]
                                      [--policies] [--keys] [--traced] [--audited] [--railed]

Needs pgbench on the PATH. Uses an embedded PostgreSQL of its own unless DATABASE_URL names a database that it may fill.
Every request has an Idempotency-Key; requests without one are measured beside them. --no-keys measures only those.
--full writes so many old transfers first. --policies compares with rules of spend control in force instead, --keys a key that may do one
thing with one that may do everything, --traced with traces on, --audited with a server that keeps no audit log,
--railed a server that has a rail over a chain (Anvil, of test/oracles) with one that has none; these do without pgbench.`;

/** A script of pgbench: a payer at random, and a payee at random or always the first wallet. */
function scriptOf(wallets: number, hot: boolean, call: (from: string, to: string) => string): string {
  const pick = `\\set a random(2, ${wallets})\n\\set d random(1, ${wallets - 2})\n\\set b 2 + (:a - 2 + :d) % (${wallets} - 1)\n`;
  return `${pick}SELECT ${call(':a', hot ? '1' : ':b')};\n`;
}

/** What pgbench has posted is published before anything else is measured. */
export async function drained(db: pg.Client): Promise<void> {
  while ((await db.query('SELECT FROM outbox LIMIT 1')).rowCount !== 0) await pause(100);
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      wallets: { type: 'string' },
      'no-keys': { type: 'boolean' },
      full: { type: 'string' },
      policies: { type: 'boolean' },
      keys: { type: 'boolean' },
      traced: { type: 'boolean' },
      audited: { type: 'boolean' },
      railed: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return say(about);
  const [rounds, seconds, wallets] = [Number(values.rounds ?? 5), Number(values.seconds ?? 4), Number(values.wallets ?? 1000)];
  const database = await openBenchDatabase();
  const beside = values.traced ? runTraced : values.audited ? runAudited : values.railed ? runRailed : undefined;
  if (beside !== undefined) return beside(database, { rounds, seconds, wallets }).finally(() => database.stop());
  const db = new pg.Client({ connectionString: database.url });
  let sandbox: Sandbox | undefined;
  try {
    await db.connect();
    say(
      `PostgreSQL ${(await db.query('SHOW server_version')).rows[0].server_version}, fsync ${(await db.query('SHOW fsync')).rows[0].fsync}, ${rounds} rounds of ${seconds} s, ${wallets} wallets`,
    );
    sandbox = await Sandbox.start(database.url);
    const { url } = sandbox;
    if (values.policies) return await runPolicies(sandbox, rounds, seconds);
    if (values.keys) return await runScoped(sandbox, { rounds, seconds, wallets });
    const ids = await makeWallets(sandbox, wallets);
    if (values.full !== undefined) await fill(db, Number(values.full));
    await makeBaselines(db, wallets);

    for (const [kind, connections] of [
      ['random', 1],
      ['random', 16],
      ['random', 64],
      ['hot', 64],
    ] as const) {
      const [next, unkeyed] = [!values['no-keys'], false].map((keys) => requestMaker(url, ids, kind === 'hot', keys)) as [Next, Next];
      const file = path.join(database.scratch, 'script.sql');
      const baseline = async (call: (from: string, to: string) => string, time: number): Promise<number> => {
        await writeFile(file, scriptOf(wallets, kind === 'hot', call));
        return pgbench(database.url, file, connections, time);
      };
      const bare = (time: number) => baseline((from, to) => `bench.pay(${from}, ${to}, 1)`, time);
      await sendLoad(url, 16, 4, next);
      await bare(1);
      const results = [];
      for (let round = 0; round < rounds; round += 1) {
        const theirs = await bare(seconds);
        const ours = await measure(url, connections, seconds, next);
        const plain = values['no-keys'] ? ours : await measure(url, connections, seconds, unkeyed);
        const posted = await baseline((from, to) => `bench.post(${from}, ${to}, 1)`, seconds);
        await drained(db);
        results.push({ theirs, posted, plain: plain.ours, ...ours });
      }
      say(`${kind.padEnd(6)} ${String(connections).padStart(2)} connections: ${describe(results)}`);
    }
  } finally {
    await sandbox?.stop();
    await db.end();
    await database.stop();
  }
}

/** Per second: of pgbench with tables of its own, and with the platform's rows; and requests without a key. */
interface Baselines {
  theirs: number;
  posted: number;
  plain: number;
}

function describe(results: readonly (Result & Baselines)[]): string {
  const middle = (of: keyof Result | keyof Baselines) => median(results.map((result) => result[of])).toFixed(0);
  const ratios = results.map(({ ours, theirs }) => ours / theirs);
  return (
    `${middle('ours')}/s beside pgbench ${middle('theirs')}/s, ratio ${median(ratios).toFixed(2)} ` +
    `(${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}); with the same rows ${middle('posted')}/s, ` +
    `ratio ${median(results.map(({ ours, posted }) => ours / posted)).toFixed(2)}; without keys ${middle('plain')}/s, ` +
    `ratio ${median(results.map(({ ours, plain }) => ours / plain)).toFixed(2)}; CPU a request: server ${middle('server')} us, ` +
    `PostgreSQL ${middle('postgres')} us, load ${middle('load')} us`
  );
}

const execute = promisify(execFile);
export async function pgbench(databaseUrl: string, file: string, connections: number, seconds: number): Promise<number> {
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
