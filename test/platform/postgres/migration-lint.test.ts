// `npm run migrate:lint`: what a new migration may not say, tried on bad ones; and ours, in which nothing is found.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lint } from '../../../scripts/migration-lint.js';
import { type Signature, signaturesOf } from '../../../scripts/migration-rule.js';
import { prismaDir } from '../../../src/platform/postgres/migration-file.js';

let dir: string;

async function faultsOf(...lines: string[]): Promise<string[]> {
  const folder = path.join(dir, 'migrations', '20270101000000_new');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'migration.sql'), lines.join('\n'));
  return lint(dir, []);
}

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'lint-'));
  await mkdir(path.join(dir, 'migrations'));
});

afterEach(() => rm(dir, { recursive: true, force: true }));

it('finds nothing in the migrations and functions of the package', async () => {
  const { signatures } = JSON.parse(await readFile(path.join(prismaDir, 'released.json'), 'utf8')) as { signatures: Signature[] };
  expect(signatures.length).toBeGreaterThan(40);
  expect(await lint(prismaDir, signatures)).toEqual([]);
});

describe('a migration', () => {
  it('may add tables with their indexes, and columns that need not be given', async () => {
    const table = 'create table coin (id bigint not null, side text, constraint coin_pkey primary key (id));';
    expect(
      await faultsOf('-- expand', table, 'create index coin_side on coin (side);', 'alter table transfer add column coin text;'),
    ).toEqual([]);
  });

  it('without a first line, or with two kinds, is refused', async () => {
    await expect(faultsOf('alter table transfer add column coin text;')).rejects.toThrow('does not say what it is');
    await expect(faultsOf('-- expand', '-- contract 1.0.0', 'select 1;')).rejects.toThrow('says two kinds');
  });

  it.each([
    [
      'an index',
      'create index transfer_coin on transfer (coin);',
      'makes an index on a table that is there: make it CONCURRENTLY in a background',
    ],
    [
      'an index without a transaction',
      'create index concurrently transfer_coin on transfer (coin);',
      'makes an index on a table that is there',
    ],
    ['a column that is gone', 'alter table transfer drop column coin;', 'takes away what processes of before may need: that is a contract'],
    ['a renamed column', 'alter table transfer rename column coin to piece;', 'takes away what processes of before may need'],
    ['a table that is gone', 'drop table transfer;', 'takes away what processes of before may need'],
    ['a function that is gone', 'drop function ledger_post(json);', 'takes away what processes of before may need'],
    ['another type', 'alter table transfer alter column coin type bigint;', 'takes away what processes of before may need'],
    ['a column that must be given', 'alter table transfer add column coin text not null;', 'adding-required-field'],
    [
      'a reference that is checked at once',
      'alter table transfer add constraint c foreign key (a) references coin (id);',
      'constraint-missing-not-valid',
    ],
    ['a change of rows', `update transfer set coin = 'x';`, 'changes rows that are there: do it in sets, in a background migration'],
    [
      'rows written again beside the lock of another table',
      'alter table transfer add column made timestamptz default clock_timestamp();\nalter table hold add column coin text;',
      'holds locks of hold, transfer while it reads or writes all rows of transfer',
    ],
    ['what nobody knows', 'do $$ begin end $$;', 'has a statement whose locks are not known: DoStmt'],
  ])('that expands is refused with %s', async (_, sql, fault) => {
    expect((await faultsOf('-- expand', sql)).join('\n')).toContain(fault);
  });

  it('in the background has statements that may be done again', async () => {
    const set = 'update transfer set coin = 1 where id in (select id from transfer where coin is null limit 1000);';
    const index = 'create index concurrently transfer_coin on transfer (coin);';
    expect(await faultsOf('-- background', set, index, 'alter table transfer validate constraint c;')).toEqual([]);
    const bad = [
      'update transfer set coin = 1;',
      'create index transfer_coin on transfer (coin);',
      'alter table transfer add column a text;',
    ];
    for (const sql of bad)
      expect((await faultsOf('-- background', sql)).join('\n')).toContain(
        'has a statement that cannot be done again after an interruption',
      );
  });

  it('that takes away may do so', async () => {
    expect(await faultsOf('-- contract 1.0.0', 'alter table transfer drop column coin;', 'drop function word(int);')).toEqual([]);
  });
});

describe('a function', () => {
  const word = (head: string) => `CREATE OR REPLACE FUNCTION word(${head} LANGUAGE sql AS $$ SELECT 'heads' $$;`;
  const released = signaturesOf(word('id int, loud boolean DEFAULT false) RETURNS text'));

  async function faultsNow(sql: string): Promise<string[]> {
    await mkdir(path.join(dir, 'functions'), { recursive: true });
    await writeFile(path.join(dir, 'functions', 'word.sql'), sql);
    return lint(dir, await released);
  }

  it('may have another body, and another signature beside it', async () => {
    expect(await faultsNow(word('id int, loud boolean DEFAULT true) RETURNS text'))).toEqual([]);
    expect(await faultsNow(word('id int, loud boolean, twice boolean) RETURNS int'))).toEqual([]);
  });

  it.each([
    ['another result', word('id int, loud boolean DEFAULT false) RETURNS int'), 'returned text in the release before, and now int4'],
    ['another name', word('key int, loud boolean DEFAULT false) RETURNS text'), 'names its arguments otherwise than in the release before'],
    ['no default', word('id int, loud boolean) RETURNS text'), 'lets fewer arguments be left out than in the release before'],
    ['a drop', `${word('id int) RETURNS text')}\nDROP FUNCTION word(int, boolean);`, 'drops something: the runner does'],
  ])('is refused with %s', async (_, sql, fault) => {
    expect(await faultsNow(sql)).toEqual([expect.stringContaining(`prisma/functions/word.sql`)]);
    expect((await faultsNow(sql))[0]).toContain(fault);
  });
});
