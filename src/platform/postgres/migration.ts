// Applies prisma/migrations/ in the format of Prisma Migrate, without its engine: the same table, lock and checksums, so that either
// accepts what the other did. Unlike it, a migration that fails leaves nothing behind. Decision 0093 has the kinds and their order.
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { applyInBackground } from './background-migration.js';
import { type Migration, prismaDir, readMigrations, release } from './migration-file.js';
import { enter, makeHistory, unapplied } from './migration-history.js';
import { olderProcesses } from './older-process.js';
import { type FunctionFile, readFunctions, sqlFailure } from './sql-file.js';
import { dropRetired, replaceFunctions, retiringReleases, settleTriggers } from './sql-function.js';

/** The advisory lock that Prisma Migrate takes. */
const lock = 72_707_369;
/** That of whoever works in the background, so that expanding does not wait for it. */
const backgroundLock = lock + 1;

/** How long a statement waits for a lock, and with it everybody behind it; the pauses between tries; and when it is given up. */
export interface Patience {
  lockTimeoutMs: number;
  firstPauseMs: number;
  longestPauseMs: number;
  giveUpMs: number;
}

const patience: Patience = { lockTimeoutMs: 2_000, firstPauseMs: 500, longestPauseMs: 10_000, giveUpMs: 600_000 };

export interface MigrateOptions {
  /** Where `migrations/` and `functions/` are; by default in the package. */
  dir?: string;
  /** `expand` alone is what a process needs before it serves; `start`: all of them where the database is new, so that nothing changes beneath it. */
  kinds?: 'all' | 'expand' | 'start';
  /** The database in which processes enter themselves; by default the one that is migrated. */
  directoryUrl?: string;
  /** The version of the code. */
  version?: string;
  patience?: Patience;
  /** Told when a lock could not be had and is tried again. */
  onRetry?: (text: string) => void;
}

/** lock_not_available, deadlock_detected. */
const isBusy = (error: unknown): boolean => {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return ['55P03', '40P01'].includes(code ?? cause?.code ?? '');
};

type Settings = Required<Omit<MigrateOptions, 'onRetry'>> & Pick<MigrateOptions, 'onRetry'>;

class Migrator {
  readonly #db: pg.Client;
  readonly #options: Settings;
  readonly #functions: readonly FunctionFile[];
  readonly #applied: string[] = [];

  constructor(db: pg.Client, functions: readonly FunctionFile[], options: Settings) {
    this.#db = db;
    this.#functions = functions;
    this.#options = options;
  }

  async run(migrations: readonly Migration[]): Promise<string[]> {
    await this.#locked(lock, async () => {
      const isNew = await this.#expand(migrations);
      if (isNew && this.#options.kinds === 'start') await this.#rest(migrations);
    });
    if (this.#options.kinds === 'all' && (await this.#isLeft(migrations))) await this.#rest(migrations);
    return this.#applied;
  }

