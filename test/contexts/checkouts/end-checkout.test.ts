// What follows a checkout: POST .../fulfill, POST .../cancel, POST .../refund, and the end of its time
import { describe, expect, it } from 'vitest';
import { trip } from '../../factories/approval.js';
import { newShop, type Shop, sellerAgent, uuidOf } from '../../factories/checkout.js';
import { balanceOf, eventsOf } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const path = '/v1/acp/checkouts';
const operationsOf = async ({ id }: Json) =>
  (await harness.platform.database.unscoped.operation.findMany({ where: { subjectId: id.slice(-36) }, orderBy: { id: 'asc' } })).map(
    ({ operation, success }) => [operation, success],
  );

async function paidCheckout(shop: Shop): Promise<Json> {
  const checkout = await shop.begin();
  return (await shop.complete(checkout)).body.data;
}

/** A checkout whose payment waits for an approval. */
async function waitingCheckout(shop: Shop): Promise<{ checkout: Json; approval: Json }> {
  await trip(harness, shop.uuid);
  const { data, approval } = (await shop.complete(await shop.begin())).body;
  return { checkout: data, approval };
}

describe.each(['acp', 'ucp'] as const)('POST /v1/%s/checkouts/{id}/fulfill', (protocol) => {
  it('200 by an agent of the merchant’s account', async () => {
    const shop = await newShop(harness.test, { protocol });
    const seller = await sellerAgent(harness.test, shop.merchant);
    const paid = await paidCheckout(shop);
    const sent = { tracking: '1Z999', delivered_at: '2026-03-02T09:00:00.000Z' };
    const answer = await harness.test.post(`${shop.path}/${paid.id}/fulfill`, sent, { as: seller.token });
    const fulfilled_at = harness.clock.now().toISOString();
    expect([answer.status, answer.body.data]).toEqual([200, { ...paid, ...sent, status: 'fulfilled', fulfilled_at }]);
  });
});

describe('POST /v1/acp/checkouts/{id}/fulfill', () => {
  const fulfill = ({ id }: Json, as?: string) => harness.test.post(`${path}/${id}/fulfill`, {}, as === undefined ? {} : { as });

  it('403 for the buyer', async () => {
    const shop = await newShop(harness.test);
    expectRefused(await fulfill(await paidCheckout(shop), shop.token), 403, 'forbidden', { terminal: true });
  });

  it('409 before the payment, with the request that pays, and the second time', async () => {
    const shop = await newShop(harness.test);
    const checkout = await shop.begin();
    const answer = await fulfill(checkout);
    expectRefused(answer, 409, 'state_conflict', { current_status: 'created', allowed_from: ['paid'] });
    expect(answer.body.details.next_actions).toEqual([
      { rel: 'complete', actor: 'any', method: 'POST', path: `${path}/${checkout.id}/complete` },
    ]);
    await shop.complete(checkout);
    await fulfill(checkout);
    expectRefused(await fulfill(checkout), 409, 'state_conflict', { current_status: 'fulfilled' });
  });
});

