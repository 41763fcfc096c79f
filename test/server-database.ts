// A server in a process of its own, on a database of its own, that can be killed and started again.
import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect } from 'vitest';
import { loadConfig } from '../src/config.js';
import { createTenant } from '../src/contexts/identity/tenant.js';
import { manifest } from '../src/contexts.js';
import { checkLedger } from '../src/ledger/trial-balance.js';
import type { Platform } from '../src/platform/ctx.js';
import { createLogger } from '../src/platform/log.js';
import { openPlatform, type RunningServer, type ServerOptions, startServer } from '../src/server.js';
import { addCell } from './cells.js';
import type { Server } from './load.js';
import { type NewDatabase, newDatabase } from './new-database.js';
import { buildOnce, type ServerProcess, startServerProcess } from './process.js';

export class ServerOnDatabase {
  readonly env: Readonly<Record<string, string>>;
  /** The database, as its owner sees it. */
  readonly db: pg.Client;
  readonly #database: NewDatabase;
  readonly #clients: pg.Client[] = [];
  readonly #others: NewDatabase[] = [];
  #platform: Promise<Platform> | undefined;
  #server: ServerProcess;
  #second: RunningServer | undefined;

  private constructor(env: Readonly<Record<string, string>>, database: NewDatabase, db: pg.Client, server: ServerProcess) {
    this.env = env;
    this.#database = database;
    this.db = db;
    this.#server = server;
  }

  static async start(extra: Readonly<Record<string, string>> = {}): Promise<ServerOnDatabase> {
    await buildOnce();
    const database = await newDatabase();
    const env = {
      PORT: '0',
      SANDBOX_PORT: '0',
      DATABASE_URL: database.url,
      SECRETS_KEY: randomBytes(32).toString('hex'),
      BOOTSTRAP_TEST_KEY: `pk_test_${randomUUID()}`,
      BOOTSTRAP_LIVE_KEY: `pk_live_${randomUUID()}`,
      RATE_LIMIT_SANDBOX: '1000000',
      WEBHOOK_HOST_RATE: 'none',
      LOG_LEVEL: 'error',
      ...extra,
    };
    const db = new pg.Client({ connectionString: database.url });
    await db.connect();
    return new ServerOnDatabase(env, database, db, await startServerProcess(env));
  }

  /** The sandbox, and its key. */
  get sandbox(): Server {
    return { url: this.#server.test, key: this.env['BOOTSTRAP_TEST_KEY'] ?? '' };
  }

  /** Production, and its key. */
  get live(): Server {
    return { url: this.#server.live, key: this.env['BOOTSTRAP_LIVE_KEY'] ?? '' };
  }

  /** The sandbox of a new tenant: its clock and its rails are its own. It is in the first cell, unless another is named. */
  async newTenant(cell?: string): Promise<Server> {
    const platform = await this.#parts();
    const { testKey } = await createTenant(cell === undefined ? platform : platform.cells.named(cell), { name: 'Tenant' });
    return { url: this.#server.test, key: testKey };
  }

  /** Takes another database in as a cell. Its platform, as the process of the test has it. */
  async addCell(name: string): Promise<Platform> {
    const { platform, database } = await addCell(await this.#parts(), name);
    this.#others.push(database);
    return platform;
  }

  /** Fails unless the ledger is right. */
  async expectBalanced(): Promise<void> {
    const { database } = await this.#parts();
    expect(await checkLedger(database, manifest.escrows)).toEqual([]);
  }

  /** What the server is made of, here too: a command of the command line would take a process. */
  #parts(): Promise<Platform> {
    this.#platform ??= openPlatform(this.#options());
    return this.#platform;
  }

  #options(): ServerOptions {
    const { DATABASE_URL: databaseUrl = '', SECRETS_KEY: secretsKey = '' } = this.env;
    return { config: { ...loadConfig(this.env), databaseUrl, secretsKey }, log: createLogger('fatal') };
  }

  /** Starts a second server on the database, in the process of the test, to the end of this one. Returns the address of its sandbox. */
  async startSecond(): Promise<string> {
    this.#second = await startServer(this.#options());
    return this.#second.urls.test ?? '';
  }

  /** Another connection to the database. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.env['DATABASE_URL'] });
    await client.connect();
    this.#clients.push(client);
    return client;
  }

  /** kill -9, and another process after it. */
  async kill(): Promise<void> {
    await this.crash();
    await this.startAgain();
  }

  async crash(): Promise<void> {
    await this.#server.kill('SIGKILL');
  }

  /** Starts another process. What the dead one had in its hands is free at once, and not after the 30 s of a lease. */
  async startAgain({ freeLeases: isFree = true } = {}): Promise<void> {
    if (isFree) await freeLeases(this.db);
    this.#server = await startServerProcess(this.env);
  }

  async stop(): Promise<void> {
    await this.#second?.stop();
    if (this.#server.isRunning) await this.#server.kill('SIGTERM');
    for (const client of [this.db, ...this.#clients]) await client.end();
    const platform = await this.#platform;
    await platform?.outbound.close();
    await platform?.cells.close();
    for (const database of [this.#database, ...this.#others]) await database.drop();
  }
}

/** Ends every lease, whoever holds it. */
export function freeLeases(db: pg.Client): Promise<void> {
  return changeLeases(db, "clock_timestamp() - interval '1 second'");
}

/** Lets so many seconds of every lease pass at once. */
export function passLeases(db: pg.Client, seconds: number): Promise<void> {
  return changeLeases(db, `lease_until - interval '${seconds} seconds'`);
}

async function changeLeases(db: pg.Client, until: string): Promise<void> {
  const leased = await db.query("SELECT table_name FROM information_schema.columns WHERE column_name = 'lease_until'");
  for (const { table_name: table } of leased.rows)
    await db.query(`UPDATE ${table} SET lease_until = ${until} WHERE lease_until IS NOT NULL`);
}
