// SQL functions from files, on a real PostgreSQL: applied by checksum, replaced, kept for processes of the release before, dropped.
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { migrate } from '../../../src/platform/postgres/migration.js';
import { readFunctions } from '../../../src/platform/postgres/sql-file.js';
import { dropRetired, replaceFunctions, retiringReleases, settleTriggers } from '../../../src/platform/postgres/sql-function.js';
import { newDatabaseName } from '../../database.js';

const ours = fileURLToPath(new URL('../../../prisma/functions', import.meta.url));

let folder: string;
let db: pg.Client;
let name: string;

const write = (file: string, sql: string) => writeFile(path.join(folder, `${file}.sql`), sql);

async function inTransaction(work: () => Promise<void>): Promise<void> {
  await db.query('begin');
  try {
    await work();
    await db.query('commit');
  } catch (error) {
    await db.query('rollback');
    throw error;
  }
}

async function apply(release = '1.0.0'): Promise<string[]> {
  const files = await readFunctions(folder);
  let applied: string[] = [];
  await inTransaction(async () => {
    applied = await replaceFunctions(db, files, release);
  });
  await settleTriggers(db, files, release, (_, work) => inTransaction(work));
  return applied;
}

/** As the runner does once no process of before lives. */
async function forget(): Promise<string[]> {
  const dropped = [];
  for (const release of await retiringReleases(db)) dropped.push(...(await dropRetired(db, release)));
  return dropped;
}

const value = async (sql: string) => Object.values((await db.query(sql)).rows[0] as object)[0];

beforeAll(() => {
  name = newDatabaseName(inject('template'));
});

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'functions-'));
  const admin = new pg.Client({ connectionString: inject('databaseUrl') });
  await admin.connect();
  await admin.query(`drop database if exists ${name} with (force)`);
  await admin.query(`create database ${name}`);
  await admin.end();
  const url = new URL(inject('databaseUrl'));
  url.pathname = `/${name}`;
  db = new pg.Client({ connectionString: url.href });
  await db.connect();
  await db.query('create table coin (id int, side text)');
});

afterEach(async () => {
  await db.end();
  await rm(folder, { recursive: true, force: true });
});

const flip = `CREATE OR REPLACE FUNCTION flip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.side := word(NEW.id); RETURN NEW; END $$;
CREATE OR REPLACE TRIGGER flip BEFORE INSERT ON coin FOR EACH ROW EXECUTE FUNCTION flip();`;
const word = (says: string) => `CREATE OR REPLACE FUNCTION word(id int) RETURNS text LANGUAGE sql AS $$ SELECT '${says}' $$;`;

describe('replaceFunctions', () => {
  it('makes what is called first, once, and replaces what changed', async () => {
    await write('above', 'CREATE OR REPLACE FUNCTION above() RETURNS text LANGUAGE sql AS $$ SELECT word(1) $$;');
    await write('flip', flip);
    await write('word', word('heads'));
    expect(await apply()).toEqual(['word', 'above', 'flip']);
    expect(await apply()).toEqual([]);
    await db.query('insert into coin values (1)');
    expect(await value('select side from coin')).toBe('heads');
    await write('word', word('tails'));
    expect(await apply()).toEqual(['word']);
    expect(await value('select above()')).toBe('tails');
  });

  it('drops what is gone from the files: triggers at once, functions when no process of before lives', async () => {
    await write('flip', flip);
    await write('word', word('heads'));
    await apply();
    await write('flip', flip.slice(0, flip.indexOf('\n')));
    await apply();
    await db.query('insert into coin values (1)');
    expect(await value('select side from coin')).toBeNull();
    await rm(path.join(folder, 'flip.sql'));
    await apply('1.1.0');
    expect(await value("select count(*)::int from pg_proc where proname = 'flip'")).toBe(1);
    await apply('1.1.0');
    expect(await value("select count(*)::int from pg_proc where proname = 'flip'")).toBe(1);
    expect(await retiringReleases(db)).toEqual(['1.1.0']);
    await apply('1.2.0');
    expect(await value("select count(*)::int from pg_proc where proname = 'flip'")).toBe(1);
    expect(await forget()).toEqual(['flip()']);
    expect(await value("select count(*)::int from pg_proc where proname = 'flip'")).toBe(0);
  });

  it('keeps a signature of before beside the new one while processes of before live, and takes it back up', async () => {
    const wide = 'CREATE OR REPLACE FUNCTION word(id int, loud boolean) RETURNS text LANGUAGE sql AS $$ SELECT upper(word(id)) $$;';
    await write('word', word('heads'));
    await apply('1.0.0');
    await write('word', wide);
    await apply('1.1.0');
    expect(await value('select word(1)')).toBe('heads');
    expect(await value('select word(1, true)')).toBe('HEADS');
    await write('word', `${word('tails')}\n${wide}`);
    await apply('1.2.0');
    await apply('1.3.0');
    expect(await forget()).toEqual([]);
    expect(await value('select word(1, true)')).toBe('TAILS');
    await write('word', word('tails'));
    await apply('1.9.0');
    await apply('1.10.0');
    expect(await forget()).toEqual(['word(integer,boolean)']);
    await expect(db.query('select word(1, true)')).rejects.toThrow('does not exist');
  });

  it('leaves a database alone that a newer release has been at', async () => {
    await write('word', word('heads'));
    await apply('1.10.0');
    await write('word', word('tails'));
    expect(await apply('1.9.0')).toEqual([]);
    expect(await value('select word(1)')).toBe('heads');
  });

  it('takes over a function and a trigger that a migration made', async () => {
    await db.query(`${word('old').replace('OR REPLACE', '')} ${flip}
      CREATE TRIGGER older BEFORE UPDATE ON coin FOR EACH ROW EXECUTE FUNCTION flip();`);
    await write('flip', flip);
    await write('word', word('heads'));
    expect(await apply()).toEqual(['word', 'flip']);
    expect((await db.query('select tgname from pg_trigger where not tgisinternal')).rows).toEqual([{ tgname: 'flip' }]);
  });

  it('names the file and the line of what fails, and applies nothing', async () => {
    await write('above', 'CREATE OR REPLACE FUNCTION above() RETURNS text LANGUAGE sql AS $$ SELECT 1::text $$;');
    await write('word', '-- A comment.\nCREATE OR REPLACE FUNCTION word(id int) RETURNS text LANGUAGE sql AS $$\n SELECT nothing $$;');
    await expect(apply()).rejects.toThrow(
      /^prisma\/functions\/word\.sql failed and was rolled back, line 3: column "nothing" does not exist/,
    );
    expect(await value("select count(*)::int from pg_proc where proname in ('above', 'word')")).toBe(0);
    await write('word', 'SELECT 1');
    await expect(apply()).rejects.toThrow('prisma/functions/word.sql makes no function word().');
  });
});