describe('POST /v1/acp/checkouts/{id}/cancel', () => {
  const cancel = ({ id }: Json, body: object = {}, as?: string) =>
    harness.test.post(`${path}/${id}/cancel`, body, as === undefined ? {} : { as });

  describe('200', () => {
    it('by the buyer, with its reason and what led to it', async () => {
      const shop = await newShop(harness.test);
      const checkout = await shop.begin();
      const why = { reason: 'Too dear', intent_trace: { reason_code: 'price_sensitivity', trace_summary: 'Found it for 20.00.' } };
      const { status, body } = await cancel(checkout, why, shop.token);
      const { reason: cancel_reason, intent_trace } = why;
      expect([status, body.data]).toEqual([200, { ...checkout, status: 'cancelled', client_secret: null, cancel_reason, intent_trace }]);
      expect(await operationsOf(checkout)).toEqual([['checkout.cancel', false]]);
      await harness.advance(1_800);
      expect((await shop.read(checkout)).status).toBe('cancelled');
    });

    it('by the merchant, while the payment waits: the money goes back and nobody can approve it', async () => {
      const shop = await newShop(harness.test);
      const seller = await sellerAgent(harness.test, shop.merchant);
      const { checkout, approval } = await waitingCheckout(shop);
      expect((await cancel(checkout, {}, seller.token)).body.data.status).toBe('cancelled');
      expect(await balanceOf(harness.test, shop.wallet)).toMatchObject({ available: '1000.00', held: '0.00' });
      expectRefused(await harness.test.post(`/v1/approvals/${approval.id}/approve`, {}), 409, 'state_conflict');
      expect((await harness.test.get(`/v1/transfers/${checkout.transfer_id}`)).body.data).toMatchObject({
        status: 'cancelled',
        failure: { code: 'checkout_cancelled' },
      });
      expect(await operationsOf(checkout)).toEqual([['checkout.complete', false]]);
    });
  });

  it('400 for a trace without a code', async () => {
    const shop = await newShop(harness.test);
    expectInvalid(await cancel(await shop.begin(), { intent_trace: {} }), 'intent_trace.reason_code');
    expectInvalid(await cancel(await shop.begin(), { intent_trace: { reason_code: 'x', why: 1 } }), 'intent_trace.why');
  });

  it('409 for one that is paid, cancelled, or over', async () => {
    const shop = await newShop(harness.test);
    expectRefused(await cancel(await paidCheckout(shop)), 409, 'state_conflict', { current_status: 'paid' });
    const checkout = await shop.begin();
    await cancel(checkout);
    expectRefused(await cancel(checkout), 409, 'state_conflict', { current_status: 'cancelled' });
    const late = await shop.begin();
    harness.clock.advance(1_800);
    expectRefused(await cancel(late), 409, 'checkout_expired');
  });
});

describe('POST /v1/acp/checkouts/{id}/refund', () => {
  const refund = ({ id }: Json, body: object = {}, as?: string) =>
    harness.test.post(`${path}/${id}/refund`, { reason: 'order_cancelled', ...body }, as === undefined ? {} : { as });

  describe('201', () => {
    it('a part, and then the rest, which marks the checkout and keeps its status', async () => {
      const shop = await newShop(harness.test);
      const paid = await paidCheckout(shop);
      const part = await refund(paid, { amount: '7.50' });
      expect([part.status, part.body.data]).toMatchObject([
        201,
        { amount: '7.50', status: 'completed', original_transfer_id: paid.transfer_id },
      ]);
      expect((await shop.read(paid)).metadata).toEqual({});
      await refund(paid);
      expect(await shop.read(paid)).toMatchObject({ status: 'paid', metadata: { refunded: true } });
      expect(await balanceOf(harness.test, shop.wallet)).toMatchObject({ available: '1000.00' });
    });

    it('asked for as a refund of the transfer it marks the checkout too, with what its metadata had', async () => {
      const shop = await newShop(harness.test);
      const checkout = await shop.begin({ metadata: { order: 7 } });
      const { transfer_id } = (await shop.complete(checkout)).body;
      await harness.test.make(`${path}/${checkout.id}/fulfill`, {});
      await harness.test.make('/v1/refunds', { original_transfer_id: transfer_id, reason: 'customer_request' });
      expect(await shop.read(checkout)).toMatchObject({ status: 'fulfilled', metadata: { order: 7, refunded: true } });
    });

    it('once for a key', async () => {
      const shop = await newShop(harness.test);
      const paid = await paidCheckout(shop);
      const headers = { 'Idempotency-Key': `refund-${shop.uuid}` };
      const ask = () => harness.test.post(`${path}/${paid.id}/refund`, { amount: '5.00', reason: 'other' }, { headers });
      const [first, again] = [await ask(), await ask()];
      expect([again.status, again.body]).toEqual([201, first.body]);
      expect(await balanceOf(harness.test, shop.wallet)).toMatchObject({ available: '977.50' });
    });
  });

  it('201 by an agent whose own wallet was paid, 403 for the buyer and for an agent whose account was paid', async () => {
    const shop = await newShop(harness.test);
    const seller = await sellerAgent(harness.test, shop.merchant);
    const paid = await paidCheckout(shop);
    expectRefused(await refund(paid, {}, shop.token), 403, 'forbidden');
    expectRefused(await refund(paid, {}, seller.token), 403, 'forbidden', { terminal: true });
    const own = await harness.test.make('/v1/wallets', { owner_type: 'agent', owner_id: seller.id, currency: 'USD' });
    await harness.test.patch(`/v1/merchants/${shop.merchant.id}`, { settlement_wallet_id: own.id });
    const answer = await refund(await paidCheckout(shop), {}, seller.token);
    expect([answer.status, answer.body.data]).toMatchObject([201, { amount: '27.50', status: 'completed' }]);
  });

  it('409 for one that is not paid', async () => {
    const shop = await newShop(harness.test);
    expectRefused(await refund(await shop.begin()), 409, 'state_conflict', {
      current_status: 'created',
      allowed_from: ['paid', 'fulfilled'],
    });
  });

  it('422 for more than was paid, and where the merchant has the money no more', async () => {
    const shop = await newShop(harness.test);
    const paid = await paidCheckout(shop);
    expectRefused(await refund(paid, { amount: '27.51' }), 422, 'refund_exceeds_original');
    const { body } = await harness.test.post('/v1/transfers', {
      type: 'internal',
      from_wallet_id: shop.merchant.settlement_wallet_id,
      to_wallet_id: shop.wallet.id,
      amount: '27.50',
      currency: 'USD',
    });
    expect(body.data.status).toBe('completed');
    expectRefused(await refund(paid), 422, 'insufficient_balance');
  });
});

