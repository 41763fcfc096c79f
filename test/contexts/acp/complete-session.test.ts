// POST /acp/{merchant_id}/checkout_sessions/{checkout_session_id}/complete
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AcpClient, amountsOf, byPost, byWallet, newShop } from '../../factories/acp.js';
import { trip } from '../../factories/approval.js';
import { newCard } from '../../factories/card.js';
import { mandateBody } from '../../factories/mandate.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import published from '../../vectors/acp/examples.agentic_checkout.json' with { type: 'json' };
import { enrol } from '../agents/identity.js';

const harness = useHarness();
let acp: AcpClient;
let shop: { merchant: Json; wallet: Json };
let buyer: Json;

beforeAll(async () => {
  ({ acp, ...shop } = await newShop(harness.test));
  ({ wallet: buyer } = await openWallet(harness.test, { funded: '10000.00' }));
});
const balanceOf = async ({ id }: Json) => (await harness.test.get(`/v1/wallets/${id}`)).body.data.balance.available;

/** An agent with money of its own. */
async function newBuyer(funded = '1000.00') {
  const agent = await enrol(harness.test, { wallet: { currency: 'USD' } });
  const wallet = { id: agent.agent.default_wallet_id };
  await harness.test.make(`/v1/wallets/${wallet.id}/fund`, { amount: funded });
  return { ...agent, wallet };
}
const byCard = ({ id }: Json) => ({
  payment_data: { handler_id: 'card', instrument: { type: 'card', credential: { type: 'card_id', token: id } } },
});
const byMandate = (jwt: string) => ({
  payment_data: { handler_id: 'mandate', instrument: { type: 'mandate', credential: { type: 'mandate_jwt', token: jwt } } },
});

describe('200', () => {
  it('pays by a wallet, and has an order', async () => {
    const session = await acp.ready();
    const before = [await balanceOf(buyer), await balanceOf(shop.wallet)].map(Number);
    const person = { email: 'ada@example.com', first_name: 'Ada' };
    const { status, body } = await acp.complete(session, byWallet(buyer, { buyer: person, order_notes: 'Thanks.' }));
    expect([status, body.status]).toEqual([200, 'completed']);
    expect(amountsOf(body)['total']).toBe(3205);
    const after = [await balanceOf(buyer), await balanceOf(shop.wallet)].map(Number);
    expect(after.map((amount, i) => Math.round((amount - (before[i] ?? 0)) * 100))).toEqual([-3205, 3205]);
    expect(body.buyer).toEqual(person);
    expect(body.order).toMatchObject({
      checkout_session_id: session.id,
      permalink_url: `https://shop.example/orders/${session.id}`,
      status: 'confirmed',
      confirmation: { order_notes: 'Thanks.' },
      line_items: [{ product_id: 'mug', quantity: { ordered: 1, fulfilled: 0 }, unit_price: 1250 }, { product_id: 'mug' }],
      fulfillments: [{ type: 'shipping', status: 'processing' }],
    });
    const { body: read } = await harness.test.get(`/v1/acp/checkouts/${session.id}`);
    expect(read.data).toMatchObject({ status: 'paid', total: '32.05' });
  });

  it('an agent by its own wallet, once for a key', async () => {
    const agent = await newBuyer();
    const session = await acp.ready({ as: agent.token });
    const key = randomUUID();
    const first = await acp.complete(session, byWallet(agent.wallet), { as: agent.token, key });
    expect(first.body.status).toBe('completed');
    const again = await acp.complete(session, byWallet(agent.wallet), { as: agent.token, key });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await balanceOf(agent.wallet)).toBe('967.95');
  });

  it('pays by a mandate, within its limits', async () => {
    const agent = await newBuyer();
    const mandate = await harness.test.make('/v1/ap2/mandates', mandateBody(agent));
    const session = await acp.ready({ as: agent.token });
    expect((await acp.complete(session, byMandate(mandate.mandate_jwt), { as: agent.token })).body.status).toBe('completed');
    const { body: read } = await harness.test.get(`/v1/ap2/mandates/${mandate.id}`);
    expect(read.data.usage.today).toBe('32.05');
    const { body: session2 } = await acp.create({ line_items: [{ id: 'song', quantity: 50 }] }, { as: agent.token });
    const refused = await acp.complete(session2, byMandate(mandate.mandate_jwt), { as: agent.token });
    expect(refused).toMatchObject({ status: 200, body: { status: 'ready_for_payment', messages: [{ code: 'payment_declined' }] } });
  });

  it('pays by a vaulted card, once its processor has', async () => {
    const session = await acp.ready();
    const declined = await newCard(harness.test, { processor_token: 'tok_declined' });
    expect((await acp.complete(session, byCard(declined))).body.status).toBe('complete_in_progress');
    await harness.runDue();
    const { body: failed } = await acp.read(session);
    expect(failed).toMatchObject({ status: 'ready_for_payment', messages: [{ code: 'payment_declined' }] });
    const before = Number(await balanceOf(shop.wallet));
    expect((await acp.complete(session, byCard(await newCard(harness.test, { processor_token: 'tok_ok' })))).body.status).toBe(
      'complete_in_progress',
    );
    await harness.runDue();
    const { body: paid } = await acp.read(session);
    expect(paid).toMatchObject({ status: 'completed', order: { status: 'confirmed' } });
    expect(Number(await balanceOf(shop.wallet))).toBeGreaterThan(before);
  });

  it('is fulfilled and refunded by the merchant, as the order says', async () => {
    const session = await acp.ready();
    await acp.complete(session, byWallet(buyer));
    await harness.test.post(`/v1/acp/checkouts/${session.id}/fulfill`, { tracking: '1Z999' });
    await harness.test.make(`/v1/acp/checkouts/${session.id}/refund`, { amount: '5.00', reason: 'customer_request' });
    const { body } = await acp.read(session);
    expect(body).toMatchObject({
      status: 'completed',
      order: { status: 'completed', fulfillments: [{ status: 'delivered', tracking_number: '1Z999' }] },
    });
    expect(amountsOf(body.order)).toMatchObject({ total: 3205, amount_refunded: 500 });
  });

  it('waits for an approval, and is then completed, or may be paid again', async () => {
    const agent = await newBuyer();
    await trip(harness, agent.uuid);
    const waiting = async () => {
      const session = await acp.ready({ as: agent.token });
      const { status, body } = await acp.complete(session, byWallet(agent.wallet), { as: agent.token });
      expect([status, body.status]).toEqual([200, 'pending_approval']);
      expect(body).not.toHaveProperty('order');
      const { body: list } = await harness.test.get('/v1/approvals?status=pending&limit=1');
      return { session, approval: list.data[0] };
    };
    const approved = await waiting();
    await harness.test.post(`/v1/approvals/${approved.approval.id}/approve`, {});
    expect((await acp.read(approved.session)).body).toMatchObject({ status: 'completed', order: { status: 'confirmed' } });
    const rejected = await waiting();
    await harness.test.post(`/v1/approvals/${rejected.approval.id}/reject`, { reason: 'Too dear.' });
    const { body } = await acp.read(rejected.session);
    expect(body).toMatchObject({ status: 'ready_for_payment', messages: [{ type: 'error', code: 'payment_declined' }] });
    expect((await acp.complete(rejected.session, byWallet(buyer))).body.status).toBe('completed');
  });
});

