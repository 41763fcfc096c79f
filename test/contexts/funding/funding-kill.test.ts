// kill -9 while money is being brought in: the rail has the order and its answer was not written. It is asked, and credits once
// (CONTRACT.md 12). That a reference is stored first is the same for all orders: test/contexts/settlement/rail-kill.test.ts.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fundingBody } from '../../factories/funding.js';
import { ask, make } from '../../load.js';
import { ServerOnDatabase } from '../../server-database.js';

let server: ServerOnDatabase;
beforeAll(async () => {
  server = await ServerOnDatabase.start();
}, 120_000);
afterAll(() => server?.stop());

it('a process that is killed after its rail took the order: the wallet is credited once, from one order', {
  timeout: 120_000,
}, async () => {
  const [books, row] = [server.db, await server.connect()];
  const { sandbox } = server;
  const account = await make(sandbox, '/v1/accounts', { type: 'business', name: 'Ada' });
  const wallet = await make(sandbox, '/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USD' });
  // The rail cannot book until our row is locked, and its answer cannot be written then.
  await books.query('BEGIN; LOCK TABLE rail_order IN EXCLUSIVE MODE');
  const funding = await make(sandbox, '/v1/funding/transactions', fundingBody(wallet));
  const read = async () => (await ask(server.sandbox, 'GET', `/v1/funding/transactions/${funding.id}`)).body.data;
  const poll = { interval: 20, timeout: 20_000 };
  await expect.poll(async () => (await read()).rail_reference, poll).toEqual(expect.any(String));
  await row.query('BEGIN');
  await row.query('SELECT FROM funding_transaction FOR UPDATE');
  await books.query('ROLLBACK');
  const orders = async () => (await books.query('SELECT reference FROM rail_order')).rows;
  await expect.poll(async () => (await orders()).length, poll).toBe(1);
  await server.crash();
  await row.query('ROLLBACK');
  await server.startAgain();
  await expect.poll(async () => (await read()).status, { interval: 50, timeout: 60_000 }).toBe('completed');
  expect(await orders()).toEqual([{ reference: (await read()).rail_reference }]);
  expect((await books.query('SELECT submissions FROM funding_transaction')).rows).toEqual([{ submissions: 1 }]);
  expect((await ask(server.sandbox, 'GET', `/v1/wallets/${wallet.id}`)).body.data.balance).toMatchObject({ available: '97.10' });
});
