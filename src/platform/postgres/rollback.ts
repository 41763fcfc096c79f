// A transaction that leaves nothing behind: for trying what would happen.
import type { Db, Tx } from './database.js';

class RolledBack extends Error {}

/** Runs `work` within a transaction that goes on, and takes back what it did there. Throws what `work` throws. */
export async function rollBackWithin(tx: Tx, work: (tx: Tx) => Promise<void>): Promise<void> {
  await tx.$executeRaw`SAVEPOINT trial`;
  try {
    await work(tx);
  } finally {
    await tx.$executeRaw`ROLLBACK TO SAVEPOINT trial`;
  }
}

/** Runs `work` in a transaction and rolls it back. Throws what `work` throws. */
export async function rollBack(db: Db, work: (tx: Tx) => Promise<void>): Promise<void> {
  try {
    await db.$transaction(async (tx) => {
      await work(tx);
      throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
}
