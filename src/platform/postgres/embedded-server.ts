// A real PostgreSQL for a machine that has none (ARCHITECTURE.md 9). The server is no child of the process that starts it: it outlives
// a kill -9, and the next start finds it running and uses it.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { open, readlink, realpath, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  binaryEnvironment,
  canEnter,
  folderOutsideCheckout,
  makeOwnFolder,
  type OsUser,
  type PostgresBinaries,
  postgresBinaries,
  postgresUser,
  runAs,
} from './binary.js';
import {
  type Connection,
  checkPostgresVersion,
  createCluster,
  findPostmaster,
  freePort,
  holdsCluster,
  makeDataFolder,
  readConnection,
  writeConnection,
} from './cluster.js';
import { ensureDatabase, urlOf } from './embedded-database.js';
import { readMachine } from './machine.js';
import { profileOf } from './server-profile.js';
import { explained, startFailure } from './start-failure.js';

export interface EmbeddedPostgresOptions {
  /** Made when missing. Holds the cluster (`postgres/`) and the server's log (`postgres.log`). */
  dataDir: string;
  /** False gives up safety against power loss for speed: for tests. */
  durable?: boolean;
  /** Settings of the server that win over ours. */
  settings?: Readonly<Record<string, string>>;
  /** The port to listen on. Without it: the one of the last start, or a free one. A running server keeps its own. */
  port?: number;
  /** Told what a person should know about where things are kept. */
  notice(text: string): void;
}

export interface EmbeddedPostgres {
  url: string;
  /** Ends the server if this process started it; one that was found running goes on running. */
  stop(): Promise<void>;
  /** Set when the data lives outside `dataDir`: the folder. */
  movedTo?: string;
}

const readyWithinMs = 120_000;
const retryWithinMs = 5_000;
const stopWithinMs = 20_000;
const logLimitBytes = 10_000_000;

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Errors of statements go to the client that made them; the log is for the server's own life.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};
const durableSettings = { fsync: 'on', synchronous_commit: 'on' };
/** Of servers that live for minutes, many on a machine: they take little memory, whatever it has. */
const fastSettings = {
  shared_buffers: '128MB',
  jit: 'off',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  checkpoint_timeout: '1d',
  max_wal_size: '8GB',
  // Databases live for minutes, and plans that change by themselves make tests that fail by themselves.
  autovacuum: 'off',
};

const clusterPath = (dataDir: string) => path.join(dataDir, 'postgres');

/** The real path of the cluster of `dataDir`, also when it is still to be made there; null when nothing says where it is. */
async function placeOf(dataDir: string): Promise<string | null> {
  const linked = await readlink(clusterPath(dataDir)).catch(() => null);
  if (linked !== null) return linked;
  return realpath(clusterPath(dataDir)).catch(() => null);
}

/** Chooses where the cluster of `dataDir` lives: in it, or where `user` can reach it, with a link to there. */
async function choosePlace(dataDir: string, user: OsUser | undefined): Promise<string> {
  if (await canEnter(user, dataDir)) return path.join(await realpath(dataDir), 'postgres');
  const place = path.join(await folderOutsideCheckout(), `data-${randomBytes(4).toString('hex')}`);
  await symlink(place, clusterPath(dataDir)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error; // another start was quicker: its choice stands
  });
  return (await placeOf(dataDir)) ?? place;
}

/** As root the server runs as whoever owns the data already, else as the OS user `postgres`. */
async function userFor(place: string | null): Promise<OsUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const found = place === null ? null : await stat(place).catch(() => null);
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : postgresUser();
}

interface Launch {
  place: string;
  program: string;
  user: OsUser | undefined;
  log: string;
  durable: boolean;
  settings: Readonly<Record<string, string>>;
  port: number;
}

interface Launched {
  server: ChildProcess;
  /** Why the program did not even run. */
  failure?: Error;
  /** Where in the log this server's words begin. */
  logFrom: number;
}

/** Whether a program of PostgreSQL knows lz4: it refuses a value of a setting that it was built without. */
const hasLz4 = ({ program, place, user }: Pick<Launch, 'program' | 'place' | 'user'>): Promise<boolean> =>
  runAs(user, program, '-D', place, '-c', 'wal_compression=lz4', '-C', 'wal_compression').then(
    (printed) => printed.trim() === 'lz4',
    () => false,
  );

/** What a durable server is set to on this machine. */
async function durableProfile(launched: Pick<Launch, 'program' | 'place' | 'user'>): Promise<Record<string, string>> {
  const profile = profileOf(await readMachine(launched.place), await hasLz4(launched));
  return Object.fromEntries(profile.map(({ name, value }) => [name, value]));
}

