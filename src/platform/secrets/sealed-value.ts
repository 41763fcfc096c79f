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

/** Where a step reads: after a place, and so many pages from there on. */
interface Stretch {
  after: string;
  pages: number;
  /** The key that seals now. */
  key: number;
  /** Values at most. */
  most: number;
}

/**
 * Values of a stretch of a table that another key than this has sealed, in its order, and the place after which the next stretch begins; null at
 * the end. Both ends are said, so that PostgreSQL reads these pages alone: with one end it reads and sorts the rest of the table each time.
 */
export async function valuesToReseal(
  db: Reader,
  { table, column, rowId }: SealedColumn,
  { after, pages, key, most }: Stretch,
): Promise<{ values: SealedValue[]; next: string | null }> {
  const end = Number(/^\((\d+),/.exec(after)?.[1]) + pages;
  const { rows: values } = await db.query<SealedValue>(
    `SELECT ctid::text AS place, ${rowId} AS "rowId", ${column} AS sealed FROM ${table}
     WHERE ctid > $1::tid AND ctid < $2::tid AND ${column} IS NOT NULL AND substring(${column} FROM 1 FOR 8) <> $3 ORDER BY ctid LIMIT $4`,
    [after, `(${end},0)`, headOf(key), most],
  );
  const last = values.at(-1);
  if (last !== undefined && values.length === most) return { values, next: last.place };
  const { rows } = await db.query<{ pages: number }>(
    "SELECT (pg_relation_size($1::regclass) / current_setting('block_size')::int)::int AS pages",
    [table],
  );
  return { values, next: end < (rows[0]?.pages ?? 0) ? `(${end},0)` : null };
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
