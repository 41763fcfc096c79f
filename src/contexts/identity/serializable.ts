// "Look, and write unless it is there" for rows that no unique index stands for (the first tenant, the signing key): of several
// processes that start at once one writes, and the others look again and find what it wrote.
import type { Database, Tx } from '../../platform/postgres/database.js';
import { retrySerialization } from '../../platform/postgres/failure.js';

/** Runs `work` in a serializable transaction of the unscoped door, again when another one came between. */
export function serializable<T>({ database }: { database: Database }, work: (tx: Tx) => Promise<T>): Promise<T> {
  return retrySerialization(() => database.unscoped.$transaction(work, { isolationLevel: 'Serializable' }));
}
