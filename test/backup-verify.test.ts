// `cli backup verify`: a backup that could be gone on from is good, one that lies is found, and nothing is left behind.
import { randomBytes } from 'node:crypto';
import { appendFile, cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../src/config.js';
import { createTenant } from '../src/contexts/identity/tenant.js';
import { createLogger } from '../src/platform/log.js';
import { startEmbeddedPostgres } from '../src/platform/postgres/embedded-server.js';
import { migrate } from '../src/platform/postgres/migration.js';
import { Vault } from '../src/platform/secrets/vault.js';
import { type RunningServer, startServer } from '../src/server.js';
import { runHere } from './command.js';
import { admin } from './database.js';
import { transferBody } from './factories/payment.js';
import { newPayer, newPayout } from './factories/payout.js';
import { Client, openWallet } from './harness.js';
import { buildOnce, copyData, launchCli, makeDataDir, runCli } from './process.js';
import { hasSystemPostgres, SystemPostgres } from './system-postgres.js';

const secretsKey = randomBytes(32).toString('hex');
const silent = createLogger('silent');
const asOwner = "SET session_replication_role = 'replica'";

/** A server on a database, without a worker. Payments, a payout that waits, a webhook and a signed head are made with it. */
async function live(databaseUrl: string, key: string, work: (client: Client, server: RunningServer) => Promise<void>): Promise<void> {
  const memory = await mkdtemp(path.join(tmpdir(), 'memory-'));
  const env = { DATABASE_URL: databaseUrl, SECRETS_KEY: key, PORT: '0', SANDBOX_PORT: '0', PLATFORM_MEMORY: memory };
  const server = await startServer({ config: { ...loadConfig(env), databaseUrl, secretsKey: key }, log: silent, pollMs: 0 });
  try {
    const { testKey } = await createTenant(server.platform, { name: 'Backed up' });
    await work(new Client(server.urls.test ?? '', testKey), server);
  } finally {
    await server.stop();
    await rm(memory, { recursive: true, force: true });
  }
}

async function pay(client: Client): Promise<void> {
  const [from, to] = [await openWallet(client, { funded: '100.00' }), await openWallet(client)];
  for (const amount of ['1.00', '2.00', '3.00']) await client.make('/v1/transfers', transferBody(from.wallet, to.wallet, amount));
  await client.make('/v1/webhooks', { url: 'https://example.com/hook', events: ['*'] });
  await newPayout(client, await newPayer(client));
  await client.get('/v1/evidence/head');
}

describe.skipIf(!hasSystemPostgres)('backup verify of dumps', () => {
  let postgres: SystemPostgres;
  const said: string[] = [];

  /** Runs the command in this process. Everything that it has said is kept, to look for secrets in. */
  const verify = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const ended = await runHere(['backup', 'verify', ...args], { DATABASE_URL: postgres.url, SECRETS_KEY: secretsKey, ...env });
    said.push(ended.stdout, ended.stderr);
    return ended;
  };

  /** A dump of the database after one statement that nobody should have made. */
  const altered = async (name: string, statement: string) => {
    const url = await postgres.create(name, 'original');
    await admin(url, `${asOwner}; ${statement}`);
    return postgres.dump(name);
  };

  beforeAll(async () => {
    await buildOnce();
    postgres = await SystemPostgres.start();
    const url = await postgres.create('original');
    await migrate(url);
    await live(url, secretsKey, pay);
  }, 120_000);

  afterAll(async () => {
    const left = await admin(postgres.url, "SELECT datname FROM pg_database WHERE datname LIKE 'backup_verify%'");
    await postgres.stop();
    expect(left).toEqual([]);
    expect(said.join('\n')).not.toContain(secretsKey);
    expect(said.join('\n')).not.toContain('of-the-database');
  });

  describe('0', () => {
    it.each(['custom', 'directory', 'tar', 'plain'] as const)('for a whole dump (%s)', async (format) => {
      const { code, stdout, stderr } = await verify(['--dump', await postgres.dump('original', format), '--json']);
      expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
      const report = JSON.parse(stdout);
      expect(report.checks.map(({ name, status }: { name: string; status: string }) => `${name} ${status}`)).toEqual([
        'migrations ok',
        'files ok',
        'sequences ok',
        'secrets ok',
        'ledger ok',
        'logs ok',
      ]);
      expect(report).toMatchObject({
        valid: true,
        orders: [{ id: expect.stringMatching(/^po_/), rail: 'ach', amount: '100.00', currency: 'USD' }],
        newest_entry: expect.stringMatching(/^\d{4}-/),
      });
    });

    it('for a database that is served, which stays as it is, and in words', async () => {
      const sums = 'SELECT count(*) AS lines, max(id::text) AS last FROM audit_entry';
      const before = await admin(postgres.urlOf('original'), sums);
      const { code, stdout } = await verify(['--url', postgres.urlOf('original'), '--scratch', postgres.url], { DATABASE_URL: '' });
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(/Orders without a reference[\s\S]*po_[\w-]+ ach 100\.00 USD\nThe backup is good\./),
      ]);
      expect(await admin(postgres.urlOf('original'), sums)).toEqual(before);
    });

    it('on a PostgreSQL of its own, where no server is named', async () => {
      const file = await postgres.dump('original');
      const { code, stdout, stderr } = await runCli(['backup', 'verify', '--dump', file], {
        SECRETS_KEY: secretsKey,
        DATA_DIR: '/nowhere',
      });
      expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    });
  });

  describe('1', () => {
    it('for a dump that lies, each lie named', async () => {
      const newest = (table: string, where: string) => `id = (SELECT id FROM ${table} WHERE ${where} ORDER BY id DESC LIMIT 1)`;
      const sealed = new Vault(randomBytes(32).toString('hex')).seal('whsec_other', randomBytes(16).toString('hex')).toString('hex');
      const lies = [
        `UPDATE ledger_entry SET amount = amount + 1 WHERE (account_id, version) IN (SELECT account_id, max(version) FROM ledger_entry
           GROUP BY account_id LIMIT 1)`,
        `DELETE FROM transfer WHERE ${newest('transfer', "status = 'completed'")}`,
        `UPDATE webhook SET sealed_secret = decode('${sealed}', 'hex')`,
        `DELETE FROM audit_entry WHERE ${newest('audit_entry', "resource_type = 'webhook'")}`,
        "SELECT setval('audit_entry_position_seq', 1)",
      ];
      const { code, stdout } = await verify(['--dump', await altered('lying', lies.join('; ')), '--json']);
      const { valid, checks } = JSON.parse(stdout);
      expect([code, valid], stdout).toEqual([1, false]);
      const found: string[] = checks.flatMap((check: { name: string; found: string[] }) =>
        check.found.map((fault) => `${check.name}: ${fault}`),
      );
      for (const named of [
        /^ledger: an account differs from the sum of its entries: /,
        /^ledger: entries belong to no transaction: /,
        /^secrets: 1 of 1 values of webhook.sealed_secret do not open; the first: row [\w-]+, which another key has sealed/,
        /^logs: workspace [\w-]+ \(test\): The log is broken at /,
        /^sequences: audit_entry_position_seq gives 2 next, and audit_entry.position has \d+ already$/,
      ])
        expect(found).toContainEqual(expect.stringMatching(named));
    });

    it.each([
      ['an altered entry', `UPDATE ledger_entry SET balance_after = balance_after + 1 WHERE version = 1`],
      ['a missing transaction', `DELETE FROM transfer WHERE status = 'completed'`],
      ['a sealed value of another row', `UPDATE bank_account SET sealed_details = (SELECT sealed_secret FROM webhook)`],
      ['one audit entry less', `DELETE FROM audit_entry WHERE resource_type = 'webhook'`],
    ])('for %s alone', async (name, lie) => {
      const { code, stdout } = await verify(['--dump', await altered(name.replaceAll(' ', '_'), lie)]);
      expect([code, stdout]).toEqual([1, expect.stringMatching(/^FAILED +\w+ [\s\S]*The backup is NOT good\.$/m)]);
    });

    it('for the dump of a newer release, which it names', async () => {
      const row = `INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name) VALUES ('1', 'f', now(), '20990101000000_later')`;
      const { code, stdout } = await verify(['--dump', await altered('newer', row)]);
      expect([code, stdout]).toEqual([1, expect.stringMatching(/FAILED +migrations[\s\S]*20990101000000_later is of a newer release/)]);
    });

    it('for the database of another program', async () => {
      await admin(await postgres.create('other'), 'CREATE TABLE poem (line text)');
      const { code, stdout } = await verify(['--dump', await postgres.dump('other')]);
      expect([code, stdout]).toEqual([1, expect.stringContaining('it is the database of another program')]);
    });

    it.each(['custom', 'plain'] as const)('for a dump that is cut in the middle (%s)', async (format) => {
      const file = await postgres.dump('original', format);
      const cut = `${file}.cut`;
      await cp(file, cut);
      await truncate(cut, Math.floor((await readFile(file)).length * 0.6));
      const { code, stdout } = await verify(['--dump', cut]);
      expect([code, stdout]).toEqual([1, expect.stringMatching(/^FAILED +The dump .*\.cut cannot be restored: /)]);
    });

    it('for a file of another program, an empty one, and one with commands of psql', async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'dumps-'));
      const [other, empty, hostile] = ['other', 'empty', 'hostile'].map((name) => path.join(folder, name)) as [string, string, string];
      await writeFile(other, randomBytes(4_000));
      await writeFile(empty, '');
      await cp(await postgres.dump('original', 'plain'), hostile);
      await appendFile(hostile, '\\! touch /tmp/never\n');
      expect(await verify(['--dump', other])).toMatchObject({ code: 1, stdout: expect.stringContaining('is no dump of PostgreSQL') });
      expect(await verify(['--dump', empty])).toMatchObject({ code: 1, stdout: expect.stringContaining('it is empty') });
      expect(await verify(['--dump', folder])).toMatchObject({ code: 1, stdout: expect.stringContaining('the folder has no toc.dat') });
      expect(await verify(['--dump', hostile])).toMatchObject({ code: 1, stdout: expect.stringContaining('has a command of psql, \\!') });
      await rm(folder, { recursive: true });
    });

    it('for the wrong master key', async () => {
      const { code, stdout } = await verify(['--dump', await postgres.dump('original')], { SECRETS_KEY: randomBytes(32).toString('hex') });
      expect([code, stdout]).toEqual([
        1,
        expect.stringMatching(/FAILED +secrets[\s\S]*the data key 1 is wrapped under [0-9a-f]{8}, which SECRETS_KEY is not/),
      ]);
      expect(stdout).toMatch(/ok +ledger/);
    });
  });

  describe('2', () => {
    it('without a backup, with two, and without a key', async () => {
      expect(await verify([])).toMatchObject({ code: 2, stderr: expect.stringContaining('Name one backup') });
      expect(await verify(['--dump', 'a', '--url', 'b'])).toMatchObject({ code: 2, stderr: expect.stringContaining('Name one backup') });
      expect(await verify(['--dump', 'a', '--colour', 'b'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--colour') });
      const without = await runHere(['backup', 'verify', '--dump', 'a'], { DATA_DIR: '/nowhere' });
      expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('SECRETS_KEY is required') });
    });

    it('for a file that is missing, with --json too', async () => {
      expect(await verify(['--dump', '/tmp/no-such.dump'])).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no file') });
      const { code, stdout } = await verify(['--dump', '/tmp/no-such.dump', '--json']);
      expect([code, JSON.parse(stdout)]).toEqual([2, { valid: null, error: expect.stringContaining('There is no file') }]);
    });

    it('without pg_restore, psql or pg_dump, which it names', async () => {
      const nowhere = { PATH: '/nowhere' };
      const [custom, plain] = [await postgres.dump('original'), await postgres.dump('original', 'plain')];
      expect(await verify(['--dump', custom], nowhere)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('pg_restore is not in the PATH'),
      });
      expect(await verify(['--dump', plain], nowhere)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('psql is not in the PATH'),
      });
      const served = await verify(['--url', postgres.urlOf('original')], nowhere);
      expect(served).toMatchObject({ code: 2, stderr: expect.stringContaining('pg_dump is not in the PATH') });
    });

    it('where no scratch can be made', async () => {
      const file = await postgres.dump('original');
      const nobody = await verify(['--dump', file, '--scratch', 'postgresql://postgres:of-the-database@127.0.0.1:1/postgres']);
      expect(nobody).toMatchObject({ code: 2, stderr: expect.stringContaining('No scratch database can be made there') });
      await admin(postgres.url, 'CREATE ROLE reader LOGIN');
      const reader = await verify(['--dump', file, '--scratch', postgres.url.replace('postgres:of-the-database', 'reader')]);
      expect(reader).toMatchObject({ code: 2, stderr: expect.stringContaining('permission denied to create database') });
    });

    it('when it is interrupted, and its scratch goes', async () => {
      const scratches = () => admin(postgres.url, "SELECT datname FROM pg_database WHERE datname LIKE 'backup_verify%'");
      const env = { DATABASE_URL: postgres.url, SECRETS_KEY: secretsKey };
      const command = launchCli(['backup', 'verify', '--dump', await postgres.dump('original')], env);
      await expect.poll(async () => (await scratches()).length, { interval: 5 }).toBe(1);
      const { code, stderr } = await command.kill('SIGINT');
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('It was stopped.') });
      expect(await scratches()).toEqual([]);
    });
  });
});

