// A migration that takes its time: statement by statement, each outside of a transaction, beside the traffic. It may be interrupted at any
// moment, so the next attempt does all of it again: indexes that are there are left, and changes of rows find nothing more to do.
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Migration } from './migration-file.js';
import { sqlFailure } from './sql-file.js';
import { statementsOf } from './sql-statement.js';

/** Runs `work` under a lock_timeout, again and again, until it gets its locks. */
export type Patiently = (what: string, work: () => Promise<void>) => Promise<void>;

/** Applies all statements of a migration of the kind background. Its row of history is the caller's. */
export async function applyInBackground(db: pg.Client, migration: Migration, patiently: Patiently): Promise<void> {
  for (const { sql, node } of await statementsOf(migration.sql)) {
    const run = async () => {
      const { rowCount } = await db.query(sql).catch((cause) => {
        throw sqlFailure(`Migration ${migration.name}`, sql, cause);
      });
      return rowCount ?? 0;
    };
    const index = node['IndexStmt'] as { idxname?: string; concurrent?: boolean } | undefined;
    if (index?.concurrent === true) await patiently(migration.name, () => makeIndex(db, index.idxname ?? '', run));
    else if (['UpdateStmt', 'DeleteStmt', 'InsertStmt'].some((kind) => kind in node)) await inSets(migration.name, run, patiently);
    else await patiently(migration.name, async () => void (await run()));
  }
}

/** An index that an interrupted attempt has left is not valid: it is dropped, and made again. Waiting for it blocks nobody. */
async function makeIndex(db: pg.Client, name: string, run: () => Promise<number>): Promise<void> {
  const { rows } = await db.query<{ isValid: boolean }>(
    `select i.indisvalid and i.indisready as "isValid" from pg_index i join pg_class c on c.oid = i.indexrelid
     where c.relname = $1 and c.relnamespace = current_schema()::regnamespace`,
    [name],
  );
  if (rows[0]?.isValid === true) return;
  await db.query("set lock_timeout = '0'");
  if (rows.length > 0) await db.query(`drop index concurrently ${db.escapeIdentifier(name)}`);
  await run();
}

/** Repeats a statement until it changes no row, and rests as long as it has worked: it leaves half of a core to others. */
async function inSets(what: string, run: () => Promise<number>, patiently: Patiently): Promise<void> {
  for (let changed = 1; changed > 0; ) {
    const begun = performance.now();
    await patiently(what, async () => {
      changed = await run();
    });
    if (changed > 0) await pause(performance.now() - begun);
  }
}
