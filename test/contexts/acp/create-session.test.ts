// POST /acp/{merchant_id}/checkout_sessions
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AcpClient, address, amountsOf, byPost, createBody, newShop } from '../../factories/acp.js';
import { newMerchant } from '../../factories/payment.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
let shop: { acp: AcpClient; merchant: Json };

beforeAll(async () => {
  shop = await newShop(harness.test);
});
const create = (body: object = {}, options?: Parameters<AcpClient['create']>[1]) => shop.acp.create(body, options);

describe('201', () => {
  it('is the session at the prices of the merchant, whatever the client says of them', async () => {
    const items = [{ id: 'mug', name: 'Golden mug', unit_amount: 1 }, { id: 'pen' }];
    const { status, body } = await create({ line_items: items, metadata: { cart: 7 }, locale: 'en-US', order_notes: 'Ring twice.' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^acp_chk_[0-9a-f-]{36}$/),
      protocol: { version: '2026-04-17' },
      status: 'not_ready_for_payment',
      currency: 'usd',
      locale: 'en-US',
      metadata: { cart: 7 },
      line_items: [
        { id: 'li_1', item: { id: 'mug', name: 'Mug', unit_amount: 1250 }, quantity: 1, available_quantity: 10 },
        { id: 'li_2', item: { id: 'pen', name: 'Pen', unit_amount: 99 }, quantity: 1 },
      ],
      fulfillment_details: { name: 'Ada', email: 'ada@example.com', address },
      messages: [{ type: 'error', code: 'missing', param: '$.selected_fulfillment_options', resolution: 'requires_buyer_input' }],
      links: [{ type: 'terms_of_use' }, { type: 'return_policy' }],
    });
    // 8.25 % of each line, rounded half up: 103.125 and 8.1675.
    expect(amountsOf(body)).toEqual({ items_base_amount: 1349, subtotal: 1349, tax: 111, total: 1460 });
    expect(body.line_items.map(amountsOf)).toMatchObject([
      { tax: 103, total: 1353 },
      { tax: 8, total: 107 },
    ]);
    expect(body).not.toHaveProperty('order');
  });

  it('offers what reaches the address, with days from now, and the handlers of the merchant', async () => {
    const { body } = await create({ fulfillment_details: { address: { ...address, country: 'de' } } });
    const in3days = new Date(harness.clock.now().getTime() + 3 * 86_400_000).toISOString();
    expect(body.fulfillment_options).toMatchObject([
      { type: 'shipping', id: 'standard', carrier: 'Post', earliest_delivery_time: in3days, totals: [{ type: 'total', amount: 499 }] },
      { type: 'pickup', id: 'shop', location: { name: 'The shop', address: { line_one: '1 Main St' } } },
    ]);
    expect(body.capabilities.payment.handlers).toMatchObject([
      { id: 'wallet', requires_delegate_payment: false, config: { merchant_id: shop.merchant.id, environment: 'test' } },
      { id: 'mandate', requires_delegate_payment: false },
      { id: 'card', requires_delegate_payment: false, config: { credential_type: 'card_id' } },
    ]);
    expect(body.capabilities.interventions).toEqual({ supported: [], required: [], enforcement: 'optional' });
  });

  it('is ready when nothing is to be delivered, and one of another currency when the merchant sells in it', async () => {
    const { body } = await create({ line_items: [{ id: 'song', quantity: 3 }], fulfillment_details: undefined });
    expect([body.status, amountsOf(body)['total']]).toEqual(['ready_for_payment', 325]);
    const euros = await newShop(harness.test, { currency: 'EUR' });
    await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: euros.merchant.account_id, currency: 'EUR' });
    expect((await euros.acp.create({ currency: 'EUR' })).body.currency).toBe('eur');
  });

  it('tells what is sold out, by item and by number', async () => {
    const many = await create({ line_items: [{ id: 'gone' }, { id: 'mug', quantity: 11 }, { id: 'pen', quantity: 51 }] });
    expect(many.status).toBe(201);
    expect(many.body.status).toBe('not_ready_for_payment');
    expect(many.body.messages.map(({ code, param }: Json) => [code, param])).toEqual([
      ['out_of_stock', '$.line_items[0].item.id'],
      ['out_of_stock', '$.line_items[1].item.id'],
      ['quantity_exceeded', '$.line_items[2].quantity'],
      ['missing', '$.selected_fulfillment_options'],
    ]);
  });

  it('answers discounts with a warning, and keeps what a buyer is', async () => {
    const buyer = { first_name: 'Ada', last_name: 'Byron', email: 'ada@example.com', phone_number: '15551234567' };
    const { body } = await create({ buyer, discounts: { codes: ['HALF'] } });
    expect(body.buyer).toEqual(buyer);
    expect(body.messages).toContainEqual(expect.objectContaining({ type: 'warning', code: 'discount_code_invalid' }));
  });

  it('contains the tax where prices do', async () => {
    const { acp } = await newShop(harness.test, { tax: { rate_percent: '19', included: true, title: 'VAT' } });
    const { body } = await acp.create({ line_items: [{ id: 'song' }] });
    expect(amountsOf(body)).toEqual({ items_base_amount: 100, subtotal: 100, total: 100 });
    expect(body.totals.at(-1).description).toContain('VAT');
  });

  it('is the same checkout through /v1 and GraphQL, and tells of itself', async () => {
    const { body } = await create();
    const { body: read } = await harness.test.get(`/v1/acp/checkouts/${body.id}`);
    expect(read.data).toMatchObject({ id: body.id, status: 'created', total: '13.53', currency: 'USD' });
    const { body: twin } = await harness.test.graphql('query ($id: AcpCheckoutId!) { acpCheckout(id: $id) { total } }', { id: body.id });
    expect(twin.data.acpCheckout.total).toBe('13.53');
    await harness.runDue();
    const { body: events } = await harness.test.get('/v1/events?type=acp.checkout.created&limit=1');
    expect(events.data[0].data).toMatchObject({ checkout_id: body.id, total: '13.53' });
  });

  it('once for a key: the second answer is the first, also of an agent', async () => {
    const agent = await enrol(harness.test);
    const key = randomUUID();
    const first = await create({}, { key, as: agent.token, headers: { 'Request-Id': 'r-1' } });
    expect([first.headers.get('idempotency-key'), first.headers.get('request-id')]).toEqual([key, 'r-1']);
    const again = await create({}, { key, as: agent.token });
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await create({}, { key })).body.id).not.toBe(first.body.id);
  });
});

