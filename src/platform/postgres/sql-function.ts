// Applies prisma/functions/, where each SQL function stands once, in its newest form, with the triggers that call it. A file is named
// after its function. The database says in the comment of each function and trigger which file made it: name, checksum and release.
import type pg from 'pg';
import { isNewer } from './older-process.js';
import { type FunctionFile, folder, sqlFailure } from './sql-file.js';
import { changeTriggers, hasTriggers, type TriggerChange, triggerChanges, withoutTriggers } from './sql-trigger.js';

/** Instead of the checksum, until the triggers of a file are as it says: whoever comes next goes on. */
const unfinished = 'unfinished';

/** A function of the database, or a trigger that calls it. */
interface SqlObject {
  kind: 'function' | 'trigger';
  /** As DROP and COMMENT name it. */
  identity: string;
  /** The file that it belongs to: the name of the function. */
  file: string;
  /** Empty, like the release, where no file made it. */
  checksum: string;
  release: string;
  /** Left for processes of the release before. */
  retired: boolean;
  /** Made by the transaction that asks. */
  isNew: boolean;
  /** A function that triggers call. */
  isCalled: boolean;
}

/**
 * Makes the functions of the database those of `files`, within the transaction that is open on `db`. Does nothing where they are so already,
 * or where a newer release has been here: processes are replaced one by one. `settleTriggers` has to follow. Only a database without any
 * trigger gets its triggers at once.
 *
 * A function whose signature changed becomes an overload beside the one of before, so that processes of the release before go on. The
 * older one is retired, until `dropRetired`.
 * @param release the version of the package that `files` belong to
 * @returns the names of the files that were applied
 * @throws naming the file and the line
 */
export async function replaceFunctions(db: pg.Client, files: readonly FunctionFile[], release: string): Promise<string[]> {
  const stale = await staleFunctions(db, files, release);
  if (stale === null) return [];
  const isBare = !(await hasTriggers(db));
  for (const file of stale) await replaceFunction(db, file, release, isBare);

  const applied = new Set(stale.map(({ name }) => name));
  const declared = new Set(files.map(({ name }) => name));
  for (const object of await readObjects(db)) {
    const isOld = !declared.has(object.file) || (applied.has(object.file) && !object.isNew);
    if (isOld && object.kind === 'function' && !object.retired) await label(db, object, `${object.checksum} ${release} retired`);
  }
  return [...applied];
}

/** Does `work` in a transaction, again and again until it gets its locks. */
type InTransaction = (what: string, work: () => Promise<void>) => Promise<void>;

/**
 * Makes the triggers of the database those of `files`: the ones of a table in a transaction of its own, so that nobody waits for more than one
 * table. Those that are as their file says stay. One that is gone from its file is dropped. Where it was interrupted, the next call goes on.
 * @throws naming the file and the line
 */
export async function settleTriggers(
  db: pg.Client,
  files: readonly FunctionFile[],
  release: string,
  inTransaction: InTransaction,
): Promise<void> {
  const stale = await staleFunctions(db, files, release);
  if (stale === null) return;
  let changes: TriggerChange[] = [];
  await inTransaction('the look at the triggers', async () => {
    changes = await triggerChanges(db, files, stale);
  });
  for (const change of changes) await inTransaction(`the triggers of ${change.table}`, () => changeTriggers(db, change, release));
  if (stale.length > 0) await inTransaction('the functions', () => finish(db, stale, release));
}

async function finish(db: pg.Client, stale: readonly FunctionFile[], release: string): Promise<void> {
  const checksums = new Map(stale.map(({ name, checksum }) => [name, checksum]));
  for (const object of await readObjects(db))
    if (object.checksum === unfinished && !object.retired) await label(db, object, `${checksums.get(object.file)} ${release}`);
}

/** The files that are not in the database as they are; null where a newer release has been. Changes nothing. */
export async function staleFunctions(db: pg.Client, files: readonly FunctionFile[], release: string): Promise<FunctionFile[] | null> {
  const before = await readObjects(db);
  if (before.some((made) => isNewer(made.release, release))) return null;
  const current = new Set(
    before.filter(({ kind, retired }) => kind === 'function' && !retired).map(({ file, checksum }) => `${file} ${checksum}`),
  );
  return files.filter(({ name, checksum }) => !current.has(`${name} ${checksum}`));
}

/** The releases that have retired something which is still there. Their processes do not use it; those of before may. */
export async function retiringReleases(db: pg.Client): Promise<string[]> {
  const objects = await readObjects(db);
  return [...new Set(objects.filter(({ retired }) => retired).map(({ release }) => release))].sort();
}

/** Drops what a release has retired, within the transaction that is open on `db`. Answers the functions. */
export async function dropRetired(db: pg.Client, retiredIn: string): Promise<string[]> {
  const old = (await readObjects(db)).filter(({ retired, release }) => retired && release === retiredIn);
  for (const object of old) await drop(db, object);
  return old.map(({ identity }) => identity);
}

async function replaceFunction(db: pg.Client, file: FunctionFile, release: string, isBare: boolean): Promise<void> {
  const sql = isBare ? file.sql : await withoutTriggers(file);
  await db.query(sql).catch((cause) => {
    throw sqlFailure(`${folder}${file.name}.sql`, sql, cause);
  });
  const made = (await readObjects(db, file.name)).filter(({ isNew }) => isNew);
  if (!made.some(({ kind }) => kind === 'function')) throw new Error(`${folder}${file.name}.sql makes no function ${file.name}().`);
  for (const object of made) await label(db, object, `${object.isCalled && !isBare ? unfinished : file.checksum} ${release}`);
}

/** The functions of the schema that files made and the triggers that call them; with `name`, those of this name, whoever made them. */
async function readObjects(db: pg.Client, name?: string): Promise<SqlObject[]> {
  const { rows } = await db.query<Pick<SqlObject, 'kind' | 'identity' | 'isNew' | 'isCalled'> & { name: string; comment: string | null }>(
    `with called as (
       select oid, proname, xmin, prorettype = 'trigger'::regtype as "isCalled", obj_description(oid, 'pg_proc') as comment from pg_proc
       where pronamespace = current_schema()::regnamespace)
     select 'function' as kind, oid::regprocedure::text as identity, proname as name, comment, xmin = pg_current_xact_id()::xid as "isNew",
            "isCalled"
     from called where proname = $1 or $1 is null and starts_with(comment, $2)
     union all
     select 'trigger', format('%I on %s', t.tgname, t.tgrelid::regclass), c.proname, obj_description(t.oid, 'pg_trigger'),
            t.xmin = pg_current_xact_id()::xid, false
     from pg_trigger t join called c on c.oid = t.tgfoid
     where not t.tgisinternal and t.tgparentid = 0 and (c.proname = $1 or $1 is null and starts_with(c.comment, $2))`,
    [name ?? null, folder],
  );
  return rows.map(({ comment, ...object }) => {
    const [, checksum = '', release = '', retired] = (comment ?? '').split(' ');
    return { ...object, file: object.name, checksum, release, retired: retired !== undefined };
  });
}

async function label(db: pg.Client, { kind, identity, file }: SqlObject, text: string): Promise<void> {
  await db.query(`comment on ${kind} ${identity} is '${folder}${file}.sql ${text}'`);
}

async function drop(db: pg.Client, { kind, identity }: SqlObject): Promise<void> {
  await db.query(`drop ${kind} ${identity}`);
}