describe('backup verify of the files of an embedded database', () => {
  const opened: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of opened.reverse()) await close();
  });

  it('0 for a copy, 1 for a damaged one, 2 for one that runs or is not there', async () => {
    const data = await makeDataDir();
    opened.push(data.remove);
    const server = await startEmbeddedPostgres({ dataDir: data.dataDir, durable: false, notice: () => {} });
    await migrate(server.url);
    await writeFile(path.join(data.dataDir, 'secrets-key'), `${secretsKey}\n`);
    await live(server.url, secretsKey, pay);
    const verify = (folder: string) => runHere(['backup', 'verify', '--data-dir', folder], {});
    expect(await verify(data.dataDir)).toMatchObject({ code: 2, stderr: expect.stringContaining('runs. Stop it') });
    await server.stop();

    const copy = `${data.dataDir}-copy`;
    await copyData(data.dataDir, copy);
    const good = await verify(copy);
    expect(good, good.stdout + good.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ok +files +amcheck[\s\S]*The backup is good\./),
    });
    expect(await readFile(path.join(copy, 'postgres', 'PG_VERSION'))).toEqual(
      await readFile(path.join(data.dataDir, 'postgres', 'PG_VERSION')),
    );

    await rm(path.join(copy, 'postgres', 'global', 'pg_control'));
    expect(await verify(copy)).toMatchObject({ code: 1, stdout: expect.stringMatching(/^FAILED +The files in .* cannot be opened: /) });
    expect(await verify(`${copy}-nowhere`)).toMatchObject({ code: 2, stderr: expect.stringContaining('SECRETS_KEY is required') });
    const empty = await runHere(['backup', 'verify', '--data-dir', `${copy}-nowhere`], { SECRETS_KEY: secretsKey });
    expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no database in') });
  }, 120_000);
});
