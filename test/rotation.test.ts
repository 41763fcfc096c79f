// Keys that rotate under load (CONTRACT.md 24): three processes with old, both and new settings, a new master key and a new data key, and kill -9
// of the worker that seals again. Nothing that was good is refused, and at the end the old keys open nothing in a dump. SLOW=1 alone.
import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, it, vi } from 'vitest';
import { migrate } from '../src/platform/postgres/migration.js';
import { masterKey, openRing } from '../src/platform/secrets/key-ring.js';
import { Vault } from '../src/platform/secrets/vault.js';
import { buildOnce, runCli, type ServerProcess, startServerProcess } from './process.js';
import { RotationTraffic, Upstreams } from './rotation-traffic.js';
import { openedInDump } from './sealed-scan.js';
import { SignedEndpoint } from './signed-endpoint.js';
import { isSlow } from './slow.js';
import { hasSystemPostgres, SystemPostgres } from './system-postgres.js';

vi.setConfig({ testTimeout: 1_500_000, hookTimeout: 120_000 });

const seed = process.env['SEED'] ?? String(randomInt(1_000_000));
/** Numbers from 0 to 1, the same for the same seed. */
function* chance(): Generator<number, never> {
  for (let n = 0; ; n += 1) yield createHash('sha256').update(`${seed} ${n}`).digest().readUInt32BE() / 2 ** 32;
}
const random = chance();

const rows = 10_000;
const kills = 6;
const perSecond = 300;

const undo: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const step of undo.reverse()) await step();
});

type Settings = Record<'SECRETS_KEY', string> & Partial<Record<'SECRETS_KEYS_OLD', string>>;

