// One data directory of the embedded PostgreSQL: how it is made, its credentials, and whether a server runs in it.
// The directory appears whole or not at all, so that processes which start together need no lock.
import { randomBytes } from 'node:crypto';
import { chmod, chown, link, mkdir, readdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { type OsUser, type PostgresBinaries, runAs } from './binary.js';
import { damaged } from './start-failure.js';

/** How to reach the server of a data directory. Kept in the directory itself, for the owner alone. */
export interface Connection {
  /** The port that was used last; a running server's own is in its Postmaster. */
  port: number;
  password: string;
}

/** The server process of a data directory. */
export interface Postmaster {
  pid: number;
  port: number;
  /** False while it starts, recovers or stops. */
  ready: boolean;
}

const connectionFile = (directory: string) => path.join(directory, 'connection.json');
const lockFile = (directory: string) => path.join(directory, 'postmaster.pid');

const isMissing = (error: NodeJS.ErrnoException) => error.code === 'ENOENT' || error.code === 'ENOTDIR';

/** A port of 127.0.0.1 that nobody listens on. With `wanted`: whether that one is free, else null. */
export async function freePort(wanted = 0): Promise<number | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(null));
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(address && typeof address === 'object' ? address.port : null));
    });
  });
}

async function readOrNull(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (isMissing(error)) return null;
    if (error.code !== 'EACCES') throw error;
    throw new Error(`${path.dirname(file)} belongs to another OS user. Start as that user, or set DATA_DIR or DATABASE_URL.`, {
      cause: error,
    });
  });
}

/** Null where `directory` holds no cluster of ours. */
export async function readConnection(directory: string): Promise<Connection | null> {
  const text = await readOrNull(connectionFile(directory));
  if (text === null) return null;
  try {
    return JSON.parse(text) as Connection;
  } catch (cause) {
    throw damaged({ place: directory, log: 'postgres.log' }, 'its connection.json cannot be read', cause);
  }
}

/** Whether a cluster is there already. Throws where there are files, and they are not those of a whole one. */
export async function holdsCluster(directory: string, log: string): Promise<boolean> {
  const names: string[] = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (isMissing(error)) return [];
    throw error;
  });
  if (names.length === 0) return false;
  const missing = ['connection.json', 'PG_VERSION', 'global', 'base', 'pg_wal'].find((name) => !names.includes(name));
  if (missing !== undefined) throw damaged({ place: directory, log }, `${missing} is missing`);
  return true;
}

/** Written whole or not at all: another process may be reading it. */
export async function writeConnection(directory: string, user: OsUser | undefined, connection: Connection): Promise<void> {
  const draft = `${connectionFile(directory)}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(connection)}\n`, { mode: 0o600 });
  if (user) await chown(draft, user.uid, user.gid);
  await rename(draft, connectionFile(directory));
}

/** Removes what starts that were killed half-way left beside `directory`. */
async function removeDrafts(directory: string): Promise<void> {
  const prefix = `${path.basename(directory)}.draft-`;
  for (const name of await readdir(path.dirname(directory))) {
    const pid = Number(name.startsWith(prefix) ? name.slice(prefix.length).split('-')[0] : Number.NaN);
    if (pid > 0 && !isAlive(pid)) await rm(path.join(path.dirname(directory), name), { recursive: true, force: true }).catch(() => {});
  }
}

/**
 * Makes a cluster in `directory`: UTF-8 with a collation that no library upgrade changes, a random password for everybody.
 * When another process made it in the meantime, that one stands.
 */
export async function createCluster(directory: string, user: OsUser | undefined, initdb: string, durable: boolean): Promise<void> {
  await removeDrafts(directory);
  const draft = `${directory}.draft-${process.pid}-${randomBytes(4).toString('hex')}`;
  const [cluster, passwordFile] = [path.join(draft, 'cluster'), path.join(draft, 'password')];
  const password = randomBytes(24).toString('base64url');
  try {
    await mkdir(draft, { mode: 0o700 });
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (user) for (const file of [draft, passwordFile]) await chown(file, user.uid, user.gid);
    const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    await runAs(user, initdb, `--pgdata=${cluster}`, ...locale, ...access, '--no-sync', '--no-instructions');
    await writeConnection(cluster, user, { port: (await freePort()) ?? 0, password });
    if (durable) await runAs(user, initdb, `--pgdata=${cluster}`, '--sync-only');
    await rename(cluster, directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** @throws when the data is of another major version than the programs */
export async function checkPostgresVersion(directory: string, binaries: PostgresBinaries): Promise<void> {
  const made = (await readFile(path.join(directory, 'PG_VERSION'), 'utf8')).trim();
  if (made === binaries.version.split('.')[0]) return;
  throw new Error(
    `The data in ${directory} was made by PostgreSQL ${made}, the installed one is ${binaries.version}: set DATA_DIR to another folder.`,
  );
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Process ids are used again: a server is known by its working directory, or by its command line where there is no /proc. */
async function isServerOf(pid: number, directory: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform === 'linux') return (await readlink(`/proc/${pid}/cwd`).catch(() => '')) === directory;
  return (await runAs(undefined, 'ps', '-o', 'command=', '-p', String(pid)).catch(() => '')).includes(directory);
}

/**
 * The server that runs in `directory` (a real path), if any. What a dead server left is no server. A lock file whose number now
 * belongs to an unrelated process, which PostgreSQL itself would take for a running server, is removed.
 */
export async function findPostmaster(directory: string): Promise<Postmaster | null> {
  const text = await readOrNull(lockFile(directory));
  if (text === null) return null;
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!(pid > 0)) return null;
  if (await isServerOf(pid, directory)) return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
  if (isAlive(pid)) await removeStaleLock(directory, text);
  return null;
}

/** Whether a server runs in `directory` (a real path). Unlike findPostmaster it changes nothing there. */
export async function isServed(directory: string): Promise<boolean> {
  const pid = Number((await readOrNull(lockFile(directory)))?.split('\n')[0]);
  return pid > 0 && isServerOf(pid, directory);
}

async function removeStaleLock(directory: string, seen: string): Promise<void> {
  const aside = `${lockFile(directory)}.stale-${process.pid}`;
  try {
    await rename(lockFile(directory), aside);
    // Between reading and moving, a server may have started and written its own: it gets it back.
    if ((await readFile(aside, 'utf8')) !== seen) await link(aside, lockFile(directory));
  } catch (error) {
    if (!isMissing(error as NodeJS.ErrnoException)) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

/** Makes a folder for data: ours alone, or open to pass through where the server runs as another user than ourselves. */
export async function makeDataFolder(directory: string, user: OsUser | undefined): Promise<void> {
  const mode = user ? 0o711 : 0o700;
  const made = await mkdir(directory, { recursive: true, mode });
  if (made) await chmod(directory, mode);
}
