// The kinds of migration (decision 0093): what the first line may say, in which order they run, what each waits for.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MigrateOptions, migrate } from '../../../src/platform/postgres/migration.js';
import { kindOf } from '../../../src/platform/postgres/migration-file.js';
import { pendingMigrations } from '../../../src/platform/postgres/migration-history.js';
import { migrationPlan } from '../../../src/platform/postgres/migration-plan.js';
import { type NewDatabase, newDatabase } from '../../new-database.js';

let database: NewDatabase;
let dir: string;
let db: pg.Client;
let other: pg.Client;

async function write(name: string, ...lines: string[]): Promise<void> {
  await mkdir(path.join(dir, 'migrations', name), { recursive: true });
  await writeFile(path.join(dir, 'migrations', name, 'migration.sql'), lines.join('\n'));
}

const run = (options: MigrateOptions = {}) => migrate(database.url, { dir, version: '2.0.0', ...options });
const hasty = { lockTimeoutMs: 50, firstPauseMs: 20, longestPauseMs: 20, giveUpMs: 200 };
const columns = async () =>
  (await db.query(`select column_name from information_schema.columns where table_name = 'purse' order by 1`)).rows.map(
    (row) => row.column_name,
  );

beforeEach(async () => {
  database = await newDatabase({ empty: true });
  dir = await mkdtemp(path.join(tmpdir(), 'kinds-'));
  await write(
    '20250101000000_first',
    'create table purse (id int primary key, cents bigint not null, old text);',
    'insert into purse select n, n from generate_series(1, 250) n;',
    'create table process (id text, version text, role text, seen_at timestamptz);',
  );
  [db, other] = [new pg.Client({ connectionString: database.url }), new pg.Client({ connectionString: database.url })];
  await Promise.all([db.connect(), other.connect()]);
});

afterEach(async () => {
  await Promise.all([db.end(), other.end()]);
  await database.drop();
  await rm(dir, { recursive: true, force: true });
});

describe('kindOf', () => {
  const of = (...lines: string[]) => kindOf('20270101000000_new', lines.join('\n'));

  it('reads the first line, and counts as expand what is older than the kinds', () => {
    expect(of('-- expand', 'select 1;')).toEqual({ kind: 'expand' });
    expect(of('-- background', 'select 1;')).toEqual({ kind: 'background' });
    expect(of('-- contract 1.20.3', 'select 1;')).toEqual({ kind: 'contract', version: '1.20.3' });
    expect(kindOf('20261211000300_audit_key', 'select 1;')).toEqual({ kind: 'expand' });
  });

  it.each([
    ['no first line', ['create table a ();'], 'does not say what it is: its first line must be "-- expand", "-- background" or'],
    ['a kind in the second line', ['-- CreateTable', '-- expand'], 'does not say what it is'],
    ['nothing', [''], 'does not say what it is'],
    ['an unknown kind', ['-- shrink', 'select 1;'], 'does not say what it is'],
    ['two kinds', ['-- expand', 'select 1;', '-- background'], 'says two kinds: make two migrations of it, one for "-- background"'],
    ['two kinds in a line', ['-- expand background'], 'says more than its kind'],
    ['a contract of no version', ['-- contract'], 'is a contract of no version: its first line must be like "-- contract 1.2.0"'],
    ['a contract of two numbers', ['-- contract 1.2'], 'is a contract of no version'],
    ['a contract of words', ['-- contract next'], 'is a contract of no version'],
  ])('refuses %s', (_, lines, message) => {
    expect(() => of(...lines)).toThrow(`Migration 20270101000000_new ${message}`);
  });
});

