// `migrate --plan`: what would be applied, and which locks it takes. PostgreSQL is the judge: pg_locks of each migration and function.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readMigrations } from '../../../src/platform/postgres/migration-file.js';
import { migrationPlan, readCatalog } from '../../../src/platform/postgres/migration-plan.js';
import { readFunctions } from '../../../src/platform/postgres/sql-file.js';
import { statementsOf } from '../../../src/platform/postgres/sql-statement.js';
import { locksOf } from '../../../src/platform/postgres/statement-lock.js';
import { type NewDatabase, newDatabase } from '../../new-database.js';

const dir = fileURLToPath(new URL('../../../prisma', import.meta.url));

let database: NewDatabase;
let db: pg.Client;

beforeAll(async () => {
  database = await newDatabase({ empty: true });
  db = new pg.Client({ connectionString: database.url });
  await db.connect();
});

afterAll(async () => {
  await db.end();
  await database.drop();
});

/** What somebody else waits for: weaker modes disturb no reader and no writer. */
const strong = ['SHARE UPDATE EXCLUSIVE', 'SHARE', 'SHARE ROW EXCLUSIVE', 'EXCLUSIVE', 'ACCESS EXCLUSIVE'];

/** Names by number: what a statement has dropped is locked too. */
const tables = async () =>
  new Map(
    (
      await db.query(`select oid, relname from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace`)
    ).rows.map(({ oid, relname }) => [oid as number, relname as string]),
  );

/** The strong locks that a text takes on tables which are there before it, and stays applied. */
async function measured(sql: string): Promise<string[]> {
  const before = await tables();
  await db.query('begin');
  await db.query(sql);
  const { rows } = await db.query<{ relation: number; mode: string }>(
    `select relation, upper(regexp_replace(replace(mode, 'Lock', ''), '([a-z])([A-Z])', '\\1 \\2', 'g')) as mode
     from pg_locks where pid = pg_backend_pid() and locktype = 'relation'`,
  );
  await db.query('commit');
  const strongest = new Map<string, string>();
  for (const { relation, mode } of rows) {
    const table = before.get(relation);
    if (table !== undefined && strong.indexOf(mode) > strong.indexOf(strongest.get(table) ?? '')) strongest.set(table, mode);
  }
  return [...strongest].map(([table, mode]) => `${table} ${mode}`).sort();
}

async function told(sql: string): Promise<string[]> {
  const { tables: found, unknown } = locksOf(await statementsOf(sql), await readCatalog(db));
  return [...found.filter(({ mode }) => strong.includes(mode)).map(({ table, mode }) => `${table} ${mode}`), ...unknown].sort();
}

describe('locksOf', () => {
  it('tells of every migration and every function the locks that PostgreSQL takes', async () => {
    const migrations = (await readMigrations(dir)).map(({ name, sql }) => ({ name, sql }));
    const texts = [...migrations, ...(await readFunctions(path.join(dir, 'functions')))];
    expect(texts.length).toBeGreaterThan(80);
    for (const { name, sql } of texts) {
      const expected = await told(sql);
      // What is made beside the traffic is in no transaction, at whose end its locks could be seen.
      if (/\bCONCURRENTLY\b/.test(sql)) {
        expect({ name, modes: [...new Set(expected.map((lock) => lock.replace(/^\S+ /, '')))] }).toEqual({
          name,
          modes: ['SHARE UPDATE EXCLUSIVE'],
        });
        await db.query(sql);
      } else expect({ name, locks: await measured(sql) }).toEqual({ name, locks: expected });
    }
  });

  const cases: [string, string][] = [
    ['a column with a default that is the same for all', 'alter table purse add column made timestamptz default now()'],
    ['a check that is not validated', 'alter table purse add constraint positive check (cents > 0) not valid'],
    ['its validation', 'alter table purse validate constraint positive'],
    ['a reference', 'alter table purse add constraint owned foreign key (owner_id) references owner (id) not valid'],
    ['its validation, which reads the other table', 'alter table purse validate constraint owned'],
    ['its end', 'alter table purse drop constraint owned'],
    ['a column that is gone', 'alter table purse drop column made'],
    ['a renamed column', 'alter table purse rename column cents to units'],
    ['its name again', 'alter table purse rename column units to cents'],
    ['an index', 'create index purse_owner on purse (owner_id)'],
    ['the end of an index', 'drop index purse_owner'],
    ['a comment and a type', `comment on table purse is 'p'; create type colour as enum ('red')`],
    ['a table that refers to another', 'create table coin (id int primary key, purse_id int references purse (id))'],
    ['the end of that table', 'drop table coin'],
    ['settings of the vacuum', 'alter table purse set (autovacuum_vacuum_scale_factor = 0.01)'],
    ['all rows away', 'truncate purse'],
    ['changes of rows', 'insert into owner values (1); update owner set id = 2; delete from owner'],
  ];

  it('tells the locks of what a migration may say', async () => {
    await db.query('create table owner (id int primary key); create table purse (id int primary key, cents bigint, owner_id int)');
    for (const [what, sql] of cases) {
      const expected = await told(sql);
      expect({ what, locks: await measured(sql) }).toEqual({ what, locks: expected });
    }
  });

  it('says which of them read or write all rows, and what it does not know', async () => {
    const long = async (sql: string) => locksOf(await statementsOf(sql), await readCatalog(db));
    expect(await long(`alter table purse add column made timestamptz default clock_timestamp()`)).toEqual({
      tables: [{ table: 'purse', mode: 'ACCESS EXCLUSIVE', isLong: true }],
      unknown: [],
    });
    expect(await long('alter table purse add column made timestamptz default now()')).toEqual({
      tables: [{ table: 'purse', mode: 'ACCESS EXCLUSIVE' }],
      unknown: [],
    });
    expect((await long('alter table purse alter column cents type numeric')).tables[0]?.isLong).toBe(true);
    expect((await long('create index concurrently i on purse (cents)')).tables).toEqual([
      { table: 'purse', mode: 'SHARE UPDATE EXCLUSIVE', isLong: true },
    ]);
    expect(await long('do $$ begin end $$')).toEqual({ tables: [], unknown: ['DoStmt'] });
  });
});

describe('migrationPlan', () => {
  it('lists all of an empty database in the order of migrate, and makes nothing', async () => {
    const empty = await newDatabase({ empty: true });
    try {
      const steps = await migrationPlan(empty.url);
      const names = (await readdir(path.join(dir, 'migrations'), { withFileTypes: true })).filter((entry) => entry.isDirectory());
      expect(steps.filter(({ name }) => !name.startsWith('function '))).toHaveLength(names.length);
      expect(steps[0]).toEqual({ name: '20261124000000_init', kind: 'expand', waitsFor: [], tables: [], unknown: [] });
      const own = new pg.Client({ connectionString: empty.url });
      await own.connect();
      expect((await own.query('select count(*)::int as count from pg_tables where schemaname = current_schema()')).rows).toEqual([
        { count: 0 },
      ]);
      await own.end();
    } finally {
      await empty.drop();
    }
  });
});
