// What one payment costs the database, counted and not timed: rows, entries of indexes, records and bytes of WAL. A change that makes every
// payment heavier fails here, and the message says which table grew.
import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/platform/postgres/embedded-server.js';
import { buildOnce, type DataDir, prepareData, type ServerProcess, startServerProcess } from './process.js';
import { isSlow } from './slow.js';

const transfers = isSlow ? 4_000 : 1_500;
const connections = 16;
/** WAL as a server writes it whose changes are read by others, without whole pages: their number depends on when a checkpoint was. */
const settings = { wal_level: 'logical', full_page_writes: 'off', shared_buffers: '32MB' };

/** Changes of a table since the server of the database began. */
interface Changes {
  inserted: number;
  updated: number;
  deleted: number;
  /** Entries of indexes that have no condition. */
  entries: number;
}

interface Weight {
  tables: Map<string, Changes>;
  records: number;
  bytes: number;
}

/** What a keyed transfer inserts by itself. A table that is not here grows by the set, by the batch or by the minute. */
const rowsOfEach = { audit_entry: 1, claim: 1, event: 2, ledger_entry: 2, operation: 1, transfer: 1 };
/** And what it may come to with outbox, publications, listeners, rollups and statistics: they depend on how payments fall into sets. */
const mostInAll = { rows: 8.8, entries: 16.5, records: 35.5, bytes: 5_400 };

const zero: Changes = { inserted: 0, updated: 0, deleted: 0, entries: 0 };

let data: DataDir;
let postgres: EmbeddedPostgres;
let db: pg.Client;
const key = `pk_test_${randomUUID()}`;
const secrets = randomBytes(32).toString('hex');

const startServer = (): Promise<ServerProcess> =>
  startServerProcess({
    PORT: '0',
    SANDBOX_PORT: '0',
    DATABASE_URL: postgres.url,
    SECRETS_KEY: secrets,
    BOOTSTRAP_TEST_KEY: key,
    RATE_LIMIT_SANDBOX: '1000000',
    LOG_LEVEL: 'error',
  });

