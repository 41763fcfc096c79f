// POST /v1/acp/checkouts/{id}/complete with payment_method_id: what binds a payment by card, and which cards do not pay.
import { describe, expect, it } from 'vitest';
import { trip } from '../../factories/approval.js';
import { newBudget } from '../../factories/budget.js';
import { cardBody, newCard } from '../../factories/card.js';
import { newCardShop, uuidOf } from '../../factories/checkout.js';
import { decisionsOf } from '../../factories/decision.js';
import { mandateBody, readMandate } from '../../factories/mandate.js';
import { nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();

describe('what binds a payment by card', () => {
  it('a rejected approval fails the checkout, which may be paid again', async () => {
    const shop = await newCardShop(harness.test);
    await trip(harness, shop.uuid);
    const checkout = await shop.begin();
    const { approval } = (await shop.pay(checkout)).body;
    await harness.test.make(`/v1/approvals/${approval.id}/reject`, { reason: 'Too many mugs' });
    expect(await shop.read(checkout)).toMatchObject({ status: 'failed', failure: { code: 'approval_rejected' } });
    expect((await shop.pay(checkout)).body.data.status).toBe('pending_payment');
  });

  it('the limits of the agent: 403 that is told of the checkout, with the request that asks for an approval', async () => {
    const shop = await newCardShop(harness.test);
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
    const shop = await newCardShop(harness.test);
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
    const shop = await newCardShop(harness.test);
    const checkout = await shop.begin();
    const path = `${shop.path}/${checkout.id}/complete?dry_run=true`;
    const { status, body } = await harness.test.post(path, { payment_method_id: shop.card.id }, { as: shop.token });
    expect([status, body.data.decision.outcome, body.data.would_post]).toEqual([200, 'allow', []]);
    expect((await shop.read(checkout)).status).toBe('created');
  });

  it('once for a key', async () => {
    const shop = await newCardShop(harness.test);
    const checkout = await shop.begin();
    const headers = { 'Idempotency-Key': `card-${shop.uuid}` };
    const [first, again] = [await shop.pay(checkout, {}, { headers }), await shop.pay(checkout, {}, { headers })];
    expect([again.status, again.headers.get('idempotent-replayed'), again.body.transfer_id]).toEqual([200, 'true', first.body.transfer_id]);
  });
});

describe('a card that does not pay', () => {
  it('400: beside a wallet, and what is no id, such as the number of a card, which is not repeated', async () => {
    const shop = await newCardShop(harness.test);
    const checkout = await shop.begin();
    expectInvalid(await shop.pay(checkout, { from_wallet_id: shop.wallet.id }), 'payment_method_id');
    const answer = await shop.pay(checkout, { payment_method_id: '4242424242424242' });
    expectInvalid(answer, 'payment_method_id');
    expect(JSON.stringify(answer.body)).not.toContain('4242424242');
  });

  it('403: one of another account, for an API key that acts for the agent', async () => {
    const shop = await newCardShop(harness.test);
    const card = await newCard(harness.test);
    const checkout = await shop.begin({ agent_id: shop.uuid }, { as: harness.test.key });
    expectRefused(await shop.pay(checkout, { payment_method_id: card.id }, { as: harness.test.key }), 403, 'forbidden');
  });

  it('404: one of another account, of another tenant, of nobody, and one that is deleted', async () => {
    const shop = await newCardShop(harness.test);
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
    const shop = await newCardShop(harness.test);
    const checkout = await shop.begin();
    const card = await harness.test.make('/v1/cards/vault', cardBody(shop.account.id));
    await harness.platform.database.pool.query('UPDATE vaulted_card SET expiry_year = 2025 WHERE id = $1', [uuidOf(card)]);
    expectRefused(await shop.pay(checkout, { payment_method_id: card.id }), 409, 'state_conflict', { current_status: 'expired' });
  });
});
