// What PostgreSQL itself tells of a database that was put back: sequences that would give a number again, and pages and indexes that are
// damaged.
import type pg from 'pg';

type Reader = Pick<pg.ClientBase, 'query'>;

interface OwnedSequence {
  sequence: string;
  table: string;
  column: string;
}

/** A sentence for each sequence whose next number a row of its table has already. */
export async function sequencesBehind(db: Reader): Promise<string[]> {
  const { rows } = await db.query<OwnedSequence>(
    `SELECT s.oid::regclass::text AS sequence, d.refobjid::regclass::text AS "table", a.attname AS column
     FROM pg_class s JOIN pg_depend d ON d.objid = s.oid AND d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass
       AND d.deptype IN ('a', 'i') JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
     WHERE s.relkind = 'S' AND s.relnamespace = current_schema()::regnamespace ORDER BY 1`,
  );
  const found: string[] = [];
  for (const { sequence, table, column } of rows) {
    const {
      rows: [numbers],
    } = await db.query<{ next: string; last: string | null; isBehind: boolean | null }>(
      `SELECT s.next::text AS next, t.last::text AS last, s.next <= t.last AS "isBehind"
       FROM (SELECT last_value + is_called::int AS next FROM ${sequence}) s, (SELECT max("${column}") AS last FROM ${table}) t`,
    );
    if (numbers?.isBehind) found.push(`${sequence} gives ${numbers.next} next, and ${table}.${column} has ${numbers.last} already`);
  }
  return found;
}

/** What amcheck finds in tables and B-tree indexes; null where the server has no amcheck for this user. */
export async function damagedFiles(db: Reader): Promise<string[] | null> {
  try {
    await db.query('CREATE EXTENSION IF NOT EXISTS amcheck');
  } catch {
    return null;
  }
  const tables = await namesOf(db, "relkind = 'r'");
  const indexes = await namesOf(
    db,
    `relkind = 'i' AND relam = (SELECT oid FROM pg_am WHERE amname = 'btree') AND (SELECT indisvalid FROM pg_index WHERE indexrelid = c.oid)`,
  );
  const found: string[] = [];
  for (const table of tables)
    await add(`SELECT blkno || ', ' || coalesce(offnum::text, '') || ': ' || msg AS fault FROM verify_heapam('${table}') LIMIT 3`, table);
  for (const index of indexes) await add(`SELECT NULL AS fault FROM bt_index_check('${index}'::regclass, true) LIMIT 0`, index);
  return found;

  async function add(question: string, name: string): Promise<void> {
    const faults = await db.query<{ fault: string }>(question).then(
      ({ rows }) => rows.map(({ fault }) => `block ${fault}`),
      (error: Error) => [error.message],
    );
    found.push(...faults.map((fault) => `${name}: ${fault}`));
  }
}

async function namesOf(db: Reader, condition: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c WHERE ${condition} AND relnamespace = current_schema()::regnamespace
       AND relpersistence = 'p' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}
