// Payments from a chain in real processes: one nonce pays once, however many processes are told of it at once, and a kill -9 between the
// verification and the settlement loses and doubles nothing.

import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { chainName, signedAs } from '../../factories/chain.js';
import { base64 } from '../../factories/x402.js';
import type { Json } from '../../harness.js';
import { ask, insist, make, type Server } from '../../load.js';
import { type ServerProcess, startServerProcess } from '../../process.js';
import { ServerOnDatabase } from '../../server-database.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const poll = { interval: 20, timeout: 20_000 };

let server: ServerOnDatabase;
beforeAll(async () => {
  server = await ServerOnDatabase.start();
});
afterAll(() => server?.stop());

/** An endpoint that takes payments of the chain, and somebody with 10.00 there. */
async function world(sandbox: Server) {
  const account = await make(sandbox, '/v1/accounts', { type: 'business', name: 'Seller' });
  const wallet = await make(sandbox, '/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USDC' });
  const body = { name: 'Weather', path: '/weather', method: 'GET', account_id: account.id, network: chainName, base_price: '0.10' };
  const endpoint = await make(sandbox, '/v1/x402/endpoints', body);
  const payer = privateKeyToAccount(generatePrivateKey());
  await make(sandbox, '/v1/test/chain/fund', { address: payer.address, amount: '10.00' });
  const offer = (await ask(sandbox, 'GET', `/x402/${endpoint.id}`)).body.accepts[0];
  return { endpoint, wallet, payer, offer };
}

/** A payload that stays good while processes are killed and started. */
const payloadOf = (payer: PrivateKeyAccount, offer: Json) =>
  signedAs(payer, offer, { validBefore: String(Math.floor(Date.now() / 1000) + 3_600) });
const paidRequest = (at: Server, { id }: Json, payload: Json) =>
  insist(at, 'GET', `/x402/${id}`, undefined, { 'PAYMENT-SIGNATURE': base64(payload) });
const available = async ({ id }: Json) => (await ask(server.sandbox, 'GET', `/v1/wallets/${id}`)).body.data.balance.available;
const onChain = async (address: string) => (await ask(server.sandbox, 'GET', `/v1/test/chain/${address}`)).body.data.balance;

