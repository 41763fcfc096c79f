// A transaction that leaves nothing behind: for trying what would happen.
import type { Db, Tx } from './database.js';

class RolledBack extends Error {}

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
