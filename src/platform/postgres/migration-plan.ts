// What `migrate` would do, and which locks it would take: nothing is changed, and no lock is taken that anybody waits for.
import path from 'node:path';
import pg from 'pg';
import { prismaDir, readMigrations, release } from './migration-file.js';
import { type Queryable, unapplied } from './migration-history.js';
import { olderProcesses } from './older-process.js';
import { type FunctionFile, readFunctions } from './sql-file.js';
import { retiringReleases, staleFunctions } from './sql-function.js';
import { statementsOf } from './sql-statement.js';
import { changeText, type TriggerChange, triggerChanges, withoutTriggers } from './sql-trigger.js';
import { type Catalog, type Locks, locksOf } from './statement-lock.js';

/** A migration that is to be applied, a function that has changed, or the triggers of a table. */
export interface PlannedStep extends Locks {
  name: string;
  kind: 'expand' | 'background' | 'contract';
  /** Of a contract: the first version whose processes do without what it takes away. */
  version?: string;
  /** What keeps it from being applied now, in words. */
  waitsFor: string[];
}

export interface PlanOptions {
  dir?: string;
  directoryUrl?: string;
  version?: string;
}

/** Indexes, references and partitions as a database has them. */
export async function readCatalog(db: Queryable): Promise<Catalog> {
  const indexes = (await db.query('select indexname, tablename from pg_indexes where schemaname = current_schema()')).rows;
  const tables = new Map((indexes as { indexname: string; tablename: string }[]).map((row) => [row.indexname, row.tablename]));
  const references = (
    await db.query(
      `select conname as name, conrelid::regclass::text as "from", confrelid::regclass::text as "to"
       from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`,
    )
  ).rows as { name: string; from: string; to: string }[];
  const partitions = (
    await db.query(
      `select i.inhparent::regclass::text as whole, i.inhrelid::regclass::text as part
       from pg_inherits i join pg_class c on c.oid = i.inhrelid where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace`,
    )
  ).rows as { whole: string; part: string }[];
  return {
    partitionsOf: (table) => partitions.flatMap(({ whole, part }) => (whole === table ? [part] : [])),
    tableOf: (index) => tables.get(index),
    referenced: (table, constraint) =>
      references.flatMap(({ name, from, to }) => {
        if (constraint !== undefined) return name === constraint && from === table ? [to] : [];
        return from === table ? [to] : to === table ? [from] : [];
      }),
  };
}

/** Of the directory: the database itself, or another connection for as long as it is asked. */
async function withDirectory<T>(db: pg.Client, url: string | undefined, work: (directory: Queryable) => Promise<T>): Promise<T> {
  if (url === undefined) return work(db);
  const directory = new pg.Client({ connectionString: url, application_name: 'migrate' });
  directory.on('error', () => {});
  await directory.connect();
  try {
    return await work(directory);
  } finally {
    await directory.end();
  }
}

/** What `migrate` would do, in its order. Empty where nothing is to be done. */
export async function migrationPlan(url: string, options: PlanOptions = {}): Promise<PlannedStep[]> {
  const { dir = prismaDir, directoryUrl, version = release } = options;
  const db = new pg.Client({ connectionString: url, application_name: 'migrate' });
  db.on('error', () => {});
  await db.connect();
  try {
    return await withDirectory(db, directoryUrl, (directory) => plan(db, { dir, directory, version }));
  } finally {
    await db.end();
  }
}

async function plan(
  db: pg.Client,
  { dir, directory, version }: { dir: string; directory: Queryable; version: string },
): Promise<PlannedStep[]> {
  const { todo } = await unapplied(db, await readMigrations(dir));
  const catalog = await readCatalog(db);
  const locks = async (sql: string): Promise<Locks> => locksOf(await statementsOf(sql), catalog);
  const older = async (than: string) => (await olderProcesses(db, directory, than)).map((living) => `the end of ${living}`);
  const background = todo.filter(({ kind }) => kind === 'background').map(({ name }) => name);

  const steps: PlannedStep[] = [];
  for (const { name, kind, sql } of todo) if (kind === 'expand') steps.push({ name, kind, waitsFor: [], ...(await locks(sql)) });
  const files = await readFunctions(path.join(dir, 'functions'));
  const stale = await staleFunctions(db, files, version);
  for (const file of stale ?? [])
    steps.push({ name: `function ${file.name}`, kind: 'expand', waitsFor: [], ...(await locks(await withoutTriggers(file))) });
  for (const change of stale === null ? [] : await changesOf(db, files, stale))
    steps.push({ name: `triggers of ${change.table}`, kind: 'expand', waitsFor: [], ...(await locks(changeText(change))) });
  for (const { name, kind, sql } of todo) if (kind === 'background') steps.push({ name, kind, waitsFor: [], ...(await locks(sql)) });
  for (const migration of todo) {
    if (migration.kind !== 'contract') continue;
    const waitsFor = [...background.map((name) => `migration ${name}`), ...(await older(migration.version))];
    steps.push({ name: migration.name, kind: 'contract', version: migration.version, waitsFor, ...(await locks(migration.sql)) });
  }
  for (const retiredIn of await retiringReleases(db))
    steps.push({
      name: `functions that ${retiredIn} has replaced`,
      kind: 'contract',
      version: retiredIn,
      waitsFor: await older(retiredIn),
      tables: [],
      unknown: [],
    });
  return steps;
}

/** Triggers of tables that are there. Their tables are copied without rows, which is rolled back. */
async function changesOf(db: pg.Client, files: readonly FunctionFile[], stale: readonly FunctionFile[]): Promise<TriggerChange[]> {
  await db.query('begin');
  try {
    const changes = await triggerChanges(db, files, stale);
    const tables = new Set(
      (await db.query('select tablename from pg_tables where schemaname = current_schema()')).rows.map(({ tablename }) => tablename),
    );
    return changes.filter(({ table }) => tables.has(table));
  } finally {
    await db.query('rollback');
  }
}
