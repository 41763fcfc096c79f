// An installation of two cells, each on a PostgreSQL server of its own, with the platform and its commands as real processes: any of them
// can be killed, and started again where it was.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { vi } from 'vitest';
import { enterCell } from '../../../src/platform/cell/admission.js';
import { freePort } from '../../../src/platform/postgres/cluster.js';
import type { Database } from '../../../src/platform/postgres/database.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/platform/postgres/embedded-server.js';
import { openRing } from '../../../src/platform/secrets/key-ring.js';
import { Vault } from '../../../src/platform/secrets/vault.js';
import {
  buildOnce,
  copyData,
  type DataDir,
  type Ended,
  isAlive,
  launchCli,
  makeDataDir,
  type Program,
  postmasterPid,
  prepareData,
  type ServerProcess,
  startServerProcess,
} from '../../process.js';

/** A PostgreSQL that can be killed. What it has acknowledged is in its files, also where the machine has not written them to its disk. */
class CellServer {
  readonly #data: DataDir;
  readonly #port: number;
  #running: EmbeddedPostgres | undefined;
  url = '';

  private constructor(data: DataDir, port: number) {
    this.#data = data;
    this.#port = port;
  }

  static async open(prepared: DataDir, data: DataDir): Promise<CellServer> {
    await copyData(prepared.dataDir, data.dataDir);
    const server = new CellServer(data, (await freePort()) ?? 0);
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const settings = { wal_level: 'logical', max_wal_senders: '10', synchronous_commit: 'on', shared_buffers: '64MB' };
    const { dataDir } = this.#data;
    this.#running = await startEmbeddedPostgres({ dataDir, durable: false, settings, port: this.#port, notice: () => {} });
    this.url = this.#running.url;
  }

  /** Lets it hang, with every process that serves it. Returns what lets it go on. */
  async hang(): Promise<() => void> {
    const serving = await withPool(this.url, (pool) => pool.query<{ pid: number }>('SELECT pid FROM pg_stat_activity'));
    const pids = [await postmasterPid(this.#data.dataDir), ...serving.rows.map(({ pid }) => pid)];
    const signal = (name: NodeJS.Signals) => {
      for (const pid of pids.filter(isAlive)) process.kill(pid, name);
    };
    signal('SIGSTOP');
    return () => signal('SIGCONT');
  }

  /** Takes every connection that it has, and those of others. Returns what gives them back. */
  async fill(): Promise<() => Promise<void>> {
    const taken: pg.Client[] = [];
    const take = async () => {
      const client = new pg.Client({ connectionString: this.url });
      client.on('error', () => {});
      await client.connect().then(
        () => taken.push(client),
        () => {},
      );
    };
    await take();
    const others = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = $1';
    await taken[0]?.query(others, ['client backend']);
    await Promise.all(Array.from({ length: 110 }, take));
    return async () => void (await Promise.all(taken.map((client) => client.end())));
  }

  /** kill -9. */
  async kill(): Promise<void> {
    const pid = await postmasterPid(this.#data.dataDir);
    process.kill(pid, 'SIGKILL');
    await vi.waitUntil(() => !isAlive(pid), { interval: 10, timeout: 10_000 });
  }

  /** Starts it where it has ended by itself, and waits until it answers. */
  async bringBack(): Promise<void> {
    const answers = () =>
      withPool(this.url, (pool) => pool.query('SELECT')).then(
        () => true,
        () => false,
      );
    const isRunning = () => postmasterPid(this.#data.dataDir).then(isAlive, () => false);
    while (!(await answers())) {
      if (!(await isRunning())) await this.start();
      await pause(100);
    }
  }

  async remove(): Promise<void> {
    await this.#running?.stop();
    await this.#data.remove();
  }
}

export type CellName = 'main' | 'b';

export class TwoServers {
  readonly cells: Readonly<Record<CellName, CellServer>>;
  readonly env: Readonly<Record<string, string>>;
  #server: ServerProcess;

  private constructor(cells: Readonly<Record<CellName, CellServer>>, env: Readonly<Record<string, string>>, server: ServerProcess) {
    this.cells = cells;
    this.env = env;
    this.#server = server;
  }

  /** @param place of the second cell */
  static async start(extra: Readonly<Record<string, string>> = {}, place?: DataDir): Promise<TwoServers> {
    await buildOnce();
    const prepared = await prepareData();
    const [main, b] = await Promise.all([
      CellServer.open(prepared, await makeDataDir()),
      CellServer.open(prepared, place ?? (await makeDataDir())),
    ]);
    await prepared.remove();
    const env = {
      DATABASE_URL: main.url,
      SECRETS_KEY: randomBytes(32).toString('hex'),
      PORT: String(await freePort()),
      SANDBOX_PORT: String(await freePort()),
      BOOTSTRAP_TEST_KEY: `pk_test_${randomUUID()}`,
      BOOTSTRAP_LIVE_KEY: `pk_live_${randomUUID()}`,
      RATE_LIMIT_SANDBOX: '1000000',
      RATE_LIMIT_GENERAL: '1000000',
      RATE_LIMIT_AUTH: '1000000',
      WEBHOOK_HOST_RATE: 'none',
      LOG_LEVEL: 'error',
      ...extra,
    };
    const server = await startServerProcess(env);
    await withPool(main.url, async (pool) => {
      const vault = new Vault(env.SECRETS_KEY);
      await openRing(pool, vault, { secretsKey: env.SECRETS_KEY, secretsKeysOld: [] });
      await enterCell({ database: { pool } as Database, vault }, { name: 'b', url: b.url });
    });
    return new TwoServers({ main, b }, env, server);
  }

  get url(): string {
    return `http://127.0.0.1:${this.env['SANDBOX_PORT']}`;
  }

  get key(): string {
    return this.env['BOOTSTRAP_TEST_KEY'] ?? '';
  }

  /** What the server has said of errors. */
  get stderr(): string {
    return this.#server.stderr;
  }

  /** kill -9 of the platform, and another process after it. */
  async killServer(): Promise<void> {
    await this.#server.kill('SIGKILL');
    this.#server = await startServerProcess(this.env);
  }

  /** kill -9 of a PostgreSQL, and its next start. */
  async killCell(name: CellName): Promise<void> {
    await this.cells[name].kill();
    await this.cells[name].start();
  }

  /** A cell that has ended by itself is there again. */
  bringBack(name: CellName): Promise<void> {
    return this.cells[name].bringBack();
  }

  /** A command of the command line, under way. */
  launch(...args: readonly string[]): Program {
    return launchCli(args, this.env);
  }

  run(...args: readonly string[]): Promise<Ended> {
    return this.launch(...args).ended;
  }

  async stop(): Promise<void> {
    if (this.#server.isRunning) await this.#server.kill('SIGTERM');
    await Promise.all(Object.values(this.cells).map((cell) => cell.remove()));
  }
}

/** Lends connections to a database. Those that are lost fail what uses them. */
export async function withPool<T>(url: string, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ connectionString: url, options: '-c timezone=UTC', max: 2 });
  pool.on('error', () => {});
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