describe('200 with a message, and nothing paid', () => {
  it('when the wallet has too little, and the same key pays when it has more', async () => {
    const { wallet } = await openWallet(harness.test, { funded: '1.00' });
    const session = await acp.ready();
    const key = randomUUID();
    const { status, body } = await acp.complete(session, byWallet(wallet), { key });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'ready_for_payment', messages: [{ type: 'error', code: 'payment_declined' }] });
    await harness.test.make(`/v1/wallets/${wallet.id}/fund`, { amount: '100.00' });
    expect((await acp.complete(session, byWallet(wallet), { key })).body.status).toBe('completed');
  });

  it('when the wallet is frozen, or of another currency', async () => {
    const { wallet: frozen } = await openWallet(harness.test, { funded: '100.00' });
    await harness.test.post(`/v1/wallets/${frozen.id}/freeze`, {});
    const { wallet: euros } = await openWallet(harness.test, { funded: '100.00', currency: 'EUR' });
    for (const wallet of [frozen, euros]) {
      const { status, body } = await acp.complete(await acp.ready(), byWallet(wallet));
      expect([status, body.status, body.messages[0]?.code]).toEqual([200, 'ready_for_payment', 'payment_declined']);
    }
  });

  it('when it is not ready: no delivery chosen, or sold out since', async () => {
    const { body: open } = await acp.create();
    const early = await acp.complete(open, byWallet(buyer));
    expect(early).toMatchObject({ status: 200, body: { status: 'not_ready_for_payment', messages: [{ code: 'missing' }] } });
    const { acp: own, merchant } = await newShop(harness.test);
    const session = await own.ready();
    const { items, ...offer } = merchant.metadata.offer;
    const left = items.map((item: Json) => (item.id === 'mug' ? { ...item, available_quantity: 1 } : item));
    await harness.test.patch(`/v1/merchants/${merchant.id}`, { metadata: { offer: { ...offer, items: left } } });
    const late = await own.complete(session, byWallet(buyer));
    expect(late).toMatchObject({ status: 200, body: { status: 'not_ready_for_payment', messages: [{ code: 'out_of_stock' }] } });
    // Nor through /v1.
    const { status, body } = await harness.test.post(`/v1/acp/checkouts/${session.id}/complete`, { from_wallet_id: buyer.id });
    expect([status, body.code, body.details.reason]).toEqual([409, 'state_conflict', 'not_ready']);
  });
});

