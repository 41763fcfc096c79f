// Prices are the merchant's: checkouts under /v1 at a merchant with an offer, and at one without
import { beforeAll, describe, expect, it } from 'vitest';
import { address, newShop, type Protocol, type Shop, uuidOf } from '../../factories/checkout.js';
import { newSeller, offerMetadata } from '../../factories/offer.js';
import { eventsOf } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';

const harness = useHarness();
const song = { sku: 'song', quantity: 2, unit_price: '1.00', currency: 'USD' };
const mug = { sku: 'mug', quantity: 1, unit_price: '12.50', currency: 'USD' };
let buyer: Shop;
let merchant: Json;
beforeAll(async () => {
  buyer = await newShop(harness.test);
  ({ merchant } = await newSeller(harness.test));
});

const begin = (items: Json[], extra: object = {}, protocol: Protocol = 'acp') =>
  harness.test.post(`/v1/${protocol}/checkouts`, { merchant_id: merchant.id, items, ...extra }, { as: buyer.token });
const wrong = (path: string) => ({ status: 400, body: { details: { fields: [{ path }] } } });

describe.each(['acp', 'ucp'] as const)('POST /v1/%s/checkouts at a merchant with an offer', (protocol) => {
  it('201 at its prices, with its tax', async () => {
    const { status, body } = await begin([song], {}, protocol);
    expect([status, body.data]).toMatchObject([201, { total: '2.17', tax_amount: '0.17', priced_by: 'merchant' }]);
  });
  it('400 for an sku and a currency that the offer does not have', async () => {
    expect(await begin([song, { ...mug, sku: 'spoon' }], {}, protocol)).toMatchObject(wrong('items.1.sku'));
    expect(await begin([{ ...song, currency: 'EUR' }], {}, protocol)).toMatchObject(wrong('items.0.currency'));
    if (protocol === 'ucp') {
      const body = { merchant_id: merchant.id, line_items: [{ ...mug, sku: 'spoon' }] };
      expect(await harness.test.post('/v1/ucp/checkouts', body)).toMatchObject(wrong('line_items.0.sku'));
    }
  });
  it('409 price_changed with the true prices, and the request that takes them', async () => {
    const answer = await begin([song, { ...mug, unit_price: '0.01' }], { metadata: { a: 1 }, shipping_address: address }, protocol);
    expect(answer).toMatchObject({ status: 409, body: { code: 'price_changed' } });
    const { prices, next_actions: actions } = answer.body.details;
    expect(prices).toEqual([
      { sku: 'song', unit_price: '1.00', currency: 'USD' },
      { sku: 'mug', unit_price: '12.50', currency: 'USD' },
    ]);
    const again = await harness.test.post(actions[0].path, actions[0].body, { as: buyer.token });
    expect(again).toMatchObject({ status: 201, body: { data: { metadata: { a: 1 }, priced_by: 'merchant' } } });
  });
  it('409 out_of_stock for what it does not have', async () => {
    for (const items of [
      [{ ...mug, quantity: 11 }],
      [{ ...mug, sku: 'gone', unit_price: '99.00' }],
      [{ ...mug, sku: 'pen', unit_price: '0.99', quantity: 51 }],
    ])
      expect(await begin(items, {}, protocol)).toMatchObject({ status: 409, body: { code: 'out_of_stock' } });
  });
});

describe('goods under /v1', () => {
  it('go the cheapest way to their address, and elsewhere when that changes', async () => {
    const { merchant: far } = await newSeller(harness.test, {
      fulfillment: [
        { id: 'near', type: 'shipping', title: 'Near', amount: '1.00', countries: ['US'] },
        { id: 'wide', type: 'shipping', title: 'Wide', amount: '9.00' },
        { id: 'slow', type: 'shipping', title: 'Slow', amount: '7.00' },
      ],
    });
    const body = { merchant_id: far.id, items: [mug] };
    const made = await harness.test.make('/v1/acp/checkouts', body, { as: buyer.token });
    expect(made.fulfillment_amount).toBeUndefined();
    const unready = await buyer.complete(made);
    expect(unready).toMatchObject({ status: 409, body: { details: { reason: 'not_ready' } } });
    const path = `/v1/acp/checkouts/${made.id}`;
    const sent = async (to: object) => (await harness.test.patch(path, { shipping_address: to }, { as: buyer.token })).body.data;
    expect(await sent(address)).toMatchObject({ fulfillment_amount: '1.00', total: '14.53' });
    expect(await sent({ ...address, country: 'DE' })).toMatchObject({ fulfillment_amount: '7.00', total: '20.53' });
    expect((await buyer.complete(made)).body.data).toMatchObject({ status: 'paid', total: '20.53' });
  });
});

