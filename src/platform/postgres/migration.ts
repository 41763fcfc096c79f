// Applies prisma/migrations/ in the format of Prisma Migrate, without its engine: the same table, lock and checksums, so that either
// accepts what the other did. Unlike it, a migration that fails leaves nothing behind. Then come the functions (sql-function.ts).
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { applyFunctions, readFunctions, sqlFailure } from './sql-function.js';

/** Of the package, seen from src/platform/postgres/ and from dist/platform/postgres/ alike. */
const packageDir = fileURLToPath(new URL('../../../', import.meta.url));
const prismaDir = path.join(packageDir, 'prisma');
/** The version of this package. */
export const { version: release } = JSON.parse(readFileSync(path.join(packageDir, 'package.json'), 'utf8')) as { version: string };

/** The advisory lock that Prisma Migrate takes. */
const lock = 72_707_369;

const table = `create table if not exists _prisma_migrations (
  id varchar(36) primary key, checksum varchar(64) not null, finished_at timestamptz, migration_name varchar(255) not null,
  logs text, rolled_back_at timestamptz, started_at timestamptz not null default now(), applied_steps_count integer not null default 0)`;

/** Names of migrations, each with its checksum. */
type Checksums = ReadonlyMap<string, string | null>;

interface Migration {
  name: string;
  sql: string;
  checksum: string;
  /** The migrations that this one stands for, where it is an initial one. */
  replaces?: Checksums;
}

interface Queryable {
  query(sql: string): Promise<{ rows: unknown[] }>;
}

async function migrationNames(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

async function readMigrations(dir: string): Promise<Migration[]> {
  const read = async (name: string) => {
    const sql = await readFile(path.join(dir, name, 'migration.sql'), 'utf8');
    const replaces = await readReplaced(path.join(dir, name, 'replaces.sha256'));
    return { name, sql, checksum: createHash('sha256').update(sql).digest('hex'), ...(replaces && { replaces }) };
  };
  return Promise.all((await migrationNames(dir)).map(read));
}

/** Reads lines as sha256sum prints them: the checksum of a migration, and its name. */
async function readReplaced(file: string): Promise<Checksums | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (text === undefined) return undefined;
  const lines = text.trim().split('\n');
  return new Map(lines.map((line) => line.split(/ +/)).map(([checksum = '', name = '']) => [name, checksum]));
}

/** What the database has seen: the checksum of what finished, null for what was left half-way by another tool. */
async function history(db: Queryable): Promise<Map<string, string | null>> {
  const { rows } = await db.query('select migration_name, checksum, finished_at from _prisma_migrations where rolled_back_at is null');
  const seen = rows as { migration_name: string; checksum: string; finished_at: Date | null }[];
  return new Map(seen.map((row) => [row.migration_name, row.finished_at && row.checksum]));
}

/**
 * The initial migration that the history of a database is entered under: the database has just the migrations that it stands for.
 * Undefined where there is nothing to enter. Refuses a history that is another one.
 */
function toEnter(migrations: Migration[], done: Checksums): Migration | undefined {
  const initial = migrations.find(({ name, replaces }) => replaces !== undefined && !done.has(name));
  if (initial?.replaces === undefined || done.size === 0) return undefined;
  const { name, replaces } = initial;
  const fault = firstDifference(replaces, done);
  if (fault === undefined) return initial;
  throw new Error(
    `The tables of this database are not those of ${name}: ${fault}. ` +
      'Start with an empty database, or bring this one to the last version before that migration first.',
  );
}

/** What tells a history from the one that is expected, in words. */
function firstDifference(expected: Checksums, done: Checksums): string | undefined {
  for (const [name, checksum] of expected) {
    if (!done.has(name)) return `migration ${name} was not applied`;
    if (done.get(name) !== checksum) return `migration ${name} was applied in another form`;
  }
  const unknown = [...done.keys()].find((name) => !expected.has(name));
  return unknown && `it does not know migration ${unknown}`;
}