describe('migrate', () => {
  it('applies functions in the transaction of the last migration', async () => {
    await chmod(folder, 0o711);
    const dir = path.join(folder, 'prisma');
    const url = new URL(inject('databaseUrl'));
    url.pathname = `/${name}`;
    for (const [number, sql] of [
      [1, 'create table one (id int)'],
      [2, 'create table two (id int)'],
    ] as const) {
      await mkdir(path.join(dir, 'migrations', `${number}`), { recursive: true });
      await writeFile(path.join(dir, 'migrations', `${number}`, 'migration.sql'), sql);
    }
    await mkdir(path.join(dir, 'functions'));
    const file = path.join(dir, 'functions', 'most.sql');
    await writeFile(file, 'CREATE OR REPLACE FUNCTION most() RETURNS int LANGUAGE sql AS $$ SELECT max(id) FROM three $$;');
    await expect(migrate(url.href, { dir })).rejects.toThrow('relation "three" does not exist');
    expect(await value("select to_regclass('one') is not null and to_regclass('two') is null")).toBe(true);
    await writeFile(file, 'CREATE OR REPLACE FUNCTION most() RETURNS int LANGUAGE sql AS $$ SELECT max(id) FROM two $$;');
    expect(await migrate(url.href, { dir })).toEqual(['2', 'most']);
    expect(await migrate(url.href, { dir })).toEqual([]);
  });
});

describe('the functions of the database', () => {
  it('are those of the files, and so are its triggers', async () => {
    const admin = new pg.Client({ connectionString: inject('databaseUrl') });
    await admin.connect();
    await admin.query(`drop database if exists ${name}_full with (force)`);
    await admin.query(`create database ${name}_full template ${inject('template')}`);
    await admin.end();
    const url = new URL(inject('databaseUrl'));
    url.pathname = `/${name}_full`;
    const full = new pg.Client({ connectionString: url.href });
    await full.connect();
    const labels = new Set((await readFunctions(ours)).map((file) => `prisma/functions/${file.name}.sql ${file.checksum}`));
    const { rows } = await full.query<{ what: string; comment: string | null }>(`
      select p.oid::regprocedure::text as what, obj_description(p.oid, 'pg_proc') as comment
      from pg_proc p where p.pronamespace = 'public'::regnamespace
      union all
      select format('%s on %s', t.tgname, t.tgrelid::regclass), obj_description(t.oid, 'pg_trigger')
      from pg_trigger t where not t.tgisinternal and t.tgparentid = 0`);
    await full.end();
    const strangers = rows.filter(({ comment }) => !labels.has(comment?.split(' ').slice(0, 2).join(' ') ?? ''));
    expect(strangers).toEqual([]);
    const seen = new Set(rows.map(({ comment }) => comment?.split(' ').slice(0, 2).join(' ')));
    expect([...labels].filter((label) => !seen.has(label))).toEqual([]);
    expect(rows.length).toBeGreaterThan(100);
  });
});
