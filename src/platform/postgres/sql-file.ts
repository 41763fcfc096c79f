// The files of prisma/functions/, and what is said of one that PostgreSQL refuses.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export interface FunctionFile {
  /** The name of the function. */
  name: string;
  sql: string;
  checksum: string;
}

export const folder = 'prisma/functions/';

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

/** PostgreSQL counts characters; people count lines. */
export function sqlFailure(what: string, sql: string, cause: unknown): Error {
  const { message, position } = cause as { message?: string; position?: string };
  const line = position ? `, line ${sql.slice(0, Number(position)).split('\n').length}` : '';
  return new Error(`${what} failed and was rolled back${line}: ${message ?? String(cause)}`, { cause });
}
