// Refunds of payments by card: POST /v1/refunds and POST /v1/acp/checkouts/{id}/refund, until the processor has paid the card.
import { describe, expect, it } from 'vitest';
import { newBudget } from '../../factories/budget.js';
import { newCard } from '../../factories/card.js';
import { newShop, uuidOf } from '../../factories/checkout.js';
import { balanceOf, eventsOf } from '../../factories/payment.js';
import { ownBalance, sendSigned } from '../../factories/payout.js';
import { newSandbox } from '../../factories/treasury.js';
import { type Client, type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();

/** A checkout of 27.50 that was paid by card, at a merchant that has some money of its own. */
async function paidByCard({
  client = harness.test,
  token = 'tok_ok',
  funded = '10.00',
}: {
  client?: Client;
  token?: string;
  funded?: string;
} = {}) {
  const shop = await newShop(client);
  const wallet = { id: shop.merchant.settlement_wallet_id, currency: 'USD' };
  if (Number(funded) > 0) await client.make(`/v1/wallets/${wallet.id}/fund`, { amount: funded });
  const card = await newCard(client, { processor_token: token }, shop.account);
  const checkout = await shop.begin({ expires_in: 86_400 });
  const { body } = await shop.complete(checkout, { from_wallet_id: undefined, payment_method_id: card.id });
  await harness.runDue();
  if (token === 'tok_slow') await client.make(`/v1/test/transfers/${body.transfer_id}/settle`, { outcome: 'settled' });
  if (token === 'tok_lost_ack') await foundByAsking();
  const transferId: string = body.transfer_id;
  const refund = (extra: object = {}, as?: string) => {
    const asked = { original_transfer_id: transferId, reason: 'customer_request', ...extra };
    return client.post('/v1/refunds', asked, as === undefined ? {} : { as });
  };
  const read = async ({ id }: Json): Promise<Json> => (await client.get(`/v1/refunds/${id}`)).body.data;
  const transfer = async (id = transferId): Promise<Json> => (await client.get(`/v1/transfers/${id}`)).body.data;
  const money = async () => {
    const { available, held } = await balanceOf(client, wallet);
    return [available, held];
  };
  return { client, shop, wallet, card, checkout, transferId, refund, read, transfer, money };
}

/** The rail has booked an order whose acknowledgment was lost, and is asked for it. */
async function foundByAsking(): Promise<void> {
  await harness.advance(2);
  await harness.advance(28);
}

const orderOf = async ({ id }: Json) => harness.platform.database.unscoped.cardRefund.findFirstOrThrow({ where: { id } });

/** What the processor says of a refund of its own accord. */
async function say(refund: Json, state: string, extra: object = {}): Promise<void> {
  const { workspaceId: workspace, railReference: reference } = await orderOf(refund);
  const said = { workspace, reference, state, amount: refund.amount, currency: 'USD', code: 'card_declined', ...extra };
  expect((await sendSigned(harness, 'card-simulated', said)).status).toBe(200);
}

describe('a refund of a payment by card', () => {
  it('leaves the merchant at once, reaches the card over its rail, and marks the checkout', async () => {
    const client = await newSandbox(harness);
    const paid = await paidByCard({ client });
    expect(await paid.money()).toEqual(['36.70', '0.00']);
    const { status, body } = await client.post(`/v1/acp/checkouts/${paid.checkout.id}/refund`, { reason: 'order_cancelled' });
    expect([status, body.data]).toMatchObject([
      201,
      { status: 'processing', amount: '27.50', currency: 'USD', original_transfer_id: paid.transferId },
    ]);
    expect(body.data.completed_at).toBeUndefined();
    expect(await paid.money()).toEqual(['9.20', '27.50']);
    expect(await paid.shop.read(paid.checkout)).toMatchObject({ metadata: {} });
    await harness.runDue();
    const done = await paid.read(body.data);
    expect(done).toMatchObject({ status: 'completed', completed_at: harness.clock.now().toISOString() });
    expect(await paid.money()).toEqual(['9.20', '0.00']);
    expect(await ownBalance(harness, paid.wallet, 'rail.clearing:card-simulated')).toBe(0n);
    expect(await paid.transfer()).toMatchObject({ status: 'completed', refunded_amount: '27.50' });
    expect(await paid.transfer(done.refund_transfer_id)).toMatchObject({
      type: 'internal',
      status: 'completed',
      protocol: 'acp',
      from_wallet_id: paid.wallet.id,
      to_account_id: paid.card.account_id,
      refund_id: done.id,
      protocol_metadata: { refund_of: paid.transferId, card_brand: 'visa', card_last_four: '4242' },
    });
    expect(await paid.shop.read(paid.checkout)).toMatchObject({ status: 'paid', metadata: { refunded: true } });
    expect((await eventsOf(harness, paid.transferId)).map(({ type }) => type)).toEqual([
      'transfer.created',
      'transfer.completed',
      'transfer.refunded',
    ]);
    const operations = await harness.platform.database.unscoped.operation.findMany({ where: { subjectId: done.refund_transfer_id } });
    expect(operations).toMatchObject([{ category: 'refund', operation: 'refund.internal', success: true, amount: 2_750n }]);
  });

  it('agrees with the statement of the rail', async () => {
    const client = await newSandbox(harness);
    const paid = await paidByCard({ client });
    const { body } = await paid.refund({ amount: '7.50' });
    await harness.runDue();
    const { railReference } = await orderOf(body.data);
    const statement = await harness.platform.database.unscoped.railStatement.findMany({ where: { reference: railReference ?? '' } });
    expect(statement).toMatchObject([{ direction: 'debit', amount: 750n }]);
    const orders = await harness.platform.database.unscoped.railOrder.findMany({ where: { reference: railReference ?? '' } });
    expect(orders).toMatchObject([{ rail: 'card-simulated', direction: 'out', reference: expect.stringMatching(/^crf[0-9a-f]{32}$/) }]);
    expect((await client.get('/v1/test/convergence')).body).toMatchObject({ converged: true, mismatches: [] });
    await client.make('/v1/reconciliation/runs', { rail: 'card-simulated', date_from: '2026-01-01', date_to: '2026-12-31' });
    await harness.runDue();
    const [report] = (await client.get('/v1/reconciliation/reports')).body.data;
    expect(report).toMatchObject({ status: 'completed', totals: { matched: 2, discrepancies: 0 } });
  });

  it('in parts comes to at most the payment, counting what is on its way', async () => {
    const paid = await paidByCard();
    await paid.refund({ amount: '20.00' });
    const answer = await paid.refund({ amount: '7.51' });
    expectRefused(answer, 422, 'refund_exceeds_original', { refundable: '7.50' });
    const results = await Promise.all(Array.from({ length: 6 }, () => paid.refund({ amount: '7.50' })));
    expect(results.filter(({ status }) => status === 201)).toHaveLength(1);
    await harness.runDue();
    expect(await paid.money()).toEqual(['9.20', '0.00']);
    expect(await paid.shop.read(paid.checkout)).toMatchObject({ metadata: { refunded: true } });
    expectRefused(await paid.refund(), 422, 'refund_exceeds_original', { terminal: true });
  });

  it('marks the checkout when the last part has reached the card, not before', async () => {
    const paid = await paidByCard({ token: 'tok_slow' });
    const [first, second] = [(await paid.refund({ amount: '20.00' })).body.data, (await paid.refund()).body.data];
    await harness.runDue();
    await say(second, 'settled');
    expect((await paid.shop.read(paid.checkout)).metadata).toEqual({});
    await say(first, 'settled');
    expect((await paid.shop.read(paid.checkout)).metadata).toEqual({ refunded: true });
  });

  it('gives back what was kept back of the payment first', async () => {
    const client = await newSandbox(harness);
    await client.patch('/v1/settlement/config', { holdback_percentage: 10 });
    const paid = await paidByCard({ client });
    expect(await paid.money()).toEqual(['34.03', '0.00']);
    await paid.refund({ amount: '5.00' });
    expect(await paid.money()).toEqual(['31.70', '5.00']);
    await harness.runDue();
    expect((await client.get('/v1/test/convergence')).body).toMatchObject({ converged: true, mismatches: [] });
  });

  it('gives the buyer its limits back, when it has been paid', async () => {
    const shop = await newShop(harness.test);
    const budget = await newBudget(harness.test, { scope: { type: 'agent', id: shop.uuid }, amount: '100.00' });
    const left = async () => (await harness.test.get(`/v1/budgets/${budget.id}`)).body.data.remaining;
    const card = await newCard(harness.test, { processor_token: 'tok_ok' }, shop.account);
    const checkout = await shop.begin();
    const { body } = await shop.complete(checkout, { from_wallet_id: undefined, payment_method_id: card.id });
    await harness.runDue();
    await harness.test.make('/v1/refunds', { original_transfer_id: body.transfer_id, amount: '10.00', reason: 'other' });
    expect(await left()).toBe('72.50');
    await harness.runDue();
    expect(await left()).toBe('82.50');
  });

  it('reaches a card that was deleted, and is found by asking where the acknowledgment is lost', async () => {
    const paid = await paidByCard();
    await harness.test.delete(`/v1/cards/vault/${paid.card.id}`);
    const { body } = await paid.refund();
    await harness.runDue();
    await harness.advance(2);
    expect((await paid.read(body.data)).status).toBe('completed');
    const lost = await paidByCard({ token: 'tok_lost_ack' });
    const asked = (await lost.refund()).body.data;
    await harness.runDue();
    expect((await lost.read(asked)).status).toBe('processing');
    await foundByAsking();
    expect((await lost.read(asked)).status).toBe('completed');
    expect(await orderOf(asked)).toMatchObject({ status: 'paid', submissions: 1 });
  });

  it('is paid once, whatever its processor says how often', async () => {
    const paid = await paidByCard({ token: 'tok_slow' });
    const { body } = await paid.refund();
    await harness.runDue();
    await Promise.all(['settled', 'settled', 'rejected', 'accepted'].map((state) => say(body.data, state)));
    expect(await paid.money()).toSatisfy(([, held]) => held === '0.00');
    const { status } = await paid.read(body.data);
    expect(await paid.money()).toEqual([status === 'completed' ? '9.20' : '36.70', '0.00']);
  });
});

describe('a refund that does not reach the card', () => {
  it('has failed: the merchant has its money again, and may ask once more', async () => {
    const paid = await paidByCard({ token: 'tok_slow' });
    const { body } = await paid.refund();
    await harness.runDue();
    await harness.test.make(`/v1/test/transfers/${body.data.refund_transfer_id}/settle`, { outcome: 'rejected', code: 'card_declined' });
    expect((await paid.read(body.data)).status).toBe('failed');
    expect(await paid.money()).toEqual(['36.70', '0.00']);
    expect(await paid.transfer()).toMatchObject({ refunded_amount: '0.00' });
    expect(await paid.transfer(body.data.refund_transfer_id)).toMatchObject({ status: 'failed', failure: { code: 'card_declined' } });
    expect((await paid.shop.read(paid.checkout)).metadata).toEqual({});
    expect((await paid.refund()).status).toBe(201);
  });

  it('and comes back after it was paid, gives the merchant its money again', async () => {
    const paid = await paidByCard({ token: 'tok_slow' });
    const { body } = await paid.refund({ amount: '7.50' });
    await harness.runDue();
    await say(body.data, 'settled');
    await Promise.all([1, 2].map(() => say(body.data, 'returned', { paid: true })));
    expect(await paid.read(body.data)).toMatchObject({ status: 'failed' });
    expect(await paid.money()).toEqual(['36.70', '0.00']);
    expect(await paid.transfer()).toMatchObject({ refunded_amount: '0.00' });
  });

  it('while the processor takes the payment back: nothing is left to refund, and the money of the refund is the merchant’s', async () => {
    const paid = await paidByCard({ token: 'tok_slow', funded: '100.00' });
    const { body } = await paid.refund({ amount: '7.50' });
    await harness.runDue();
    const { workspaceId: workspace, railReference: reference } = await harness.platform.database.unscoped.cardCharge.findFirstOrThrow({
      where: { transferId: paid.transferId },
    });
    const taken = { workspace, reference, state: 'returned', amount: '27.50', currency: 'USD', code: 'card_declined', paid: true };
    expect((await sendSigned(harness, 'card-simulated', taken)).status).toBe(200);
    expectRefused(await paid.refund({ amount: '1.00' }), 422, 'refund_exceeds_original', { refundable: '0.00' });
    await say(body.data, 'rejected');
    expect(await paid.transfer()).toMatchObject({ refunded_amount: '27.50' });
    expect(await paid.money()).toEqual(['99.20', '0.00']);
  });
});

describe('a refund to a card is refused', () => {
  it('403: to the buyer', async () => {
    const paid = await paidByCard();
    expectRefused(await paid.refund({}, paid.shop.token), 403, 'forbidden');
  });

  it('409: before the payment is final, and what became of it cannot be called off', async () => {
    const shop = await newShop(harness.test);
    const card = await newCard(harness.test, { processor_token: 'tok_slow' }, shop.account);
    const { body } = await shop.complete(await shop.begin(), { from_wallet_id: undefined, payment_method_id: card.id });
    const asked = { original_transfer_id: body.transfer_id, reason: 'other' };
    expectRefused(await harness.test.post('/v1/refunds', asked), 409, 'state_conflict', { current_status: 'pending' });
    const paid = await paidByCard({ token: 'tok_slow' });
    const refund = (await paid.refund()).body.data;
    const next_actions = [{ method: 'GET', path: `/v1/refunds/${refund.id}` }];
    expectRefused(await harness.test.post(`/v1/refunds/${refund.id}/cancel`, {}), 409, 'state_conflict', { current_status: 'processing' });
    for (const verb of ['cancel', 'capture']) {
      const answer = await harness.test.post(`/v1/transfers/${refund.refund_transfer_id}/${verb}`, {});
      expectRefused(answer, 409, 'state_conflict', { next_actions });
    }
    const closing = await harness.test.post(`/v1/wallets/${paid.wallet.id}/close`, {});
    expect(closing.body.details.open).toMatchObject([{ type: 'refund', id: `rf_${refund.id}` }]);
  });

  it('422: where the merchant has the money no more, which changes nothing', async () => {
    const paid = await paidByCard({ funded: '0' });
    expectRefused(await paid.refund(), 422, 'insufficient_balance', { missing: '0.80' });
    expect(await paid.transfer()).toMatchObject({ refunded_amount: '0.00' });
    expect(await harness.platform.database.unscoped.cardRefund.count({ where: { charge: { transferId: paid.transferId } } })).toBe(0);
    expect((await paid.refund({ amount: '26.70' })).status).toBe(201);
  });

  it('once for a key', async () => {
    const paid = await paidByCard();
    const headers = { 'Idempotency-Key': `refund-${uuidOf(paid.checkout)}` };
    const asked = { original_transfer_id: paid.transferId, amount: '5.00', reason: 'other' };
    const [first, again] = [
      await harness.test.post('/v1/refunds', asked, { headers }),
      await harness.test.post('/v1/refunds', asked, { headers }),
    ];
    expect(again.body).toEqual(first.body);
    expect(await paid.money()).toEqual(['31.70', '5.00']);
  });
});
