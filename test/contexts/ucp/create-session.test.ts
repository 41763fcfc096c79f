// Checkouts that an agent begins by UCP.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSeller } from '../../factories/offer.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { home, mugs, ProfileHost, profileOf, shipping, songs, Talk } from './talk.js';

const host = await ProfileHost.start();
afterAll(() => host.stop());
const harness = useHarness({ allowHosts: [host.host] });
let merchant: Json;
let profile: string;
let talk: Talk;
beforeAll(async () => {
  ({ merchant } = await newSeller(harness.test));
  profile = host.publish(profileOf());
  talk = new Talk(harness.test, merchant, profile);
});

const codes = ({ messages = [] }: Json) => messages.map(({ code, path }: Json) => [code, path]);

describe('POST /ucp/{merchant_id}/checkout-sessions', () => {
  it('201: prices and titles are those of the merchant, whatever the agent says', async () => {
    const { status, body } = await talk.create({
      line_items: [{ id: 'mine', item: { id: 'mug', title: 'Gold', price: 1 }, quantity: 2, totals: [] }],
      buyer: { first_name: 'Ada', email: 'ada@example.com', consent: { marketing: true } },
      currency: 'EUR',
      status: 'completed',
      totals: [{ type: 'total', amount: 1 }],
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^ucp_chk_/),
      status: 'incomplete',
      currency: 'USD',
      line_items: [{ id: 'mine', item: { id: 'mug', title: 'Mug', price: 1250, image_url: 'https://shop.example/mug.png' }, quantity: 2 }],
      buyer: { first_name: 'Ada', email: 'ada@example.com' },
      totals: [
        { type: 'subtotal', amount: 2500 },
        { type: 'tax', display_text: 'Tax', amount: 206 },
        { type: 'total', amount: 2706 },
      ],
      links: [
        { type: 'terms_of_service', url: 'https://shop.example/terms' },
        { type: 'refund_policy', url: 'https://shop.example/returns' },
      ],
      expires_at: '2026-03-02T16:00:00.000Z',
    });
    expect(body.buyer.consent).toBeUndefined();
    expect(Object.values(body.ucp.payment_handlers).flat()).toMatchObject([{ id: 'wallet' }, { id: 'mandate' }, { id: 'card' }]);
  });
  it('says how goods can be delivered, and what is still to be chosen', async () => {
    const { body } = await talk.create();
    const [method] = body.fulfillment.methods;
    expect(method).toMatchObject({ id: 'shipping', type: 'shipping', line_item_ids: ['line_1'], selected_destination_id: null });
    expect(method.groups).toMatchObject([{ selected_option_id: null, options: [{ id: 'standard' }, { id: 'express' }] }]);
    expect(body.fulfillment.available_methods.map(({ type }: Json) => type)).toEqual(['shipping', 'pickup']);
    expect(codes(body)).toEqual([
      ['missing', '$.fulfillment.methods[0].selected_destination_id'],
      ['missing', '$.fulfillment.methods[0].groups[0].selected_option_id'],
    ]);
    expect(body.messages.every(({ severity }: Json) => severity === 'recoverable')).toBe(true);
  });
  it('is ready at once where everything is said', async () => {
    const { body } = await talk.create(mugs(2, { fulfillment: shipping() }));
    expect(body.status).toBe('ready_for_complete');
    expect(body.messages).toBeUndefined();
    expect(body.totals).toMatchObject([
      { amount: 2500 },
      { type: 'fulfillment', display_text: 'Standard', amount: 499 },
      {},
      { amount: 3205 },
    ]);
    const [method] = body.fulfillment.methods;
    expect(method).toMatchObject({ selected_destination_id: 'destination_1', destinations: [{ id: 'destination_1', ...home }] });
    expect(method.groups[0].options[0]).toMatchObject({
      title: 'Standard',
      carrier: 'Post',
      earliest_fulfillment_time: '2026-03-05T10:00:00.000Z',
      totals: [{ type: 'total', amount: 499 }],
    });
    const stored = await harness.test.get(`/v1/ucp/checkouts/${body.id}`);
    expect(stored.body.data).toMatchObject({ total: '32.05', shipping_address: { line1: '1 Main St', country: 'US' } });
  });
  it('lets goods be picked up, and asks nothing of digital ones', async () => {
    const pickup = { methods: [{ type: 'pickup', groups: [{ selected_option_id: 'shop' }] }] };
    const { body } = await talk.create({ line_items: [...mugs(1).line_items, ...songs(1).line_items], fulfillment: pickup });
    expect(body.status).toBe('ready_for_complete');
    expect(body.fulfillment.methods).toMatchObject([{ type: 'pickup', line_item_ids: ['line_1'] }]);
    expect(body.fulfillment.methods[0].groups[0].options[0].description).toContain('1 Main St');
    const digital = (await talk.create(songs())).body;
    expect([digital.status, digital.fulfillment]).toEqual(['ready_for_complete', undefined]);
  });
  it('says what is wrong with an address, an option or a quantity', async () => {
    const at = (name: string) => `$.fulfillment.methods[0].destinations[0].${name}`;
    const { postal_code: _, ...vague } = home;
    const found = async (fulfillment: Json, quantity = 1) => codes((await talk.create(mugs(quantity, { fulfillment }))).body);
    expect(await found(shipping('standard', vague))).toEqual([['missing', at('postal_code')]]);
    expect(await found(shipping('standard', { ...home, address_country: 'USA' }))).toEqual([['invalid', at('address_country')]]);
    const option = '$.fulfillment.methods[0].groups[0].selected_option_id';
    expect(await found(shipping('express', { ...home, address_country: 'DE' }))).toEqual([['invalid', option]]);
    expect(await found(shipping(), 11)).toEqual([['out_of_stock', '$.line_items[0].quantity']]);
  });
  it('counts in the minor units of the currency, and tells a tax that prices contain with the total', async () => {
    const sell = async (currency: string, price: string, tax?: object) => {
      const items = [{ id: 'mug', title: 'Mug', unit_price: price }];
      const { merchant: seller } = await newSeller(harness.test, { currency, items, tax, fulfillment: [] });
      await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: seller.account_id, currency });
      await harness.test.patch(`/v1/merchants/${seller.id}`, { settlement_wallet_id: null });
      return (await new Talk(harness.test, seller, profile).create(mugs(3))).body;
    };
    const yen = await sell('JPY', '1100', { rate_percent: '10', included: true });
    const lines = [
      { display_text: 'Without Tax', amount: 3000 },
      { display_text: 'Tax', amount: 300 },
    ];
    expect([yen.currency, yen.totals]).toEqual([
      'JPY',
      [
        { type: 'subtotal', amount: 3300 },
        { type: 'total', amount: 3300, lines },
      ],
    ]);
    expect((await sell('USDC', '0.000001')).totals).toEqual([
      { type: 'subtotal', amount: 3 },
      { type: 'total', amount: 3 },
    ]);
  });
  it('a key makes one checkout: 409 for another body', async () => {
    const key = 'a-key';
    const first = await talk.create(songs(), { key });
    const again = await talk.create({ line_items: [{ quantity: 2, item: { id: 'song' } }] }, { key });
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await talk.create(songs(3), { key })).toMatchObject({ status: 409, body: { code: 'idempotency_key_reused' } });
  });
  it('400 for a key that is none, which is no refusal of the merchant', async () => {
    for (const key of ['k'.repeat(256), 'caf\u00e9', '""']) {
      const answer = await talk.create(songs(), { key });
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', details: { fields: [{ path: 'Idempotency-Key' }] } },
      });
    }
  });
  it('200 with messages alone for what the merchant does not sell, and nothing is kept for the key', async () => {
    const key = 'refused';
    const { status, body } = await talk.create(
      {
        line_items: [
          { item: { id: 'song' }, quantity: 1 },
          { item: { id: 'moon' }, quantity: 1 },
        ],
      },
      { key },
    );
    expect([status, body.ucp.status, body.id]).toEqual([200, 'error', undefined]);
    expect(body.messages).toMatchObject([{ code: 'item_unavailable', path: '$.line_items[1].item.id', severity: 'unrecoverable' }]);
    expect((await talk.create(songs(), { key })).status).toBe(201);
  });
  it('200 with messages alone where a basket is too large, or the merchant was blocked', async () => {
    const dear = await newSeller(harness.test, { items: [{ id: 'song', title: 'Song', unit_price: '50000000000000.00', digital: true }] });
    const other = new Talk(harness.test, dear.merchant, profile);
    const large = await other.create(songs(2));
    expect(large).toMatchObject({ status: 200, body: { ucp: { status: 'error' }, messages: [{ code: 'invalid', path: '$.line_items' }] } });
    await harness.test.patch(`/v1/merchants/${dear.merchant.id}`, { status: 'inactive' });
    const blocked = await other.create(songs(1));
    expect(blocked.body).toMatchObject({ ucp: { status: 'error' }, messages: [{ code: 'merchant_blocked', severity: 'unrecoverable' }] });
  });
  it('400 for what is no request', async () => {
    const line = { item: { id: 'song' }, quantity: 1 };
    const wrong: Json[] = [
      {}, { line_items: [] }, { line_items: [{ ...line, quantity: 0 }] }, { line_items: [{ ...line, quantity: 1.5 }] },
      { line_items: [{ ...line, quantity: '2' }] }, { line_items: [{ quantity: 1 }] }, { line_items: Array(101).fill(line) },
      { line_items: [line], buyer: null }, { line_items: [line], buyer: { email: 1 } }, { line_items: [line], fulfillment: { methods: [{ type: 'drone' }] } },
      { line_items: [line], fulfillment: { methods: [{ groups: [{}, {}] }] } }, { line_items: [{ ...line, id: '' }] },
    ]; // biome-ignore format: a table
    for (const body of wrong)
      expect([body, await talk.create(body)]).toMatchObject([body, { status: 400, body: { code: 'validation_failed' } }]);
    expect((await talk.send('POST', '', undefined, { raw: '{' })).body.code).toBe('invalid_json');
    expect(await talk.create(songs(), { key: '' })).toMatchObject({ status: 400, body: { code: 'idempotency_key_required' } });
  });
  it('200 no_offer for a merchant without an offer', async () => {
    const plain = await newSeller(harness.test);
    await harness.test.patch(`/v1/merchants/${plain.merchant.id}`, { metadata: {} });
    const { status, body } = await new Talk(harness.test, plain.merchant, profile).create(songs());
    expect([status, body.ucp.status, body.messages[0].code]).toEqual([200, 'error', 'no_offer']);
    expect(body.messages[0].content).toContain(
      `This merchant has no offer: the merchant adds metadata.offer with PATCH /v1/merchants/${plain.merchant.id}`,
    );
  });
  it('404 for a merchant that is not here: nobody, another tenant', async () => {
    const foreign = await newSeller(harness.other);
    for (const id of [`mer_${nowhere}`, 'mer_x', foreign.merchant.id]) {
      const answer = await new Talk(harness.test, { id }, profile).create(songs());
      expect([id, answer]).toMatchObject([id, { status: 404, body: { code: 'not_found' } }]);
    }
  });
});
