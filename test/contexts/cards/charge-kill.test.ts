// kill -9 while a card is being charged: its processor has the order and the answer was not written. It is asked, and the card is charged
// once (CONTRACT.md 12). That a reference is stored first is the same for all orders: test/contexts/settlement/rail-kill.test.ts.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cardBody } from '../../factories/card.js';
import { ask, make } from '../../load.js';
import { ServerOnDatabase } from '../../server-database.js';

let server: ServerOnDatabase;
beforeAll(async () => {
  // What is paid for is another context's: this process is told what becomes of parcels.
  const subjects = new URL('../../../dist/contexts/cards/charge-subject.js', import.meta.url);
  const declaring = `import { declareChargeSubject } from '${subjects}'; declareChargeSubject('parcel', { async lock() {}, async settle() {} });`;
  const preload = `data:text/javascript,${encodeURIComponent(declaring)}`;
  server = await ServerOnDatabase.start({ NODE_OPTIONS: `--import ${preload}` });
}, 120_000);
afterAll(() => server?.stop());

/** A charge as openCharge() writes it: the rows alone, for no endpoint opens one for a parcel. */
async function openedCharge(cardId: string, walletId: string): Promise<{ id: string; transferId: string }> {
  const [id, transferId, other] = [randomUUID(), randomUUID(), randomUUID()];
  await server.db.query(
    `WITH wallet AS (SELECT workspace_id, account_id FROM wallet WHERE id = $4), paid AS (
      INSERT INTO transfer (workspace_id, id, type, status, amount, currency, to_account_id, to_wallet_id, protocol, capture, fee_amount,
        initiated_by_type, initiated_by_id, card_charge_id, created_at, updated_at)
      SELECT workspace_id, $2, 'internal', 'pending', 10000, 'USD', account_id, $4, 'acp', 'automatic', 290, 'api_key', $5, $1, now(), now()
      FROM wallet)
    INSERT INTO card_charge (workspace_id, id, transfer_id, card_id, merchant_id, wallet_id, subject_type, subject_id, status, amount, fee,
      currency, rail, lane, created_at, due_at)
    SELECT workspace_id, $1, $2, $3, $5, $4, 'parcel', $5, 'pending', 10000, 290, 'USD', 'card-simulated', $5, now(), now() FROM wallet`,
    [id, transferId, cardId, walletId, other],
  );
  return { id, transferId };
}

it('a process that is killed after the processor took the charge: the merchant is paid once, from one order', {
  timeout: 120_000,
}, async () => {
  const [books, row] = [server.db, await server.connect()];
  const { sandbox } = server;
  const account = await make(sandbox, '/v1/accounts', { type: 'business', name: 'Ada' });
  const wallet = await make(sandbox, '/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USD' });
  const card = await make(sandbox, '/v1/cards/vault', cardBody(account.id));
  // The processor cannot book until our row is locked, and its answer cannot be written then.
  await row.query('BEGIN; LOCK TABLE rail_order IN EXCLUSIVE MODE');
  const { id, transferId } = await openedCharge(card.id.slice('card_'.length), wallet.id);
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
});
