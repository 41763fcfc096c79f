// Statements that are planned once for every size of list and table. A plan that PostgreSQL makes while a table is small reads all of
// it, and is kept: such statements run where it may only go by index.
import type pg from 'pg';
import { inTransaction, runIn, type Tx } from './database.js';

/** A bitmap visits every entry of a key, dead ones too, and notes of none that it is dead; the other scans pass them by from then on. */
const otherWays = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'];

/** What makes the plans of the rest of a transaction go by index, to be selected. */
const onlyByIndex = otherWays.map((way) => `set_config('enable_${way}', 'off', true)`).join(', ');

const setOnlyByIndex = otherWays.map((way) => `SET LOCAL enable_${way} = off`);

/** Runs `work` in a transaction of its own in which plans go by index. `first`: TransactionOptions. */
export function byIndex<T>(pool: pg.Pool, work: (tx: pg.ClientBase) => Promise<T>, first: readonly string[] = []): Promise<T> {
  return inTransaction(pool, work, { first: [...setOnlyByIndex, ...first] });
}

/** From now on the plans of a transaction go by index, whichever client began it. */
export async function goByIndex(tx: Tx | pg.ClientBase): Promise<void> {
  await runIn(tx, { name: 'plan-by-index', text: `SELECT ${onlyByIndex}` }, []);
}
