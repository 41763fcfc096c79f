// Real processes of the built platform, for what cannot be seen from inside one: kill -9, signals, two servers on one database.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '../src/platform/postgres/embedded-server.js';
import { migrate } from '../src/platform/postgres/migration.js';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A process under way, with everything that it has said. */
export class Program {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';

  /** @param bin what runs it; by default Node. `user` is the number of another user, which only root may name */
  constructor(
    file: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    { bin = process.execPath, cwd = root, user }: { bin?: string; cwd?: string; user?: number | undefined } = {},
  ) {
    this.child = spawn(bin, [file, ...args], {
      cwd,
      ...(user !== undefined && { uid: user, gid: user }),
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (data: Buffer) => {
      this.stdout += data.toString();
    });
    this.child.stderr?.on('data', (data: Buffer) => {
      this.stderr += data.toString();
    });
    this.ended = once(this.child, 'close').then(([code, signal]) => ({ code, signal, stdout: this.stdout, stderr: this.stderr }));
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Sends a signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }
}

/** A server that says it is ready. */
export class ServerProcess extends Program {
  live = '';
  test = '';
  /** Milliseconds from the call of the program to its word that it is ready. */
  readyIn = 0;

  /** Resident memory in MB, as the kernel counts it; null where there is no /proc. */
  residentMb(): number | null {
    try {
      const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.child.pid}/status`, 'utf8'))?.[1];
      return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1024);
    } catch {
      return null;
    }
  }
}

/** Builds dist/ when it is stale. Test files run beside each other, so one builds and the others wait. */
export async function buildOnce(): Promise<void> {
  const lock = path.join(root, 'node_modules', '.test-build.pid');
  while (!(await takeLock(lock))) await pause(100);
  try {
    const build = new Program(path.join(root, 'scripts', 'build.mjs'), ['--if-stale'], {});
    const { code, stderr } = await build.ended;
    if (code !== 0) throw new Error(stderr);
  } finally {
    await rm(lock, { force: true });
  }
}

/** Writes the id of this process into a file that is not there. That of a process which was killed is removed, for the next try. */
async function takeLock(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, `${process.pid}`, { flag: 'wx' });
    return true;
  } catch {
    // One that is being written is empty.
    const holder = Number(await readFile(lock, 'utf8').catch(() => '')) || process.pid;
    if (!isRunning(holder)) await rm(lock, { force: true });
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    // Nothing is sent: 0 asks whether there is such a process.
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Starts a command of the command line. */
export function launchCli(args: readonly string[], env: Readonly<Record<string, string>>): Program {
  return new Program(path.join(root, 'dist', 'cli.js'), args, env);
}

/** Runs a command of the command line to its end. */
export function runCli(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  return launchCli(args, env).ended;
}

/** Starts a server without waiting for it, by this Node or another one, of this checkout or another one. */
export function launchServer(env: Readonly<Record<string, string>>, { bin = process.execPath, checkout = root } = {}): ServerProcess {
  return new ServerProcess(path.join(checkout, 'dist', 'main.js'), [], env, { bin, cwd: checkout });
}

/** Starts a server; returns when it says that it is ready. */
export async function startServerProcess(
  env: Readonly<Record<string, string>>,
  options: { bin?: string; checkout?: string } = {},
): Promise<ServerProcess> {
  const begun = performance.now();
  const server = launchServer(env, options);
  const ready = new Promise<void>((resolve) => {
    server.child.stdout?.on('data', () => {
      if (server.readyIn > 0 || !/is ready|^Working\./m.test(server.stdout)) return;
      server.readyIn = performance.now() - begun;
      resolve();
    });
  });
  const ended = server.ended.then(({ code, stderr }) => {
    throw new Error(`the server ended with ${code} before it was ready: ${stderr}`);
  });
  await Promise.race([ready, ended]);
  ended.catch(() => {});
  server.live = /Production\s+(\S+)/.exec(server.stdout)?.[1] ?? '';
  server.test = /Sandbox\s+(\S+)/.exec(server.stdout)?.[1] ?? '';
  return server;
}

export interface DataDir {
  dataDir: string;
  remove(): Promise<void>;
}

/** A folder for data that PostgreSQL's own user can reach, and how it is taken away again. */
export async function makeDataDir(): Promise<DataDir> {
  const folder = await mkdtemp(path.join(tmpdir(), 'payments-process-'));
  await chmod(folder, 0o711);
  return { dataDir: path.join(folder, 'data'), remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Data of a migrated PostgreSQL, stopped, in which nobody has written: copies of it are quicker than initdb and the migrations. */
export async function prepareData(): Promise<DataDir> {
  const data = await makeDataDir();
  const server = await startEmbeddedPostgres({ dataDir: data.dataDir, durable: false, notice: () => {} });
  await migrate(server.url);
  await server.stop();
  return data;
}

/** Copies data with its owners. */
export async function copyData(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to]);
}

/** The process id of the PostgreSQL that runs in `dataDir`. */
export async function postmasterPid(dataDir: string): Promise<number> {
  const cluster = await realpath(path.join(dataDir, 'postgres'));
  return Number((await readFile(path.join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** An ended process whose parent does not collect it (the first process of a container often does not) is not alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync('/proc/self') || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
