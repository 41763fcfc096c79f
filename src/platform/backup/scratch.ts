// A database of a moment, into which a backup is put to be looked at. It is removed whatever happens.
import { randomBytes } from 'node:crypto';
import { chmod, chown, cp, lstat, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { isServed } from '../postgres/cluster.js';
import { startEmbeddedPostgres } from '../postgres/embedded-server.js';
import { BackupBroken, CannotCheck } from './failure.js';

export interface Scratch {
  url: string;
  /** For files of a moment; removed with the rest. */
  folder: string;
  /** Drops the database and deletes the folder. What still uses them fails. */
  remove(): Promise<void>;
}

/** A folder that the user of PostgreSQL can pass through. */
async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'backup-verify-'));
  await chmod(folder, 0o711);
  return folder;
}

/** Does `end` once, however often it is asked for. */
function once(end: () => Promise<void>): () => Promise<void> {
  let ending: Promise<void> | undefined;
  return () => {
    ending ??= end();
    return ending;
  };
}

/** An empty database on a server that is there. Its user must be allowed to make one. */
export async function scratchDatabase(server: string): Promise<Scratch> {
  const name = `backup_verify_${randomBytes(6).toString('hex')}`;
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: server, application_name: 'backup verify' });
    client.on('error', () => {});
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await run(`CREATE DATABASE ${name} TEMPLATE template0`).catch((error: Error) => {
    throw new CannotCheck(
      `No scratch database can be made there: ${error.message}. --scratch names another server, whose user may make one.`,
    );
  });
  const folder = await makeFolder();
  const url = new URL(server);
  url.pathname = `/${name}`;
  const remove = once(async () => {
    await rm(folder, { recursive: true, force: true });
    await run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });
  return { url: url.href, folder, remove };
}

/** A PostgreSQL of its own, in a folder of a moment: the embedded one. */
export async function scratchServer(): Promise<Scratch> {
  return startIn(await makeFolder());
}

/**
 * The files of an embedded database, copied and opened. Throws BackupBroken where PostgreSQL does not open them, and CannotCheck for a folder
 * whose database runs: files that are being written are no backup.
 */
export async function scratchOfFiles(dataDir: string): Promise<Scratch> {
  const place = await realpath(path.join(dataDir, 'postgres')).catch(() => null);
  if (place === null)
    throw new CannotCheck(
      `There is no database in ${dataDir}: its folder postgres is missing, or is a link to nowhere (copy with cp -aL).`,
    );
  if (await isServed(place))
    throw new CannotCheck(`The database in ${dataDir} runs. Stop it, copy the folder (cp -aL), and name the copy.`);
  const folder = await makeFolder();
  const copy = path.join(folder, 'postgres');
  try {
    await cp(place, copy, { recursive: true, preserveTimestamps: true });
    await rm(path.join(copy, 'postmaster.pid'), { force: true });
    await keepOwner(place, copy);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new CannotCheck(`The database in ${dataDir} cannot be copied: ${(error as Error).message}`);
  }
  return startIn(folder, `The files in ${dataDir} cannot be opened`);
}

/** As root the server runs as whoever owns the files. */
async function keepOwner(place: string, copy: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await lstat(place);
  await chown(copy, uid, gid);
  for (const entry of await readdir(copy, { recursive: true })) await chown(path.join(copy, entry), uid, gid);
}

/** Starts the embedded PostgreSQL in a folder. `fault` says what it means that it does not start. */
async function startIn(folder: string, fault?: string): Promise<Scratch> {
  const drop = () => rm(folder, { recursive: true, force: true });
  try {
    // A move that was under way has left a slot, which needs this level.
    const server = await startEmbeddedPostgres({ dataDir: folder, durable: false, settings: { wal_level: 'logical' }, notice: () => {} });
    const remove = once(async () => {
      await server.stop();
      await drop();
    });
    return { url: server.url, folder, remove };
  } catch (error) {
    const said = await readFile(path.join(folder, 'postgres.log'), 'utf8').catch(() => '');
    await drop();
    if (fault === undefined) throw new CannotCheck(`No scratch database can be started: ${(error as Error).message}`);
    throw new BackupBroken(`${fault}: ${/(?:PANIC|FATAL): +(.*)/.exec(said)?.[1] ?? (error as Error).message}`);
  }
}
