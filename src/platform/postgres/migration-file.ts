// The files of prisma/migrations/: name, text and checksum, and the kind that the first line says (CONTRACT.md 24, decision 0093).
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Of the package, seen from src/platform/postgres/ and from dist/platform/postgres/ alike. */
const packageDir = fileURLToPath(new URL('../../../', import.meta.url));
/** Where the migrations and the functions of this package are. */
export const prismaDir = path.join(packageDir, 'prisma');
/** The version of this package. */
export const { version: release } = JSON.parse(readFileSync(path.join(packageDir, 'package.json'), 'utf8')) as { version: string };

/** Names of migrations, each with its checksum. */
export type Checksums = ReadonlyMap<string, string | null>;

/**
 * `expand` adds what processes of the version before can live with, in a transaction. `background` takes its time, outside of one.
 * `contract` takes away what no process from its version on uses.
 */
export type MigrationKind = { kind: 'expand' } | { kind: 'background' } | { kind: 'contract'; version: string };

export type Migration = MigrationKind & {
  name: string;
  sql: string;
  checksum: string;
  /** The migrations that this one stands for, where it is an initial one. */
  replaces?: Checksums;
};

/** This one and all before it are expand, whatever they say: most are older than the kinds. */
const lastWithoutKind = '20261212000000_data_keys';

/** Whether a migration has to say its kind. */
export const mustSayKind = (name: string): boolean => name > lastWithoutKind;

const kindLine = /^-- *(expand|background|contract)\b(.*)$/;

/**
 * The kind of a migration, by its first line.
 * @throws naming the migration, when there is none, an unknown one, a second one, or a version that is none
 */
export function kindOf(name: string, sql: string): MigrationKind {
  if (!mustSayKind(name)) return { kind: 'expand' };
  const [first = '', ...rest] = sql.split('\n');
  const [, kind, more = ''] = kindLine.exec(first) ?? [];
  const forms = '"-- expand", "-- background" or "-- contract <version>"';
  if (kind === undefined) throw new Error(`Migration ${name} does not say what it is: its first line must be ${forms}.`);
  const second = rest.find((line) => kindLine.test(line));
  if (second !== undefined) throw new Error(`Migration ${name} says two kinds: make two migrations of it, one for "${second}".`);
  if (kind === 'contract') {
    const version = /^ (\d{1,6}\.\d{1,6}\.\d{1,6})$/.exec(more)?.[1];
    if (version !== undefined) return { kind, version };
    throw new Error(`Migration ${name} is a contract of no version: its first line must be like "-- contract 1.2.0".`);
  }
  if (more !== '') throw new Error(`Migration ${name} says more than its kind: its first line must be "-- ${kind}" alone.`);
  return { kind: kind as 'expand' | 'background' };
}

/** The migrations below `dir`, in the order of their names. */
export async function migrationNames(dir: string): Promise<string[]> {
  const entries = await readdir(path.join(dir, 'migrations'), { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

/** The migrations below `dir`, in the order of their names. */
export async function readMigrations(dir: string): Promise<Migration[]> {
  const read = async (name: string): Promise<Migration> => {
    const sql = await readFile(path.join(dir, 'migrations', name, 'migration.sql'), 'utf8');
    const replaces = await readReplaced(path.join(dir, 'migrations', name, 'replaces.sha256'));
    return { ...kindOf(name, sql), name, sql, checksum: createHash('sha256').update(sql).digest('hex'), ...(replaces && { replaces }) };
  };
  return Promise.all((await migrationNames(dir)).map(read));
}

/** Reads lines as sha256sum prints them: the checksum of a migration, and its name. */
async function readReplaced(file: string): Promise<Checksums | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (text === undefined) return undefined;
  const lines = text.trim().split('\n');
  return new Map(lines.map((line) => line.split(/ +/)).map(([checksum = '', name = '']) => [name, checksum]));
}