/** The migrations that are still to do. Refuses to go on from a history that does not fit the files. */
function unapplied(migrations: Migration[], done: Checksums): Migration[] {
  return migrations.filter(({ name, checksum }) => {
    const before = done.get(name);
    if (before === null) throw new Error(`Migration ${name} was begun by another tool and never finished: resolve it first.`);
    if (before !== undefined && before !== checksum)
      throw new Error(`Migration ${name} was changed after it was applied: make a new one instead.`);
    return before === undefined;
  });
}

async function apply(db: pg.Client, migration: Migration): Promise<void> {
  await db.query(migration.sql).catch((cause) => {
    throw sqlFailure(`Migration ${migration.name}`, migration.sql, cause);
  });
  await enter(db, migration, 1);
}

/** Writes the row of history of a migration. */
async function enter(db: pg.Client, { name, checksum }: Migration, steps: 0 | 1): Promise<void> {
  await db.query(
    `insert into _prisma_migrations (id, checksum, finished_at, migration_name, applied_steps_count)
     values ($1, $2, clock_timestamp(), $3, $4)`,
    [randomUUID(), checksum, name, steps],
  );
}

async function inTransaction(db: pg.Client, work: () => Promise<unknown>): Promise<void> {
  await db.query('begin');
  try {
    await work();
    await db.query('commit');
  } catch (error) {
    await db.query('rollback').catch(() => {}); // without a connection there is nothing to roll back
    throw error;
  }
}

/**
 * Applies what is missing, in order: each migration in one transaction with its row of history, and the functions in that of the last
 * one. Processes that start together wait for each other. Answers the names that this call applied. A database that has exactly the
 * migrations which an initial one replaces gets its row of history, and stays as it is.
 * @throws naming the file and the line; the migrations before it stay applied
 */
export async function migrate(url: string, { dir = prismaDir }: { dir?: string } = {}): Promise<string[]> {
  const migrations = await readMigrations(path.join(dir, 'migrations'));
  const functions = await readFunctions(path.join(dir, 'functions'));
  const db = new pg.Client({ connectionString: url, application_name: 'migrate' });
  db.on('error', () => {}); // the query in flight fails with it
  await db.connect();
  try {
    await db.query('select pg_advisory_lock($1)', [lock]);
    await db.query(table);
    const entered = toEnter(migrations, await history(db));
    if (entered !== undefined) await enter(db, entered, 0);
    const todo = unapplied(migrations, await history(db));
    const last = todo.pop();
    for (const migration of todo) await inTransaction(db, () => apply(db, migration));
    const applied: string[] = [];
    await inTransaction(db, async () => {
      if (last !== undefined) await apply(db, last);
      applied.push(...(await applyFunctions(db, functions, release)));
    });
    return [...todo, ...(last ? [last] : [])].map(({ name }) => name).concat(applied);
  } finally {
    await db.end();
  }
}

/**
 * The names that `migrate` would apply. Changes nothing; a database that never saw a migration has them all before it. One that has
 * seen newer ones than this code knows is ready: processes are replaced one by one.
 */
export async function pendingMigrations(db: Queryable, dir: string = prismaDir): Promise<string[]> {
  const names = await migrationNames(path.join(dir, 'migrations'));
  try {
    const done = await history(db);
    return names.filter((name) => !done.get(name));
  } catch (error) {
    if ((error as { code?: string }).code === '42P01') return names;
    throw error;
  }
}

/** The names of migrations that a database has seen and this code does not know: it has been served by a newer version. */
export async function unknownMigrations(db: Queryable, dir: string = prismaDir): Promise<string[]> {
  const migrations = await readMigrations(path.join(dir, 'migrations'));
  const known = new Set(migrations.flatMap(({ name, replaces }) => [name, ...(replaces?.keys() ?? [])]));
  return [...(await history(db)).keys()].filter((name) => !known.has(name));
}
