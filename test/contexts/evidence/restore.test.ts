// A database that is put back, in each way in which operators do: a copy of it in the same cluster, a copy of the cluster's files, its rows in a
// new cluster. The server keeps running, and its memory is where it was.
import { randomBytes, randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/platform/postgres/embedded-server.js';
import { migrate } from '../../../src/platform/postgres/migration.js';
import { runHere } from '../../command.js';
import type { Json } from '../../harness.js';
import { ask, make, type Server } from '../../load.js';
import { buildOnce, copyData, type DataDir, makeDataDir, type ServerProcess, startServerProcess } from '../../process.js';
import { consistencyHolds, openNote } from './reader.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let [data, other]: [DataDir, DataDir] = [] as unknown as [DataDir, DataDir];
let clusters: EmbeddedPostgres[] = [];
let server: ServerProcess;
let env: Record<string, string>;
let tenant: string;
const sandbox = (): Server => ({ url: server.test, key: env['BOOTSTRAP_TEST_KEY'] ?? '' });
const get = (address: string) => ask(sandbox(), 'GET', address);
const start = (dataDir: string) => startEmbeddedPostgres({ dataDir, durable: true, notice: () => {} });

async function query<T extends object>(url: string, text: string, values: unknown[] = []): Promise<T[]> {
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  try {
    return (await db.query<T>(text, values)).rows;
  } finally {
    await db.end();
  }
}

/** Something more in the log, and its head. */
async function headAfterMore(): Promise<Json> {
  await expect
    .poll(async () => (await ask(sandbox(), 'POST', '/v1/accounts', { type: 'business', name: 'One more' })).status, { timeout: 30_000 })
    .toBe(201);
  const { status, body } = await get('/v1/evidence/head');
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
}

/** What `evidence …` of the command line answers. */
async function command(verb: 'resume' | 'renew' | 'verify', head: Json) {
  const file = path.join(data.dataDir, '..', 'head');
  await writeFile(file, head.checkpoint);
  const { code, stdout, stderr } = await runHere(['evidence', verb, '--tenant', tenant, '--environment', 'test', '--head', file], env);
  return { code, said: stdout + stderr };
}

/** A loss: the log is halted before it signs anything, everything else goes on, and nobody can pretend that nothing was lost. */
async function expectHalted(lost: Json, before: Json): Promise<void> {
  const [origin] = before.checkpoint.split('\n');
  const ofLog = `SELECT h.tree_size FROM evidence_head h JOIN evidence_log l ON l.id = h.log_id WHERE l.origin = $1 AND checkpoint IS NOT NULL ORDER BY 1`;
  const heads = () => query(env['DATABASE_URL'] ?? '', ofLog, [origin]);
  const signed = await heads();
  await expect
    .poll(async () => (await ask(sandbox(), 'POST', '/v1/accounts', { type: 'business', name: 'After' })).status, { timeout: 30_000 })
    .toBe(201);
  const refused = await get('/v1/evidence/head');
  expect([refused.status, refused.body.details?.reason], JSON.stringify(refused.body)).toEqual([409, 'log_halted']);
  expect((await get('/v1/evidence')).body.data).toMatchObject({ state: 'halted', reason: 'memory_ahead' });
  const [event] = (await get('/v1/events?type=evidence.halted')).body.data;
  expect(event.data).toMatchObject({ reason: 'memory_ahead', known_size: lost.tree_size });
  expect(await heads()).toEqual(signed);
  expect((await get('/ready')).status).toBe(200);
  expect((await get(`/v1/evidence/head?tree_size=${before.tree_size}`)).body.data.checkpoint).toBe(before.checkpoint);
  expect(await command('resume', lost)).toMatchObject({
    code: 1,
    said: expect.stringMatching(/what came after them is lost|another root/),
  });
  expect(await command('resume', before)).toMatchObject({ code: 1, said: expect.stringContaining('The memory knows of a head') });
}

/** Another log begins over what is left, whose first leaf says what it continues, down to the root of the newest head of before. */
async function expectRenewed(lost: Json): Promise<void> {
  const ended = (await get('/v1/evidence')).body.data;
  expect(await command('renew', lost)).toMatchObject({ code: 0 });
  const head = await headAfterMore();
  const log = (await get('/v1/evidence')).body.data;
  expect(log).toMatchObject({ state: 'open', continues: ended.id });
  expect(openNote(head.checkpoint, log.vkeys[0].vkey)).toMatchObject({ size: head.tree_size });
  const lines = (await get('/v1/audit-log?action=log.renew&limit=1')).body.data;
  const leaf = (await get(`/v1/evidence/leaves/${lines[0].id}`)).body.data;
  const parts: [string, string, Json][] = leaf.disclosures.map((text: string) => JSON.parse(Buffer.from(text, 'base64url').toString()));
  const said = parts.find(([, name]) => name === 'outcome')?.[2];
  const old = openNote(lost.checkpoint, ended.vkeys[0].vkey);
  expect(said).toMatchObject({ log_id: ended.id, known_size: old?.size, known_root: old?.root, origin: log.origin });
}

/** Copies every row into another database; but not the answers that are kept for keys, whose partitions come and go by the hour. */
async function copyRows(from: string, to: string): Promise<void> {
  const tables = await query<{ name: string }>(
    from,
    `SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r' AND NOT relispartition AND relnamespace = 'public'::regnamespace`,
  );
  const sequences = await query<{ name: string; value: string }>(
    from,
    `SELECT format('%I', sequencename) AS name, last_value::text AS value FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL`,
  );
  const db = new pg.Client({ connectionString: to });
  await db.connect();
  try {
    await db.query('SET session_replication_role = replica');
    for (const { name } of tables) {
      const [row] = await query<{ rows: string }>(from, `SELECT coalesce(json_agg(t), '[]')::text AS rows FROM ${name} t`);
      await db.query(`DELETE FROM ${name}`);
      await db.query(`INSERT INTO ${name} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${name}, $1::json)`, [
        row?.rows,
      ]);
    }
    for (const { name, value } of sequences) await db.query('SELECT setval($1::regclass, $2)', [name, value]);
  } finally {
    await db.end();
  }
}

beforeAll(async () => {
  await buildOnce();
  [data, other] = [await makeDataDir(), await makeDataDir()];
  clusters = [await start(data.dataDir)];
  env = {
    PORT: '0',
    SANDBOX_PORT: '0',
    DATABASE_URL: clusters[0]?.url ?? '',
    SECRETS_KEY: randomBytes(32).toString('hex'),
    PLATFORM_MEMORY: path.join(data.dataDir, '..', 'memory'),
    BOOTSTRAP_TEST_KEY: `pk_test_${randomUUID()}`,
    BOOTSTRAP_LIVE_KEY: `pk_live_${randomUUID()}`,
    RATE_LIMIT_SANDBOX: '1000000',
    LOG_LEVEL: 'fatal',
  };
  server = await startServerProcess(env);
  await make(sandbox(), '/v1/accounts', { type: 'business', name: 'First' });
  [{ id: tenant }] = (await query<{ id: string }>(env['DATABASE_URL'] ?? '', 'SELECT id FROM tenant')) as [{ id: string }];
});

afterAll(async () => {
  if (server?.isRunning) await server.kill('SIGKILL');
  for (const cluster of clusters) await cluster.stop();
  for (const folder of [data, other]) await folder?.remove();
});

/** Whoever is connected to a database, so that it can be copied or renamed. */
const cutOff = (name: string) =>
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`;

describe('a database that is put back', () => {
  it('by a copy of it in the same cluster, under a server that runs, halts its log', async () => {
    const before = await headAfterMore();
    const url = new URL(env['DATABASE_URL'] ?? '');
    const name = url.pathname.slice(1);
    const admin = Object.assign(new URL(url), { pathname: '/template1' }).href;
    const alone = async (statement: string) => {
      await query(admin, `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
      await query(admin, cutOff(name));
      await expect.poll(() => query(admin, statement).then(() => 'done', String), { timeout: 10_000 }).toBe('done');
    };
    await alone(`CREATE DATABASE kept TEMPLATE ${name}`);
    await query(admin, `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
    const lost = await headAfterMore();
    await alone(`ALTER DATABASE ${name} RENAME TO gone`);
    await query(admin, `ALTER DATABASE kept RENAME TO ${name}`);
    await query(admin, `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
    await expectHalted(lost, before);
    await expectRenewed(lost);
  });

  it('by a copy of the files of the cluster, under a server that runs, halts its log', async () => {
    const before = await headAfterMore();
    const [cluster] = clusters as [EmbeddedPostgres];
    const files = path.join(data.dataDir, 'postgres');
    await cluster.stop();
    await copyData(files, `${files}-kept`);
    clusters = [await start(data.dataDir)];
    const lost = await headAfterMore();
    await clusters[0]?.stop();
    await rm(files, { recursive: true });
    await rename(`${files}-kept`, files);
    clusters = [await start(data.dataDir)];
    await expectHalted(lost, before);
    await expectRenewed(lost);
  });

  it('in a new cluster goes on by itself where nothing is missing, and halts where something is', async () => {
    const before = await headAfterMore();
    const old = env['DATABASE_URL'] ?? '';
    const cluster = await start(other.dataDir);
    clusters.push(cluster);
    await migrate(cluster.url);
    await server.kill('SIGTERM');
    await copyRows(old, cluster.url);
    env = { ...env, DATABASE_URL: cluster.url };
    server = await startServerProcess(env);
    const later = await headAfterMore();
    const { proof } = (await get(`/v1/evidence/consistency?from=${before.tree_size}&to=${later.tree_size}`)).body.data;
    expect(consistencyHolds({ from: before, to: later, proof })).toBe(true);
    expect((await get('/v1/evidence')).body.data).toMatchObject({ state: 'open' });
    // The old cluster, as it was left, is that of before.
    await server.kill('SIGTERM');
    env = { ...env, DATABASE_URL: old };
    server = await startServerProcess(env);
    await expectHalted(later, before);
    await expectRenewed(later);
  });
});
