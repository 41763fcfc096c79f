// The triggers of prisma/functions/, which are changed table by table (decision 0049). One that is in the database as its file says stays: its table
// is not locked. PostgreSQL compares: it makes the trigger on an empty copy of the table, and shows both.
import type pg from 'pg';
import { type FunctionFile, folder, sqlFailure } from './sql-file.js';
import { type Statement, statementsOf } from './sql-statement.js';

/** A trigger, as its file makes it. */
interface WantedTrigger {
  table: string;
  name: string;
  file: FunctionFile;
  sql: string;
  /** Lines of the file before it. */
  line: number;
}

/** A trigger of the database. */
interface PresentTrigger {
  table: string;
  name: string;
  /** The function that it calls. */
  file: string;
  definition: string;
  isEnabled: boolean;
}

/** What is to be done with the triggers of a table. */
export interface TriggerChange {
  table: string;
  drops: string[];
  makes: WantedTrigger[];
}

const isTrigger = ({ node }: Statement): boolean => 'CreateTrigStmt' in node;

/** The statements of a file but for its triggers, each in its line. */
export async function withoutTriggers({ sql }: FunctionFile): Promise<string> {
  if (!/\btrigger\b/i.test(sql)) return sql;
  let text = '';
  for (const statement of (await statementsOf(sql)).filter((each) => !isTrigger(each)))
    text += `${'\n'.repeat(statement.line - text.split('\n').length + 1)}${statement.sql};`;
  return text;
}

async function triggersOf(file: FunctionFile): Promise<WantedTrigger[]> {
  if (!/\btrigger\b/i.test(file.sql)) return [];
  return (await statementsOf(file.sql)).filter(isTrigger).map(({ node, sql, line }) => {
    const { trigname, relation } = node['CreateTrigStmt'] as { trigname: string; relation: { relname: string; schemaname?: string } };
    if (relation.schemaname !== undefined)
      throw new Error(`${folder}${file.name}.sql, line ${line + 1}: ${trigname} names the schema of its table`);
    return { table: relation.relname, name: trigname, file, sql, line };
  });
}

/** Whether the schema has any trigger. */
export async function hasTriggers(db: pg.Client): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace limit 1`,
  );
  return rowCount !== 0;
}

/** Those that call functions of our files. Partitions have theirs from their table. */
async function presentTriggers(db: pg.Client): Promise<PresentTrigger[]> {
  const { rows } = await db.query<PresentTrigger>(
    `select c.relname as "table", t.tgname as name, p.proname as file, pg_get_triggerdef(t.oid, true) as definition,
       t.tgenabled = 'O' as "isEnabled"
     from pg_trigger t join pg_proc p on p.oid = t.tgfoid join pg_class c on c.oid = t.tgrelid
     where not t.tgisinternal and t.tgparentid = 0 and p.pronamespace = current_schema()::regnamespace
       and starts_with(obj_description(p.oid, 'pg_proc'), $1)`,
    [folder],
  );
  return rows;
}

/**
 * What has to be done so that the triggers of `stale` files, and those of functions that no file has, are as the files say. Changes nothing;
 * needs an open transaction.
 */
export async function triggerChanges(
  db: pg.Client,
  files: readonly FunctionFile[],
  stale: readonly FunctionFile[],
): Promise<TriggerChange[]> {
  const present = await presentTriggers(db);
  const wanted = (await Promise.all(stale.map(triggersOf))).flat();
  const settled = new Set(files.filter((file) => !stale.includes(file)).map(({ name }) => name));
  const loose = present.filter((each) => !settled.has(each.file) && !wanted.some((other) => isSame(each, other)));

  const changes: TriggerChange[] = [];
  for (const table of new Set([...wanted, ...loose].map((each) => each.table))) {
    const own = wanted.filter((each) => each.table === table);
    const staying = await stayingTriggers(
      db,
      own,
      present.filter((each) => each.table === table),
    );
    const makes = own.filter(({ name }) => !staying.has(name));
    const drops = loose.filter((each) => each.table === table).map(({ name }) => name);
    if (makes.length + drops.length > 0) changes.push({ table, drops, makes });
  }
  return changes;
}

type Named = Pick<PresentTrigger, 'table' | 'name'>;

const isSame = (a: Named, b: Named): boolean => a.table === b.table && a.name === b.name;

/** Of the triggers that a table is to have, those that it has just so. The copy hides the table, and nobody else sees it. */
async function stayingTriggers(db: pg.Client, wanted: readonly WantedTrigger[], present: readonly PresentTrigger[]): Promise<Set<string>> {
  const known = wanted.filter((each) => present.some((other) => isSame(each, other)));
  const [first] = known;
  if (first === undefined) return new Set();
  const table = db.escapeIdentifier(first.table);
  await db.query('savepoint compared');
  try {
    await db.query(`create temporary table ${table} (like ${table})`);
    await db.query(known.map(({ sql }) => sql).join(';\n'));
    const { rows } = await db.query<{ name: string; definition: string }>(
      `select tgname as name, pg_get_triggerdef(oid, true) as definition from pg_trigger
       where tgrelid = $1::regclass and not tgisinternal`,
      [`pg_temp.${table}`],
    );
    const says = new Map(rows.map(({ name, definition }) => [name, definition]));
    return new Set(present.filter(({ name, definition, isEnabled }) => isEnabled && says.get(name) === definition).map(({ name }) => name));
  } catch (error) {
    // What it names is not there yet, or is wrong: it is made, which says so.
    if (!(error as { code?: string }).code?.startsWith('42')) throw error;
    return new Set();
  } finally {
    await db.query('rollback to savepoint compared').catch(() => {}); // a connection that is lost has failed already
  }
}

/** Changes the triggers of a table, within the transaction that is open on `db`. */
export async function changeTriggers(db: pg.Client, { table, drops, makes }: TriggerChange, release: string): Promise<void> {
  const on = db.escapeIdentifier(table);
  for (const name of drops) await db.query(`drop trigger ${db.escapeIdentifier(name)} on ${on}`);
  for (const { name, file, sql, line } of makes) {
    const text = '\n'.repeat(line) + sql;
    await db.query(text).catch((cause) => {
      throw sqlFailure(`${folder}${file.name}.sql`, text, cause);
    });
    await db.query(`comment on trigger ${db.escapeIdentifier(name)} on ${on} is '${folder}${file.name}.sql ${file.checksum} ${release}'`);
  }
}

/** The statements of a change, for who tells its locks. */
export function changeText({ table, drops, makes }: TriggerChange): string {
  return [...drops.map((name) => `drop trigger "${name}" on "${table}"`), ...makes.map(({ sql }) => sql)].join(';\n');
}