describe('400', () => {
  it.each<[string, object, string, string]>([
    ['an item that the merchant does not have', { line_items: [{ id: 'mug' }, { id: 'none' }] }, 'invalid_item_id', '$.line_items[1].id'],
    ['another currency', { currency: 'eur' }, 'unsupported', '$.currency'],
    ['no items', { line_items: [] }, 'invalid', '$.line_items'],
    ['none of an item', { line_items: [{ id: 'mug', quantity: 0 }] }, 'invalid', '$.line_items[0].quantity'],
    ['a price that is no integer', { line_items: [{ id: 'mug', unit_amount: 1.5 }] }, 'invalid', '$.line_items[0].unit_amount'],
    ['a member that ACP does not have', { line_items: [{ id: 'mug', price: 1 }] }, 'invalid', '$.line_items[0].price'],
    ['null for what may be left out', { buyer: null }, 'invalid', '$.buyer'],
    ['an email that is none', { buyer: { email: 'ada' } }, 'invalid', '$.buyer.email'],
    [
      'a country of three letters',
      { fulfillment_details: { address: { ...address, country: 'USA' } } },
      'invalid',
      '$.fulfillment_details.address.country',
    ],
    [
      'groups of fulfilment',
      { fulfillment_groups: [{ id: 'g', item_ids: [], destination_type: 'shipping' }] },
      'unsupported',
      '$.fulfillment_groups',
    ],
    ['a quote', { quote_id: 'q-1' }, 'unsupported', '$.quote_id'],
  ])('%s', async (_name, changes, code, param) => {
    expect(await create(changes)).toMatchObject({ status: 400, body: { type: 'invalid_request', code, param } });
  });

  it('a member that a buyer of ACP does not have', async () => {
    const answer = await shop.acp.create({ buyer: { email: 'ada@example.com', loyalty: { tier: 'gold', colour: 'x'.repeat(10_000) } } });
    expect(answer).toMatchObject({ status: 400, body: { param: '$.buyer.loyalty.colour' } });
  });
  it('no capabilities, as in the example of an earlier version', async () => {
    const { capabilities: _, ...body } = createBody();
    expect(await shop.acp.send('POST', '', body)).toMatchObject({ status: 400, body: { param: '$.capabilities' } });
  });

  it('more than the numbers of JSON can tell', async () => {
    const { acp } = await newShop(harness.test, { items: [{ id: 'moon', title: 'Moon', unit_price: '90071992547409.00', digital: true }] });
    const { status, body } = await acp.create({ line_items: [{ id: 'moon', quantity: 1_000_000 }] });
    expect([status, body.code, body.param]).toEqual([400, 'invalid', '$.line_items']);
  });
});

