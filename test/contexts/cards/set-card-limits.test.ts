// Limits of vaulted cards: what they let a card pay, exactly, and what was paid with it.
import { describe, expect, it } from 'vitest';
import { dryRunCharge } from '../../../src/contexts/cards/charge/charge-request.js';
import { type Buyer, charge, newBuyer, newCard, planFor, toldOfParcel } from '../../factories/card.js';
import { type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const limit = ({ card }: Pick<Buyer, 'card'>, body: object, options = {}) =>
  harness.test.post(`/v1/cards/vault/${card.id}/limits`, body, options);
const refusal = (code: string, details: object) => ({ status: 403, code, details });

describe('POST /v1/cards/vault/{id}/limits', () => {
  it('200: sets all limits at once, and takes them all away', async () => {
    const buyer = await newBuyer(harness.test);
    const body = { currency: 'USD', per_tx: '50.00', daily: '100.00', allowed_categories: ['retail', 'retail'] };
    const { status, body: set } = await limit(buyer, body);
    expect([status, set.data.limits]).toEqual([200, { currency: 'USD', per_tx: '50.00', daily: '100.00', allowed_categories: ['retail'] }]);
    expect((await harness.test.get(`/v1/cards/vault/${buyer.card.id}`)).body.data).toEqual(set.data);
    const { body: none } = await limit(buyer, { currency: 'EUR' });
    expect(none.data.limits).toBeUndefined();
    expect(toldOfParcel(await charge(harness, buyer, '5000.00'))).toEqual([]);
  });

  it('of a payment, a day and a month refuse what is more, and say what is left', async () => {
    const buyer = await newBuyer(harness.test, { token: 'tok_slow' });
    await limit(buyer, { currency: 'USD', per_tx: '60.00', daily: '100.00', monthly: '130.00' });
    const limitOf = (per: string, remaining: string) => ({
      reason: 'max_amount',
      rule_id: buyer.card.id,
      limit: { kind: 'policy', per, remaining },
    });
    await expect(charge(harness, buyer, '60.01')).rejects.toMatchObject(refusal('policy_violation', limitOf('tx', '60.00')));
    await charge(harness, buyer, '60.00');
    const next_actions = [{ rel: 'card', path: `/v1/cards/vault/${buyer.card.id}` }];
    await expect(charge(harness, buyer, '40.01')).rejects.toMatchObject(
      refusal('policy_violation', {
        ...limitOf('day', '40.00'),
        next_actions: expect.arrayContaining(next_actions.map((action) => expect.objectContaining(action))),
      }),
    );
    const { ctx, plan } = await planFor(harness, buyer, '40.01');
    const { decision } = await dryRunCharge(ctx, plan);
    expect(decision).toMatchObject({
      outcome: 'deny',
      checks: expect.arrayContaining([expect.objectContaining({ ruleId: buyer.card.id, outcome: 'fail' })]),
    });
    await harness.advance(86_400);
    const answers = await Promise.allSettled(Array.from({ length: 12 }, () => charge(harness, buyer, '10.00')));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
  });

  it('count spends of every agent of the account, in the currency of the limits; a charge that fails gives back', async () => {
    const agent = await enrol(harness.test);
    const sister = await enrol(harness.test, { parent_account_id: agent.account.id });
    const buyer = await newBuyer(harness.test, { account: agent.account, token: 'tok_declined' });
    await limit(buyer, { currency: 'EUR', daily: '50.00' });
    await charge(harness, buyer, '30.00', { as: agent.token });
    const shared = { limit: { max: null, used: null, currency: 'EUR' } };
    await expect(charge(harness, buyer, '30.00', { as: sister.token })).rejects.toMatchObject(refusal('policy_violation', shared));
    await harness.runDue();
    await charge(harness, buyer, '30.00', { as: sister.token });
  });

  it('of categories refuse merchants of others', async () => {
    const buyer = await newBuyer(harness.test);
    await limit(buyer, { currency: 'USD', allowed_categories: ['travel'] });
    await expect(charge(harness, buyer, '1.00')).rejects.toMatchObject(
      refusal('merchant_blocked', { reason: 'category_not_allowed', rule_id: buyer.card.id, merchant_id: buyer.merchant.id }),
    );
    await limit(buyer, { currency: 'USD', allowed_categories: ['travel', buyer.merchant.category] });
    await charge(harness, buyer, '1.00');
  });

  it('400, 401, 403, 404', async () => {
    const agent = await enrol(harness.test);
    const card = await newCard(harness.test, {}, agent.account);
    for (const [body, path] of [
      [{}, 'currency'],
      [{ currency: 'USD', daily: '10.001' }, 'daily'],
      [{ currency: 'USD', daily: '0' }, 'daily'],
      [{ currency: 'USD', daily: '20.00', monthly: '10.00' }, 'daily'],
      [{ currency: 'USD', allowed_categories: ['No Slug'] }, 'allowed_categories[0]'],
      [{ currency: 'USD', weekly: '1.00' }, 'weekly'],
    ] as const) {
      const answer = await limit({ card }, body);
      expect([path, answer.status, answer.body.code]).toEqual([path, 400, 'validation_failed']);
    }
    expectRefused(await limit({ card }, { currency: 'USD' }, { as: null }), 401, 'missing_credential');
    expectRefused(await limit({ card }, { currency: 'USD' }, { as: agent.token }), 403, 'forbidden');
    expectRefused(await harness.other.post(`/v1/cards/vault/${card.id}/limits`, { currency: 'USD' }), 404, 'not_found');
  });
});

describe('GET /v1/cards/vault/{id}/transactions', () => {
  it('200: what was paid with a card, of its account to an agent what it paid; 404 for the card of others', async () => {
    const agent = await enrol(harness.test);
    const sister = await enrol(harness.test, { parent_account_id: agent.account.id });
    const buyer = await newBuyer(harness.test, { account: agent.account });
    const path = `/v1/cards/vault/${buyer.card.id}/transactions`;
    const first = await charge(harness, buyer, '10.00', { as: agent.token });
    await harness.runDue();
    const second = await charge(harness, buyer, '20.00', { as: sister.token });
    const { data, pagination } = (await harness.test.get(path)).body;
    expect(data).toMatchObject([
      { id: `chg_${second.charge.id}`, status: 'pending', amount: '20.00', agent_id: sister.uuid },
      {
        transfer_id: first.transfer.id,
        status: 'paid',
        amount: '10.00',
        refunded_amount: '0.00',
        merchant_id: buyer.merchant.id,
        card_id: buyer.card.id,
      },
    ]);
    expect(pagination).toMatchObject({ total: 2 });
    const ids = async (options: Json) => (await harness.test.get(path, options)).body.data.map(({ agent_id }: Json) => agent_id);
    expect(await ids({ as: agent.token })).toEqual([agent.uuid]);
    expectRefused(await harness.test.get(path, { as: (await enrol(harness.test)).token }), 404, 'not_found');
    expectRefused(await harness.other.get(path), 404, 'not_found');
  });
});