  async #rest(migrations: readonly Migration[]): Promise<void> {
    await this.#locked(backgroundLock, async () => {
      await this.#background(migrations);
      await this.#contract(migrations);
    });
  }

  /** Waits for an advisory lock by asking again: who waits inside a statement keeps an index from being finished. */
  async #locked(key: number, work: () => Promise<void>): Promise<void> {
    for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, 1_000)) {
      const { rows } = await this.#db.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [key]);
      if (rows[0]?.got === true) break;
      await pause(waitMs);
    }
    try {
      await work();
    } finally {
      await this.#db.query('select pg_advisory_unlock($1)', [key]).catch(() => {}); // the end of the connection frees it too
    }
  }

  /** True where the database is new: nothing was applied to it before. */
  async #expand(migrations: readonly Migration[]): Promise<boolean> {
    await makeHistory(this.#db);
    const { todo, entered } = await unapplied(this.#db, migrations);
    if (entered !== undefined) await enter(this.#db, entered, 0);
    const expands = todo.filter(({ kind }) => kind === 'expand');
    const last = expands.pop();
    for (const migration of expands) await this.#inTransaction(migration.name, () => this.#apply(migration));
    // The functions come with the last one, and then their triggers, table by table.
    let functions: string[] = [];
    await this.#inTransaction(last?.name ?? 'the functions', async () => {
      if (last !== undefined) await this.#apply(last);
      functions = await replaceFunctions(this.#db, this.#functions, this.#options.version);
    });
    await settleTriggers(this.#db, this.#functions, this.#options.version, (what, work) => this.#inTransaction(what, work));
    this.#applied.push(...[...expands, ...(last ? [last] : [])].map(({ name }) => name), ...functions);
    return todo.length === migrations.length;
  }

  async #isLeft(migrations: readonly Migration[]): Promise<boolean> {
    const { todo } = await unapplied(this.#db, migrations);
    return todo.length > 0 || (await retiringReleases(this.#db)).length > 0;
  }

  async #background(migrations: readonly Migration[]): Promise<void> {
    const { todo } = await unapplied(this.#db, migrations);
    for (const migration of todo.filter(({ kind }) => kind === 'background')) {
      await applyInBackground(this.#db, migration, (what, work) => this.#patiently(what, work));
      await enter(this.#db, migration, 1);
      this.#applied.push(migration.name);
    }
  }

  /** What takes away waits for the processes of before: it is left for a later run. */
  async #contract(migrations: readonly Migration[]): Promise<void> {
    const { todo } = await unapplied(this.#db, migrations);
    for (const migration of todo) {
      if (migration.kind !== 'contract' || (await this.#older(migration.version)).length > 0) continue;
      await this.#inTransaction(migration.name, () => this.#apply(migration));
      this.#applied.push(migration.name);
    }
    for (const retiredIn of await retiringReleases(this.#db)) {
      if ((await this.#older(retiredIn)).length > 0) continue;
      await this.#inTransaction('the functions of before', async () => {
        this.#applied.push(...(await dropRetired(this.#db, retiredIn)));
      });
    }
  }

  async #older(version: string): Promise<string[]> {
    const { directoryUrl } = this.#options;
    if (directoryUrl === '') return olderProcesses(this.#db, this.#db, version);
    const directory = await connect(directoryUrl);
    try {
      return await olderProcesses(this.#db, directory, version);
    } finally {
      await directory.end();
    }
  }

  async #apply(migration: Migration): Promise<void> {
    await this.#db.query(migration.sql).catch((cause) => {
      throw sqlFailure(`Migration ${migration.name}`, migration.sql, cause);
    });
    await enter(this.#db, migration, 1);
  }

  #inTransaction(what: string, work: () => Promise<unknown>): Promise<void> {
    return this.#patiently(what, async () => {
      await this.#db.query('begin');
      try {
        await work();
        await this.#db.query('commit');
      } catch (error) {
        await this.#db.query('rollback').catch(() => {}); // without a connection there is nothing to roll back
        throw error;
      }
    });
  }

  /** Tries again what did not get its locks. Between the tries those pass that have queued behind it. */
  async #patiently(what: string, work: () => Promise<void>): Promise<void> {
    const { lockTimeoutMs, firstPauseMs, longestPauseMs, giveUpMs } = this.#options.patience;
    const begun = performance.now();
    for (let tries = 1, pauseMs = firstPauseMs; ; tries += 1, pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        await this.#db.query(`set lock_timeout = ${lockTimeoutMs}`);
        return await work();
      } catch (error) {
        if (!isBusy(error)) throw error;
        const holders = await this.#longestTransactions();
        if (performance.now() - begun + pauseMs > giveUpMs)
          throw new Error(`${what} did not get its locks in ${tries} tries: end what holds them, and migrate again. ${holders}`, {
            cause: error,
          });
        this.#options.onRetry?.(`${what} did not get its locks and is tried again in ${pauseMs} ms. ${holders}`);
        await pause(pauseMs);
      }
    }
  }

  /** Who may hold what is waited for, in words. */
  async #longestTransactions(): Promise<string> {
    const { rows } = await this.#db.query<{ what: string }>(
      `select format('%s (process %s, for %s s)', nullif(application_name, ''), pid, extract(epoch from now() - xact_start)::int) as what
       from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
       order by xact_start limit 3`,
    );
    return `The longest transactions: ${rows.map(({ what }) => what).join(', ') || 'none'}.`;
  }
}

async function connect(url: string): Promise<pg.Client> {
  const db = new pg.Client({ connectionString: url, application_name: 'migrate', options: '-c statement_timeout=0' });
  db.on('error', () => {}); // the query in flight fails with it
  await db.connect();
  return db;
}

/**
 * Applies what is missing. First each expand in one transaction with its row of history, in order, and the functions in that of the last
 * one; then their triggers, a table at a time. Then, unless `expand` alone was asked for, what is to be done in the background, and what may be taken away: nothing while a
 * process lives that is older than the migration says. Processes that start together wait for each other. A database that has exactly the
 * migrations which an initial one replaces gets its row of history, and stays as it is.
 * @returns the names that this call applied
 * @throws naming the file and the line; what was done before it stays
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<string[]> {
  const { dir = prismaDir, kinds = 'all', directoryUrl = '', version = release } = options;
  const migrations = await readMigrations(dir);
  const functions = await readFunctions(path.join(dir, 'functions'));
  const db = await connect(url);
  try {
    const all = { dir, kinds, directoryUrl, version, patience: options.patience ?? patience };
    return await new Migrator(db, functions, { ...all, ...(options.onRetry && { onRetry: options.onRetry }) }).run(migrations);
  } finally {
    await db.end();
  }
}