async function send<T>(server: ServerProcess, path: string, body: object, headers: Record<string, string> = {}): Promise<T> {
  const response = await fetch(`${server.test}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as T;
}

/** What has been written so far: a partition counts for its table, and an event that moves into one is not written again. Sessions report what they did when they end, so no server may be running. */
async function weigh(): Promise<Weight> {
  await db.query('SELECT pg_stat_force_next_flush()');
  const tables = await db.query<{ name: string; inserted: number; updated: number; deleted: number; entries: number }>(`
    SELECT coalesce(whole.relname, t.relname) AS name, sum(t.n_tup_ins - CASE WHEN whole.relname = 'event' THEN t.n_tup_del ELSE 0 END)::int AS inserted, sum(t.n_tup_upd)::int AS updated,
      sum(t.n_tup_del)::int AS deleted,
      sum((t.n_tup_ins + t.n_tup_upd - t.n_tup_hot_upd) *
        (SELECT count(*) FROM pg_index i WHERE i.indrelid = t.relid AND i.indpred IS NULL))::int AS entries
    FROM pg_stat_user_tables t LEFT JOIN pg_inherits part ON part.inhrelid = t.relid LEFT JOIN pg_class whole ON whole.oid = part.inhparent
    GROUP BY 1`);
  const wal = await db.query<{ records: number; bytes: number }>(
    'SELECT wal_records::int AS records, wal_bytes::float8 AS bytes FROM pg_stat_wal',
  );
  const { records = 0, bytes = 0 } = wal.rows[0] ?? {};
  return { tables: new Map(tables.rows.map(({ name, ...changes }) => [name, changes])), records, bytes };
}

/** Waits until nothing is left of what follows from payments. */
async function atRest(): Promise<void> {
  const rests = `SELECT NOT EXISTS (SELECT FROM outbox) AND NOT EXISTS (
    SELECT FROM event_listener l WHERE l.number < (SELECT max(number) FROM publication p WHERE p.workspace_id = l.workspace_id)
  ) AS rests`;
  await vi.waitUntil(async () => (await db.query<{ rests: boolean }>(rests)).rows[0]?.rests, { timeout: 60_000, interval: 50 });
}

beforeAll(async () => {
  await buildOnce();
  data = await prepareData();
  postgres = await startEmbeddedPostgres({ dataDir: data.dataDir, durable: false, settings, notice: () => {} });
  db = new pg.Client({ connectionString: postgres.url });
  await db.connect();
}, 180_000);

afterAll(async () => {
  await db?.end();
  await postgres?.stop();
  await data?.remove();
});

describe('a keyed transfer', () => {
  const total: Changes & { records: number; bytes: number } = { ...zero, records: 0, bytes: 0 };
  const perTable: Record<string, Changes> = {};

  beforeAll(async () => {
    const first = await startServer();
    const owner = (await send<{ data: { id: string } }>(first, '/v1/accounts', { type: 'business', name: 'Weight' })).data.id;
    const wallets: string[] = [];
    for (let n = 0; n < 50; n += 1) {
      const wallet = await send<{ data: { id: string } }>(first, '/v1/wallets', {
        owner_type: 'account',
        owner_id: owner,
        currency: 'USD',
      });
      await send(first, `/v1/wallets/${wallet.data.id}/fund`, { amount: '1000.00' });
      wallets.push(wallet.data.id);
    }
    const pay = async (server: ServerProcess, count: number) => {
      let sent = 0;
      const payOn = async () => {
        while (sent < count) {
          sent += 1;
          const [from_wallet_id, to_wallet_id] = [wallets[sent % 50], wallets[(sent * 7 + 1) % 50]];
          if (from_wallet_id === to_wallet_id) continue;
          const body = { type: 'internal', from_wallet_id, to_wallet_id, amount: '0.01', currency: 'USD' };
          await send(server, '/v1/transfers', body, { 'idempotency-key': randomUUID() });
        }
      };
      await Promise.all(Array.from({ length: connections }, payOn));
      await atRest();
    };
    // The first ones make statements, plans and rollups that later ones share.
    await pay(first, 200);
    await first.kill('SIGTERM');
    const paid = async () => Number((await db.query('SELECT count(*) FROM transfer')).rows[0].count);
    const [before, paidBefore] = [await weigh(), await paid()];
    const second = await startServer();
    await pay(second, transfers);
    await second.kill('SIGTERM');
    const [after, count] = [await weigh(), (await paid()) - paidBefore];

    for (const [name, changes] of after.tables) {
      const was = before.tables.get(name) ?? zero;
      const each = {} as Changes;
      for (const member of ['inserted', 'updated', 'deleted', 'entries'] as const) {
        each[member] = Math.round(((changes[member] - was[member]) / count) * 100) / 100;
        total[member] += (changes[member] - was[member]) / count;
      }
      if (Object.values(each).some((value) => value > 0)) perTable[name] = each;
    }
    total.records = (after.records - before.records) / count;
    total.bytes = (after.bytes - before.bytes) / count;
    if (process.env['WEIGHT'] !== undefined) process.stdout.write(`${JSON.stringify({ count, total, perTable }, null, 1)}\n`);
  }, 180_000);

  it('inserts exactly these rows, one and the same for every payment', () => {
    const each = Object.entries(perTable).filter(([, { inserted }]) => inserted >= 0.9);
    expect(Object.fromEntries(each.map(([name, { inserted }]) => [name, inserted]))).toEqual(rowsOfEach);
  });

  it('updates its two accounts and deletes nothing', () => {
    const { ledger_account: accounts, ...others } = perTable;
    // Payments of one set that meet at an account change it once.
    expect(accounts?.updated).toBeLessThanOrEqual(2);
    for (const [name, { updated, deleted }] of Object.entries(others))
      expect([name, updated < 0.5, deleted < 0.5]).toEqual([name, true, true]);
  });

  it('costs no more than this in all, with what follows from it', () => {
    const { inserted, entries, records, bytes } = total;
    const told = JSON.stringify({ total, perTable });
    expect(inserted, told).toBeLessThan(mostInAll.rows);
    expect(entries, told).toBeLessThan(mostInAll.entries);
    expect(records, told).toBeLessThan(mostInAll.records);
    expect(bytes, told).toBeLessThan(mostInAll.bytes);
  });
});
