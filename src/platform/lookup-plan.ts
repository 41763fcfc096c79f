// Statements that are planned once for every size of list and table. A plan that PostgreSQL makes while a table is small reads all of
// it, and is kept: such statements run where it may only go by index.
import type pg from 'pg';
import { inTransaction } from './database.js';

/** A bitmap visits every entry of a key, dead ones too, and notes of none that it is dead; the other scans pass them by from then on. */
const onlyByIndex = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'].map((way) => `SET LOCAL enable_${way} = off`).join('; ');

/** Runs `work` in a transaction of its own in which plans go by index. */
export function byIndex<T>(pool: pg.Pool, work: (tx: pg.ClientBase) => Promise<T>): Promise<T> {
  return inTransaction(pool, async (tx) => {
    await tx.query(onlyByIndex);
    return work(tx);
  });
}
