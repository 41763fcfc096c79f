// GET /v1/settlement-rules, /{id} and /{id}/executions
import { describe, expect, it } from 'vitest';
import { newRule, runRule, someRule } from '../../factories/settlement-rule.js';
import { openWallet, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';

const harness = useHarness();
const path = '/v1/settlement-rules';

describe('GET /v1/settlement-rules', () => {
  it('200 newest first, by wallet, trigger and whether they are enabled', async () => {
    const { wallet } = await openWallet(harness.test);
    const first = await newRule(harness.test, wallet);
    const second = await newRule(harness.test, wallet, { enabled: false });
    const third = await newRule(harness.test, wallet, { trigger_type: 'transaction_count', trigger_config: { count: 2 } });
    const list = async (query: string) => (await harness.test.get(`${path}?wallet_id=${wallet.id}${query}`)).body;
    expect((await list('')).data).toEqual([third, second, first]);
    expect((await list('&enabled=true')).data).toEqual([third, first]);
    expect((await list('&enabled=false')).data).toEqual([second]);
    expect((await list('&trigger_type=manual&enabled=true')).data).toEqual([first]);
    const page = await list('&limit=2');
    expect([page.data.length, page.pagination.total, page.pagination.has_more]).toEqual([2, 3, true]);
    expect((await list(`&limit=2&starting_after=${page.pagination.next_cursor}`)).data).toEqual([first]);
    expect((await harness.other.get(`${path}?wallet_id=${wallet.id}`)).body.data).toEqual([]);
  });

  it('400 for a filter that is none', async () => {
    expectInvalid(await harness.test.get(`${path}?trigger_type=lunar`), 'trigger_type');
    expectInvalid(await harness.test.get(`${path}?enabled=perhaps`), 'enabled');
  });
});

describe('GET /v1/settlement-rules/{id}', () => {
  it('200 as it was made', async () => {
    const rule = await someRule(harness.test);
    expect((await harness.test.get(`${path}/${rule.id}`)).body.data).toEqual(rule);
    expect((await harness.test.get(`${path}/srl_${rule.id}`)).body.data).toEqual(rule);
  });
});

describe('GET /v1/settlement-rules/{id}/executions', () => {
  it('200 newest first, in pages, also while one waits', async () => {
    const rule = await someRule(harness.test);
    const [first, second] = [await runRule(harness, rule), await runRule(harness, rule)];
    const { body } = await harness.test.post(`${path}/${rule.id}/run`);
    const third = { ...second, id: body.data.execution_id, status: 'pending' };
    const list = async (query: string) => (await harness.test.get(`${path}/${rule.id}/executions?${query}`)).body;
    expect((await list('')).data).toEqual([third, second, first]);
    const page = await list('limit=2');
    expect((await list(`limit=2&starting_after=${page.pagination.next_cursor}`)).data).toEqual([first]);
  });
});
