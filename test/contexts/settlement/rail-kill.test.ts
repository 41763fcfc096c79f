// kill -9 while a payout is being submitted: whichever side of the order it meets, the rail carries out one (CONTRACT.md 12).
import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { migrate } from '../../../src/platform/postgres/migration.js';
import { admin, withDatabase } from '../../database.js';
import type { Json } from '../../harness.js';
import { ask, make, type Server } from '../../load.js';
import { buildOnce, type ServerProcess, startServerProcess } from '../../process.js';

const database = `t_${process.pid}_${randomBytes(4).toString('hex')}`;
const testKey = `pk_test_${randomUUID()}`;
const env: Record<string, string> = {
  PORT: '0',
  SANDBOX_PORT: '0',
  SECRETS_KEY: randomBytes(32).toString('hex'),
  BOOTSTRAP_TEST_KEY: testKey,
  BOOTSTRAP_LIVE_KEY: `pk_live_${randomUUID()}`,
  RATE_LIMIT_SANDBOX: '1000000',
  LOG_LEVEL: 'error',
};
const servers: ServerProcess[] = [];
const clients: pg.Client[] = [];

async function start(): Promise<ServerProcess> {
  const server = await startServerProcess(env);
  servers.push(server);
  return server;
}
async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: env['DATABASE_URL'] });
  await client.connect();
  clients.push(client);
  return client;
}
const serverOf = ({ test }: ServerProcess): Server => ({ url: test, key: testKey });

beforeAll(async () => {
  await buildOnce();
  await admin(inject('databaseUrl'), `CREATE DATABASE ${database}`);
  env['DATABASE_URL'] = withDatabase(inject('databaseUrl'), database);
  await migrate(env['DATABASE_URL']);
}, 120_000);
afterAll(async () => {
  for (const server of servers) if (server.isRunning) await server.kill('SIGKILL');
  for (const client of clients) await client.end();
  await admin(inject('databaseUrl'), `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
});

/** A payout whose process is killed: `meanwhile` begins when its reference is stored and the rail's books are still locked. */
async function killedWhile(meanwhile: (payout: Json, free: () => Promise<void>) => Promise<() => Promise<void>>): Promise<Json> {
  const first = await start();
  const server = serverOf(first);
  const account = await make(server, '/v1/accounts', { type: 'business', name: 'Ada' });
  const wallet = await make(server, '/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'BRL' });
  await make(server, `/v1/wallets/${wallet.id}/fund`, { amount: '100.00' });
  const details = { key: 'ada@example.com' };
  const bank = await make(server, '/v1/bank-accounts', { account_id: account.id, rail: 'pix', holder_name: 'Ada', details });
  const books = await connect();
  await books.query('BEGIN; LOCK TABLE rail_order IN EXCLUSIVE MODE');
  const destination = { type: 'bank', ref: bank.id };
  const payout = await make(server, '/v1/payouts', { wallet_id: wallet.id, amount: '10.00', currency: 'BRL', destination });
  const reference = async () => (await ask(server, 'GET', `/v1/payouts/${payout.id}`)).body.data.rail_reference;
  await expect.poll(reference, { interval: 20, timeout: 20_000 }).toEqual(expect.any(String));
  const letGo = await meanwhile(payout, async () => {
    await books.query('ROLLBACK');
  });
  await first.kill('SIGKILL');
  await letGo();
  // Leases end by themselves after 30 s.
  await books.query("UPDATE payout SET lease_until = clock_timestamp() - interval '1 second' WHERE lease_until IS NOT NULL");
  return payout;
}

const rowsOf = async (client: pg.Client) => (await client.query('SELECT * FROM rail_order ORDER BY id')).rows;

describe('kill -9 of a process that submits', () => {
  it('after the reference was stored and before the rail has the order: it is submitted once, under a new reference', {
    timeout: 120_000,
  }, async () => {
    const db = await connect();
    const payout = await killedWhile(async (_payout, free) => free);
    expect(await rowsOf(db)).toEqual([]);
    const next = serverOf(await start());
    // Until the order has expired nobody can know that it will never arrive.
    await expect
      .poll(async () => (await db.query('SELECT due_at FROM payout WHERE lease_until IS NULL')).rows.length, { timeout: 20_000 })
      .toBe(1);
    await make(next, '/v1/test/clocks/advance', { seconds: 120 });
    const read = async () => (await ask(next, 'GET', `/v1/payouts/${payout.id}`)).body.data;
    await expect.poll(async () => (await read()).status, { interval: 50, timeout: 30_000 }).toBe('complete');
    const orders = await rowsOf(db);
    expect(orders).toMatchObject([{ reference: (await read()).rail_reference, state: 'settled' }]);
  });

  it('after the rail has the order and before its answer was written: the rail is asked', { timeout: 120_000 }, async () => {
    const [db, row] = [await connect(), await connect()];
    const before = (await rowsOf(db)).length;
    const payout = await killedWhile(async ({ id }, free) => {
      await row.query('BEGIN');
      await row.query('SELECT FROM payout WHERE id = $1 FOR UPDATE', [id.slice(3)]);
      await free();
      await expect.poll(async () => (await rowsOf(db)).length, { interval: 20, timeout: 20_000 }).toBe(before + 1);
      return async () => {
        await row.query('ROLLBACK');
      };
    });
    const next = serverOf(await start());
    const read = async () => (await ask(next, 'GET', `/v1/payouts/${payout.id}`)).body.data;
    await expect.poll(async () => (await read()).status, { interval: 50, timeout: 60_000 }).toBe('complete');
    const orders = (await rowsOf(db)).slice(before);
    expect(orders).toMatchObject([{ reference: (await read()).rail_reference }]);
    const { rows } = await db.query('SELECT submissions FROM payout WHERE id = $1', [payout.id.slice(3)]);
    expect(rows).toEqual([{ submissions: 1 }]);
  });
});