describe('a checkout whose time is over', () => {
  it('expires by itself, is told, and is an operation', async () => {
    const shop = await newShop(harness.test);
    const checkout = await shop.begin({ expires_in: 60 });
    await harness.advance(59);
    expect((await shop.read(checkout)).status).toBe('created');
    await harness.advance(1);
    expect((await shop.read(checkout)).status).toBe('expired');
    const told = (await eventsOf(harness, uuidOf(checkout))).map(({ type, data }) => [type, data.status]);
    expect(told.at(-1)).toEqual(['acp.checkout.expired', 'expired']);
    expect(await operationsOf(checkout)).toEqual([['checkout.expire', false]]);
  });

  it('gives back what waits for an approval, which is withdrawn', async () => {
    const shop = await newShop(harness.test);
    const { checkout, approval } = await waitingCheckout(shop);
    await harness.advance(1_800);
    expect((await shop.read(checkout)).status).toBe('expired');
    expect((await harness.test.get(`/v1/approvals/${approval.id}`)).body.data.status).toBe('cancelled');
    expect(await balanceOf(harness.test, shop.wallet)).toMatchObject({ available: '1000.00', held: '0.00' });
  });

  it('expires though its payment has failed, and not once it is paid', async () => {
    const shop = await newShop(harness.test);
    const paid = await paidCheckout(shop);
    const { checkout, approval } = await waitingCheckout(shop);
    await harness.test.make(`/v1/approvals/${approval.id}/reject`, {});
    await harness.advance(1_800);
    expect([(await shop.read(checkout)).status, (await shop.read(paid)).status]).toEqual(['expired', 'paid']);
  });
});

it('a payment that is approved once its merchant is not active any more has failed, and its money is back', async () => {
  const shop = await newShop(harness.test);
  const { checkout, approval } = await waitingCheckout(shop);
  await harness.test.patch(`/v1/merchants/${shop.merchant.id}`, { status: 'inactive' });
  await harness.test.make(`/v1/approvals/${approval.id}/approve`, {});
  expect(await shop.read(checkout)).toMatchObject({ status: 'failed', failure: { code: 'merchant_blocked' } });
  expect(await balanceOf(harness.test, shop.wallet)).toMatchObject({ available: '1000.00', held: '0.00' });
});
