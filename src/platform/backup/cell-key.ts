// The database of a cell has no data keys: they stand in the directory. A copy that is looked at alone is given them.
import type pg from 'pg';
import { homeCell } from '../cell/cells.js';
import type { Logger } from '../log.js';
import { inTransaction, openDatabase } from '../postgres/database.js';
import { dataKeyRows, insertDataKey, insertWrap } from '../secrets/key-row.js';
import { CannotCheck } from './failure.js';

/**
 * Makes the copy of a cell stand alone: it gets the data keys of the directory, and is the first cell of its own. Nothing is done for a copy of
 * the first cell. `directory` is the address of the database of the directory.
 */
export async function standAlone(copy: pg.Pool, directory: string | null, log: Logger): Promise<void> {
  const { rows } = await copy.query<{ cell: string }>('SELECT cell FROM installation');
  const name = rows[0]?.cell ?? homeCell;
  if (name === homeCell) return;
  if (directory === null)
    throw new CannotCheck(`The backup is of the cell ${name}, whose data keys stand in the directory: set DATABASE_URL.`);
  const database = openDatabase(directory, { poolSize: 1, log });
  try {
    const keys = await dataKeyRows(database.pool);
    await inTransaction(copy, async (tx) => {
      for (const key of keys) {
        await insertDataKey(tx, key);
        for (const [master, wrapped] of Object.entries(key.wraps))
          await insertWrap(tx, { id: key.id, master, wrapped: Buffer.from(wrapped, 'hex') });
      }
      await tx.query('UPDATE installation SET cell = $1', [homeCell]);
    });
  } finally {
    await database.close();
  }
}
