// The triggers of prisma/functions/: those that are as their file says keep their table free, the others are changed table by table. Whoever
// writes at the same time is the judge: a trigger that is made waits for him.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../../../src/platform/postgres/migration.js';
import { migrationPlan } from '../../../src/platform/postgres/migration-plan.js';
import { type NewDatabase, newDatabase } from '../../new-database.js';

let database: NewDatabase;
let dir: string;
let db: pg.Client;
let writer: pg.Client;

const write = async (file: string, ...lines: string[]) => {
  await mkdir(path.dirname(path.join(dir, file)), { recursive: true });
  await writeFile(path.join(dir, file), lines.join('\n'));
};
const hasty = { lockTimeoutMs: 50, firstPauseMs: 20, longestPauseMs: 20, giveUpMs: 200 };
const run = (version = '1.0.0', retries: string[] = []) =>
  migrate(database.url, { dir, version, patience: hasty, onRetry: (text) => void retries.push(text) });
const plan = async () =>
  (await migrationPlan(database.url, { dir, version: '1.0.0' })).map(({ name, tables }) => ({
    name,
    locks: tables.map(({ table, mode }) => `${mode} on ${table}`),
  }));

/** Says what it was made by, into the row. */
const flip = (says: string) =>
  `CREATE OR REPLACE FUNCTION flip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.side := '${says}' || TG_NARGS; RETURN NEW; END $$;`;
const trigger = (table: string, args = '') =>
  `CREATE OR REPLACE TRIGGER flip BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION flip(${args});`;
const inserted = async (table: string) => (await db.query(`insert into ${table} values (1) returning side`)).rows[0]?.side;
const triggers = async () =>
  (
    await db.query<{ what: string; made: string }>(
      `select format('%s on %s', tgname, tgrelid::regclass) as what, xmin::text as made from pg_trigger where not tgisinternal order by 1`,
    )
  ).rows;
const named = async () => (await triggers()).map(({ what }) => what);

beforeEach(async () => {
  database = await newDatabase({ empty: true });
  dir = await mkdtemp(path.join(tmpdir(), 'triggers-'));
  [db, writer] = [new pg.Client({ connectionString: database.url }), new pg.Client({ connectionString: database.url })];
  await Promise.all([db.connect(), writer.connect()]);
  await write(
    'migrations/20250101000000_first/migration.sql',
    'create table coin (id int, side text);',
    'create table note (id int, side text);',
  );
  await write('functions/flip.sql', flip('a'), trigger('coin'), trigger('note'));
  expect(await run()).toEqual(['20250101000000_first', 'flip']);
});

afterEach(async () => {
  await Promise.all([db.end(), writer.end()]);
  await database.drop();
  await rm(dir, { recursive: true, force: true });
});

/** Somebody has written into these tables, and goes on. */
const hold = (...tables: string[]) => writer.query(`begin; ${tables.map((table) => `insert into ${table} values (9)`).join('; ')}`);

