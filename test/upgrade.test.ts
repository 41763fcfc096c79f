// An upgrade from the release before, with payments going through: migrate, replace the processes one by one, then take away what only the old
// ones used (CONTRACT.md 24). The old release is checked out and built beside. SLOW=1 alone.
import { randomBytes, randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, expect, it, vi } from 'vitest';
import { loadConfig } from '../src/config.js';
import { manifest } from '../src/contexts.js';
import { checkLedger } from '../src/ledger/trial-balance.js';
import { createLogger } from '../src/platform/log.js';
import { migrate } from '../src/platform/postgres/migration.js';
import { closePlatform, openPlatform } from '../src/server.js';
import { LockWatch } from './lock-watch.js';
import { type NewDatabase, newDatabase } from './new-database.js';
import { buildOldRelease, newRelease, oldTag, type Release } from './old-release.js';
import { buildOnce, runCli, type ServerProcess, startServerProcess } from './process.js';
import { ReleaseBalancer, type Upstream } from './release-balancer.js';
import { Endpoint, Traffic } from './release-traffic.js';
import { isSlow } from './slow.js';

vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 120_000 });

const undo: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const step of undo.reverse()) await step();
});

interface Running {
  process: ServerProcess;
  release: Release;
}

it.skipIf(!isSlow)(`goes from ${oldTag} to this release while everything goes on`, async ({ skip }) => {
  const oldRelease = await buildOldRelease();
  if (oldRelease === undefined) return skip(`there is no tag ${oldTag}`);
  await buildOnce();
  const database: NewDatabase = await newDatabase({ empty: true });
  undo.push(() => database.drop());
  const folder = await mkdtemp(path.join(tmpdir(), 'upgrade-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const endpoint = await Endpoint.start();
  undo.push(() => endpoint.stop());
  const env = {
    DATABASE_URL: database.url,
    SECRETS_KEY: randomBytes(32).toString('hex'),
    BOOTSTRAP_TEST_KEY: `pk_test_${randomUUID()}`,
    BOOTSTRAP_LIVE_KEY: `pk_live_${randomUUID()}`,
    PORT: '0',
    SANDBOX_PORT: '0',
    DATA_DIR: path.join(folder, 'data'),
    PLATFORM_MEMORY: path.join(folder, 'memory'),
    RATE_LIMIT_SANDBOX: '1000000',
    RATE_LIMIT_AUTH: '1000000',
    WEBHOOK_ALLOW_HOSTS: endpoint.host,
    WEBHOOK_HOST_RATE: 'none',
    LOG_LEVEL: 'warn',
  };
  const start = async (release: Release, role: 'api' | 'worker'): Promise<Running> => {
    const own = { ...env, ROLE: role, ...(release === newRelease && { DRAIN_SECONDS: '1' }) };
    const process = await startServerProcess(own, { checkout: release.checkout });
    undo.push(async () => process.isRunning && (await process.kill('SIGKILL')));
    return { process, release };
  };
  const apis = [await start(oldRelease, 'api'), await start(oldRelease, 'api')];
  let worker = await start(oldRelease, 'worker');
  const balancer = await ReleaseBalancer.start();
  undo.push(() => balancer.stop());
  const upstreamOf = ({ process, release }: Running): Upstream => ({ url: process.test, release });
  const balance = () => balancer.use(apis.map(upstreamOf));
  balance();
  const traffic = new Traffic({ url: balancer.url, key: env.BOOTSTRAP_TEST_KEY }, endpoint);
  await traffic.start();
  await traffic.untilCalled(3);
  const db = new pg.Client({ connectionString: database.url });
  await db.connect();
  undo.push(() => db.end());
  // So many events that their table is attached as a partition, and not emptied.
  await db.query(`INSERT INTO event (workspace_id, id, type, data, created_at)
    SELECT gen_random_uuid(), uuid_at(now()), 'account.created', '{}', now() FROM generate_series(1, 20000)`);
  // 1. Migrate, beside the old processes.
  const locks = await LockWatch.start(database.url);
  undo.push(() => locks.stop());
  const begun = performance.now();
  const migrated = await runCli(['migrate'], env);
  const migrateMs = Math.round(performance.now() - begun);
  expect(migrated).toMatchObject({ code: 0 });
  const held = await locks.stop();
  await traffic.untilCalled(3);

  // 2. Old and new beside each other. What a new process writes, the old worker works on.
  apis.push(await start(newRelease, 'api'));
  balance();
  const [newest] = apis.slice(-1).map(upstreamOf);
  await traffic.subscribe('/by-the-new-one', { url: newest?.url ?? '', key: env.BOOTSTRAP_TEST_KEY });
  await traffic.untilCalled(3);
  const dir = path.join(folder, 'prisma');
  await cp(fileURLToPath(new URL('../prisma', import.meta.url)), dir, { recursive: true });
  const taking = path.join(dir, 'migrations', '99990101000000_take_away');
  await mkdir(taking);
  await writeFile(path.join(taking, 'migration.sql'), `-- contract ${newRelease.version}\nDROP TABLE only_of_before;\n`);
  await db.query('CREATE TABLE only_of_before (id int)');

  const replace = async (at: number) => {
    const [before] = apis.splice(at, 1);
    balance();
    const ended = await before?.process.kill('SIGTERM');
    expect(ended, ended?.stderr).toMatchObject({ code: 0 });
    apis.push(await start(newRelease, 'api'));
    balance();
    await traffic.untilCalled(3);
  };
  await replace(0);
  await replace(0);
  expect(await migrate(database.url, { dir })).toEqual([]);
  const newWorker = await start(newRelease, 'worker');
  await traffic.untilCalled(3);
  const ended = await worker.process.kill('SIGTERM');
  expect(ended, ended?.stderr).toMatchObject({ code: 0 });
  worker = newWorker;
  await traffic.untilCalled(3);

  // 3. Nothing of before lives: what waited is taken away.
  const taken = await LockWatch.start(database.url);
  undo.push(() => taken.stop());
  expect(await migrate(database.url, { dir })).toEqual(['20261219000200_event_by_day', '99990101000000_take_away']);
  held.push(...(await taken.stop()));
  await traffic.untilCalled(3);
  const [{ rows: old } = { rows: 0 }] = (await db.query<{ rows: number }>('SELECT count(*)::int AS rows FROM event_before')).rows;
  expect(old).toBeGreaterThan(20_000);
  await traffic.stop();
  console.info(
    `migrate took ${migrateMs} ms; of ${held.length} locks the longest: ${held
      .slice(0, 5)
      .map(({ what, ms }) => `${what} ${ms} ms`)
      .join(', ')}\n`,
    Object.fromEntries(balancer.counts),
    Object.fromEntries(traffic.calls),
  );
  expect(traffic.faults).toEqual([]);
  expect(balancer.faults).toEqual([]);
  await traffic.verify();
  const { DATABASE_URL: databaseUrl, SECRETS_KEY: secretsKey } = env;
  const platform = await openPlatform({ config: { ...loadConfig(env), databaseUrl, secretsKey }, log: createLogger('fatal') });
  expect(await checkLedger(platform.database, manifest.escrows)).toEqual([]);
  await closePlatform(platform);
});