/** Starts a server in a session of its own, so that neither a Ctrl-C nor the end of this process reaches it. */
async function launch({ place, program, user, log, durable, settings: given, port }: Launch): Promise<Launched> {
  const profile = durable ? { ...durableSettings, ...(await durableProfile({ program, place, user })) } : fastSettings;
  const size = await stat(log).then(
    (found) => found.size,
    () => 0,
  );
  const file = await open(log, size > logLimitBytes ? 'w' : 'a', 0o600);
  try {
    const flags = Object.entries({ ...settings, ...profile, ...given }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const server = spawn(program, ['-D', place, '-p', String(port), ...flags], {
      ...user,
      cwd: place,
      detached: true,
      env: binaryEnvironment,
      stdio: ['ignore', file.fd, file.fd],
    });
    server.unref();
    const launched: Launched = { server, logFrom: size > logLimitBytes ? 0 : size };
    server.once('error', (error) => {
      launched.failure = error;
    });
    return launched;
  } finally {
    await file.close();
  }
}

const hasEnded = (server: ChildProcess) => server.pid === undefined || server.exitCode !== null || server.signalCode !== null;

async function logTail(log: string, from: number): Promise<string> {
  const file = await open(log, 'r');
  try {
    const { buffer, bytesRead } = await file.read({ position: from, buffer: Buffer.alloc(4_000) });
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await file.close();
  }
}

/** Finds the server of the place, or starts one: `server` is only there when it is ours. Safe when several processes do it at once. */
async function findOrLaunch(options: Launch & { fixedPort: boolean }): Promise<{ port: number; server?: ChildProcess }> {
  const begun = performance.now();
  let { port } = options;
  let ours: Launched | undefined;
  for (;;) {
    const found = await findPostmaster(options.place);
    if (found?.ready) return { port: found.port, ...(ours && ours.server.pid === found.pid ? { server: ours.server } : {}) };
    if (performance.now() - begun > readyWithinMs)
      throw new Error(`PostgreSQL was not ready in ${readyWithinMs / 1000} s: see ${options.log}`);
    if (ours && hasEnded(ours.server)) {
      // Another process won the race, a killed server's children are still leaving, or the port was taken: all pass by trying again.
      const said = await logTail(options.log, ours.logFrom);
      if (!found && performance.now() - begun > retryWithinMs) throw await startFailure(ours.failure ?? new Error(said), options);
      if (/could not bind|could not create any TCP/.test(said) && !options.fixedPort) port = (await freePort()) ?? port;
      ours = undefined;
      await pause(100);
    } else {
      if (!found && !ours) ours = await launch({ ...options, port });
      await pause(5);
    }
  }
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (hasEnded(server)) return;
  server.ref();
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const patience = new AbortController();
  server.kill('SIGINT'); // "fast": ends sessions, writes a checkpoint
  const late = pause(stopWithinMs, undefined, { signal: patience.signal, ref: false }).then(
    () => server.kill('SIGQUIT'),
    () => false,
  );
  await ended;
  patience.abort();
  await late;
}

/**
 * Starts PostgreSQL in `dataDir`, or finds it running there.
 * @throws when the optional package is missing, the data is of another major version or user, or the server does not come up
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { notice } = options;
  const dataDir = path.resolve(options.dataDir);
  const known = await placeOf(dataDir);
  const user = await userFor(known);
  await makeDataFolder(dataDir, user);
  const place = known ?? (await choosePlace(dataDir, user));
  const moved = path.dirname(place) !== (await realpath(dataDir));
  if (moved) await makeOwnFolder(path.dirname(place));
  const binaries = await postgresBinaries(user);
  if (binaries.copiedTo) notice(`PostgreSQL cannot run from this checkout as its OS user, and runs from a copy in ${binaries.copiedTo}`);
  if (moved) notice(`PostgreSQL cannot reach ${dataDir} as its OS user: the data is in ${place} (DATA_DIR chooses another folder)`);

  const log = path.join(dataDir, 'postgres.log');
  try {
    return await startIn(place, { ...options, user, binaries, log, moved });
  } catch (error) {
    throw await explained(error, { place, log });
  }
}

interface Found {
  user: OsUser | undefined;
  binaries: PostgresBinaries;
  log: string;
  moved: boolean;
}

/** Makes the cluster where there is none, and starts its server unless it runs. */
async function startIn(place: string, options: EmbeddedPostgresOptions & Found): Promise<EmbeddedPostgres> {
  const { durable = true, settings: given = {}, notice, user, binaries, log, moved } = options;
  if (!(await holdsCluster(place, log))) {
    notice('Making the database: this is done once, and takes some seconds.');
    await createCluster(place, user, binaries.initdb, durable);
  }
  await checkPostgresVersion(place, binaries);
  const connection = (await readConnection(place)) as Connection;
  const wanted = options.port ?? (await freePort(connection.port)) ?? (await freePort()) ?? connection.port;
  const { port, server } = await findOrLaunch({
    place,
    program: binaries.postgres,
    user,
    log,
    durable,
    settings: given,
    port: wanted,
    fixedPort: options.port !== undefined,
  });
  const stop = async () => {
    if (server) await stopServer(server);
  };
  try {
    if (port !== connection.port) await writeConnection(place, user, { ...connection, port });
    await ensureDatabase(port, connection.password);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: urlOf(port, connection.password),
    stop,
    ...(moved ? { movedTo: place } : {}),
  };
}

/** The URL of the server that runs in `dataDir`, for a process that must not start one; null when none runs. */
export async function embeddedDatabaseUrl(dataDir: string): Promise<string | null> {
  const place = await placeOf(path.resolve(dataDir));
  if (place === null) return null;
  const [connection, found] = [await readConnection(place), await findPostmaster(place)];
  return connection && found?.ready ? urlOf(found.port, connection.password) : null;
}
