// The migration runner on a real PostgreSQL: Prisma's table and checksums, one transaction per migration, edits refused, races safe.
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../../../src/platform/postgres/migration.js';
import { pendingMigrations } from '../../../src/platform/postgres/migration-history.js';
import { type NewDatabase, newDatabase } from '../../new-database.js';

let folder: string;
let database: NewDatabase;
let url: string;
let dir: string;
let db: pg.Client;

/** A plpgsql body, so that a runner which splits at semicolons fails. */
const first = `create table purse (id int primary key, cents bigint not null);
create function spend(purse_id int, amount bigint) returns bigint language plpgsql as $$
begin
  update purse set cents = cents - amount where id = purse_id;
  return amount;
end $$;
insert into purse values (1, 100);`;
const second = `select spend(1, 40);\nalter table purse add column note text default 'a;b';`;

async function write(name: string, sql: string): Promise<void> {
  await mkdir(path.join(dir, 'migrations', name), { recursive: true });
  await writeFile(path.join(dir, 'migrations', name, 'migration.sql'), sql);
}

beforeEach(async () => {
  database = await newDatabase({ empty: true });
  url = database.url;
  folder = await mkdtemp(path.join(tmpdir(), 'migrate-'));
  dir = path.join(folder, 'prisma');
  await write('20250101000000_first', first);
  await write('20250102000000_second', second);
  await writeFile(path.join(dir, 'migrations', 'migration_lock.toml'), 'provider = "postgresql"\n');
  db = new pg.Client({ connectionString: url });
  await db.connect();
});

