// Marks in everything that an account is to lose, as the classes of the data model say, and the search for them afterwards.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type pg from 'pg';
import type { PersonalTable } from '../../../src/generated/personal-data.js';
import type { Json } from '../../harness.js';

/** Stands in all that the account loses. */
export const mark = 'zzmarkzz';
/** Stands in what is of others. */
export const otherMark = 'zzotherzz';

/** Runs statements past the triggers of the database. */
export async function past(pool: pg.Pool, work: (tx: pg.ClientBase) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN; SET LOCAL session_replication_role = 'replica'");
    await work(client);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

/** The ids of all rows that belong to an account: each table after those that its rows refer to. */
export async function subjectsOf(tx: pg.ClientBase, roots: readonly string[], tables: readonly PersonalTable[]): Promise<Set<string>> {
  const subjects = new Set(roots);
  for (const table of tables)
    for (const row of await rowsOf(tx, table)) {
      if (!isOf(row, table, subjects)) continue;
      // Lines of statements have the reference of an order.
      for (const name of ['id', 'rail_reference']) if (typeof row[name] === 'string') subjects.add(row[name]);
    }
  return subjects;
}

async function rowsOf(tx: pg.ClientBase, { table }: PersonalTable): Promise<Json[]> {
  return (await tx.query(`SELECT * FROM ${table}`)).rows;
}

/** Whether a row names one of the subjects. */
export function isOf(row: Json, { owners }: PersonalTable, subjects: ReadonlySet<string>): boolean {
  return (
    (owners.length === 0 && subjects.has(row.id)) ||
    owners.some(({ column, of }) => subjects.has(row[column]) || (of.includes('~') && names(row[column], subjects)))
  );
}

function names(value: unknown, subjects: ReadonlySet<string>): boolean {
  const text = JSON.stringify(value);
  return [...subjects].some((id) => text.includes(id));
}

/** What a column is filled with. */
function fillOf(text: string, type: string, isList: boolean): unknown {
  if (type === 'bytea') return Buffer.from(text);
  if (type === 'jsonb' || type === 'json') return JSON.stringify(isList ? [{ text }] : { text });
  return type === 'ARRAY' ? [text] : text;
}

/** What only some texts fit: the last digits of a card are digits. */
const unlikeText = new Set(['vaulted_card.card_last_four', 'transfer.protocol_metadata', 'dispute.evidence', 'event.data']);

/** Marks the columns of the rows of a table, those of the account and those of others. Returns the columns that were marked for the account. */
export async function markTable(tx: pg.ClientBase, table: PersonalTable, subjects: ReadonlySet<string>): Promise<string[]> {
  const types = new Map<string, string>(
    (await tx.query('SELECT column_name, data_type FROM information_schema.columns WHERE table_name = $1', [table.table])).rows.map(
      ({ column_name: name, data_type: type }) => [name, type],
    ),
  );
  const marked = new Set<string>();
  for (const row of await rowsOf(tx, table)) {
    const own = isOf(row, table, subjects);
    const word = own ? mark : otherMark;
    for (const { column, value } of table.erased) {
      const name = `${table.table}.${column}`;
      // What is of others is read afterwards: of it only texts are marked.
      const isText = types.get(column) === 'text';
      if (unlikeText.has(name) || !(own || isText)) continue;
      // Texts that have to differ do.
      const filled = fillOf(`${word} ${row.id ?? ''}`, types.get(column) ?? '', value.startsWith("'["));
      const keys = table.key.map(({ column: key }, n) => `${key} = $${n + 3}`).join(' AND ');
      await tx.query(`UPDATE ${table.table} SET ${column} = $1 WHERE ${table.scope} = $2 AND ${keys}`, [
        filled,
        row[table.scope],
        ...table.key.map(({ column: key }) => row[key]),
      ]);
      if (own) marked.add(name);
    }
  }
  return [...marked];
}

/** The columns that erasing an account empties. */
export function erasedColumns(tables: readonly PersonalTable[]): string[] {
  return tables.flatMap(({ table, erased }) => erased.map(({ column }) => `${table}.${column}`)).filter((name) => !unlikeText.has(name));
}

/** Every line of a dump of the database that has the word, in any case, in text or in bytes. */
export async function linesWith(pool: pg.Pool, url: string, word: string): Promise<string[]> {
  const hex = Buffer.from(word).toString('hex');
  const base64 = [0, 1, 2].map((n) =>
    Buffer.from(' '.repeat(n) + word)
      .toString('base64url')
      .slice(n === 0 ? 0 : n + 1, -2),
  );
  const wanted = new RegExp([word, hex, ...base64].join('|'), 'i');
  return (await dumpOf(pool, url)).filter((line) => wanted.test(line));
}

/** A dump by pg_dump where it knows the server, else every row of every table as JSON. */
async function dumpOf(pool: pg.Pool, url: string): Promise<string[]> {
  try {
    const { stdout } = await promisify(execFile)('pg_dump', ['--data-only', '--inserts', url], { maxBuffer: 1 << 30 });
    return stdout.split('\n');
  } catch {
    const { rows: tables } = await pool.query("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'");
    const dumped = await Promise.all(
      tables.map(async ({ name }) => (await pool.query(`SELECT '${name} ' || row_to_json(t)::text AS line FROM ${name} t`)).rows),
    );
    return dumped.flat().map(({ line }) => line);
  }
}
