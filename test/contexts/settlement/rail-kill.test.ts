// kill -9 while a payout is being submitted: whichever side of the order it meets, the rail carries out one (CONTRACT.md 12).
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../harness.js';
import { ask, make } from '../../load.js';
import { ServerOnDatabase } from '../../server-database.js';

let server: ServerOnDatabase;
beforeAll(async () => {
  server = await ServerOnDatabase.start();
}, 120_000);
afterAll(() => server?.stop());

/** A payout whose process is killed: `meanwhile` begins when its reference is stored and the rail's books are still locked. */
async function killedWhile(meanwhile: (payout: Json, free: () => Promise<void>) => Promise<() => Promise<void>>): Promise<Json> {
  const { sandbox } = server;
  const account = await make(sandbox, '/v1/accounts', { type: 'business', name: 'Ada' });
  const wallet = await make(sandbox, '/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'BRL' });
  await make(sandbox, `/v1/wallets/${wallet.id}/fund`, { amount: '100.00' });
  const details = { key: 'ada@example.com' };
  const bank = await make(sandbox, '/v1/bank-accounts', { account_id: account.id, rail: 'pix', holder_name: 'Ada', details });
  const books = await server.connect();
  await books.query('BEGIN; LOCK TABLE rail_order IN EXCLUSIVE MODE');
  const destination = { type: 'bank', ref: bank.id };
  const payout = await make(sandbox, '/v1/payouts', { wallet_id: wallet.id, amount: '10.00', currency: 'BRL', destination });
  const reference = async () => (await ask(sandbox, 'GET', `/v1/payouts/${payout.id}`)).body.data.rail_reference;
  await expect.poll(reference, { interval: 20, timeout: 20_000 }).toEqual(expect.any(String));
  const letGo = await meanwhile(payout, async () => {
    await books.query('ROLLBACK');
  });
  await server.crash();
  await letGo();
  return payout;
}

const rowsOf = async (client: pg.Client) => (await client.query('SELECT * FROM rail_order ORDER BY id')).rows;

describe('kill -9 of a process that submits', () => {
  it('after the reference was stored and before the rail has the order: it is submitted once, under a new reference', {
    timeout: 120_000,
  }, async () => {
    const { db } = server;
    const payout = await killedWhile(async (_payout, free) => free);
    expect(await rowsOf(db)).toEqual([]);
    await server.startAgain();
    // Until the order has expired nobody can know that it will never arrive.
    await expect
      .poll(async () => (await db.query('SELECT due_at FROM payout WHERE lease_until IS NULL')).rows.length, { timeout: 20_000 })
      .toBe(1);
    await make(server.sandbox, '/v1/test/clocks/advance', { seconds: 120 });
    const read = async () => (await ask(server.sandbox, 'GET', `/v1/payouts/${payout.id}`)).body.data;
    await expect.poll(async () => (await read()).status, { interval: 50, timeout: 30_000 }).toBe('complete');
    const orders = await rowsOf(db);
    expect(orders).toMatchObject([{ reference: (await read()).rail_reference, state: 'settled' }]);
  });

  it('after the rail has the order and before its answer was written: the rail is asked', { timeout: 120_000 }, async () => {
    const [db, row] = [server.db, await server.connect()];
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
    await server.startAgain();
    const read = async () => (await ask(server.sandbox, 'GET', `/v1/payouts/${payout.id}`)).body.data;
    await expect.poll(async () => (await read()).status, { interval: 50, timeout: 60_000 }).toBe('complete');
    const orders = (await rowsOf(db)).slice(before);
    expect(orders).toMatchObject([{ reference: (await read()).rail_reference }]);
    const { rows } = await db.query('SELECT submissions FROM payout WHERE id = $1', [payout.id.slice(3)]);
    expect(rows).toEqual([{ submissions: 1 }]);
  });
});
