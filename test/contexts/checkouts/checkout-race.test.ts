// A checkout is paid once, however many try at once in two processes; and it is paid or it expires, never both.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cardBody } from '../../factories/card.js';
import { ask, insist, make, type Server } from '../../load.js';
import { ServerOnDatabase } from '../../server-database.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let first: ServerOnDatabase;
/** The sandbox of another process. */
let second: string;

beforeAll(async () => {
  first = await ServerOnDatabase.start();
  second = await first.startSecond();
});

afterAll(() => first?.stop());

/** The server that takes the n-th request. */
const serverOf = (server: Server, n: number): Server => (n % 2 === 0 ? server : { ...server, url: second });

/** A buyer with money, and a merchant. */
async function newShop(server: Server) {
  const account = await make(server, '/v1/accounts', { type: 'person', name: 'Somebody' });
  const [from, to] = [await openWallet(server, account.id), await openWallet(server, account.id)];
  await make(server, `/v1/wallets/${from}/fund`, { amount: '1000.00' });
  const shop = { name: 'Shop', category: 'retail', account_id: account.id, settlement_wallet_id: to };
  const merchant = await make(server, '/v1/merchants', shop);
  const items = [{ sku: 'MUG', quantity: 1, unit_price: '10.00', currency: 'USD' }];
  const begin = (extra: object = {}) => make(server, '/v1/acp/checkouts', { merchant_id: merchant.id, items, ...extra });
  const card = await make(server, '/v1/cards/vault', cardBody(account.id, { processor_token: 'tok_ok' }));
  const complete = ({ id }: { id: string }, n: number, by: object = { from_wallet_id: from }) =>
    insist(serverOf(server, n), 'POST', `/v1/acp/checkouts/${id}/complete`, by);
  const byWallet = { from_wallet_id: from };
  const completeKeyed = ({ id }: { id: string }, key: string) =>
    ask(server, 'POST', `/v1/acp/checkouts/${id}/complete`, byWallet, { 'Idempotency-Key': key });
  const tag = {
    name: 'Mug',
    path: '/mug',
    method: 'GET',
    account_id: account.id,
    receiver_wallet_id: to,
    base_price: '10.00',
    currency: 'USD',
  };
  /** An x402 payment of the price of a mug. */
  const payBefore = async () => {
    const endpoint = await make(server, '/v1/x402/endpoints', tag);
    return make(server, '/v1/x402/pay', { from_wallet_id: from, endpoint_id: endpoint.id });
  };
  const charge = (checkout: { id: string }, n: number) => complete(checkout, n, { payment_method_id: card.id });
  const paid = async () => (await ask(server, 'GET', `/v1/wallets/${to}`)).body.data.balance.available;
  const read = async ({ id }: { id: string }) => (await ask(server, 'GET', `/v1/acp/checkouts/${id}`)).body.data;
  return { begin, byWallet, charge, complete, completeKeyed, paid, payBefore, read };
}

async function openWallet(server: Server, accountId: string): Promise<string> {
  return (await make(server, '/v1/wallets', { owner_type: 'account', owner_id: accountId, currency: 'USD' })).id;
}

const times = (n: number) => Array.from({ length: n }, (_, at) => at);

