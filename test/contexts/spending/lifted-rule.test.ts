// What an approval lifts: the rules that asked for it, as they stood then, and nothing else.
import { describe, expect, it } from 'vitest';
import { liftedBy, stillLifted } from '../../../src/contexts/spending/pipeline/lifted-rule.js';
import { applyRules } from '../../../src/contexts/spending/pipeline/rules-in-force.js';
import { ownersKey } from '../../factories/approval.js';
import { newBudget } from '../../factories/budget.js';
import { balanceOf } from '../../factories/payment.js';
import { openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { boundWallet } from './policies.js';
import { id, policyOf, rates, spend } from './policy-facts.js';

const harness = useHarness();
const perTx = (amount: string) => ({ kind: 'max_amount', per: 'tx', amount, currency: 'USD' });
const approve = async (approvalId: string) =>
  harness.test.post(`/v1/approvals/${approvalId}/approve`, {}, { as: await ownersKey(harness) });

describe('POST /v1/approvals/{id}/approve', () => {
  it('lifts the rule that asked', async () => {
    const { to, pay } = await boundWallet(harness.test, [perTx('5.00')]);
    const { body } = await pay('6.00', undefined, { request_approval: true });
    expect((await approve(body.approval.id)).body.transfer).toMatchObject({ status: 'completed' });
    expect(await balanceOf(harness.test, to)).toMatchObject({ available: '6.00' });
  });

  it('lifts no rule that stands in its place by then', async () => {
    const { policy, to, pay } = await boundWallet(harness.test, [perTx('5.00')]);
    const { body } = await pay('6.00', undefined, { request_approval: true });
    await harness.test.patch(`/v1/policies/${policy.id}`, { rules: [{ kind: 'counterparties', block: [`wal_${to.id}`] }] });
    const { body: approved } = await approve(body.approval.id);
    expect(approved).toMatchObject({ data: { result_error: { code: 'policy_violation' } }, transfer: { status: 'failed' } });
    expect(await balanceOf(harness.test, to)).toMatchObject({ available: '0.00' });
  });

  it('lifts the limit of a budget, and not its end', async () => {
    const { from, to, pay } = await boundWallet(harness.test, [perTx('500.00')]);
    const end = new Date(harness.clock.now().getTime() + 60_000).toISOString();
    const scope = { type: 'account', id: from.account_id };
    const budget = await newBudget(harness.test, { scope, amount: '5.00', expires_at: end });
    const [first, second] = [await pay('6.00', to, { request_approval: true }), await pay('7.00', to, { request_approval: true })];
    expect((await approve(first.body.approval.id)).body.transfer).toMatchObject({ status: 'completed' });
    harness.clock.set(end);
    expect((await approve(second.body.approval.id)).body).toMatchObject({
      data: { result_error: { code: 'budget_exceeded', error: expect.stringContaining('ended') } },
      transfer: { status: 'failed' },
    });
    // Whoever asks to pay beyond the end may be allowed to.
    const third = await pay('1.00', to, { request_approval: true });
    expect((await approve(third.body.approval.id)).body.transfer).toMatchObject({ status: 'completed' });
    expectRefused(await pay('1.00'), 403, 'budget_exceeded', { rule_id: `${budget.id}.expires_at` });
  });
});

describe('an approval', () => {
  it('names policies and budgets with their version, and other rules plainly', () => {
    const [before, after] = [policyOf([]), { ...policyOf([]), version: 2 }];
    const rules = { kya: [], policies: [before], budgets: [], rates };
    const ids = [`pol_${id}.rules.0`, 'breaker.x', `pol_${id}.rules.0`];
    const lifted = liftedBy(
      ids.map((ruleId) => ({ ruleId })),
      rules,
    );
    expect(lifted).toEqual([`pol_${id}.rules.0@1`, 'breaker.x']);
    expect(stillLifted(lifted, rules)).toEqual([`pol_${id}.rules.0`, 'breaker.x']);
    expect(stillLifted(lifted, { ...rules, policies: [after] })).toEqual(['breaker.x']);
    expect(stillLifted(lifted, { ...rules, policies: [] })).toEqual(['breaker.x']);
  });

  it('lifts no limit that cannot count the spend', () => {
    const policies = [policyOf([{ kind: 'max_amount', per: 'day', amount: '5.00', currency: 'EUR' }])];
    const lifted = [`pol_${id}.rules.0`];
    const { results, uses } = applyRules(spend({ currency: 'JPY', lifted }), { kya: [], policies, budgets: [], rates });
    expect([results.map(({ reason }) => reason), uses]).toEqual([['no_rate'], []]);
    expect(applyRules(spend({ lifted }), { kya: [], policies, budgets: [], rates })).toMatchObject({
      results: [],
      uses: [{ maximum: null }],
    });
  });
});

describe('a refusal', () => {
  it('suggests no smaller amount for a quote, whose amount is fixed, and what it suggests works', async () => {
    const { from, pay } = await boundWallet(harness.test, [perTx('5.00')]);
    const { wallet: to } = await openWallet(harness.test, { currency: 'EUR' });
    expect((await pay('6.00')).body.details.next_actions.map(({ rel }: { rel: string }) => rel)).toContain('smaller_amount');
    const quote = await harness.test.make('/v1/quotes', { from_currency: 'USD', to_currency: 'EUR', amount: '6.00', amount_side: 'send' });
    const body = { type: 'cross_border', from_wallet_id: from.id, to_wallet_id: to.id, quote_id: quote.id };
    const { next_actions: actions } = (await harness.test.post('/v1/transfers', body)).body.details;
    expect(actions.map(({ rel }: { rel: string }) => rel)).toEqual(['request_approval', 'change_limit']);
    expect((await harness.test.post(actions[0].path, actions[0].body)).status).toBe(202);
  });
});
