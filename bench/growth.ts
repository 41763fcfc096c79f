// What a platform with millions of keyed transfers does beside one without: the rate of transfers, lists, statements and balances. Every
// transfer is sent to the platform, so that its tables and indexes are what months of running leave.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { sendLoad } from './http-load.js';
import { get, type Latency, print, timed } from './latency.js';
import { measure } from './measure.js';
import { type BenchDatabase, median, openBenchDatabase, Sandbox, say, testKey } from './platform.js';
import { makeWallets, requestMaker } from './wallets.js';

const about = `Usage: npm run bench -- growth [--transfers 2000000] [--wallets 1000] [--connections 64] [--rounds 5] [--seconds 4] [--requests 400]

Sends --transfers keyed transfers to a platform, and then measures it beside one without a past, in turn: --rounds times --seconds of transfers
over --connections, and --requests of each kind of read, one after the other. Prints ratios, and p99 of both. Each has an embedded
PostgreSQL of its own, so DATABASE_URL is not used.`;

const aim = { rate: 0.95, p99: 20 };
const stretchSeconds = 10;

/** A platform with its database, and wallets that pay each other. */
class Grown {
  readonly sandbox: Sandbox;
  readonly ids: readonly string[];
  readonly #database: BenchDatabase;
  readonly #db: pg.Client;
  readonly #account: string;
  readonly #from = new Date();

  private constructor(database: BenchDatabase, db: pg.Client, sandbox: Sandbox, ids: readonly string[], account: string) {
    this.#database = database;
    this.#db = db;
    this.sandbox = sandbox;
    this.ids = ids;
    this.#account = account;
  }

  static async open(wallets: number): Promise<Grown> {
    const database = await openBenchDatabase();
    const db = new pg.Client({ connectionString: database.url });
    await db.connect();
    const sandbox = await Sandbox.start(database.url).catch(async (error: unknown) => {
      await db.end();
      await database.stop();
      throw error;
    });
    const ids = await makeWallets(sandbox, wallets);
    const { rows } = await db.query<{ id: string }>('SELECT id FROM account LIMIT 1');
    return new Grown(database, db, sandbox, ids, rows[0]?.id ?? '');
  }

  /** Sends so many transfers, and says now and then how fast. */
  async grow(transfers: number, connections: number): Promise<void> {
    const next = requestMaker(this.sandbox.url, this.ids, false, true);
    for (let sent = 0; sent < transfers; ) {
      const { requests, failures, seconds } = await sendLoad(this.sandbox.url, connections, stretchSeconds, next);
      if (failures > 0) throw new Error(`${failures} of ${requests} requests failed`);
      sent += requests;
      say(`${sent} of ${transfers} transfers, ${(requests / seconds).toFixed(0)}/s`);
    }
    await this.settle();
  }

