import { describe, expect, it } from 'vitest';
import { decisionsOf, newSpender, refusedSpend, type Spender } from '../../factories/decision.js';
import { pay, transferBody } from '../../factories/payment.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';
import { boundWallet } from './policies.js';

const harness = useHarness();
const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const layers = ['workspace', 'agent', 'wallet', 'kya', 'policy', 'budget', 'mandate', 'balance'];
const passed = (layer: string) => ({ layer, outcome: 'pass' });
const skipped = (layer: string) => ({ layer, outcome: 'skipped' });

async function capped(tier: number, caps: object): Promise<Spender> {
  await harness.test.put('/v1/kya-limits', { tiers: [{ tier, currency: 'USD', ...caps }] });
  return newSpender(harness.test, { tier });
}
const read = async (id: string, as?: string): Promise<Json> => {
  const answer = await harness.test.get(`/v1/decisions/${id}`, as === undefined ? {} : { as });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data;
};

describe('GET /v1/decisions/{id}', () => {
  describe('200', () => {
    it('of a spend that a limit took part in: what was asked, used and left at that very moment', async () => {
      const spender = await capped(1, { per_day: '100.00', per_month: '1000.00' });
      await spender.pay('30.00');
      const transfer = (await spender.pay('12.50', {})).body.data;
      await spender.pay('1.00');
      const limit = { kind: 'kya', currency: 'USD', used: '30.00', requested: '12.50' };
      expect(await read(transfer.decision_id)).toEqual({
        id: expect.stringMatching(/^dec_/),
        outcome: 'allow',
        evaluated_at: harness.clock.now().toISOString(),
        agent_id: spender.uuid,
        subject: { type: 'transfer', id: transfer.id },
        transaction_id: expect.stringMatching(/^ltx_/),
        input: {
          amount: '12.50',
          currency: 'USD',
          protocol: 'internal',
          from_wallet_id: spender.wallet.id,
          to_wallet_id: spender.payee.id,
          kya_tier: 1,
        },
        checks: [
          ...layers.slice(0, 3).map(passed),
          {
            ...passed('kya'),
            rule_id: 'kya.tier.1',
            limit: { ...limit, per: 'day', max: '100.00', remaining: '70.00', resets_at: '2026-03-03T00:00:00.000Z' },
            used: '30.00',
            remaining: '70.00',
          },
          {
            ...passed('kya'),
            rule_id: 'kya.tier.1',
            limit: { ...limit, per: 'month', max: '1000.00', remaining: '970.00', resets_at: '2026-04-01T00:00:00.000Z' },
            used: '30.00',
            remaining: '970.00',
          },
          ...layers.slice(4).map(passed),
        ],
        rate_ids: [],
        rules: [],
      });
    });

    it('of spends that were posted together: each has the figures of its own place', async () => {
      const spender = await capped(2, { per_day: '500.00' });
      const answers = await Promise.all(Array.from({ length: 12 }, () => spender.pay('7.00')));
      const used = await Promise.all(
        answers.map(async ({ body }) => (await read(body.data.decision_id)).checks.find(({ layer }: Json) => layer === 'kya').used),
      );
      expect(used.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => 7 * n));
    });

    it('of a refused spend: code and sentence, the limit that stood in the way, and no figures of what nobody looked at', async () => {
      const spender = await capped(3, { per_day: '50.00', per_month: '1000.00' });
      await spender.pay('45.00');
      const refused = await spender.pay('5.01', {});
      expectRefused(refused, 403, 'kya_limit_exceeded');
      const [found] = await decisionsOf(harness, harness.test, `agent_id=${spender.uuid}&outcome=deny`);
      expect(await read(found.id)).toMatchObject({
        outcome: 'deny',
        code: 'kya_limit_exceeded',
        message: refused.body.error,
        agent_id: spender.uuid,
        input: { amount: '5.01' },
        checks: [
          ...layers.slice(0, 3).map(passed),
          {
            ...passed('kya'),
            outcome: 'fail',
            limit: refused.body.details.limit,
            used: '45.00',
            remaining: '5.00',
            message: refused.body.error,
          },
          { ...passed('kya'), rule_id: 'kya.tier.3' },
          ...layers.slice(4).map(skipped),
        ],
      });
      const all = await read(found.id);
      expect(all).not.toHaveProperty('subject');
      expect(all).not.toHaveProperty('transaction_id');
      expect(all.checks[4]).not.toHaveProperty('used');
    });

    it('of a refusal that no rule made: the layer, and what it said', async () => {
      const { id } = await refusedSpend(harness, harness.test);
      const { checks, code } = await read(id);
      expect(code).toBe('insufficient_balance');
      expect(checks.at(-1)).toEqual({ layer: 'balance', outcome: 'fail', message: expect.stringContaining('0.00 USD available') });
    });

    it('with the trace of its request, and to its agent as to an operator', async () => {
      const spender = await capped(1, { per_day: '100.00' });
      const { body } = await harness.test.call('POST', '/v1/transfers', {
        as: spender.token,
        body: { type: 'internal', from_wallet_id: spender.wallet.id, to_wallet_id: spender.payee.id, amount: '1.00', currency: 'USD' },
        headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01` },
      });
      expect(body.data).toMatchObject({ trace_id: trace, decision_id: expect.stringMatching(/^dec_/) });
      expect(await read(body.data.decision_id)).toMatchObject({ trace_id: trace });
      expect(await read(body.data.decision_id, spender.token)).toEqual(await read(body.data.decision_id));
    });

    it('to its agent without what others used of a policy, also where it refused', async () => {
      const spender = await newSpender(harness.test, { tier: 0 });
      const rules = [{ kind: 'max_amount', per: 'day', amount: '100.00', currency: 'EUR' }];
      const policy = await harness.test.make('/v1/policies', { name: 'All', target: { type: 'account', id: spender.account.id }, rules });
      const { id: own } = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: spender.account.id, currency: 'EUR' });
      await harness.test.make(`/v1/wallets/${own}/fund`, { amount: '500.00' });
      const { wallet: payee } = await openWallet(harness.test, { currency: 'EUR' });
      await pay(harness.test, { id: own, currency: 'EUR' }, payee, '60.00');
      const { decision_id: id } = (await spender.pay('11.72')).body.data;
      const [asAgent, asOperator] = [await read(id, spender.token), await read(id)];
      const checkIn = ({ checks }: Json) => checks.find(({ layer }: Json) => layer === 'policy');
      expect(checkIn(asAgent)).toEqual({ layer: 'policy', rule_id: `${policy.id}.rules.0`, outcome: 'pass', remaining: '40.00' });
      expect(checkIn(asOperator)).toMatchObject({ used: '60.00', remaining: '40.00', limit: { used: '60.00', requested: '10.00' } });
      expect(asOperator).toMatchObject({ rules: [{ id: policy.id, version: 1 }], rate_ids: [expect.stringMatching(/^rate_/)] });
      const refused = await spender.pay('58.60');
      const [denied] = await decisionsOf(harness, harness.test, `agent_id=${spender.uuid}&outcome=deny`);
      expect(refused.body.details.limit).toMatchObject({ max: null, used: null, requested: '50.00', remaining: '30.00' });
      const { message, ...check } = checkIn(await read(denied.id, spender.token));
      expect(check).toEqual({ layer: 'policy', rule_id: `${policy.id}.rules.0`, outcome: 'fail', remaining: '30.00' });
      expect([refused.body.error, message]).toEqual(Array(2).fill('A policy has 30.00 EUR left for this day, and this needs 50.00 EUR.'));
      expect(checkIn(await read(denied.id))).toMatchObject({ used: '70.00', limit: { max: '100.00' } });
      const dry = transferBody(spender.wallet, spender.payee, '1.00');
      const { decision } = (await harness.test.post('/v1/transfers?dry_run=true', dry, { as: spender.token })).body.data;
      expect(checkIn(decision)).not.toHaveProperty('used');
    });

    it('of a spend that waits: the approval, and the limits that it would pass', async () => {
      const rules = [{ kind: 'max_count', per: 'day', count: 1, action: 'approve' }];
      const { from, to } = await boundWallet(harness.test, rules);
      const [first, second] = [await pay(harness.test, from, to, '1.00'), await pay(harness.test, from, to, '1.00')];
      expect(first.status).toBe('completed');
      const { checks, ...decision } = await read(second.decision_id);
      expect(decision).toMatchObject({
        outcome: 'require_approval',
        approval_id: second.approval_id,
        message: expect.stringContaining('0 spends left'),
      });
      expect(checks.find(({ layer }: Json) => layer === 'policy')).toMatchObject({
        outcome: 'approve',
        limit: { max: 1, used: 1, requested: 1, remaining: 0 },
        used: '1',
        remaining: '0',
        message: decision.message,
      });
    });

    it('over GraphQL', async () => {
      const spender = await capped(1, { per_day: '100.00' });
      const { decision_id: id } = (await spender.pay('1.00')).body.data;
      const document =
        'query ($id: DecisionId!) { decision(id: $id) { outcome subject { type } checks { layer used } leadingChecks { layer } } }';
      const { data } = (await harness.test.graphql(document, { id })).body;
      expect(data.decision).toMatchObject({ outcome: 'allow', subject: { type: 'transfer' }, checks: expect.any(Array) });
      expect(data.decision.leadingChecks).toHaveLength(layers.length);
    });
  });

  it('there is none of a transfer that no limit took part in', async () => {
    const spender = await newSpender(harness.test, { tier: 0 });
    await harness.test.put('/v1/kya-limits', { tiers: [] });
    expect((await spender.pay('1.00')).body.data).not.toHaveProperty('decision_id');
  });

  describe('404', () => {
    it('for an agent that did not spend', async () => {
      const spender = await capped(1, { per_day: '100.00' });
      const { decision_id: id } = (await spender.pay('1.00')).body.data;
      const { token } = await enrol(harness.test);
      expectRefused(await harness.test.get(`/v1/decisions/${id}`, { as: token }), 404, 'not_found');
    });
  });
});
