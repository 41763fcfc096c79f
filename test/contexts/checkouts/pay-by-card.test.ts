// Checkouts that are paid by card: by each card of the sandbox, and what may happen while the processor has not answered.
import { describe, expect, it } from 'vitest';
import { trip } from '../../factories/approval.js';
import { newBudget } from '../../factories/budget.js';
import { cardBody, newCard } from '../../factories/card.js';
import { newShop, type Shop, uuidOf } from '../../factories/checkout.js';
import { decisionsOf } from '../../factories/decision.js';
import { mandateBody, readMandate } from '../../factories/mandate.js';
import { balanceOf, eventsOf } from '../../factories/payment.js';
import { newSandbox } from '../../factories/treasury.js';
import { type CallOptions, type Client, type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
type Protocol = 'acp' | 'ucp';

/** A shop, and a card of its buyer. */
async function newCardShop(
  token = 'tok_ok',
  { client = harness.test, protocol = 'acp' as Protocol }: { client?: Client; protocol?: Protocol } = {},
) {
  const shop = await newShop(client, { protocol });
  const addCard = (processor_token: string, extra: object = {}): Promise<Json> =>
    newCard(client, { processor_token, ...extra }, shop.account);
  const card = await addCard(token);
  const pay = (checkout: Json, extra: object = {}, options: CallOptions = {}) =>
    shop.complete(checkout, { from_wallet_id: undefined, payment_method_id: card.id, ...extra }, options);
  const received = async () => (await balanceOf(client, { id: shop.merchant.settlement_wallet_id })).available;
  const operations = async (checkout: Json) =>
    (await harness.platform.database.unscoped.operation.findMany({ where: { subjectId: uuidOf(checkout) }, orderBy: { id: 'asc' } })).map(
      ({ operation, success }) => [operation, success],
    );
  return { ...shop, card, addCard, pay, received, operations };
}

/** A checkout whose processor was told of the charge, and has not answered. */
async function underWay(extra: object = {}) {
  const shop = await newCardShop('tok_slow');
  const checkout = await shop.begin(extra);
  await shop.pay(checkout);
  await harness.runDue();
  const settle = (outcome: object) => harness.test.post(`/v1/test/transfers/${transfer_id}/settle`, outcome);
  const { transfer_id } = await shop.read(checkout);
  return { shop, checkout, settle };
}

const cancel = (shop: Pick<Shop, 'path'>, { id }: Json) => harness.test.post(`${shop.path}/${id}/cancel`, {});

describe.each(['acp', 'ucp'] as const)('a checkout by %s that is paid by card', (protocol) => {
  it('waits for the processor, then is paid, told and one operation', async () => {
    const client = await newSandbox(harness);
    const shop = await newCardShop('tok_ok', { client, protocol });
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
    expect(await shop.operations(checkout)).toEqual([['checkout.complete', true]]);
    const told = (await eventsOf(harness, uuidOf(checkout))).map(({ type }) => type);
    expect(told).toEqual(protocol === 'acp' ? ['acp.checkout.created', 'acp.checkout.completed'] : []);
    expect((await client.get('/v1/test/convergence')).body).toMatchObject({ converged: true, mismatches: [] });
  });

  it('is paid once the charge is approved', async () => {
    const shop = await newCardShop('tok_ok', { protocol });
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
    expect(await shop.operations(checkout)).toEqual([['checkout.complete', true]]);
  });
});

describe('each card of the sandbox', () => {
  it.each([
    ['tok_slow', 3_600],
    ['tok_lost_ack', 30],
    ['pm_any_other', 2],
  ])('%s pays in its time, and once', async (token, seconds) => {
    const shop = await newCardShop(token);
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
    const shop = await newCardShop(token);
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
      expect(await shop.operations(checkout)).toEqual([
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
    expect(await failed.shop.operations(failed.checkout)).toEqual([
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
    const shop = await newCardShop();
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
    expect(await shop.operations(checkout)).toEqual([['checkout.complete', false]]);
  });

  it('cancelling a checkout withdraws the approval that its charge waits for, and so does the end of its time', async () => {
    const shop = await newCardShop();
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
    const shop = await newCardShop();
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
    const shop = await newCardShop();
    const checkout = await shop.begin();
    await shop.pay(checkout);
    await harness.test.delete(`/v1/cards/vault/${shop.card.id}`);
    await harness.runDue();
    expect(await shop.read(checkout)).toMatchObject({ status: 'failed', failure: { code: 'card_deleted' } });
  });
});

describe('what binds a payment by card', () => {
  it('a rejected approval fails the checkout, which may be paid again', async () => {
    const shop = await newCardShop();
    await trip(harness, shop.uuid);
    const checkout = await shop.begin();
    const { approval } = (await shop.pay(checkout)).body;
    await harness.test.make(`/v1/approvals/${approval.id}/reject`, { reason: 'Too many mugs' });
    expect(await shop.read(checkout)).toMatchObject({ status: 'failed', failure: { code: 'approval_rejected' } });
    expect((await shop.pay(checkout)).body.data.status).toBe('pending_payment');
  });

  it('the limits of the agent: 403 that is told of the checkout, with the request that asks for an approval', async () => {
    const shop = await newCardShop();
    await newBudget(harness.test, { scope: { type: 'agent', id: shop.uuid }, amount: '10.00' });
    const checkout = await shop.begin();
    const answer = await shop.pay(checkout);
    expectRefused(answer, 403, 'budget_exceeded');
    const path = `/v1/acp/checkouts/${checkout.id}/complete`;
    const body = { payment_method_id: shop.card.id, request_approval: true };
    expect(answer.body.details.next_actions).toContainEqual(expect.objectContaining({ path, body }));
    expect((await shop.read(checkout)).status).toBe('created');
    const [decision] = await decisionsOf(harness, harness.test, `agent_id=${shop.uuid}`);
    expect(decision).toMatchObject({ outcome: 'deny', subject: { type: 'acp_checkout', id: checkout.id } });
  });

  it('a mandate that is presented with the card', async () => {
    const shop = await newCardShop();
    const mandate = await harness.test.make('/v1/ap2/mandates', mandateBody(shop, { max_per_tx: '30.00', max_per_day: '50.00' }));
    const by = { mandate_id: mandate.id, mandate_jwt: mandate.mandate_jwt };
    const checkout = await shop.begin();
    await shop.pay(checkout, by);
    await harness.runDue();
    expect((await shop.read(checkout)).status).toBe('paid');
    expect(await readMandate(harness.test, mandate)).toMatchObject({ usage: { today: '27.50', executions: 1 } });
    expectRefused(await shop.pay(await shop.begin(), by), 403, 'mandate_limit_exceeded');
  });

  it('a dry run says so and changes nothing', async () => {
    const shop = await newCardShop();
    const checkout = await shop.begin();
    const path = `${shop.path}/${checkout.id}/complete?dry_run=true`;
    const { status, body } = await harness.test.post(path, { payment_method_id: shop.card.id }, { as: shop.token });
    expect([status, body.data.decision.outcome, body.data.would_post]).toEqual([200, 'allow', []]);
    expect((await shop.read(checkout)).status).toBe('created');
  });

  it('once for a key', async () => {
    const shop = await newCardShop();
    const checkout = await shop.begin();
    const headers = { 'Idempotency-Key': `card-${shop.uuid}` };
    const [first, again] = [await shop.pay(checkout, {}, { headers }), await shop.pay(checkout, {}, { headers })];
    expect([again.status, again.headers.get('idempotent-replayed'), again.body.transfer_id]).toEqual([200, 'true', first.body.transfer_id]);
  });
});

describe('a card that does not pay', () => {
  it('400: beside a wallet, and what is no id, such as the number of a card, which is not repeated', async () => {
    const shop = await newCardShop();
    const checkout = await shop.begin();
    expectInvalid(await shop.pay(checkout, { from_wallet_id: shop.wallet.id }), 'payment_method_id');
    const answer = await shop.pay(checkout, { payment_method_id: '4242424242424242' });
    expectInvalid(answer, 'payment_method_id');
    expect(JSON.stringify(answer.body)).not.toContain('4242424242');
  });

  it('403: one of another account, for an API key that acts for the agent', async () => {
    const shop = await newCardShop();
    const card = await newCard(harness.test);
    const checkout = await shop.begin({ agent_id: shop.uuid }, { as: harness.test.key });
    expectRefused(await shop.pay(checkout, { payment_method_id: card.id }, { as: harness.test.key }), 403, 'forbidden');
  });

  it('404: one of another account, of another tenant, of nobody, and one that is deleted', async () => {
    const shop = await newCardShop();
    const deleted = await shop.addCard('tok_ok');
    await harness.test.delete(`/v1/cards/vault/${deleted.id}`);
    const checkout = await shop.begin();
    for (const { id } of [await newCard(harness.test), await newCard(harness.other), { id: `card_${nowhere}` }, deleted]) {
      const answer = await shop.pay(checkout, { payment_method_id: id });
      expectRefused(answer, 404, 'not_found', { fields: [{ path: 'payment_method_id' }] });
    }
    expect((await shop.read(checkout)).status).toBe('created');
  });

  it('409: one that has expired since', async () => {
    const shop = await newCardShop();
    const checkout = await shop.begin();
    const card = await harness.test.make('/v1/cards/vault', cardBody(shop.account.id));
    await harness.platform.database.pool.query('UPDATE vaulted_card SET expiry_year = 2025 WHERE id = $1', [uuidOf(card)]);
    expectRefused(await shop.pay(checkout, { payment_method_id: card.id }), 409, 'state_conflict', { current_status: 'expired' });
  });
});
