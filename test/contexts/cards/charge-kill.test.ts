// kill -9 while a card is being charged: its processor has the order and the answer was not written. It is asked, and the card is charged
// once (CONTRACT.md 12). That a reference is stored first is the same for all orders: test/contexts/settlement/rail-kill.test.ts.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cardBody } from '../../factories/card.js';
import { ask, make } from '../../load.js';
import { ServerOnDatabase } from '../../server-database.js';

let server: ServerOnDatabase;
beforeAll(async () => {
  server = await ServerOnDatabase.start();
}, 120_000);
afterAll(() => server?.stop());

it('a process that is killed after the processor took the charge: the merchant is paid once, from one order', {
  timeout: 120_000,
}, async () => {
  const [books, row] = [server.db, await server.connect()];
  const { sandbox } = server;
  const account = await make(sandbox, '/v1/accounts', { type: 'business', name: 'Ada' });
  const wallet = await make(sandbox, '/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USD' });
  const card = await make(sandbox, '/v1/cards/vault', cardBody(account.id));
  const shop = { name: 'Shop', category: 'retail', account_id: account.id, settlement_wallet_id: wallet.id };
  const { id: merchant_id } = await make(sandbox, '/v1/merchants', shop);
  const items = [{ sku: 'MUG', quantity: 4, unit_price: '25.00', currency: 'USD' }];
  const checkout = await make(sandbox, '/v1/acp/checkouts', { merchant_id, items });
  // The processor cannot book until our row is locked, and its answer cannot be written then.
  await row.query('BEGIN; LOCK TABLE rail_order IN EXCLUSIVE MODE');
  await make(sandbox, `/v1/acp/checkouts/${checkout.id}/complete`, { payment_method_id: card.id });
  const { rows } = await books.query('SELECT id, transfer_id FROM card_charge WHERE subject_id = $1', [checkout.id.slice(-36)]);
  const [{ id, transfer_id: transferId }] = rows;
  const read = async () => (await books.query('SELECT * FROM card_charge WHERE id = $1', [id])).rows[0];
  const poll = { interval: 20, timeout: 20_000 };
  await expect.poll(async () => (await read()).rail_reference, poll).toEqual(expect.any(String));
  await books.query('BEGIN');
  await books.query('SELECT FROM card_charge WHERE id = $1 FOR UPDATE', [id]);
  await row.query('ROLLBACK');
  const orders = async () => (await row.query('SELECT reference FROM rail_order')).rows;
  await expect.poll(async () => (await orders()).length, poll).toBe(1);
  await server.crash();
  await books.query('ROLLBACK');
  await server.startAgain();
  await expect.poll(async () => (await read()).status, { interval: 50, timeout: 60_000 }).toBe('paid');
  expect(await orders()).toEqual([{ reference: (await read()).rail_reference }]);
  expect(await read()).toMatchObject({ submissions: 1 });
  expect((await ask(server.sandbox, 'GET', `/v1/transfers/${transferId}`)).body.data).toMatchObject({ status: 'completed' });
  expect((await ask(server.sandbox, 'GET', `/v1/wallets/${wallet.id}`)).body.data.balance).toMatchObject({ available: '97.10' });
  expect((await ask(server.sandbox, 'GET', `/v1/acp/checkouts/${checkout.id}`)).body.data).toMatchObject({ status: 'paid' });
});
