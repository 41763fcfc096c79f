// POST /v1/settlement-rules/{id}/run: every action, as it is carried out
import { describe, expect, it } from 'vitest';
import { balanceOf } from '../../factories/payment.js';
import { newBankAccount, readPayout, toldOf } from '../../factories/payout.js';
import { executionsOf, newRule, newSettler, runRule, someRule } from '../../factories/settlement-rule.js';
import { openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';
import { newPolicy } from '../spending/policies.js';

const harness = useHarness();
const path = (id: string) => `/v1/settlement-rules/${id}/run`;

describe('POST /v1/settlement-rules/{id}/run', () => {
  describe('202 settle_to_bank', () => {
    it('pays out all but the fee, by the system, and the payout goes its way', async () => {
      const { wallet, bank, rule } = await newSettler(harness.test);
      const done = await runRule(harness, rule);
      expect(done).toEqual({
        id: expect.stringMatching(/^exe_/),
        rule_id: rule.id,
        fired_at: harness.clock.now().toISOString(),
        trigger: 'manual',
        status: 'completed',
        payout_id: expect.stringMatching(/^po_/),
        transfer_id: expect.any(String),
      });
      const payout = await readPayout(harness.test, { id: done.payout_id });
      expect(payout).toMatchObject({ amount: '999.75', fee: '0.25', rail: 'ach', destination: { type: 'bank', ref: bank?.id } });
      expect((await harness.test.get(`/v1/transfers/${done.transfer_id}`)).body.data.initiated_by).toMatchObject({ type: 'system' });
      await harness.advance(86_400);
      expect((await readPayout(harness.test, payout)).status).toBe('complete');
      expect(await balanceOf(harness.test, wallet)).toMatchObject({ available: '0.00', held: '0.00' });
      expect((await toldOf(harness, payout)).payout).toEqual(['settlement.initiated', 'settlement.processing', 'settlement.completed']);
    });

    it('less a reserve, to a bank account that is not the default one', async () => {
      const { account, wallet } = await newSettler(harness.test);
      const other = await newBankAccount(harness.test, account.id);
      const config = { destination: { type: 'bank', ref: other.id }, retain_reserve_cents: 10_000, rail: 'ach' };
      const rule = await newRule(harness.test, wallet, { action_type: 'settle_to_bank', action_config: config });
      expect(rule.action_config).toEqual(config);
      const { payout_id: id } = await runRule(harness, rule);
      expect(await readPayout(harness.test, { id })).toMatchObject({ amount: '899.75', destination: { ref: other.id } });
      expect(await balanceOf(harness.test, wallet)).toMatchObject({ available: '100.00' });
    });

    it('is no spend, which no policy binds; but a frozen wallet pays nothing, and the rule stays enabled', async () => {
      const { account, wallet, rule } = await newSettler(harness.test);
      const target = { type: 'account', id: account.id };
      await newPolicy(harness.test, { target, rules: [{ kind: 'max_amount', per: 'tx', amount: '1.00', currency: 'USD' }] });
      await harness.test.post(`/v1/wallets/${wallet.id}/freeze`, {});
      const refused = await runRule(harness, rule);
      expect(refused).toMatchObject({ status: 'failed', error: { code: 'wallet_frozen', message: expect.any(String) } });
      expect(refused.payout_id).toBeUndefined();
      expect((await harness.test.get(`/v1/settlement-rules/${rule.id}`)).body.data.enabled).toBe(true);
      await harness.test.post(`/v1/wallets/${wallet.id}/unfreeze`, {});
      expect(await runRule(harness, rule)).toMatchObject({ status: 'completed' });
    });

    it('is skipped where nothing is left, and fails without a bank account', async () => {
      const { rule } = await newSettler(harness.test, { action_config: { retain_reserve_cents: 99_980 } });
      expect(await runRule(harness, rule)).toMatchObject({ status: 'skipped', error: { code: 'nothing_to_settle' } });
      const { wallet } = await openWallet(harness.test, { funded: '10.00' });
      const lost = await newRule(harness.test, wallet, { action_type: 'settle_to_bank' });
      expect(await runRule(harness, lost)).toMatchObject({ status: 'failed', error: { code: 'no_bank_account' } });
    });
  });

  describe('202 settle_to_account, settle_to_wallet', () => {
    it('pays all, or a fixed amount, and keeps the reserve', async () => {
      const [from, to] = [await openWallet(harness.test, { funded: '100.00' }), await openWallet(harness.test)];
      const settle = (type: 'wallet' | 'account', config: object) =>
        newRule(harness.test, from.wallet, {
          action_type: `settle_to_${type}`,
          action_config: { [`destination_${type}_id`]: to[type].id, ...config },
        });
      const fixed = await settle('wallet', { amount: 'fixed', amount_cents: 2_500, retain_reserve_cents: 1_000 });
      const all = await settle('account', { retain_reserve_cents: 1_000 });
      const paid = await runRule(harness, fixed);
      expect(paid).toMatchObject({ status: 'completed', transfer_id: expect.any(String) });
      expect(paid.payout_id).toBeUndefined();
      expect((await harness.test.get(`/v1/transfers/${paid.transfer_id}`)).body.data).toMatchObject({
        amount: '25.00',
        status: 'completed',
      });
      expect(await runRule(harness, all)).toMatchObject({ status: 'completed' });
      expect(await balanceOf(harness.test, from.wallet)).toMatchObject({ available: '10.00' });
      expect(await balanceOf(harness.test, to.wallet)).toMatchObject({ available: '90.00' });
      expect(await runRule(harness, all)).toMatchObject({ status: 'skipped', error: { code: 'nothing_to_settle' } });
      await harness.test.make(`/v1/wallets/${from.wallet.id}/fund`, { amount: '5.00' });
      expect(await runRule(harness, fixed)).toMatchObject({ status: 'failed', error: { code: 'insufficient_balance' } });
    });

    it('is a spend: a policy refuses it, or has it approved', async () => {
      const [from, to] = [await openWallet(harness.test, { funded: '100.00' }), await openWallet(harness.test)];
      const config = { destination_wallet_id: to.wallet.id };
      const rule = await newRule(harness.test, from.wallet, { action_type: 'settle_to_wallet', action_config: config });
      const cap = { kind: 'max_amount', per: 'tx', amount: '1.00', currency: 'USD' };
      const policy = await newPolicy(harness.test, { target: { type: 'account', id: from.account.id }, rules: [cap] });
      expect(await runRule(harness, rule)).toMatchObject({ status: 'failed', error: { code: 'policy_violation' } });
      await harness.test.patch(`/v1/policies/${policy.id}`, { rules: [{ ...cap, action: 'approve' }] });
      const { status, transfer_id: id } = await runRule(harness, rule);
      expect([status, (await harness.test.get(`/v1/transfers/${id}`)).body.data.status]).toEqual(['completed', 'pending']);
    });
  });

  describe('202 hold', () => {
    it('sets money aside and releases it at its time, once', async () => {
      const { wallet } = await openWallet(harness.test, { funded: '100.00' });
      const config = { amount_cents: 3_000, release_after_seconds: 3_600 };
      const rule = await newRule(harness.test, wallet, { action_type: 'hold', action_config: config });
      const { status, transfer_id: id } = await runRule(harness, rule);
      expect(status).toBe('completed');
      expect(await balanceOf(harness.test, wallet)).toMatchObject({ available: '70.00', held: '30.00', pending_in: '0.00' });
      const refused = await harness.test.post(`/v1/transfers/${id}/capture`, {});
      expectRefused(refused, 409, 'state_conflict', { next_actions: [{ rel: 'cancel' }] });
      await harness.advance(3_599);
      expect(await balanceOf(harness.test, wallet)).toMatchObject({ held: '30.00' });
      await harness.advance(1);
      expect(await balanceOf(harness.test, wallet)).toMatchObject({ available: '100.00', held: '0.00' });
      expect((await harness.test.post(`/v1/transfers/${id}/cancel`, {})).status).toBe(409);
      expect(await balanceOf(harness.test, wallet)).toMatchObject({ available: '100.00', held: '0.00' });
    });

    it('without a time until it is cancelled, by the tenant alone; more than there is fails', async () => {
      const { agent, token } = await enrol(harness.test, { wallet: { currency: 'USD' } });
      const wallet = { id: agent.default_wallet_id };
      await harness.test.make(`/v1/wallets/${wallet.id}/fund`, { amount: '50.00' });
      const rule = await newRule(harness.test, wallet, { action_type: 'hold', action_config: { amount_cents: 3_000 } });
      const { transfer_id: id } = await runRule(harness, rule);
      expect(await runRule(harness, rule)).toMatchObject({ status: 'failed', error: { code: 'insufficient_balance' } });
      await harness.advance(400 * 86_400);
      expect(await balanceOf(harness.test, wallet)).toMatchObject({ available: '20.00', held: '30.00' });
      expectRefused(await harness.test.post(`/v1/transfers/${id}/cancel`, {}, { as: token }), 403, 'forbidden');
      expect((await harness.test.post(`/v1/transfers/${id}/cancel`, {})).status).toBe(200);
      expect(await balanceOf(harness.test, wallet)).toMatchObject({ available: '50.00', held: '0.00' });
    });
  });

  it('202 notify tells of it, and moves nothing', async () => {
    const { wallet } = await openWallet(harness.test, { funded: '12.50' });
    const rule = await newRule(harness.test, wallet, { name: 'Till', action_config: { message: 'Look' } });
    const done = await runRule(harness, rule);
    expect([done.status, done.transfer_id, done.payout_id]).toEqual(['completed', undefined, undefined]);
    const { body } = await harness.test.get('/v1/events?type=settlement_rule.notified');
    expect(body.data[0].data).toEqual({
      rule_id: `srl_${rule.id}`,
      execution_id: done.id,
      name: 'Till',
      trigger: 'manual',
      message: 'Look',
      wallet_id: `wal_${wallet.id}`,
      available: '12.50',
      currency: 'USD',
    });
  });

  it('202 once for a key, and again without one', async () => {
    const rule = await someRule(harness.test);
    const headers = { 'Idempotency-Key': 'run-once' };
    const first = await harness.test.post(path(rule.id), undefined, { headers });
    const again = await harness.test.post(path(rule.id), undefined, { headers });
    expect([again.status, again.body]).toEqual([202, first.body]);
    await runRule(harness, rule);
    expect(await executionsOf(harness.test, rule)).toHaveLength(2);
  });

  it('202 skips what was deleted or disabled after it had fired', async () => {
    const rule = await someRule(harness.test);
    await harness.test.post(path(rule.id));
    await harness.test.patch(`/v1/settlement-rules/${rule.id}`, { enabled: false });
    await harness.runDue();
    expect(await executionsOf(harness.test, rule)).toMatchObject([{ status: 'skipped', error: { code: 'rule_disabled' } }]);
  });

  it('409 for a rule that is disabled', async () => {
    const rule = await someRule(harness.test, { enabled: false });
    const refused = await harness.test.post(path(rule.id));
    expectRefused(refused, 409, 'state_conflict', { next_actions: [{ rel: 'enable', method: 'PATCH' }] });
  });
});