describe('triggers', () => {
  it('stay as they are when their function changes, and nobody who writes is waited for', async () => {
    const before = await triggers();
    await hold('coin', 'note');
    await write('functions/flip.sql', '-- It says b.', flip('b'), trigger('coin'), trigger('note'));
    expect(await plan()).toEqual([{ name: 'function flip', locks: [] }]);
    const retries: string[] = [];
    expect(await run('1.0.0', retries)).toEqual(['flip']);
    expect(retries).toEqual([]);
    expect(await triggers()).toEqual(before);
    expect(await inserted('coin')).toBe('b0');
    expect(await plan()).toEqual([]);
    expect(await run()).toEqual([]);
    await writer.query('rollback');
  });

  it('that change are made on their table alone', async () => {
    await hold('note');
    await write('functions/flip.sql', flip('a'), trigger('coin', `'x'`), trigger('note'));
    expect(await plan()).toEqual([
      { name: 'function flip', locks: [] },
      { name: 'triggers of coin', locks: ['SHARE ROW EXCLUSIVE on coin'] },
    ]);
    expect(await run()).toEqual(['flip']);
    expect(await inserted('coin')).toBe('a1');
    expect(await inserted('note')).toBe('a0');
    await writer.query('rollback');
  });

  it('that are gone from their file are dropped, on their table alone; those of a file that is gone too', async () => {
    await hold('note');
    await write('functions/flip.sql', flip('a'), trigger('note'));
    expect(await plan()).toEqual([
      { name: 'function flip', locks: [] },
      { name: 'triggers of coin', locks: ['ACCESS EXCLUSIVE on coin'] },
    ]);
    expect(await run()).toEqual(['flip']);
    expect(await named()).toEqual(['flip on note']);
    await writer.query('rollback');
    await rm(path.join(dir, 'functions/flip.sql'));
    expect(await run()).toEqual(['flip()']);
    expect(await named()).toEqual([]);
  });

  it('that could not all be changed are changed at the next run; a release of before leaves them', async () => {
    await hold('note');
    await write('functions/flip.sql', flip('b'), trigger('coin', `'x'`), trigger('note', `'x'`));
    await expect(run('1.1.0')).rejects.toThrow(/^the triggers of note did not get its locks in \d+ tries/);
    expect(await inserted('coin')).toBe('b1');
    expect(await inserted('note')).toBe('b0');
    const [first] = await triggers();
    await write('functions/flip.sql', flip('a'), trigger('coin'), trigger('note'));
    expect(await run('1.0.0')).toEqual([]);
    await writer.query('rollback');
    await write('functions/flip.sql', flip('b'), trigger('coin', `'x'`), trigger('note', `'x'`));
    expect(await run('1.1.0')).toEqual(['flip']);
    expect((await triggers())[0]).toEqual(first);
    expect(await inserted('note')).toBe('b1');
    expect(await run('1.1.0')).toEqual([]);
  });

  it('wait for whoever writes, a table at a time, and let others pass', async () => {
    await hold('note');
    await write('functions/flip.sql', flip('b'), trigger('coin', `'x'`), trigger('note', `'x'`));
    const retries: string[] = [];
    const running = migrate(database.url, {
      dir,
      version: '1.0.0',
      patience: { ...hasty, giveUpMs: 60_000 },
      onRetry: (text) => void retries.push(text),
    });
    await expect.poll(() => retries.length).toBeGreaterThan(2);
    expect(retries[0]).toMatch(/^the triggers of note did not get its locks and is tried again in 20 ms/);
    expect(await inserted('coin')).toBe('b1');
    await writer.query('commit');
    expect(await running).toEqual(['flip']);
    expect(await inserted('note')).toBe('b1');
  });

  it('that somebody has disabled are made again when their file changes', async () => {
    await db.query('alter table coin disable trigger flip');
    await write('functions/flip.sql', flip('b'), trigger('coin'), trigger('note'));
    expect((await plan()).map(({ name }) => name)).toEqual(['function flip', 'triggers of coin']);
    await run();
    expect(await inserted('coin')).toBe('b0');
  });

  it('go over to another function, and change their name, at once for the table', async () => {
    const spin = flip('s').replace('flip()', 'spin()');
    await write('functions/spin.sql', spin, trigger('coin').replace('flip()', 'spin()'));
    await write('functions/flip.sql', flip('a'), trigger('note').replace('TRIGGER flip', 'TRIGGER other'));
    expect(await run()).toEqual(['flip', 'spin']);
    expect(await named()).toEqual(['flip on coin', 'other on note']);
    expect(await inserted('coin')).toBe('s0');
  });

  it('that PostgreSQL refuses are told with file and line, and are made when they are right', async () => {
    await write('functions/flip.sql', '-- A comment.', flip('b'), '', trigger('coin').replace('ROW', 'ROW WHEN (NEW.nothing = 1)'));
    await expect(run()).rejects.toThrow(
      /^prisma\/functions\/flip\.sql failed and was rolled back, line 4: column new\.nothing does not exist/,
    );
    expect(await named()).toEqual(['flip on coin', 'flip on note']);
    await write('functions/flip.sql', '-- A comment.', flip('b').replace('NEW.side :=', 'NEW.side ='), trigger('coin'), trigger('note'));
    expect(await run()).toEqual(['flip']);
    await write('functions/flip.sql', flip('b'), '', trigger('public.coin'));
    await expect(run()).rejects.toThrow('prisma/functions/flip.sql, line 3: flip names the schema of its table');
  });
});