afterEach(async () => {
  await db.end();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

describe('migrate', () => {
  it('applies in order, once, and records as Prisma Migrate does', async () => {
    expect(await migrate(url, { dir })).toEqual(['20250101000000_first', '20250102000000_second']);
    expect(await migrate(url, { dir })).toEqual([]);
    expect((await db.query('select * from purse')).rows).toEqual([{ id: 1, cents: '60', note: 'a;b' }]);
    const { rows } = await db.query('select * from _prisma_migrations order by migration_name');
    expect(rows).toHaveLength(2);
    expect(rows[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      checksum: createHash('sha256').update(first).digest('hex'),
      migration_name: '20250101000000_first',
      started_at: expect.any(Date),
      finished_at: expect.any(Date),
      rolled_back_at: null,
      logs: null,
      applied_steps_count: 1,
    });
  });

  it('goes on where it stopped', async () => {
    await migrate(url, { dir });
    await write('20250103000000_third', 'select spend(1, 10);');
    expect(await migrate(url, { dir })).toEqual(['20250103000000_third']);
  });

  it('applies each migration once when processes start together', async () => {
    const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(url, { dir })));
    expect(applied.flat().sort()).toEqual(['20250101000000_first', '20250102000000_second']);
    expect((await db.query('select cents from purse')).rows).toEqual([{ cents: '60' }]);
  });

  it('takes a failed migration back whole, keeps those before it, and says where it failed', async () => {
    await write('20250103000000_third', 'select spend(1, 10);\n\nselect spend(1, nothing);');
    await expect(migrate(url, { dir })).rejects.toThrow(
      /20250103000000_third failed and was rolled back, line 3: column "nothing" does not exist/,
    );
    expect((await db.query('select cents from purse')).rows).toEqual([{ cents: '60' }]);
    expect(await pendingMigrations(db, dir)).toEqual(['20250103000000_third']);
    await write('20250103000000_third', 'select spend(1, 10);');
    expect(await migrate(url, { dir })).toEqual(['20250103000000_third']);
  });

  it('refuses a migration that was changed after it was applied, before it does anything', async () => {
    await migrate(url, { dir });
    await write('20250102000000_second', `${second}\n-- changed`);
    await write('20250103000000_third', 'select spend(1, 10);');
    await expect(migrate(url, { dir })).rejects.toThrow('Migration 20250102000000_second was changed after it was applied');
    expect((await db.query('select cents from purse')).rows).toEqual([{ cents: '60' }]);
  });

  it('refuses a history that another tool left half-way', async () => {
    await migrate(url, { dir });
    await db.query(`update _prisma_migrations set finished_at = null where migration_name = '20250102000000_second'`);
    await expect(migrate(url, { dir })).rejects.toThrow(/20250102000000_second was begun by another tool/);
    await db.query(`update _prisma_migrations set rolled_back_at = now() where finished_at is null`);
    await db.query('alter table purse drop column note');
    expect(await migrate(url, { dir })).toEqual(['20250102000000_second']);
  });

  describe('an initial migration that replaces others', () => {
    const sha256 = (sql: string) => createHash('sha256').update(sql).digest('hex');
    const names = async () =>
      (await db.query('select migration_name from _prisma_migrations order by 1')).rows.map((row) => row.migration_name);
    const replace = async () => {
      for (const name of ['20250101000000_first', '20250102000000_second'])
        await rm(path.join(dir, 'migrations', name), { recursive: true });
      await write('20250103000000_initial', 'create table purse (id int primary key, cents bigint not null, note text);');
      const lines = [`${sha256(first)}  20250101000000_first`, `${sha256(second)}  20250102000000_second`];
      await writeFile(path.join(dir, 'migrations', '20250103000000_initial', 'replaces.sha256'), `${lines.join('\n')}\n`);
    };

    it('is applied to an empty database', async () => {
      await replace();
      expect(await migrate(url, { dir })).toEqual(['20250103000000_initial']);
      expect((await db.query('select * from purse')).rows).toEqual([]);
      expect(await names()).toEqual(['20250103000000_initial']);
    });

    it('is entered, once, for a database that has just these, which stays as it is', async () => {
      await migrate(url, { dir });
      await replace();
      await write('20250104000000_next', 'alter table purse add column owner text;');
      expect(await pendingMigrations(db, dir)).toEqual(['20250103000000_initial', '20250104000000_next']);
      const applied = await Promise.all([1, 2, 3].map(() => migrate(url, { dir })));
      expect(applied.flat()).toEqual(['20250104000000_next']);
      expect((await db.query('select * from purse')).rows).toEqual([{ id: 1, cents: '60', note: 'a;b', owner: null }]);
      expect(await names()).toEqual(['20250101000000_first', '20250102000000_second', '20250103000000_initial', '20250104000000_next']);
      expect(await pendingMigrations(db, dir)).toEqual([]);
    });

    it('refuses a database with any other history, and does nothing to it', async () => {
      await migrate(url, { dir });
      await replace();
      const refuse = async (change: string, reason: string) => {
        await db.query('begin');
        await db.query(change);
        const before = await names();
        await db.query('commit');
        await expect(migrate(url, { dir })).rejects.toThrow(
          `The tables of this database are not those of 20250103000000_initial: ${reason}. Start with an empty database`,
        );
        expect(await names()).toEqual(before);
      };
      await refuse(
        `insert into _prisma_migrations select 'x', checksum, now(), '20250102120000_mine' from _prisma_migrations limit 1`,
        'it does not know migration 20250102120000_mine',
      );
      await refuse(
        `update _prisma_migrations set checksum = repeat('0', 64) where migration_name = '20250101000000_first'`,
        'migration 20250101000000_first was applied in another form',
      );
      await refuse(
        `delete from _prisma_migrations where migration_name = '20250101000000_first'`,
        'migration 20250101000000_first was not applied',
      );
    });
  });

  it("applies the package's own migrations when told no folder", async () => {
    await migrate(url);
    expect(await pendingMigrations(db)).toEqual([]);
  });
});

describe('pendingMigrations', () => {
  it('names what is to do, and changes nothing', async () => {
    expect(await pendingMigrations(db, dir)).toEqual(['20250101000000_first', '20250102000000_second']);
    expect((await db.query(`select to_regclass('_prisma_migrations') as found`)).rows).toEqual([{ found: null }]);
    await migrate(url, { dir });
    expect(await pendingMigrations(db, dir)).toEqual([]);
  });

  it('is not disturbed by newer migrations than the code has', async () => {
    await migrate(url, { dir });
    await rm(path.join(dir, 'migrations', '20250102000000_second'), { recursive: true });
    expect(await pendingMigrations(db, dir)).toEqual([]);
    expect(await migrate(url, { dir })).toEqual([]);
  });
});
