// Sealed values in their tables: counted by the key that sealed them, and sealed again under another one.
import type pg from 'pg';
import type { SealedColumn } from './sealed-column.js';
import { headOf } from './vault.js';

type Reader = Pick<pg.ClientBase, 'query'>;

/** How many values of a column a data key has sealed; null: a value of before, which names none. */
export interface SealedCount {
  key: number | null;
  count: number;
}

/** The values of a column, by the keys that sealed them. Reads the whole table. */
export async function countSealed(db: Reader, { table, column }: SealedColumn): Promise<SealedCount[]> {
  const { rows } = await db.query<{ head: Buffer | null; count: number }>(
    `SELECT CASE WHEN substring(${column} FROM 1 FOR 4) = 'APV1'::bytea THEN substring(${column} FROM 5 FOR 4) END AS head,
       count(*)::int AS count
     FROM ${table} WHERE ${column} IS NOT NULL GROUP BY 1`,
  );
  return rows.map(({ head, count }) => ({ key: head?.readUInt32BE() ?? null, count }));
}

/** A sealed value, and where it stands. */
export interface SealedValue {
  place: string;
  rowId: string;
  sealed: Buffer;
}

/** The next values of a column that another key than this has sealed, in the order of the table. */
export async function valuesToReseal(
  db: Reader,
  { table, column, rowId }: SealedColumn,
  { key, after, most }: { key: number; after: string; most: number },
): Promise<SealedValue[]> {
  const { rows } = await db.query<SealedValue>(
    `SELECT ctid::text AS place, ${rowId} AS "rowId", ${column} AS sealed FROM ${table}
     WHERE ctid > $1::tid AND ${column} IS NOT NULL AND substring(${column} FROM 1 FOR 8) <> $2 ORDER BY ctid LIMIT $3`,
    [after, headOf(key), most],
  );
  return rows;
}

/** Writes values that were sealed again. One that has changed since it was read is left as it is. */
export async function writeResealed(
  db: Reader,
  { table, column }: SealedColumn,
  values: readonly (SealedValue & { resealed: Buffer })[],
): Promise<void> {
  await db.query(
    `UPDATE ${table} t SET ${column} = u.resealed
     FROM unnest($1::tid[], $2::bytea[], $3::bytea[]) AS u (place, sealed, resealed) WHERE t.ctid = u.place AND t.${column} = u.sealed`,
    [values.map(({ place }) => place), values.map(({ sealed }) => sealed), values.map(({ resealed }) => resealed)],
  );
}

/** Takes the right to seal again until the transaction ends; false where another process has it. */
export async function takeResealing(tx: Reader): Promise<boolean> {
  const { rows } = await tx.query<{ taken: boolean }>("SELECT pg_try_advisory_xact_lock(hashtextextended('sealing again', 0)) AS taken");
  return rows[0]?.taken === true;
}
