// A running platform for one test file. After every test its books are checked, and every answer is held against openapi.json.
import { randomBytes } from 'node:crypto';
import { type Dispatcher, request } from 'undici';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { loadConfig } from '../src/config.js';
import { checkDocuments } from '../src/contexts/audit/document-check.js';
import { createTenant } from '../src/contexts/identity/tenant.js';
import { manifest } from '../src/contexts.js';
import { checkLedger } from '../src/ledger/trial-balance.js';
import type { Clock } from '../src/platform/clock.js';
import type { Platform } from '../src/platform/ctx.js';
import { createLogger } from '../src/platform/log.js';
import { startServer } from '../src/server.js';
import { work } from '../src/worker.js';
import { withSecondCell } from './cells.js';
import { checkEvents } from './event-data.js';
import { givePlatformBack, type Started, takePlatform } from './kept-platform.js';
import { newDatabase } from './new-database.js';
import { checkAnswer } from './openapi.js';
import { checkWayOut } from './way-out.js';

/** A clock that stands still until it is moved. */
export class TestClock implements Clock {
  #now: number;

  constructor(now = '2026-03-02T10:00:00.000Z') {
    this.#now = new Date(now).getTime();
  }

  now(): Date {
    return new Date(this.#now);
  }

  /** Moves time on, in seconds. */
  advance(seconds: number): void {
    this.#now += seconds * 1000;
  }

  set(at: string): void {
    this.#now = new Date(at).getTime();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read answers as a client without types would
export type Json = any;

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
}

export interface CallOptions {
  /** The credential; null: none. */
  as?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
  /** Sent instead of JSON. */
  raw?: string;
}

/** A client of one listener. */
export class Client {
  readonly url: string;
  readonly key: string;

  constructor(url: string, key: string) {
    this.url = url;
    this.key = key;
  }

  /** Sends a request, by default with the tenant's API key; checks the answer against openapi.json. */
  async call(method: string, path: string, { as = this.key, body, headers = {}, raw }: CallOptions = {}): Promise<Answer> {
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    // Costs a third of what fetch does.
    const response = await request(this.url + path, {
      method: method as Dispatcher.HttpMethod,
      headers: {
        Accept: '*/*',
        ...(as === null ? {} : { Authorization: `Bearer ${as}` }),
        ...(content === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: content ?? null,
    });
    const text = await response.body.text();
    const answer = { status: response.statusCode, headers: headersOf(response.headers), body: text === '' ? undefined : parse(text) };
    checkAnswer(method, path, answer);
    checkWayOut(`${method} ${path}`, answer);
    return answer;
  }

  get(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('GET', path, options);
  }
  post(path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.call('POST', path, { ...options, body });
  }
  patch(path: string, body: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.call('PATCH', path, { ...options, body });
  }
  put(path: string, body: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.call('PUT', path, { ...options, body });
  }
  delete(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('DELETE', path, options);
  }

  /** Runs a GraphQL operation. */
  graphql(query: string, variables: object = {}, options: CallOptions = {}): Promise<Answer> {
    return this.post('/graphql', { query, variables }, options);
  }

  /** The answer's `data`, of a call that must succeed. */
  async make(path: string, body: unknown, options: CallOptions = {}): Promise<Json> {
    const answer = await this.post(path, body, options);
    if (answer.status >= 300) expect.fail(`POST ${path} ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  }
}

function headersOf(given: Readonly<Record<string, string | string[] | undefined>>): Headers {
  return new Headers(Object.entries(given).flatMap(([name, value = []]) => [value].flat().map((one): [string, string] => [name, one])));
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export interface HarnessOptions {
  /** Requests per minute; plenty unless a test is about the limits. */
  limits?: { general?: number; sandbox?: number; auth?: number; login?: number };
  env?: Record<string, string>;
  /** Private addresses with their port to which the sandbox may send. */
  allowHosts?: readonly string[] | undefined;
  /** The address at which the platform reaches its database, where that is not the database's own. */
  route?: (databaseUrl: string) => Promise<string>;
  /** `address:port` of the name servers for names of tenants; by default nobody answers, at once. */
  nameServers?: readonly string[];
  /** Requests that the platform holds at once. */
  mostInFlight?: number;
  /** Checked after every test by default. */
  checkLedger?: boolean;
}

/** The platform under test, filled in before the first test of the file. */
export class Harness {
  platform!: Platform;
  clock = new TestClock();
  /** The first tenant, in the sandbox and in production. */
  test!: Client;
  live!: Client;
  /** A second tenant, who must see nothing of the first. */
  other!: Client;
  tenantId!: string;

  /** The platform of the first cell, in whose database the directory is: that of the first tenant, but with TEST_CELLS=2. */
  get directory(): Platform {
    return this.platform.cells.home;
  }

  /** The platform of the cell of the second tenant: the same. */
  get elsewhere(): Platform {
    return this.platform.cells.home;
  }

  /** Publishes what was written and runs everything that is due, in every cell. */
  async runDue(): Promise<void> {
    for (const platform of this.platform.cells.served) await work(platform, manifest);
  }

  /** Moves the clock and runs what became due. */
  async advance(seconds: number): Promise<void> {
    this.clock.advance(seconds);
    await this.runDue();
  }
}

/** Where the platform that files share may send: what the file asks for that is running. */
const allowedHosts: string[] = [];

/** Nobody listens there. */
const noNameServer = ['127.0.0.1:1'];

/** A platform on a database of its own. */
async function startPlatform(
  clock: Clock,
  { limits = {}, env = {}, allowHosts, route, mostInFlight, nameServers = noNameServer }: HarnessOptions,
): Promise<Started> {
  const database = await newDatabase();
  const { general = 1_000_000, sandbox = 1_000_000, auth = 1_000_000, login = 1_000_000 } = limits;
  const databaseUrl = (await route?.(database.url)) ?? database.url;
  const secretsKey = randomBytes(32).toString('hex');
  const config = loadConfig({
    DATABASE_URL: databaseUrl,
    PLATFORM_MEMORY: database.memory,
    SECRETS_KEY: secretsKey,
    PORT: '0',
    SANDBOX_PORT: '0',
    RATE_LIMIT_GENERAL: String(general),
    RATE_LIMIT_SANDBOX: String(sandbox),
    RATE_LIMIT_AUTH: String(auth),
    RATE_LIMIT_LOGIN: String(login),
    // The clock stands still: a second would never end.
    WEBHOOK_HOST_RATE: 'none',
    ...env,
  });
  const server = await startServer({
    config: { ...config, databaseUrl, secretsKey, webhookAllowHosts: allowHosts ?? config.webhookAllowHosts },
    log: createLogger(process.env['TEST_LOG_LEVEL'] ?? 'fatal'),
    clock,
    pollMs: 0,
    nameServers,
    ...(mostInFlight && { mostInFlight }),
  });
  const started = {
    ...server,
    remove: async () => {
      await server.stop();
      await database.drop();
    },
  };
  return hasCells ? withSecondCell(started) : started;
}

/** With TEST_CELLS=2 the tenant of a file is in a second cell, and the stranger in the first. */
export const hasCells = process.env['TEST_CELLS'] === '2';

/**
 * A platform for the test file that calls this at its top level: an own one when it asks for something special, else the one that the
 * files of the process use after each other, emptied in between.
 */
export function useHarness({ checkLedger: check = true, allowHosts, ...options }: HarnessOptions = {}): Harness {
  const harness = new Harness();
  const isOwn = Object.keys(options).length > 0 || hasCells;
  let own: Started | undefined;
  let failed = false;
  let checked = '';

  beforeAll(async () => {
    const start = (clock: Clock) => startPlatform(clock, { ...options, allowHosts: isOwn ? allowHosts : allowedHosts });
    allowedHosts.splice(0, allowedHosts.length, ...(allowHosts ?? []));
    const server = isOwn ? await start(harness.clock) : await takePlatform(harness.clock, start);
    if (isOwn) own = server;
    harness.platform = server.platform;
    const tenant = await createTenant(server.platform, { name: 'Tenant' });
    const stranger = await createTenant(server.platform.cells.home, { name: 'Stranger' });
    harness.tenantId = tenant.tenantId;
    harness.test = new Client(server.urls.test ?? '', tenant.testKey);
    harness.live = new Client(server.urls.live ?? '', tenant.liveKey);
    harness.other = new Client(server.urls.test ?? '', stranger.testKey);
  });
  afterEach(async ({ task }) => {
    failed ||= task.result?.state === 'fail';
    if (!harness.platform || failed) return;
    failed = true;
    const written = await lastWritten(harness.platform);
    if (written !== checked) await checkBooks();
    checked = written;
    failed = false;
  });
  afterAll(async () => {
    // What moved no money was not checked after its test. A way to the database that the file has made may be closed by now.
    if (harness.platform && !failed && options.route === undefined) await checkBooks();
    await (isOwn ? own?.remove() : givePlatformBack({ failed }));
  });
  return harness;

  async function checkBooks(): Promise<void> {
    for (const { database } of harness.platform.cells.served) {
      await checkEvents(database);
      if (check) expect([...(await checkLedger(database, manifest.escrows)), ...(await checkDocuments(database))]).toEqual([]);
    }
  }
}

/** Changes with every posting and every event: most tests are of what is refused, and leave it as it was. */
async function lastWritten({ database }: Platform): Promise<string> {
  const { rows } = await database.pool.query<{ written: string }>(
    "SELECT concat_ws(' ', (SELECT max(id::text) FROM event), (SELECT count(*) FROM event), (SELECT count(*) FROM transfer), (SELECT count(*) FROM ledger_transaction)) AS written",
  );
  return rows[0]?.written ?? '';
}

export const nowhere = '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d';

/** An account with a wallet, funded when an amount is given. */
export async function openWallet(
  client: Client,
  { currency = 'USD', funded, name = 'Ada' }: { currency?: string; funded?: string; name?: string } = {},
): Promise<{ account: Json; wallet: Json }> {
  const account = await client.make('/v1/accounts', { type: 'business', name });
  const wallet = await client.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency });
  if (funded !== undefined) await client.make(`/v1/wallets/${wallet.id}/fund`, { amount: funded });
  return { account, wallet };
}