describe('a checkout', () => {
  it('is paid once by 50 who complete it at the same time; the others are told that it is', async () => {
    const shop = await newShop(first.sandbox);
    const checkout = await shop.begin();
    const answers = await Promise.all(times(50).map((n) => shop.complete(checkout, n)));
    const codes = answers.map(({ status, body }) => (status === 200 ? 'paid' : `${status} ${body.code} ${body.details.current_status}`));
    expect(codes.sort()).toEqual([...times(49).map(() => '409 state_conflict paid'), 'paid']);
    expect(await shop.paid()).toBe('10.00');
  });

  it('is paid by an x402 payment that pays one of 30, and no call besides', async () => {
    const server = await first.newTenant();
    const shop = await newShop(server);
    const payment = await shop.payBefore();
    const all = await Promise.all(times(30).map(() => shop.begin()));
    const answers = await Promise.all([
      ...all.map((checkout, n) => shop.complete(checkout, n, { x402_payment_id: payment.id })),
      ...times(10).map((n) => insist(serverOf(server, n), 'POST', `/v1/x402/payments/${payment.id}/consume`, {})),
    ]);
    const codes = answers.map(({ status, body }) => (status === 200 ? 'used' : `${status} ${body.details?.reason}`));
    expect(codes.sort()).toEqual([...times(39).map(() => '409 consumed'), 'used']);
    const { rows } = await first.db.query(`SELECT count(*)::int AS n FROM checkout WHERE transfer_id = $1`, [payment.transfer_id]);
    expect(rows[0].n).toBe(answers.slice(0, 30).filter(({ status }) => status === 200).length);
    expect(await shop.paid()).toBe('10.00');
  });

  it('is charged to a card once by 20 who complete it at the same time', async () => {
    const server = await first.newTenant();
    const shop = await newShop(server);
    const checkout = await shop.begin();
    const answers = await Promise.all(times(20).map((n) => shop.charge(checkout, n)));
    const [begun, ...rest] = answers.sort((one, other) => one.status - other.status);
    expect(begun).toMatchObject({ status: 200, body: { data: { status: 'pending_payment' } } });
    for (const { status, body } of rest) expect([status, body.code]).toEqual([409, 'state_conflict']);
    await vi.waitFor(async () => expect((await shop.read(checkout)).status).toBe('paid'), 30_000);
    expect(await shop.paid()).toBe('9.71');
    const { rows } = await first.db.query('SELECT status FROM card_charge WHERE subject_id = $1', [checkout.id.slice(-36)]);
    expect(rows).toEqual([{ status: 'paid' }]);
  });

  it('by card is paid, or expires, or is cancelled: never two of them', async () => {
    const server = await first.newTenant();
    const shop = await newShop(server);
    const all = await Promise.all(times(20).map(() => shop.begin({ expires_in: 60 })));
    await Promise.all(all.map((checkout, n) => shop.charge(checkout, n)));
    const over = ask(server, 'POST', '/v1/test/clocks/advance', { seconds: 60 });
    const ended = await Promise.all(all.map(({ id }, n) => insist(serverOf(server, n), 'POST', `/v1/acp/checkouts/${id}/cancel`, {})));
    expect((await over).status).toBe(200);
    const isOpen = ({ status }: { status: string }) => status === 'pending_payment';
    const read = () => Promise.all(all.map((checkout) => shop.read(checkout)));
    await vi.waitFor(async () => expect((await read()).filter(isOpen)).toEqual([]), 30_000);
    const found = await read();
    for (const [n, { status }] of ended.entries()) if (status === 200) expect(found[n].status).toBe('cancelled');
    const paid = found.filter(({ status }) => status === 'paid').length;
    expect(Number(await shop.paid())).toBeCloseTo(paid * 9.71, 2);
  });

  it('is paid, or expires, or is cancelled: one of them', async () => {
    const server = await first.newTenant();
    const shop = await newShop(server);
    const all = await Promise.all(times(20).map(() => shop.begin({ expires_in: 60 })));
    const over = ask(server, 'POST', '/v1/test/clocks/advance', { seconds: 60 });
    const cancel = ({ id }: { id: string }, n: number) => insist(serverOf(server, n), 'POST', `/v1/acp/checkouts/${id}/cancel`, {});
    const outcomes = await Promise.all(
      all.map(async (checkout, n) => {
        const [completed, cancelled] = await Promise.all([shop.complete(checkout, n), cancel(checkout, n + 1)]);
        return { completed: completed.status === 200, cancelled: cancelled.status === 200 };
      }),
    );
    expect((await over).status).toBe(200);
    await vi.waitFor(async () => expect((await ask(server, 'GET', '/v1/test/clock')).body.data.status).toBe('ready'), 30_000);
    let sum = 0;
    for (const [n, { completed, cancelled }] of outcomes.entries()) {
      const { status } = await shop.read(all[n]);
      expect(status).toBe(completed ? 'paid' : cancelled ? 'cancelled' : 'expired');
      if (completed) sum += 10;
    }
    expect(Number(await shop.paid())).toBe(sum);
  });

  it('is paid once by a process that is killed in the middle, and by whoever asks again', async () => {
    const server = await first.newTenant();
    const shop = await newShop(server);
    const checkout = await shop.begin();
    const client = await first.connect();
    await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE transfer IN SHARE MODE');
    // What is due is looked for meanwhile, and waits too. A transaction would go on seeing the statements that it saw first.
    const held = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%ledger_post(%'";
    const waiting = async () => (await first.db.query(held)).rows.length;
    const lost = shop.completeKeyed(checkout, 'killed').catch(() => 'lost');
    await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
    await first.crash();
    expect(await lost).toBe('lost');
    // The statement was sent, and the database carries it out.
    await client.query('COMMIT');
    await expect.poll(waiting, { timeout: 60_000 }).toBe(0);
    const another = { ...server, url: second };
    const again = () =>
      insist(another, 'POST', `/v1/acp/checkouts/${checkout.id}/complete`, shop.byWallet, { 'Idempotency-Key': 'killed' });
    await vi.waitFor(async () => expect((await again()).status).toBe(200), 30_000);
    const { rows } = await first.db.query('SELECT id FROM transfer WHERE subject_id = $1', [checkout.id.slice(-36)]);
    expect(rows).toHaveLength(1);
    expect((await again()).body.transfer_id).toBe(rows[0].id);
    expect((await ask(another, 'GET', `/v1/acp/checkouts/${checkout.id}`)).body.data.status).toBe('paid');
    await first.startAgain();
    await first.expectBalanced();
  });
});