  /** Waits until all is published and heard. */
  async settle(): Promise<void> {
    const rests = `SELECT NOT EXISTS (SELECT FROM outbox) AND NOT EXISTS (
      SELECT FROM event_listener l WHERE l.number < (SELECT max(number) FROM publication p WHERE p.workspace_id = l.workspace_id)
    ) AS rests`;
    while ((await this.#db.query<{ rests: boolean }>(rests)).rows[0]?.rests !== true) await pause(100);
  }

  async rate(connections: number, seconds: number): Promise<number> {
    const { ours } = await measure(this.sandbox.url, connections, seconds, requestMaker(this.sandbox.url, this.ids, false, true));
    await this.settle();
    return ours;
  }

  /** One keyed transfer. */
  async pay(n: number): Promise<void> {
    const [from_wallet_id, to_wallet_id] = [this.wallet(n), this.wallet(n + 1)];
    const response = await fetch(new URL('/v1/transfers', this.sandbox.url), {
      method: 'POST',
      headers: { Authorization: `Bearer ${testKey}`, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
      body: JSON.stringify({ type: 'internal', from_wallet_id, to_wallet_id, amount: '0.01', currency: 'USD' }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
  }

  wallet(n: number): string {
    return this.ids[(n * 7) % this.ids.length] ?? '';
  }

  /** A time since the wallets were made. */
  #at(n: number): string {
    const [from, part] = [this.#from.getTime(), ((n * 7919) % 1000) / 1000];
    return new Date(from + (Date.now() - from) * part).toISOString();
  }

  /** What is called of each kind. */
  kinds(): Record<string, (n: number) => Promise<void>> {
    const read = (target: (n: number) => string) => (n: number) => get(this.sandbox.url, target(n));
    return {
      'a keyed transfer': (n) => this.pay(n),
      transfers: read(() => '/v1/transfers'),
      'transfers until a time': read((n) => `/v1/transfers?until=${this.#at(n)}`),
      'transfers of a wallet': read((n) => `/v1/transfers?wallet_id=${this.wallet(n)}`),
      'transfers from an account': read((n) => `/v1/transfers?from_account_id=${this.#account}&until=${this.#at(n)}`),
      'statement of a wallet': read((n) => `/v1/wallets/${this.wallet(n)}/entries`),
      'statement until a time': read((n) => `/v1/wallets/${this.wallet(n)}/entries?until=${this.#at(n)}`),
      'balance of a wallet': read((n) => `/v1/wallets/${this.wallet(n)}/balance`),
      'balance at a time': read((n) => `/v1/wallets/${this.wallet(n)}/balance?at=${this.#at(n)}`),
      events: read(() => '/v1/events'),
    };
  }

  async count(): Promise<string> {
    return (await this.#db.query<{ count: string }>('SELECT count(*) FROM transfer')).rows[0]?.count ?? '';
  }

  async stop(): Promise<void> {
    await this.sandbox.stop();
    await this.#db.end();
    await this.#database.stop();
  }
}

export async function run(args: string[]): Promise<void> {
  const number = { type: 'string' } as const;
  const options = { transfers: number, wallets: number, connections: number, rounds: number, seconds: number, requests: number };
  const { values } = parseArgs({ args, options: { ...options, help: { type: 'boolean' } } });
  if (values.help) return say(about);
  if (process.env['DATABASE_URL'] !== undefined) throw new Error('growth compares two databases of its own: unset DATABASE_URL');
  const or = (value: string | undefined, preset: number) => Number(value ?? preset);
  const [wallets, connections] = [or(values.wallets, 1000), or(values.connections, 64)];
  const open: Grown[] = [];
  try {
    const full = await Grown.open(wallets);
    open.push(full);
    await full.grow(or(values.transfers, 2_000_000), connections);
    const fresh = await Grown.open(wallets);
    open.push(fresh);
    await compareRates(full, fresh, { connections, rounds: or(values.rounds, 5), seconds: or(values.seconds, 4) });
    await compareReads(full, fresh, or(values.requests, 400));
  } finally {
    for (const one of open) await one.stop();
  }
}

interface Load {
  connections: number;
  rounds: number;
  seconds: number;
}

async function compareRates(full: Grown, fresh: Grown, { connections, rounds, seconds }: Load): Promise<void> {
  for (const one of [fresh, full]) await one.rate(connections, seconds);
  const pairs: { full: number; fresh: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    pairs.push({ fresh: await fresh.rate(connections, seconds), full: await full.rate(connections, seconds) });
  }
  const ratios = pairs.map((pair) => pair.full / pair.fresh);
  const middle = (which: 'full' | 'fresh') => median(pairs.map((pair) => pair[which])).toFixed(0);
  say(
    `transfers at ${connections} connections: ${middle('full')}/s with ${await full.count()} transfers, ${middle('fresh')}/s with ` +
      `${await fresh.count()}: ratio ${median(ratios).toFixed(2)} (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}), aim ${aim.rate}`,
  );
}

async function compareReads(full: Grown, fresh: Grown, requests: number): Promise<void> {
  const calls = { full: full.kinds(), fresh: fresh.kinds() };
  for (const [name, call] of Object.entries(calls.full)) {
    const other = calls.fresh[name];
    if (other === undefined) continue;
    const [without, taken]: [Latency, Latency] = [await timed(requests, other), await timed(requests, call)];
    const said = `full ${print(taken)}; fresh ${print(without)}; p50 ratio ${(taken.p50 / without.p50).toFixed(2)}`;
    say(`${name.padEnd(28)} ${said}${taken.p99 > aim.p99 ? `; p99 above ${aim.p99} ms` : ''}`);
  }
}