describe('migrate', () => {
  it('at a start brings a new database the whole way, and of one that is there does what expands', async () => {
    await write('20270101000000_contract', '-- contract 2.0.0', 'alter table purse drop column old;');
    expect(await run({ kinds: 'start' })).toEqual(['20250101000000_first', '20270101000000_contract']);
    expect(await columns()).toEqual(['cents', 'id']);
    await write('20270102000000_more', '-- expand', 'alter table purse add column more text;');
    await write('20270103000000_less', '-- contract 2.0.0', 'alter table purse drop column cents;');
    expect(await run({ kinds: 'start' })).toEqual(['20270102000000_more']);
    expect(await columns()).toEqual(['cents', 'id', 'more']);
  });

  it('does first what expands, then what is in the background, then what takes away', async () => {
    await write('20270101000000_index', '-- background', 'create index concurrently purse_cents on purse (cents);');
    await write('20270102000000_less', '-- contract 2.0.0', 'alter table purse drop column old;');
    await write('20270103000000_more', '-- expand', 'alter table purse add column owner text;');
    expect(await run()).toEqual(['20250101000000_first', '20270103000000_more', '20270101000000_index', '20270102000000_less']);
    expect(await columns()).toEqual(['cents', 'id', 'owner']);
    expect(await run()).toEqual([]);
  });

  it('does what expands alone when a process starts, which waits for no more', async () => {
    await write('20270101000000_index', '-- background', 'create index concurrently purse_cents on purse (cents);');
    await write('20270102000000_less', '-- contract 2.0.0', 'alter table purse drop column old;');
    expect(await pendingMigrations(db, dir)).toEqual(['20250101000000_first']);
    expect(await run({ kinds: 'expand' })).toEqual(['20250101000000_first']);
    expect(await pendingMigrations(db, dir)).toEqual([]);
    expect(await run()).toEqual(['20270101000000_index', '20270102000000_less']);
  });

  it('refuses all of a folder with a migration of no kind, before it does anything', async () => {
    await write('20270101000000_more', 'alter table purse add column owner text;');
    await expect(run()).rejects.toThrow('Migration 20270101000000_more does not say what it is');
    expect((await db.query(`select to_regclass('purse') as found`)).rows).toEqual([{ found: null }]);
  });

  describe('expand', () => {
    it('waits 2 s for a lock at most, lets others pass, and tries again until it has it', async () => {
      await run();
      await write('20270101000000_more', '-- expand', 'alter table purse add column owner text;');
      await other.query('begin; select * from purse');
      const retries: string[] = [];
      const running = run({ patience: { ...hasty, giveUpMs: 60_000 }, onRetry: (text) => void retries.push(text) });
      await expect.poll(() => retries.length, { timeout: 20_000 }).toBeGreaterThan(2);
      // Who comes after it is not behind it.
      expect((await db.query('select count(*)::int as count from purse')).rows).toEqual([{ count: 250 }]);
      await other.query('commit');
      expect(await running).toEqual(['20270101000000_more']);
      expect(retries[0]).toMatch(
        /^20270101000000_more did not get its locks and is tried again in 20 ms\. The longest transactions: .*process \d+, for 0 s/,
      );
    });

    it('gives up after its time, says who holds on, and leaves nothing behind', async () => {
      await run();
      await write('20270101000000_more', '-- expand', 'create table half (id int);', 'alter table purse add column owner text;');
      await other.query('begin; select * from purse');
      await expect(run({ patience: hasty })).rejects.toThrow(
        /^20270101000000_more did not get its locks in \d+ tries: end what holds them, and migrate again\. The longest transactions: /,
      );
      expect((await db.query(`select to_regclass('half') as found`)).rows).toEqual([{ found: null }]);
      expect(await pendingMigrations(db, dir)).toEqual(['20270101000000_more']);
      await other.query('rollback');
    });
  });

  describe('background', () => {
    it('makes an index again that an interrupted attempt has left, and leaves one that is there', async () => {
      await run();
      await db.query('insert into purse values (1000, 1), (1001, 1)');
      await expect(db.query('create unique index concurrently purse_cents on purse (cents)')).rejects.toThrow(
        'could not create unique index',
      );
      await db.query('create index concurrently purse_old on purse (old)');
      const oidOf = async (name: string) => (await db.query('select $1::regclass::oid as oid', [name])).rows[0]?.oid;
      const [broken, good] = [await oidOf('purse_cents'), await oidOf('purse_old')];
      await db.query('delete from purse where id >= 1000');
      await write(
        '20270101000000_index',
        '-- background',
        'create unique index concurrently purse_cents on purse (cents);',
        '-- of names; "quoted" ones too',
        'create index concurrently "purse_old" on purse (old);',
      );
      expect(await run()).toEqual(['20270101000000_index']);
      expect(await oidOf('purse_cents')).not.toBe(broken);
      expect(await oidOf('purse_old')).toBe(good);
      expect((await db.query('select from pg_index where not indisvalid')).rowCount).toBe(0);
    });

    it('changes rows in sets until none is left, and goes on after an end in between', async () => {
      await run();
      const fill = `update purse set old = 'x' where id in (select id from purse where old is null order by id limit 100);`;
      await write('20270101000000_fill', '-- background', fill, `alter table purse alter column nothing set not null;`);
      await expect(run()).rejects.toThrow('Migration 20270101000000_fill failed');
      expect((await db.query('select count(*)::int as count from purse where old is null')).rows).toEqual([{ count: 0 }]);
      await db.query('insert into purse values (999, 9)');
      await write('20270101000000_fill', '-- background', fill, 'alter table purse alter column old set not null;');
      expect(await run()).toEqual(['20270101000000_fill']);
      expect((await db.query('select from purse where old is null')).rowCount).toBe(0);
    });

    it('is done once by runners that come together, and keeps nobody from expanding meanwhile', async () => {
      await run();
      await write('20270101000000_index', '-- background', 'create index concurrently purse_cents on purse (cents);');
      await other.query('begin; insert into purse values (500, 1)');
      const running = [1, 2, 3].map(() => run());
      const waits = `select from pg_stat_progress_create_index where phase like 'waiting%'`;
      await expect.poll(async () => (await db.query(waits)).rowCount, { timeout: 20_000 }).toBe(1);
      await write('20270102000000_more', '-- expand', 'create table beside (id int);');
      expect(await run({ kinds: 'expand' })).toEqual(['20270102000000_more']);
      await other.query('commit');
      expect((await Promise.all(running)).flat()).toEqual(['20270101000000_index']);
    });
  });

  describe('contract', () => {
    const enter = (version: string, seconds: number) =>
      db.query(`insert into process values ('one', $1, 'api', now() - make_interval(secs => $2))`, [version, seconds]);
    const waits = async () => (await migrationPlan(database.url, { dir, version: '2.0.0' })).map(({ waitsFor }) => waitsFor);

    beforeEach(async () => {
      await run();
      await write('20270101000000_less', '-- contract 1.10.0', 'alter table purse drop column old;');
    });

    it('waits for processes that are older, and not for those that are as new', async () => {
      await enter('1.9.0', 5);
      expect(await waits()).toEqual([[expect.stringMatching(/^the end of api process one of version 1\.9\.0, seen \d s ago$/)]]);
      expect(await run()).toEqual([]);
      await db.query(`update process set version = '1.10.0'`);
      expect(await waits()).toEqual([[]]);
      expect(await run()).toEqual(['20270101000000_less']);
    });

    it('takes a process for dead that was not seen for a minute', async () => {
      await enter('1.9.0', 61);
      expect(await run()).toEqual(['20270101000000_less']);
    });

    it('waits for connections of releases that do not enter themselves', async () => {
      const old = new pg.Client({ connectionString: database.url, application_name: 'agent-payments' });
      await old.connect();
      expect(await waits()).toEqual([['the end of 1 connections of a process of version before 0.2.0']]);
      expect(await run()).toEqual([]);
      await old.end();
      await expect.poll(() => run(), { timeout: 10_000 }).toEqual(['20270101000000_less']);
    });

    it('asks the directory of all cells, where another database has it', async () => {
      const cell = await newDatabase({ empty: true });
      try {
        const options = { dir, version: '2.0.0', directoryUrl: database.url };
        await enter('1.9.0', 5);
        expect(await migrate(cell.url, options)).toEqual(['20250101000000_first']);
        expect((await migrationPlan(cell.url, options)).map(({ waitsFor }) => waitsFor)).toEqual([[expect.stringContaining('1.9.0')]]);
        await db.query('delete from process');
        expect(await migrate(cell.url, options)).toEqual(['20270101000000_less']);
      } finally {
        await cell.drop();
      }
    });

    it('waits for what is in the background, which the plan says', async () => {
      await write('20270102000000_fill', '-- background', 'alter table purse alter column nothing set not null;');
      expect(await waits()).toEqual([[], ['migration 20270102000000_fill']]);
      await expect(run()).rejects.toThrow('20270102000000_fill failed');
      expect(await columns()).toContain('old');
    });
  });
});
