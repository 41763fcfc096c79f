// Checkouts that are paid by card: by each card of the sandbox, and what may happen while the processor has not answered.
import { describe, expect, it } from 'vitest';
import { trip } from '../../factories/approval.js';
import { newBudget } from '../../factories/budget.js';
import { newCardShop, type Shop, uuidOf } from '../../factories/checkout.js';
import { eventsOf } from '../../factories/payment.js';
import { newSandbox } from '../../factories/treasury.js';
import { type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();

/** A checkout whose processor was told of the charge, and has not answered. */
async function underWay(extra: object = {}) {
  const shop = await newCardShop(harness.test, { token: 'tok_slow' });
  const checkout = await shop.begin(extra);
  await shop.pay(checkout);
  await harness.runDue();
  const settle = (outcome: object) => harness.test.post(`/v1/test/transfers/${transfer_id}/settle`, outcome);
  const { transfer_id } = await shop.read(checkout);
  return { shop, checkout, settle };
}

/** What is counted of a checkout, in its order. */
async function operationsOf(checkout: Json) {
  const where = { subjectId: uuidOf(checkout) };
  const found = await harness.platform.database.unscoped.operation.findMany({ where, orderBy: { id: 'asc' } });
  return found.map(({ operation, success }) => [operation, success]);
}

const cancel = (shop: Pick<Shop, 'path'>, { id }: Json) => harness.test.post(`${shop.path}/${id}/cancel`, {});

describe.each(['acp', 'ucp'] as const)('a checkout by %s that is paid by card', (protocol) => {
  it('waits for the processor, then is paid, told and one operation', async () => {
    const client = await newSandbox(harness);
    const shop = await newCardShop(client, { protocol });
    const checkout = await shop.begin();
    const { status, body } = await shop.pay(checkout);
    const waiting = { ...checkout, status: 'pending_payment', client_secret: null, transfer_id: body.transfer_id };
    expect([status, body]).toEqual([200, { data: waiting, transfer_id: expect.any(String) }]);
    await harness.runDue();
    expect(await shop.read(checkout)).toMatchObject({ status: 'paid', transfer_id: body.transfer_id, paid_at: expect.any(String) });
    expect(await shop.received()).toBe('26.70');
    expect((await client.get(`/v1/transfers/${body.transfer_id}`)).body.data).toMatchObject({
      status: 'completed',
      protocol,
      amount: '27.50',
      agent_id: shop.uuid,
      protocol_metadata: { checkout_id: checkout.id, merchant_id: shop.merchant.id, card_last_four: '4242' },
    });
    expect(await operationsOf(checkout)).toEqual([['checkout.complete', true]]);
    const told = (await eventsOf(harness, uuidOf(checkout))).map(({ type }) => type);
    expect(told).toEqual(protocol === 'acp' ? ['acp.checkout.created', 'acp.checkout.completed'] : []);
    expect((await client.get('/v1/test/convergence')).body).toMatchObject({ converged: true, mismatches: [] });
  });

  it('is paid once the charge is approved', async () => {
    const shop = await newCardShop(harness.test, { protocol });
    await trip(harness, shop.uuid);
    const checkout = await shop.begin();
    const { status, body } = await shop.pay(checkout);
    expect([status, body.data.status, body.approval.status]).toEqual([202, 'pending_payment', 'pending']);
    await harness.runDue();
    expect((await shop.read(checkout)).status).toBe('pending_payment');
    const approved = await harness.test.post(`/v1/approvals/${body.approval.id}/approve`, {});
    expect([approved.status, approved.body.data.subject.type, approved.body.checkout]).toMatchObject([
      200,
      'card_charge',
      { id: checkout.id },
    ]);
    await harness.runDue();
    expect(await shop.read(checkout)).toMatchObject({ status: 'paid' });
    expect(await shop.received()).toBe('26.70');
    expect(await operationsOf(checkout)).toEqual([['checkout.complete', true]]);
  });
});

describe('each card of the sandbox', () => {
  it.each([
    ['tok_slow', 3_600],
    ['tok_lost_ack', 30],
    ['pm_any_other', 2],
  ])('%s pays in its time, and once', async (token, seconds) => {
    const shop = await newCardShop(harness.test, { token });
    const checkout = await shop.begin({ expires_in: 86_400 });
    await shop.pay(checkout);
    await harness.runDue();
    await harness.advance(seconds - 1);
    expect((await shop.read(checkout)).status).toBe('pending_payment');
    await harness.advance(1);
    expect((await shop.read(checkout)).status).toBe('paid');
    expect(await shop.received()).toBe('26.70');
  });

  it.each([
    ['tok_declined', 'card_declined'],
    ['tok_insufficient_funds', 'insufficient_funds'],
    ['tok_expired', 'card_expired'],
  ])('%s fails; another card pays, or a wallet', async (token, code) => {
    const shop = await newCardShop(harness.test, { token });
    const other = await shop.addCard('tok_ok');
    for (const by of [{ payment_method_id: other.id }, { payment_method_id: undefined, from_wallet_id: shop.wallet.id }]) {
      const checkout = await shop.begin();
      await shop.pay(checkout);
      await harness.runDue();
      expect(await shop.read(checkout)).toMatchObject({ status: 'failed', failure: { code, message: expect.any(String) } });
      expect((await shop.pay(checkout, by)).status).toBe(200);
      await harness.runDue();
      const paid = await shop.read(checkout);
      expect([paid.status, paid.failure]).toEqual(['paid', undefined]);
      expect(await operationsOf(checkout)).toEqual([
        ['checkout.complete', false],
        ['checkout.complete', true],
      ]);
    }
    expect(await shop.received()).toBe('54.20');
  });
});

describe('while the processor has not answered', () => {
  it('409: paying again, cancelling, and the transfer of the payment', async () => {
    const { shop, checkout } = await underWay();
    const { transfer_id } = await shop.read(checkout);
    const next_actions = [{ method: 'GET', path: `/v1/acp/checkouts/${checkout.id}` }];
    expectRefused(await shop.pay(checkout), 409, 'state_conflict', { current_status: 'pending_payment', next_actions });
    expectRefused(await cancel(shop, checkout), 409, 'state_conflict', { current_status: 'pending_payment', next_actions });
    expectRefused(await harness.test.post(`/v1/transfers/${transfer_id}/cancel`, {}), 409, 'state_conflict');
    const closing = await harness.test.post(`/v1/wallets/${shop.merchant.settlement_wallet_id}/close`, {});
    expect(closing.body.details.open).toMatchObject([{ type: 'card_charge' }]);
  });

  it('the time of the checkout may pass: what the processor says decides', async () => {
    const [paid, failed] = [await underWay({ expires_in: 60 }), await underWay({ expires_in: 60 })];
    await harness.advance(60);
    for (const { shop, checkout } of [paid, failed]) expect((await shop.read(checkout)).status).toBe('pending_payment');
    await paid.settle({ outcome: 'settled' });
    await failed.settle({ outcome: 'rejected', code: 'card_declined' });
    await harness.runDue();
    expect((await paid.shop.read(paid.checkout)).status).toBe('paid');
    expect((await failed.shop.read(failed.checkout)).status).toBe('expired');
    expect(await operationsOf(failed.checkout)).toEqual([
      ['checkout.complete', false],
      ['checkout.expire', false],
    ]);
  });

  it('deleting the card changes nothing any more', async () => {
    const { shop, checkout, settle } = await underWay();
    await harness.test.delete(`/v1/cards/vault/${shop.card.id}`);
    await settle({ outcome: 'settled' });
    expect((await shop.read(checkout)).status).toBe('paid');
  });
});

describe('before the processor has the charge', () => {
  it('a checkout is cancelled: nothing is charged, and the limits get back what they had reserved', async () => {
    const shop = await newCardShop(harness.test);
    const budget = await newBudget(harness.test, { scope: { type: 'agent', id: shop.uuid }, amount: '100.00' });
    const left = async () => (await harness.test.get(`/v1/budgets/${budget.id}`)).body.data.remaining;
    const checkout = await shop.begin();
    const { body } = await shop.pay(checkout);
    expect(await left()).toBe('72.50');
    expect((await cancel(shop, checkout)).body.data.status).toBe('cancelled');
    await harness.runDue();
    expect(await left()).toBe('100.00');
    expect((await harness.test.get(`/v1/transfers/${body.transfer_id}`)).body.data).toMatchObject({
      status: 'cancelled',
      failure: { code: 'checkout_cancelled' },
    });
    expect(await shop.received()).toBe('0.00');
    expect(await operationsOf(checkout)).toEqual([['checkout.complete', false]]);
  });

  it('cancelling a checkout withdraws the approval that its charge waits for, and so does the end of its time', async () => {
    const shop = await newCardShop(harness.test);
    await trip(harness, shop.uuid);
    const waiting = async () => {
      const checkout = await shop.begin({ expires_in: 60 });
      return { checkout, approval: (await shop.pay(checkout)).body.approval };
    };
    const [cancelled, expired] = [await waiting(), await waiting()];
    expect((await cancel(shop, cancelled.checkout)).status).toBe(200);
    await harness.advance(60);
    expect((await shop.read(expired.checkout)).status).toBe('expired');
    for (const { approval } of [cancelled, expired]) {
      expectRefused(await harness.test.post(`/v1/approvals/${approval.id}/approve`, {}), 409, 'state_conflict', {
        current_status: 'cancelled',
      });
    }
    expect(await shop.received()).toBe('0.00');
  });

  it('an approval that comes when the time is over pays nothing', async () => {
    const shop = await newCardShop(harness.test);
    await trip(harness, shop.uuid);
    const checkout = await shop.begin({ expires_in: 60 });
    const { approval } = (await shop.pay(checkout)).body;
    harness.clock.advance(60);
    const { data } = (await harness.test.post(`/v1/approvals/${approval.id}/approve`, {})).body;
    expect(data).toMatchObject({ status: 'approved', result_error: { code: 'checkout_expired' } });
    await harness.runDue();
    expect((await shop.read(checkout)).status).toBe('expired');
    expect(await shop.received()).toBe('0.00');
  });

  it('a card that is deleted pays nothing, and the checkout has failed', async () => {
    const shop = await newCardShop(harness.test);
    const checkout = await shop.begin();
    await shop.pay(checkout);
    await harness.test.delete(`/v1/cards/vault/${shop.card.id}`);
    await harness.runDue();
    expect(await shop.read(checkout)).toMatchObject({ status: 'failed', failure: { code: 'card_deleted' } });
  });
});
