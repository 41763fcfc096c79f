// A transaction that leaves nothing behind: for trying what would happen.
import type { Db, Tx } from './database.js';

class RolledBack extends Error {
  readonly value: unknown;

  constructor(value: unknown) {
    super();
    this.value = value;
  }
}

/** Runs `work` within a transaction that goes on, and takes back what it did there. Throws what `work` throws. */
export async function rollBackWithin(tx: Tx, work: (tx: Tx) => Promise<void>): Promise<void> {
  await tx.$executeRaw`SAVEPOINT trial`;
  try {
    await work(tx);
  } finally {
    await tx.$executeRaw`ROLLBACK TO SAVEPOINT trial`;
  }
}

/**
 * Runs `work` in a transaction, rolls it back, and returns what the work returned. Throws what `work` throws. `timeoutMs`: how long all of it may
 * take, where that is more than for one change.
 */
export async function rollBack<T>(db: Db, work: (tx: Tx) => Promise<T>, timeoutMs?: number): Promise<T> {
  try {
    return await db.$transaction(
      async (tx) => {
        throw new RolledBack(await work(tx));
      },
      timeoutMs === undefined ? undefined : { timeout: timeoutMs },
    );
  } catch (error) {
    if (error instanceof RolledBack) return error.value as T;
    throw error;
  }
}
