// What a repeated keyed request about a transfer is answered with: made again from its row where that is exact (decision 0062).
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { spender } from '../../factories/approval.js';
import { spender as budgeted, newBudget } from '../../factories/budget.js';
import { newQuote, quotedBody, setHalfRate, walletsOfTwo } from '../../factories/exchange.js';
import { newHolder } from '../../factories/mandate.js';
import { newAccount, transferBody, twoWallets } from '../../factories/payment.js';
import { refundBody } from '../../factories/refund.js';
import { type Json, openWallet, useHarness } from '../../harness.js';

const harness = useHarness();

interface Sent {
  status: number;
  text: string;
  replayed: string | null;
}

/** A request that can be sent again: answers are compared as text. */
function sender(path: string, body: object, { as = harness.test.key, traceparent = '' } = {}): { key: string; send: () => Promise<Sent> } {
  const key = randomUUID();
  const send = async () => {
    const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json', 'idempotency-key': key };
    const response = await fetch(harness.test.url + path, {
      method: 'POST',
      headers: { ...headers, ...(traceparent !== '' && { traceparent }) },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text(), replayed: response.headers.get('idempotent-replayed') };
  };
  return { key, send };
}

/** The answers that were kept for what has this id. Answers are stored in the order in which they were given. */
async function answersKept(id: string): Promise<number> {
  const { pool } = harness.platform.database;
  const count = async (text: string) =>
    Number((await pool.query('SELECT count(*) FROM keyed_answer WHERE body LIKE $1', [`%${text}%`])).rows[0].count);
  const last = sender('/v1/accounts', { type: 'person', name: randomUUID() });
  const { id: account } = JSON.parse((await last.send()).text).data;
  await expect.poll(() => count(account)).toBe(1);
  return count(id);
}

const refundLater = async (transfer: Json, amount: string) => {
  harness.clock.advance(60);
  await harness.test.make('/v1/refunds', refundBody(transfer, { amount }));
};

/** Sends, lets time go on, changes what can change, sends again: the same to the byte, with and without a row. */
async function isSame({ send }: { send: () => Promise<Sent> }, kept: number, change = (made: Json) => refundLater(made, '1.00')) {
  const first = await send();
  expect([first.status, first.replayed]).toEqual([201, null]);
  const made: Json = JSON.parse(first.text).data;
  expect(await answersKept(made.id)).toBe(kept);
  await change(made);
  const now: Json = (await harness.test.get(`/v1/transfers/${made.id}`)).body.data;
  expect(JSON.stringify(now)).not.toBe(JSON.stringify(made));
  const again = await send();
  expect(again).toEqual({ status: 201, text: first.text, replayed: 'true' });
  return made;
}

describe('is made again from the row', () => {
  it('between two wallets, with everything that can be said of it', async () => {
    const { from, to } = await twoWallets(harness.test);
    const said = {
      description: 'Käse — "fresh"',
      reference: randomUUID(),
      metadata: { a: 1e21, b: { c: [1.5, 'x', null, { d: true }] }, zz: 1e-7 },
      shared_metadata: { lines: 3, order: 'A-1' },
    };
    const traceparent = `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`;
    const made = await isSame(sender('/v1/transfers', transferBody(from, to, '2.00', said), { traceparent }), 0);
    expect(made).toMatchObject({ description: said.description, trace_id: 'a1'.repeat(16), metadata: said.metadata });
  });

  it('bare, also after it was refunded whole and in parts', async () => {
    const { from, to } = await twoWallets(harness.test);
    await isSame(sender('/v1/transfers', transferBody(from, to, '2.00')), 0, async (made) => {
      await refundLater(made, '0.50');
      await refundLater(made, '1.50');
    });
  });

  it('into another currency, with a fee', async () => {
    await setHalfRate(harness.test);
    const { from, to } = await walletsOfTwo(harness.test);
    const made = await isSame(sender('/v1/transfers', quotedBody(from, to, await newQuote(harness.test))), 0);
    expect(made).toMatchObject({ destination_amount: '49.75', fee: { amount: '0.50' } });
  });

  it("an agent's, by rules whose decision is stored", async () => {
    const { from, to, uuid, token } = await budgeted(harness.test);
    await newBudget(harness.test);
    const made = await isSame(sender('/v1/transfers', transferBody(from, to, '2.00'), { as: token }), 0);
    expect(made).toMatchObject({ agent_id: uuid, decision_id: expect.stringMatching(/^dec_/), initiated_by: { type: 'agent' } });
  });

  it('by a mandate', async () => {
    const { wallet, merchant, mandate, token } = await newHolder(harness.test);
    const presented = { mandate_id: mandate.id, mandate_jwt: mandate.mandate_jwt };
    const body = transferBody(wallet, { id: merchant.settlement_wallet_id }, '10.00', presented);
    const made = await isSame(sender('/v1/transfers', body, { as: token }), 0);
    expect(made).toMatchObject({ protocol: 'ap2', mandate_id: mandate.id, protocol_metadata: { merchant_id: merchant.id } });
  });

  it('funding, wrapping and unwrapping', async () => {
    const { wallet } = await openWallet(harness.test, { funded: '10.00' });
    for (const step of ['fund', 'wrap', 'unwrap']) {
      const { send } = sender(`/v1/wallets/${wallet.id}/${step}`, { amount: '2.00' });
      const first = await send();
      expect([first.status, await answersKept(JSON.parse(first.text).data.id)]).toEqual([201, 0]);
      harness.clock.advance(60);
      expect(await send()).toEqual({ status: 201, text: first.text, replayed: 'true' });
    }
  });
});

describe('is kept', () => {
  it('where PostgreSQL puts the members of what the payer says in another order', async () => {
    const { from, to } = await twoWallets(harness.test);
    for (const metadata of [{ zeta: 1, a: 2 }, { a: [{ b: 1, a: 2 }] }]) {
      await isSame(sender('/v1/transfers', transferBody(from, to, '2.00', { metadata })), 1);
      await isSame(sender('/v1/transfers', transferBody(from, to, '2.00', { shared_metadata: metadata })), 1);
    }
  });

  it('of a hold, though it was captured since', async () => {
    const { from, to } = await twoWallets(harness.test);
    await isSame(sender('/v1/transfers', transferBody(from, to, '2.00', { capture: 'manual' })), 1, async ({ id }) => {
      await harness.test.make(`/v1/transfers/${id}/capture`, {});
    });
  });

  it('of what has its time, though that came', async () => {
    const { from, to } = await twoWallets(harness.test);
    const later = { scheduled_for: new Date(harness.clock.now().getTime() + 60_000).toISOString() };
    await isSame(sender('/v1/transfers', transferBody(from, to, '2.00', later)), 1, async () => {
      harness.clock.advance(60);
      await harness.runDue();
    });
  });

  it('of what waits for an approval', async () => {
    const agent = await spender(harness);
    const { send } = sender('/v1/transfers', transferBody(agent.wallet, agent.payee, '30.00'), { as: agent.token });
    const first = await send();
    const { data, approval } = JSON.parse(first.text);
    expect([first.status, await answersKept(data.id)]).toEqual([202, 1]);
    await harness.test.make(`/v1/approvals/${approval.id}/reject`, {});
    expect(await send()).toEqual({ status: 202, text: first.text, replayed: 'true' });
  });

  it('over GraphQL, which shows what its caller selects', async () => {
    const { from, to } = await twoWallets(harness.test);
    const query = 'mutation ($input: CreateTransferInput!) { createTransfer(input: $input) { transfer { id refundedAmount } } }';
    const input = { type: 'internal', fromWalletId: from.id, toWalletId: to.id, amount: '2.00', currency: 'USD' };
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await harness.test.graphql(query, { input }, { headers });
    const { id } = first.body.data.createTransfer.transfer;
    expect(await answersKept(id)).toBe(1);
    await refundLater({ id }, '1.00');
    expect((await harness.test.graphql(query, { input }, { headers })).body).toEqual(first.body);
  });

  it('of another operation: an account', async () => {
    expect(await answersKept((await newAccount(harness.test)).id)).toBe(0);
    const { send } = sender('/v1/accounts', { type: 'person', name: 'Ada' });
    expect(await answersKept(JSON.parse((await send()).text).data.id)).toBe(1);
  });
});