it.skipIf(!isSlow || !hasSystemPostgres)(`refuses nothing that was good, and leaves nothing to the old keys (SEED=${seed})`, async () => {
  await buildOnce();
  const postgres = await SystemPostgres.start();
  undo.push(() => postgres.stop());
  const databaseUrl = await postgres.create('rotation');
  await migrate(databaseUrl);
  const db = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  undo.push(() => db.end());
  const folder = await mkdtemp(path.join(tmpdir(), 'rotation-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const endpoint = await SignedEndpoint.start();
  undo.push(() => endpoint.stop());

  const [oldKey, newKey] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const old: Settings = { SECRETS_KEY: oldKey };
  const both: Settings = { SECRETS_KEY: newKey, SECRETS_KEYS_OLD: oldKey };
  const fresh: Settings = { SECRETS_KEY: newKey };
  const env = {
    DATABASE_URL: databaseUrl,
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
  const start = async (settings: Settings, role: 'api' | 'worker'): Promise<ServerProcess> => {
    const started = await startServerProcess({ ...env, ...settings, ROLE: role });
    undo.push(async () => started.isRunning && (await started.kill('SIGKILL')));
    return started;
  };
  const secrets = async (settings: Settings, ...args: string[]) => {
    const { code, stdout, stderr } = await runCli(['secrets', ...args, '--json'], { ...env, ...settings });
    return { code, said: code === 0 ? JSON.parse(stdout) : stderr };
  };
  const status = async (settings: Settings) => (await secrets(settings, 'status')).said;
  let since = performance.now();
  const tell = (what: string) => {
    const seconds = (performance.now() - since) / 1_000;
    since = performance.now();
    console.info(`${what}: ${seconds.toFixed(0)} s, ${traffic.takeFigures(seconds)}`);
  };

  let first = await start(old, 'api');
  let second = await start(old, 'api');
  let worker = await start(old, 'worker');
  const upstreams = new Upstreams([first.test, second.test]);
  const before = new Vault(oldKey);
  await openRing(db, before, { secretsKey: oldKey, secretsKeysOld: [] });
  const oldData = before.ring.keys.get(before.ring.current) as Buffer;

  const traffic = new RotationTraffic({ upstreams, key: env.BOOTSTRAP_TEST_KEY, endpoint, db, provider: before, perSecond });
  await traffic.start();
  await traffic.untilCalled(20);
  await fillRows(db, before);
  tell('made ready');
  await traffic.untilCalled(40);
  tell('before');
  const keys = { master: Buffer.from(oldKey, 'hex'), data: oldData };
  const wrapped = [oldData, before.ring.index as Buffer];
  const opened = async () => openedInDump(await postgres.dump('rotation', 'plain'), keys, wrapped);
  const dumped = await opened();
  // What is looked for at the end is there now.
  expect(dumped['data']).toMatchObject({
    bank_account: rows + 1,
    webhook: expect.any(Number),
    signing_key: expect.any(Number),
    mpp_session: 1,
  });
  expect(dumped['master']).toEqual({ data_key_wrap: 2 });

  /** Replaces a process by one with other settings. The other one serves meanwhile. */
  const replace = async (running: ServerProcess, other: ServerProcess, settings: Settings): Promise<ServerProcess> => {
    await upstreams.use([other.test]);
    expect(await running.kill('SIGTERM')).toMatchObject({ code: 0 });
    const next = await start(settings, 'api');
    await upstreams.use([other.test, next.test]);
    await traffic.untilCalled(5);
    return next;
  };
  // The new key beside the old one in a process, then under it, and old, both and new at once.
  second = await replace(second, first, both);
  expect(await secrets(both, 'rotate')).toMatchObject({ code: 0 });
  expect(await worker.kill('SIGTERM')).toMatchObject({ code: 0 });
  worker = await start(fresh, 'worker');
  await traffic.untilCalled(20);
  const oldName = masterKey(oldKey).name;
  expect((await secrets(both, 'retire', oldName)).said).toContain('restart it with the new settings');

  // A new data key among the three. The worker that seals again is killed over and over.
  tell('the new master key');
  const rotated = await secrets(both, 'rotate', '--data');
  expect(rotated, JSON.stringify(rotated.said)).toMatchObject({ code: 0, said: { data_key: 2 } });
  tell('a new data key is made known');
  const left = async () => {
    const { rows: found } = await db.query(
      `SELECT count(*)::int AS count FROM bank_account WHERE substring(sealed_details FROM 1 FOR 8) <> '\\x4150563100000002'`,
    );
    return found[0].count as number;
  };
  const at: number[] = [];
  for (let n = 0; n < kills; n += 1) {
    // Half of them while it is known to be at work, the others at any moment from its start on.
    const yet = await left();
    if (n % 2 === 0) await expect.poll(left, { timeout: 120_000, interval: 50 }).toBeLessThan(yet);
    await pause(random.next().value * 3_000);
    at.push(await left());
    await worker.kill('SIGKILL');
    worker = await start(fresh, 'worker');
  }
  expect(at.filter((count) => count > 0 && count < rows).length).toBeGreaterThan(1);
  tell(`killed with ${at.join(', ')} left`);
  const sealedByOld = async () => (await status(both)).dataKeys.find(({ id }: { id: number }) => id === 1).sealed;
  await expect.poll(sealedByOld, { timeout: 600_000, interval: 2_000 }).toEqual({});
  tell('sealed again');

  // The old key out of the last processes, and retired.
  first = await replace(first, second, fresh);
  second = await replace(second, first, fresh);
  expect(await secrets(fresh, 'retire', oldName)).toMatchObject({ code: 0 });
  await traffic.untilCalled(20);
  expect((await secrets(fresh, 'retire', '1')).said).toMatch(/may live for 24 h after its end|ended a moment ago/);
  await traffic.stop();
  tell('the old master key is out');
  console.info(Object.fromEntries(traffic.calls));
  expect(traffic.faults).toEqual([]);
  await traffic.verify();

  await expect.poll(async () => (await secrets(fresh, 'retire', '1', '--force')).code, { timeout: 120_000, interval: 1_000 }).toBe(0);
  const { dataKeys, masters, unknownKeys } = await status(fresh);
  expect({ masters, unknownKeys, ids: dataKeys.map(({ id }: { id: number }) => id) }).toEqual({
    masters: [{ name: masterKey(newKey).name, inSettings: true, wraps: 2 }],
    unknownKeys: [],
    ids: [0, 2],
  });
  expect(await opened()).toEqual({ master: {}, data: {} });
  await traffic.verifyNewest();
});

/** Rows with sealed values, as many as take the worker some time. */
async function fillRows(db: pg.Pool, vault: Vault): Promise<void> {
  const { rows: accounts } = await db.query('SELECT workspace_id, id FROM account LIMIT 1');
  const details = JSON.stringify({ routing_number: '021000021', account_number: '123456789' });
  const ids = Array.from({ length: rows }, () => randomUUID());
  await db.query(
    `INSERT INTO bank_account (workspace_id, id, account_id, rail, holder_name, sealed_details, last4, is_default, created_at, updated_at)
     SELECT $1, id, $2, 'ach', 'Made-up', sealed, '6789', false, now(), now() FROM unnest($3::uuid[], $4::bytea[]) AS r (id, sealed)`,
    [accounts[0].workspace_id, accounts[0].id, ids, ids.map((id) => vault.seal(details, id))],
  );
}
