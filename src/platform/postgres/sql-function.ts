// Applies prisma/functions/, where each SQL function stands once, in its newest form, with the triggers that call it. A file is named
// after its function. The database says in the comment of each function and trigger which file made it: name, checksum and release.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { isNewer } from './older-process.js';

export interface FunctionFile {
  /** The name of the function. */
  name: string;
  sql: string;
  checksum: string;
}

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
}

const folder = 'prisma/functions/';

/** The files of `dir`, each after those whose functions it names. None where there is no such folder. */
export async function readFunctions(dir: string): Promise<FunctionFile[]> {
  const names = (await readdir(dir).catch(() => [])).filter((name) => name.endsWith('.sql')).sort();
  const files = await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(path.join(dir, name), 'utf8');
      return { name: path.basename(name, '.sql'), sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
  return inOrder(files);
}

/** PostgreSQL reads the body of an SQL function when it is made, and a trigger names its function: what is called comes first. */
function inOrder(files: FunctionFile[]): FunctionFile[] {
  const byName = new Map(files.map((file) => [file.name, file]));
  const ordered = new Set<FunctionFile>();
  const visited = new Set<string>();
  const visit = (file: FunctionFile) => {
    if (visited.has(file.name)) return;
    visited.add(file.name);
    for (const [, called] of file.sql.matchAll(/\b(\w+)\(/g)) {
      const other = byName.get(called as string);
      if (other !== undefined) visit(other);
    }
    ordered.add(file);
  };
  files.forEach(visit);
  return [...ordered];
}

/**
 * Makes the functions and triggers of the database those of `files`, within the transaction that is open on `db`. Does nothing where they
 * are so already, or where a newer release has been here: processes are replaced one by one.
 *
 * A function whose signature changed becomes an overload beside the one of before, so that processes of the release before go on. The
 * older one is retired, until `dropRetired`. A trigger that is gone from its file is dropped at once.
 * @param release the version of the package that `files` belong to
 * @returns the names of the files that were applied
 * @throws naming the file and the line
 */
export async function applyFunctions(db: pg.Client, files: readonly FunctionFile[], release: string): Promise<string[]> {
  const stale = await staleFunctions(db, files, release);
  if (stale === null) return [];
  for (const file of stale) await applyFile(db, file, release);

  const applied = new Set(stale.map(({ name }) => name));
  const declared = new Set(files.map(({ name }) => name));
  for (const object of await readObjects(db)) {
    const isOld = !declared.has(object.file) || (applied.has(object.file) && !object.isNew);
    if (isOld && object.kind === 'trigger') await drop(db, object);
    else if (isOld && !object.retired) await label(db, object, `${object.checksum} ${release} retired`);
  }
  return [...applied];
}

/** The files that are not in the database as they are; null where a newer release has been. Changes nothing. */
export async function staleFunctions(db: pg.Client, files: readonly FunctionFile[], release: string): Promise<FunctionFile[] | null> {
  const before = await readObjects(db);
  if (before.some((made) => isNewer(made.release, release))) return null;
  const current = new Set(before.filter(({ retired }) => !retired).map(({ file, checksum }) => `${file} ${checksum}`));
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

async function applyFile(db: pg.Client, file: FunctionFile, release: string): Promise<void> {
  await db.query(file.sql).catch((cause) => {
    throw sqlFailure(`${folder}${file.name}.sql`, file.sql, cause);
  });
  const made = (await readObjects(db, file.name)).filter(({ isNew }) => isNew);
  if (!made.some(({ kind }) => kind === 'function')) throw new Error(`${folder}${file.name}.sql makes no function ${file.name}().`);
  for (const object of made) await label(db, object, `${file.checksum} ${release}`);
}

/** The functions of the schema that files made and the triggers that call them; with `name`, those of this name, whoever made them. */
async function readObjects(db: pg.Client, name?: string): Promise<SqlObject[]> {
  const { rows } = await db.query<{ kind: SqlObject['kind']; identity: string; name: string; comment: string | null; isNew: boolean }>(
    `with called as (
       select oid, proname, xmin, obj_description(oid, 'pg_proc') as comment from pg_proc
       where pronamespace = current_schema()::regnamespace)
     select 'function' as kind, oid::regprocedure::text as identity, proname as name, comment, xmin = pg_current_xact_id()::xid as "isNew"
     from called where proname = $1 or $1 is null and starts_with(comment, $2)
     union all
     select 'trigger', format('%I on %s', t.tgname, t.tgrelid::regclass), c.proname, obj_description(t.oid, 'pg_trigger'),
            t.xmin = pg_current_xact_id()::xid
     from pg_trigger t join called c on c.oid = t.tgfoid
     where not t.tgisinternal and t.tgparentid = 0 and (c.proname = $1 or $1 is null and starts_with(c.comment, $2))`,
    [name ?? null, folder],
  );
  return rows.map(({ comment, ...object }) => {
    const [, checksum = '', release = '', retired] = (comment ?? '').split(' ');
    return { ...object, file: object.name, checksum, release, retired: retired !== undefined };
  });
}

/** PostgreSQL counts characters; people count lines. */
export function sqlFailure(what: string, sql: string, cause: unknown): Error {
  const { message, position } = cause as { message?: string; position?: string };
  const line = position ? `, line ${sql.slice(0, Number(position)).split('\n').length}` : '';
  return new Error(`${what} failed and was rolled back${line}: ${message ?? String(cause)}`, { cause });
}

async function label(db: pg.Client, { kind, identity, file }: SqlObject, text: string): Promise<void> {
  await db.query(`comment on ${kind} ${identity} is '${folder}${file}.sql ${text}'`);
}

async function drop(db: pg.Client, { kind, identity }: SqlObject): Promise<void> {
  await db.query(`drop ${kind} ${identity}`);
}