describe('PATCH /v1/acp/checkouts/{id}', () => {
  it('takes the prices of today for other items, and refuses others', async () => {
    const { body } = await begin([song]);
    const path = `/v1/acp/checkouts/${body.data.id}`;
    const change = (items: Json[]) => harness.test.patch(path, { items }, { as: buyer.token });
    const refused = await change([{ ...song, unit_price: '0.50' }]);
    expect(refused).toMatchObject({ status: 409, body: { code: 'price_changed', details: { next_actions: [{ method: 'PATCH', path }] } } });
    expect(await change([{ ...song, sku: 'spoon' }])).toMatchObject(wrong('items.0.sku'));
    const again = await harness.test.patch(path, refused.body.details.next_actions[0].body, { as: buyer.token });
    expect(again).toMatchObject({ status: 200, body: { data: { total: '2.17' } } });
    expect(await change([{ ...song, quantity: 4 }])).toMatchObject({
      status: 200,
      body: { data: { total: '4.33', priced_by: 'merchant' } },
    });
  });
  it('keeps what was agreed while the merchant changes its offer, and asks for its stock when it is paid', async () => {
    const { merchant: shop } = await newSeller(harness.test);
    const made = await harness.test.make('/v1/acp/checkouts', { merchant_id: shop.id, items: [song] }, { as: buyer.token });
    const { items } = offerMetadata().offer;
    const sold = items.map((item: Json) => (item.id === 'song' ? { ...item, unit_price: '5.00', available_quantity: 0 } : item));
    await harness.test.patch(`/v1/merchants/${shop.id}`, { metadata: offerMetadata({ items: sold }) });
    const path = `/v1/acp/checkouts/${made.id}`;
    expect((await harness.test.patch(path, { metadata: { a: 1 } }, { as: buyer.token })).body.data.total).toBe('2.17');
    expect(await buyer.complete(made)).toMatchObject({ status: 409, body: { details: { problems: [{ code: 'out_of_stock' }] } } });
  });
});

describe('POST /v1/acp/checkouts/batch', () => {
  it('prices each by its merchant', async () => {
    const of = (items: Json[]) => ({ merchant_id: merchant.id, items });
    const checkouts = [of([song]), of([{ ...song, unit_price: '0.10' }]), of([{ ...song, sku: 'spoon' }])];
    const { status, body } = await harness.test.post('/v1/acp/checkouts/batch', { checkouts });
    expect([status, body.checkouts.map(({ total }: Json) => total)]).toEqual([201, ['2.17']]);
    expect(body.errors).toMatchObject([
      { index: 1, code: 'price_changed' },
      { index: 2, code: 'validation_failed', error: expect.stringContaining('items.0.sku') },
    ]);
  });
});

describe('a merchant without an offer', () => {
  it('is told so, and sells at the prices of buyers, which every event says', async () => {
    const bare = await harness.test.make('/v1/merchants', { name: 'Bare', category: 'retail', account_id: merchant.account_id });
    expect(bare).toMatchObject({ accepts_buyer_prices: true, warnings: [{ code: 'no_offer', message: expect.any(String) }] });
    const made = await harness.test.make('/v1/acp/checkouts', { merchant_id: bare.id, items: [song] }, { as: buyer.token });
    expect(made).toMatchObject({ total: '2.00', priced_by: 'buyer' });
    expect((await buyer.complete(made)).body.data.priced_by).toBe('buyer');
    for (const type of ['acp.checkout.created', 'acp.checkout.completed']) {
      const told = (await eventsOf(harness, uuidOf(made))).find((event) => event.type === type);
      expect(told?.data.priced_by).toBe('buyer');
    }
  });
  it('409 buyer_prices_refused where it takes none, and 201 once it has an offer', async () => {
    const { merchant: strict } = await newSeller(harness.test);
    expect(strict.warnings).toBeUndefined();
    const change = (body: object) => harness.test.patch(`/v1/merchants/${strict.id}`, body);
    await change({ accepts_buyer_prices: false, metadata: {} });
    const buy = () => harness.test.post('/v1/ucp/checkouts', { merchant_id: strict.id, items: [song] }, { as: buyer.token });
    const { status, body } = await buy();
    expect([status, body.code, body.details.next_actions[0].path]).toEqual([409, 'buyer_prices_refused', `/v1/merchants/${strict.id}`]);
    await change({ metadata: offerMetadata() });
    expect(await buy()).toMatchObject({ status: 201, body: { data: { priced_by: 'merchant' } } });
  });
});
