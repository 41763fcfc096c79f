// PATCH and DELETE /v1/settlement-rules/{id}
import { describe, expect, it } from 'vitest';
import { executionsOf, fund, newRule, someRule } from '../../factories/settlement-rule.js';
import { nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const path = (id: string) => `/v1/settlement-rules/${id}`;
const patch = (id: string, body: object) => harness.test.patch(path(id), body);

describe('PATCH /v1/settlement-rules/{id}', () => {
  it('200 changes what is given, and leaves the rest', async () => {
    const rule = await someRule(harness.test, { action_config: { message: 'Hello' } });
    harness.clock.advance(1);
    const changed = await patch(rule.id, { name: 'New', priority: 5 });
    expect(changed.body.data).toEqual({ ...rule, name: 'New', priority: 5, updated_at: harness.clock.now().toISOString() });
    const config = { schedule: '0 9 * * *', timezone: 'UTC' };
    expect((await patch(rule.id, { trigger_type: 'time_based', trigger_config: config })).body.data).toMatchObject({
      trigger_config: config,
      next_firing_at: '2026-03-03T09:00:00.000Z',
      action_config: { message: 'Hello' },
    });
    const held = await patch(rule.id, { trigger_type: 'manual', action_type: 'hold', action_config: { amount_cents: 1 } });
    expect(held.body.data).toMatchObject({ trigger_config: {}, action_type: 'hold', action_config: { amount_cents: 1 } });
    expect(held.body.data.next_firing_at).toBeUndefined();
  });

  it('200 enabled again it does not fire on what came meanwhile', async () => {
    const { wallet } = await openWallet(harness.test);
    const on = { trigger_type: 'balance_threshold', trigger_config: { threshold_cents: 1_000, currency: 'USD', direction: 'above' } };
    const rule = await newRule(harness.test, wallet, on);
    await patch(rule.id, { enabled: false });
    await fund(harness.test, wallet, '20.00');
    await patch(rule.id, { enabled: true });
    await harness.runDue();
    expect(await executionsOf(harness.test, rule)).toEqual([]);
  });

  it('400 for a config that is not its type’s, a type without its config, and another wallet', async () => {
    const rule = await someRule(harness.test);
    expectInvalid(await patch(rule.id, { trigger_config: { count: 1 } }), 'trigger_config.count');
    expectInvalid(await patch(rule.id, { trigger_type: 'transaction_count' }), 'trigger_config.count');
    expectInvalid(await patch(rule.id, { action_type: 'hold' }), 'action_config.amount_cents');
    expectInvalid(await patch(rule.id, { wallet_id: rule.wallet_id }), 'wallet_id');
  });

  describe('404', () => {
    it('for what its action names', async () => {
      const { id } = await someRule(harness.test);
      const refused = await patch(id, { action_type: 'settle_to_wallet', action_config: { destination_wallet_id: nowhere } });
      expectRefused(refused, 404, 'not_found', { fields: [{ path: 'action_config.destination_wallet_id' }] });
    });
  });

  it('422 for a threshold in another currency', async () => {
    const { id } = await someRule(harness.test);
    const config = { threshold_cents: 1, currency: 'EUR', direction: 'below' };
    expectRefused(await patch(id, { trigger_type: 'balance_threshold', trigger_config: config }), 422, 'currency_mismatch');
  });
});

describe('DELETE /v1/settlement-rules/{id}', () => {
  it('200 ends it: it is listed, read and fired no more', async () => {
    const trigger_config = { schedule: '0 * * * *', timezone: 'UTC' };
    const rule = await someRule(harness.test, { trigger_type: 'time_based', trigger_config });
    const gone = await harness.test.delete(path(rule.id));
    expect([gone.status, gone.body.data]).toEqual([200, { id: rule.id, deleted: true }]);
    expectRefused(await harness.test.get(path(rule.id)), 404, 'not_found');
    expectRefused(await harness.test.get(`${path(rule.id)}/executions`), 404, 'not_found');
    expectRefused(await harness.test.delete(path(rule.id)), 404, 'not_found');
    expect((await harness.test.get(`/v1/settlement-rules?wallet_id=${rule.wallet_id}`)).body.data).toEqual([]);
    await harness.advance(7_200);
    const { rowCount } = await harness.platform.database.pool.query('SELECT FROM settlement_execution WHERE rule_id = $1', [rule.id]);
    expect(rowCount).toBe(0);
  });
});