describe('a trigger', () => {
  const begin = 'CREATE OR REPLACE TRIGGER "Odd ""name"""';
  const end = 'EXECUTE FUNCTION flip()';
  /** Each as it is, and in another way that means the same. The next one differs in one thing. */
  const forms: [string, string][] = [
    [`${begin} BEFORE UPDATE ON coin FOR EACH ROW ${end};`, `${begin}\n  before update on "coin" for row ${end};`],
    [`${begin} AFTER UPDATE ON coin FOR EACH ROW ${end};`, `${begin} AFTER UPDATE ON coin FOR EACH ROW EXECUTE PROCEDURE flip();`],
    [`${begin} AFTER UPDATE OF id ON coin FOR EACH ROW ${end};`, `${begin} AFTER UPDATE OF "id" ON coin FOR EACH ROW ${end};`],
    [
      `${begin} AFTER UPDATE OF id, side ON coin FOR EACH ROW ${end};`,
      `${begin} /* both */ AFTER UPDATE OF id, side ON coin FOR EACH ROW ${end};`,
    ],
    [
      `${begin} AFTER UPDATE OF id, side ON coin FOR EACH ROW WHEN (NEW.id > 1 AND NEW.side IN ('a', 'b')) ${end};`,
      `${begin} AFTER UPDATE OF id, side ON coin FOR EACH ROW WHEN (new.id > 1 and new.side = any (array['a', 'b'])) ${end};`,
    ],
    [
      `${begin} AFTER UPDATE OF id, side ON coin FOR EACH ROW WHEN (NEW.id > 2 AND NEW.side IN ('a', 'b')) ${end};`,
      `${begin} AFTER UPDATE OF id, side ON coin FOR EACH ROW WHEN ((NEW.id > 2) AND (NEW.side IN ('a', 'b'))) ${end};`,
    ],
    [
      `${begin} AFTER INSERT ON coin REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT ${end};`,
      `${begin} AFTER INSERT ON coin REFERENCING NEW TABLE fresh ${end};`,
    ],
    [
      `${begin} AFTER INSERT ON coin REFERENCING NEW TABLE AS newest FOR EACH STATEMENT ${end};`,
      `${begin} AFTER INSERT ON coin REFERENCING NEW TABLE AS "newest" FOR EACH STATEMENT ${end};`,
    ],
    [
      `${begin} AFTER INSERT ON coin FOR EACH STATEMENT EXECUTE FUNCTION flip('a', 'b');`,
      `${begin} AFTER INSERT ON coin EXECUTE FUNCTION flip(a, b);`,
    ],
    [`${begin} AFTER INSERT ON coin EXECUTE FUNCTION flip('a,b');`, `${begin} AFTER INSERT ON coin EXECUTE FUNCTION flip('a' ',b');`],
  ];
  const made = async () => (await triggers()).find(({ what }) => what.startsWith('Odd'))?.made;

  it('is known again however it is written, and is made again when one thing of it is another', async () => {
    let before: string | undefined;
    for (const [text, other] of forms) {
      await write('functions/flip.sql', flip('a'), text);
      await run();
      const fresh = await made();
      expect(fresh, text).not.toBe(before);
      await write('functions/flip.sql', flip('b'), other.replace(`'a' ',b'`, `'a'\n',b'`));
      expect(await run()).toEqual(['flip']);
      expect(await made(), other).toBe(fresh);
      before = fresh;
    }
  });
});
