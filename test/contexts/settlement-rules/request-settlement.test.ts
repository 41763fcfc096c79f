// POST /v1/settlement-rules/request-manual
import { describe, expect, it } from 'vitest';
import { executionsOf, newRule } from '../../factories/settlement-rule.js';
import { nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const path = '/v1/settlement-rules/request-manual';
const request = (walletId: string) => harness.test.post(path, { wallet_id: walletId });

describe('POST /v1/settlement-rules/request-manual', () => {
  it('202 runs the first enabled rule of the wallet with the trigger manual', async () => {
    const { wallet } = await openWallet(harness.test);
    await newRule(harness.test, wallet, { priority: 1, enabled: false });
    await newRule(harness.test, wallet, { priority: 2, trigger_type: 'transaction_count', trigger_config: { count: 1 } });
    const later = await newRule(harness.test, wallet, { priority: 4 });
    const first = await newRule(harness.test, wallet, { priority: 3 });
    const { status, body } = await request(wallet.id);
    expect([status, body]).toEqual([202, { data: { execution_id: expect.stringMatching(/^exe_/) } }]);
    await harness.runDue();
    expect(await executionsOf(harness.test, first)).toMatchObject([{ id: body.data.execution_id, trigger: 'manual', status: 'completed' }]);
    expect(await executionsOf(harness.test, later)).toEqual([]);
  });

  it('400 without a wallet', async () => expectInvalid(await harness.test.post(path, {}), 'wallet_id'));

  it('404 for a wallet of nobody, or of another tenant', async () => {
    const { wallet } = await openWallet(harness.other);
    for (const id of [nowhere, wallet.id]) expectRefused(await request(id), 404, 'not_found', { fields: [{ path: 'wallet_id' }] });
  });

  it('409 without such a rule', async () => {
    const { wallet } = await openWallet(harness.test);
    expectRefused(await request(wallet.id), 409, 'state_conflict', { next_actions: [{ rel: 'settlement_rules' }] });
  });
});
