// PATCH /v1/acp/checkouts/{id} and PATCH /v1/ucp/checkouts/{id}
import { describe, expect, it } from 'vitest';
import { address, basket, newShop, sellerAgent } from '../../factories/checkout.js';
import { useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const [mug] = basket;
const pathOf = (id: string) => `/v1/acp/checkouts/${id}`;

describe('PATCH /v1/acp/checkouts/{id}', () => {
  describe('200', () => {
    it('new items make a new total', async () => {
      const shop = await newShop(harness.test);
      const checkout = await shop.begin({ metadata: { a: 1 } });
      const { status, body } = await harness.test.patch(pathOf(checkout.id), { items: [mug] }, { as: shop.token });
      expect([status, body.data]).toEqual([200, { ...checkout, items: [mug], total: '25.00', client_secret: null }]);
    });

    it('what is left out stays, null takes the address away', async () => {
      const shop = await newShop(harness.test);
      const checkout = await shop.begin();
      const change = { shipping_address: address, payment_method: 'bank', metadata: { note: 'x' } };
      expect((await harness.test.patch(pathOf(checkout.id), change)).body.data).toMatchObject(change);
      expect((await harness.test.patch(pathOf(checkout.id), {})).body.data).toMatchObject(change);
      const { data } = (await harness.test.patch(pathOf(checkout.id), { shipping_address: null })).body;
      expect(data).toMatchObject({ ...change, shipping_address: null, total: '27.50' });
    });

    it('by UCP, under its own name for items', async () => {
      const shop = await newShop(harness.test, { protocol: 'ucp' });
      const checkout = await shop.begin();
      const { body } = await harness.test.patch(`/v1/ucp/checkouts/${checkout.id}`, { line_items: [{ ...mug, title: 'Mug' }] });
      expect(body.data).toMatchObject({ items: [{ ...mug, title: 'Mug' }], total: '25.00' });
    });
  });

  it('400 for items in another currency, and for what never changes', async () => {
    const shop = await newShop(harness.test);
    const { id } = await shop.begin();
    expectInvalid(await harness.test.patch(pathOf(id), { items: [{ ...mug, currency: 'EUR' }] }), 'items.0.currency');
    expectInvalid(await harness.test.patch(pathOf(id), { merchant_id: shop.merchant.id }), 'merchant_id');
    expectInvalid(await harness.test.patch(pathOf(id), { status: 'paid' }), 'status');
  });

  it('403 for the side that sells', async () => {
    const shop = await newShop(harness.test);
    const seller = await sellerAgent(harness.test, shop.merchant);
    const { id } = await shop.begin();
    expectRefused(await harness.test.patch(pathOf(id), { items: [mug] }, { as: seller.token }), 403, 'forbidden');
  });

  describe('409', () => {
    it('for a checkout that is paid', async () => {
      const shop = await newShop(harness.test);
      const checkout = await shop.begin();
      await shop.complete(checkout);
      const answer = await harness.test.patch(pathOf(checkout.id), { items: [mug] });
      expectRefused(answer, 409, 'state_conflict', { current_status: 'paid', allowed_from: ['created'], terminal: true });
    });

    it('for one whose time is over, written or not, with the request for another one', async () => {
      const shop = await newShop(harness.test);
      const checkout = await shop.begin({ shipping_address: address, metadata: { a: 1 } });
      harness.clock.advance(1_800);
      for (const written of [false, true]) {
        if (written) await harness.runDue();
        const answer = await harness.test.patch(pathOf(checkout.id), { items: [mug] });
        expectRefused(answer, 409, 'checkout_expired');
        const [again] = answer.body.details.next_actions;
        const made = await harness.test.call(again.method, again.path, { body: again.body });
        expect([made.status, made.body.data]).toMatchObject([201, { total: '27.50', shipping_address: address, metadata: { a: 1 } }]);
      }
    });
  });
});
