// What a database has seen, in the table of Prisma Migrate, and what is still to do by it.
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { type Checksums, type Migration, migrationNames, mustSayKind, prismaDir, readMigrations } from './migration-file.js';

export interface Queryable {
  query(sql: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

const table = `create table if not exists _prisma_migrations (
  id varchar(36) primary key, checksum varchar(64) not null, finished_at timestamptz, migration_name varchar(255) not null,
  logs text, rolled_back_at timestamptz, started_at timestamptz not null default now(), applied_steps_count integer not null default 0)`;

/** Makes the table where there is none. */
export async function makeHistory(db: Queryable): Promise<void> {
  await db.query(table);
}

/** What the database has seen: the checksum of what finished, null for what was left half-way by another tool. */
async function history(db: Queryable): Promise<Map<string, string | null>> {
  const { rows } = await db.query('select migration_name, checksum, finished_at from _prisma_migrations where rolled_back_at is null');
  const seen = rows as { migration_name: string; checksum: string; finished_at: Date | null }[];
  return new Map(seen.map((row) => [row.migration_name, row.finished_at && row.checksum]));
}

/** The same; nothing where there is no such table yet. */
async function historyIfAny(db: Queryable): Promise<Map<string, string | null>> {
  try {
    return await history(db);
  } catch (error) {
    if ((error as { code?: string }).code === '42P01') return new Map();
    throw error;
  }
}

/**
 * The initial migration that the history of a database is entered under: the database has just the migrations that it stands for.
 * Undefined where there is nothing to enter. Refuses a history that is another one.
 */
function toEnter(migrations: readonly Migration[], done: Checksums): Migration | undefined {
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

/**
 * The migrations that are still to do. `entered` is the initial one whose row of history alone is missing.
 * @throws when the history does not fit the files
 */
export async function unapplied(
  db: Queryable,
  migrations: readonly Migration[],
): Promise<{ todo: Migration[]; entered: Migration | undefined }> {
  const done = await historyIfAny(db);
  const entered = toEnter(migrations, done);
  const todo = migrations.filter((migration) => {
    const { name, checksum } = migration;
    const before = done.get(name);
    if (before === null) throw new Error(`Migration ${name} was begun by another tool and never finished: resolve it first.`);
    if (before !== undefined && before !== checksum)
      throw new Error(`Migration ${name} was changed after it was applied: make a new one instead.`);
    return before === undefined && migration !== entered;
  });
  return { todo, entered };
}

/** Writes the row of history of a migration. */
export async function enter(db: Pick<pg.Client, 'query'>, { name, checksum }: Migration, steps: 0 | 1): Promise<void> {
  await db.query(
    `insert into _prisma_migrations (id, checksum, finished_at, migration_name, applied_steps_count)
     values ($1, $2, clock_timestamp(), $3, $4)`,
    [randomUUID(), checksum, name, steps],
  );
}

/**
 * The migrations that a process of this version needs and that are missing. Those in the background and those that take away are not
 * among them. Changes nothing; a database that never saw a migration has them all before it. One that has seen newer ones than this code
 * knows is ready: processes are replaced one by one.
 */
export async function pendingMigrations(db: Queryable, dir: string = prismaDir): Promise<string[]> {
  const done = await historyIfAny(db);
  const missing = (await migrationNames(dir)).filter((name) => !done.get(name));
  if (!missing.some(mustSayKind)) return missing;
  const isExpand = new Set((await readMigrations(dir)).filter(({ kind }) => kind === 'expand').map(({ name }) => name));
  return missing.filter((name) => isExpand.has(name));
}

/** The names of migrations that a database has seen and this code does not know: it has been served by a newer version. */
export async function unknownMigrations(db: Queryable, dir: string = prismaDir): Promise<string[]> {
  const migrations = await readMigrations(dir);
  const known = new Set(migrations.flatMap(({ name, replaces }) => [name, ...(replaces?.keys() ?? [])]));
  return [...(await history(db)).keys()].filter((name) => !known.has(name));
}
