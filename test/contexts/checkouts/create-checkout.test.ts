// POST /v1/acp/checkouts and POST /v1/ucp/checkouts
import { describe, expect, it } from 'vitest';
import { address, basket, checkoutBody, newShop, sellerAgent, uuidOf } from '../../factories/checkout.js';
import { newSeller } from '../../factories/mandate.js';
import { eventsOf, newMerchant } from '../../factories/payment.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const path = '/v1/acp/checkouts';
const begin = (merchant: Json, extra: object = {}, as?: string) =>
  harness.test.post(path, checkoutBody(merchant, extra), as === undefined ? {} : { as });

describe('POST /v1/acp/checkouts', () => {
  describe('201', () => {
    it('answers the checkout with its total and its client secret', async () => {
      const merchant = await newSeller(harness.test);
      const { status, body } = await begin(merchant);
      expect([status, body]).toEqual([
        201,
        {
          data: {
            id: expect.stringMatching(/^acp_chk_/),
            merchant_id: merchant.id,
            status: 'created',
            items: basket,
            total: '27.50',
            currency: 'USD',
            priced_by: 'buyer',
            shipping_address: null,
            payment_method: 'card',
            client_secret: expect.stringMatching(/^acp_chk_secret_.{43}$/),
            metadata: {},
            expires_at: new Date(harness.clock.now().getTime() + 1_800_000).toISOString(),
            created_at: harness.clock.now().toISOString(),
            updated_at: harness.clock.now().toISOString(),
          },
        },
      ]);
    });

    it('keeps what it was told', async () => {
      const merchant = await newSeller(harness.test, 'JPY');
      const agent = await enrol(harness.test);
      const items = [{ sku: 'TEA', quantity: 3, unit_price: '450', currency: 'JPY' }];
      const told = {
        currency: 'JPY',
        shipping_address: address,
        payment_method: 'stablecoin',
        metadata: { order: 7 },
        agent_id: agent.uuid,
      };
      const { body } = await begin(merchant, { items, ...told, expires_in: 60 });
      expect(body.data).toMatchObject({ ...told, items, total: '1350' });
      expect(body.data.expires_at).toBe(new Date(harness.clock.now().getTime() + 60_000).toISOString());
    });

    it('tells it, without the address of the buyer', async () => {
      const shop = await newShop(harness.test);
      const checkout = await shop.begin({ shipping_address: address });
      const items = basket.map(({ currency: _, ...item }) => item);
      const sum = { total: '27.50', currency: 'USD', priced_by: 'buyer' };
      const data = { checkout_id: checkout.id, merchant_id: shop.merchant.id, status: 'created', ...sum, items };
      expect(await eventsOf(harness, uuidOf(checkout))).toEqual([{ type: 'acp.checkout.created', data }]);
    });

    it('shows the client secret once, and keeps no more than its hash', async () => {
      const shop = await newShop(harness.test);
      const headers = { 'Idempotency-Key': `begin-${shop.uuid}` };
      const body = checkoutBody(shop.merchant);
      const first = await harness.test.post(path, body, { headers });
      const again = await harness.test.post(path, body, { headers });
      const { client_secret: secret, ...rest } = first.body.data;
      expect([again.status, again.headers.get('idempotent-replayed'), again.body.data]).toEqual([201, 'true', rest]);
      expect((await shop.read(first.body.data)).client_secret).toBeNull();
      const { database } = harness.platform;
      const stored = JSON.stringify(
        [
          await database.unscoped.claim.findMany(),
          await database.unscoped.checkout.findFirst({ where: { id: uuidOf(first.body.data) } }),
          await database.unscoped.event.findMany(),
        ],
        (_, value) => (typeof value === 'bigint' ? `${value}` : value),
      );
      expect(stored).not.toContain(secret);
    });

    it('by UCP, which names its items and knows where the buyer goes', async () => {
      const merchant = await newSeller(harness.test);
      const line_items = [{ sku: 'MUG', title: 'Mug', quantity: 2, unit_price: '12.50', currency: 'USD' }];
      const urls = { success_url: 'https://shop.example.com/thanks', cancel_url: 'https://shop.example.com/cart' };
      const { status, body } = await harness.test.post('/v1/ucp/checkouts', { merchant_id: merchant.id, line_items, ...urls });
      expect([status, body.data]).toEqual([
        201,
        expect.objectContaining({ items: line_items, total: '25.00', status: 'created', ...urls }),
      ]);
      expect(body.data.id).toMatch(/^ucp_chk_/);
      expect(await eventsOf(harness, uuidOf(body.data)), 'UCP has no events').toEqual([]);
    });
  });

  describe('400', () => {
    const [mug] = basket;
    it.each<[string, Json, ...string[]]>([
      ['no items', { items: [] }, 'items'],
      ['too many items', { items: Array.from({ length: 101 }, () => mug) }, 'items'],
      ['a quantity of nothing', { items: [{ ...mug, quantity: 0 }] }, 'items.0.quantity'],
      ['a part of a thing', { items: [{ ...mug, quantity: 1.5 }] }, 'items.0.quantity'],
      ['a price of nothing', { items: [{ ...mug, unit_price: '0.00' }] }, 'items.0.unit_price'],
      ['a negative price', { items: [{ ...mug, unit_price: '-1.00' }] }, 'items.0.unit_price'],
      ['a padded price', { items: [{ ...mug, unit_price: ' 1.00' }] }, 'items.0.unit_price'],
      ['a price that is a number', { items: [{ ...mug, unit_price: 1 }] }, 'items.0.unit_price'],
      ['too many digits', { items: [{ ...mug, unit_price: '1.001' }] }, 'items.0.unit_price'],
      ['two currencies', { items: [mug, { ...mug, currency: 'EUR' }] }, 'items.1.currency'],
      ['another currency than its items', { currency: 'EUR' }, 'items.0.currency', 'items.1.currency'],
      ['a total of the client', { total: '1.00' }, 'total'],
      ['an unknown member of an item', { items: [{ ...mug, price: '1.00' }] }, 'items.0.price'],
      ['a title, which ACP has not', { items: [{ ...mug, title: 'Mug' }] }, 'items.0.title'],
      ['a total that is too large', { items: [{ ...mug, quantity: 1_000_000, unit_price: '1000000000.01' }] }, 'items'],
      ['a country of three letters', { shipping_address: { ...address, country: 'USA' } }, 'shipping_address.country'],
      ['an unknown member of the address', { shipping_address: { ...address, zip: '1' } }, 'shipping_address.zip'],
      ['an address without a city', { shipping_address: { ...address, city: undefined } }, 'shipping_address.city'],
      ['an unknown way to pay', { payment_method: 'cash' }, 'payment_method'],
      ['a short time', { expires_in: 59 }, 'expires_in'],
      ['a long time', { expires_in: 86_401 }, 'expires_in'],
      ['a mark that is the platform’s', { metadata: { refunded: true } }, 'metadata.refunded'],
      ['a URL of UCP', { success_url: 'https://example.com' }, 'success_url'],
    ])('%s', async (_, extra, ...paths) => {
      const merchant = await newSeller(harness.test);
      expectInvalid(await begin(merchant, extra), ...paths);
    });

    it('of UCP: items under both names, under none, in two currencies, and URLs of programs', async () => {
      const merchant = await newSeller(harness.test);
      const ask = (body: object) => harness.test.post('/v1/ucp/checkouts', { merchant_id: merchant.id, ...body });
      expectInvalid(await ask({ items: basket, line_items: basket }), 'line_items');
      expectInvalid(await ask({}), 'items');
      expectInvalid(await ask({ line_items: [mug, { ...mug, currency: 'EUR' }] }), 'line_items.1.currency');
      expectInvalid(await ask({ items: basket, success_url: 'javascript:alert(1)' }), 'success_url');
    });

    it('a merchant that has no wallet in the currency', async () => {
      expectInvalid(await begin(await newMerchant(harness.test)), 'merchant_id');
    });
  });

  it('403 for a merchant that is not active', async () => {
    const merchant = await newSeller(harness.test);
    await harness.test.patch(`/v1/merchants/${merchant.id}`, { status: 'inactive' });
    expectRefused(await begin(merchant), 403, 'merchant_blocked');
  });

  describe('404', () => {
    it('for a merchant that is nobody’s, and for another tenant’s', async () => {
      const foreign = await newSeller(harness.other);
      for (const merchant of [{ id: nowhere }, foreign]) {
        const answer = await begin(merchant);
        expectRefused(answer, 404, 'not_found');
        expect(answer.body.details).toEqual({ fields: [expect.objectContaining({ path: 'merchant_id' })] });
      }
    });

    it('for an agent that is nobody’s, and for another one where an agent asks', async () => {
      const shop = await newShop(harness.test);
      const { uuid } = await sellerAgent(harness.test, shop.merchant);
      expectRefused(await begin(shop.merchant, { agent_id: nowhere }), 404, 'not_found');
      expectRefused(await begin(shop.merchant, { agent_id: uuid }, shop.token), 404, 'not_found');
      expect((await begin(shop.merchant, { agent_id: shop.uuid }, shop.token)).status).toBe(201);
    });
  });
});