describe('a payment from a chain', () => {
  it('is settled once by 200 who present it at the same time to two processes', async () => {
    const { endpoint, wallet, payer, offer } = await world(server.sandbox);
    const second: ServerProcess = await startServerProcess(server.env);
    try {
      const payload = await payloadOf(payer, offer);
      const at = (n: number): Server => (n % 2 === 0 ? server.sandbox : { ...server.sandbox, url: second.test });
      const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => paidRequest(at(n), endpoint, payload)));
      const said = answers.map(({ status, body }) => (status === 200 ? 'paid' : `${status} ${body.error}`));
      const won = said.filter((word) => word !== '402 invalid_transaction_state');
      expect(won).toHaveLength(1);
      // Where 200 take every connection the winner may be told that its payment is pending: it goes on by itself.
      expect(['paid', '402 unexpected_settle_error']).toContain(won[0]);
    } finally {
      await second.kill('SIGTERM');
    }
    await make(server.sandbox, '/v1/test/clocks/advance', { seconds: 31 });
    await expect.poll(() => available(wallet), { interval: 50, timeout: 60_000 }).toBe('0.10');
    expect(await onChain(payer.address)).toBe('9.90');
  });

  it('stays pending, and says so, when what the chain did cannot be written down', async () => {
    const { endpoint, wallet, payer, offer } = await world(server.sandbox);
    const [books, chain] = [server.db, await server.connect()];
    const pending = async () =>
      (await books.query(`SELECT id FROM x402_payment WHERE status = 'pending' AND endpoint_id = $1`, [endpoint.id.slice(4)])).rows;
    await chain.query('BEGIN; LOCK TABLE chain_authorization IN SHARE ROW EXCLUSIVE MODE');
    const requested = paidRequest(server.sandbox, endpoint, await payloadOf(payer, offer));
    await expect.poll(async () => (await pending()).length, poll).toBe(1);
    const [{ id }] = await pending();
    await books.query('BEGIN');
    await books.query('SELECT FROM x402_payment WHERE id = $1 FOR UPDATE', [id]);
    await chain.query('ROLLBACK');
    // The arrival waits for the row, and is cancelled.
    const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await expect.poll(async () => (await chain.query(cancel)).rowCount, poll).toBe(1);
    const { status, body } = await requested;
    expect([status, body.error]).toEqual([402, 'unexpected_settle_error']);
    const shown = async () => (await ask(server.sandbox, 'GET', `/v1/x402/payments?endpoint_id=${endpoint.id}`)).body.data;
    expect((await shown()).map((payment: Json) => [payment.id, payment.status])).toEqual([[body.payment_id, 'pending']]);
    await books.query('ROLLBACK');
    await make(server.sandbox, '/v1/test/clocks/advance', { seconds: 31 });
    await expect.poll(async () => (await shown())[0].status, { interval: 50, timeout: 60_000 }).toBe('settled');
    expect([await available(wallet), await onChain(payer.address)]).toEqual(['0.10', '9.90']);
  });

  it('is settled once after a kill -9, whether or not the chain had heard of it', async () => {
    const { endpoint, wallet, payer, offer } = await world(server.sandbox);
    const [books, chain] = [server.db, await server.connect()];
    const pending = async () =>
      (await books.query(`SELECT id FROM x402_payment WHERE status = 'pending' AND endpoint_id = $1 ORDER BY id`, [endpoint.id.slice(4)]))
        .rows;
    const carriedOut = async () =>
      (await books.query('SELECT FROM chain_authorization WHERE payer = $1', [payer.address.toLowerCase()])).rowCount;
    // The contract cannot carry the first one out until its row is ours, and its arrival cannot be written then.
    await chain.query('BEGIN; LOCK TABLE chain_authorization IN SHARE ROW EXCLUSIVE MODE');
    const lost = [paidRequest(server.sandbox, endpoint, await payloadOf(payer, offer)).catch(() => null)];
    await expect.poll(async () => (await pending()).length, poll).toBe(1);
    await books.query('BEGIN');
    await books.query('SELECT FROM x402_payment WHERE id = $1 FOR UPDATE', [(await pending())[0].id]);
    await chain.query('ROLLBACK');
    await expect.poll(carriedOut, poll).toBe(1);
    await chain.query('BEGIN; LOCK TABLE chain_authorization IN SHARE ROW EXCLUSIVE MODE');
    lost.push(paidRequest(server.sandbox, endpoint, await payloadOf(payer, offer)).catch(() => null));
    await expect.poll(async () => (await pending()).length, poll).toBe(2);
    await server.crash();
    expect(await Promise.all(lost)).toEqual([null, null]);
    await books.query('ROLLBACK');
    await chain.query('ROLLBACK');
    expect(await carriedOut()).toBe(1);
    await server.startAgain();
    await make(server.sandbox, '/v1/test/clocks/advance', { seconds: 31 });
    await expect.poll(async () => (await pending()).length, { interval: 50, timeout: 60_000 }).toBe(0);
    expect([await available(wallet), await onChain(payer.address), await carriedOut()]).toEqual(['0.20', '9.80', 2]);
    const { data } = (await ask(server.sandbox, 'GET', `/v1/x402/payments?endpoint_id=${endpoint.id}`)).body;
    expect(data.map(({ status, proof }: Json) => [status, typeof proof])).toEqual([
      ['settled', 'string'],
      ['settled', 'string'],
    ]);
    const told = await books.query(
      `SELECT count(*)::int AS n FROM event WHERE type = 'x402.payment.completed' AND data ->> 'endpoint_id' = $1`,
      [endpoint.id],
    );
    expect(told.rows[0].n).toBe(2);
  });
});