describe('400', () => {
  const paying = (change: object) => ({ payment_data: { ...byWallet(buyer).payment_data, ...change } });
  const credential = (value: object) => ({ instrument: { type: 'wallet', credential: value } });
  it.each<[string, () => object, string, string]>([
    ['the delegated token of the published example', () => published.complete_checkout_session_request, 'unsupported', '.handler_id'],
    [
      'a credential of another kind',
      () => paying(credential({ type: 'spt', token: 'spt_1' })),
      'unsupported',
      '.instrument.credential.type',
    ],
    ['a token that is no id', () => paying(credential({ type: 'wallet_id', token: 'mine' })), 'invalid', '.instrument.credential.token'],
    ['a JWT that is none', () => byMandate('a.b.c'), 'invalid', '.instrument.credential.token'],
    ['no handler', () => ({ payment_data: {} }), 'missing', '.handler_id'],
    ['no instrument', () => ({ payment_data: { handler_id: 'wallet' } }), 'missing', '.instrument'],
    ['an order on account', () => paying({ purchase_order_number: 'PO-1' }), 'unsupported', '.purchase_order_number'],
    ['payment in a month', () => paying({ payment_terms: 'net_30' }), 'unsupported', '.payment_terms'],
  ])('%s', async (_name, body, code, place) => {
    const answer = await acp.complete(await acp.ready(), body());
    expect(answer).toMatchObject({ status: 400, body: { code, param: `$.payment_data${place}` } });
  });

  it('a handler that the merchant does not take', async () => {
    const { acp: own } = await newShop(harness.test, { payment_handlers: ['mandate'] });
    const session = await own.ready();
    expect(session.capabilities.payment.handlers.map(({ id }: Json) => id)).toEqual(['mandate']);
    expect(await own.complete(session, byWallet(buyer))).toMatchObject({ status: 400, body: { param: '$.payment_data.handler_id' } });
  });
});

it('403 and 404 for what is not the agent’s to pay with', async () => {
  const [agent, other] = [await newBuyer(), await newBuyer()];
  const session = await acp.ready({ as: agent.token });
  const unknown = await acp.complete(session, byWallet({ id: nowhere }), { as: agent.token });
  expect(unknown).toMatchObject({ status: 404, body: { code: 'not_found', param: '$.payment_data.instrument.credential.token' } });
  expect((await acp.complete(session, byWallet(other.wallet), { as: agent.token })).status).toBeGreaterThanOrEqual(403);
  expect((await acp.complete(session, byWallet(other.wallet), { as: other.token })).status).toBe(404);
  expect(await balanceOf(other.wallet)).toBe('1000.00');
});

describe('409', () => {
  it('pays once, however many complete it with keys of their own', async () => {
    const { wallet } = await openWallet(harness.test, { funded: '100.00' });
    const session = await acp.ready();
    const answers = await Promise.all(Array.from({ length: 10 }, () => acp.complete(session, byWallet(wallet))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    expect(await balanceOf(wallet)).toBe('67.95');
  });

  it('for one whose time is over, and one that is canceled', async () => {
    const late = await acp.ready();
    const canceled = await acp.ready();
    await acp.cancel(canceled);
    harness.clock.advance(1_800);
    expect(await acp.complete(late, byWallet(buyer))).toMatchObject({ status: 409, body: { code: 'expired' } });
    expect(await acp.complete(canceled, byWallet(buyer))).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
  });

  it('or 200 when the time ends as it is paid: never both', async () => {
    const { wallet } = await openWallet(harness.test, { funded: '100.00' });
    const session = await acp.ready();
    harness.clock.advance(1_799);
    const [answer] = await Promise.all([acp.complete(session, byWallet(wallet)), harness.advance(1)]);
    const { status } = (await acp.read(session)).body;
    expect([answer.status, status, await balanceOf(wallet)]).toEqual(
      answer.status === 200 ? [200, 'completed', '67.95'] : [409, 'expired', '100.00'],
    );
  });
});

it('a basket of one thing by the post costs the same in every answer', async () => {
  const { body: session } = await acp.create();
  const { body: chosen } = await acp.update(session, { selected_fulfillment_options: [byPost('mug')] });
  const { body: done } = await acp.complete(session, byWallet(buyer));
  expect(amountsOf(done)).toEqual(amountsOf(chosen));
  expect(amountsOf(done.order)).toEqual(amountsOf(chosen));
});