describe('404', () => {
  it.each([`mer_${nowhere}`, 'shop'])('for a merchant that is none: %s', async (id) => {
    const { status, body } = await harness.test.post(`/acp/${id}/checkout_sessions`, createBody(), {
      headers: { 'API-Version': '2026-04-17', 'Idempotency-Key': randomUUID() },
    });
    expect([status, body]).toEqual([404, { type: 'invalid_request', code: 'not_found', message: expect.any(String) }]);
  });

  it('to strangers', async () => {
    expect((await create({}, { as: harness.other.key })).status).toBe(404);
  });
});

it('422 no_offer for a merchant without an offer, with what mends it', async () => {
  const bare = await newMerchant(harness.test);
  const headers = { 'API-Version': '2026-04-17', 'Idempotency-Key': randomUUID() };
  const { status, body } = await harness.test.post(`/acp/${bare.id}/checkout_sessions`, createBody(), { headers });
  const message = expect.stringContaining(`has no offer: the merchant adds metadata.offer with PATCH /v1/merchants/${bare.id}`);
  expect([status, body]).toEqual([422, { type: 'invalid_request', code: 'no_offer', message }]);
});

it('403 for a merchant that is not active', async () => {
  const { acp, merchant } = await newShop(harness.test);
  await harness.test.patch(`/v1/merchants/${merchant.id}`, { status: 'inactive' });
  expect(await acp.create()).toMatchObject({ status: 403, body: { code: 'merchant_blocked' } });
});

it('prices hold while the merchant changes its offer, and items are priced anew when they change', async () => {
  const { acp, merchant } = await newShop(harness.test, { tax: undefined });
  const { body: session } = await acp.create();
  const { items, ...offer } = merchant.metadata.offer;
  const dearer = items.map((item: Json) => (item.id === 'mug' ? { ...item, unit_price: '20.00' } : item));
  await harness.test.patch(`/v1/merchants/${merchant.id}`, { metadata: { offer: { ...offer, items: dearer } } });
  expect(amountsOf((await acp.read(session)).body)['total']).toBe(1250);
  const chosen = await acp.update(session, { selected_fulfillment_options: [byPost('mug')] });
  expect(amountsOf(chosen.body)['total']).toBe(1250 + 499);
  const changed = await acp.update(session, { line_items: [{ id: 'mug' }] });
  expect(amountsOf(changed.body)['total']).toBe(2000 + 499);
});
