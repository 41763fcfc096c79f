// Atomic batches: all of the transfers, or none.
import { describe, expect, it } from 'vitest';
import { spender as waitingSpender } from '../../factories/approval.js';
import { newBudget, spender, usedOf } from '../../factories/budget.js';
import { decisionsOf } from '../../factories/decision.js';
import { balanceOf, eventsOf, pay, transferBody, twoWallets } from '../../factories/payment.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { newPolicy } from '../spending/policies.js';
import { bare, bodies, carriedOut, readBatch, taken, times, whileRefusing } from './transfer-batch.js';

const harness = useHarness();
const atomic = { mode: 'atomic' };
const available = async (wallet: Json) => (await balanceOf(harness.test, wallet)).available;
const carryOut = (transfers: object[], as = harness.test.key) => carriedOut(harness, transfers, atomic, { as });

/** The batch failed for this item, and nothing was moved. */
function expectFailed({ batch, items }: { batch: Json; items: Json[] }, index: number, code: string): void {
  expect(batch).toMatchObject({ status: 'failed', success_count: 0, failed_count: 1, failure: { code } });
  expect(batch.failure.message).toMatch(new RegExp(`^Item ${index}: \\S`));
  expect(items.map((item) => item.error?.code ?? item.status)).toEqual(items.map((_, n) => (n === index ? code : 'skipped')));
  expect(items[index]).toMatchObject({ status: 'failed' });
}

describe('an atomic batch', () => {
  it('moves all at once', async () => {
    const { from, to } = await twoWallets(harness.test);
    const wrap = { type: 'wrap', from_wallet_id: from.id, amount: '5.00', currency: 'USD' };
    const byAccount = { type: 'internal', from_account_id: from.account_id, to_account_id: to.account_id, amount: '0.04', currency: 'USD' };
    const result = await carryOut([wrap, ...times(499).map(() => byAccount)]);
    expect(result.batch).toMatchObject({ status: 'completed', success_count: 500, failed_count: 0, total_amount: '24.96' });
    expect(new Set(result.items.map(({ status }) => status))).toEqual(new Set(['succeeded']));
    expect(await balanceOf(harness.test, from)).toMatchObject({ available: '75.04', wrapped: '5.00' });
    expect(await available(to)).toBe('19.96');
    expect((await eventsOf(harness, bare(result.batch))).map(({ type }) => type)).toEqual([
      'batch.created',
      'batch.processing',
      'batch.completed',
    ]);
  });

  it('fails as a whole for the first item that the money does not reach', async () => {
    const { from, to } = await twoWallets(harness.test, { funded: '10.00' });
    const result = await carryOut(bodies(from, to, ['4.00', '5.00', '2.00', '1.00']));
    expectFailed(result, 2, 'insufficient_balance');
    expect([await available(from), await available(to)]).toEqual(['10.00', '0.00']);
    const data = { batch_id: result.batch.id, total_count: 4, success_count: 0, total_amount: '12.00', currency: 'USD' };
    expect((await eventsOf(harness, bare(result.batch))).at(-1)).toEqual({
      type: 'batch.failed',
      data: { ...data, status: 'failed', failed_count: 1 },
    });
    expect((await harness.test.get(`/v1/transfers?batch_id=${result.batch.id}`)).body.data).toEqual([]);
  });

  it('does not count what the batch itself brings in', async () => {
    const { from, to } = await twoWallets(harness.test, { funded: '10.00' });
    expectFailed(await carryOut([...bodies(from, to, ['10.00']), ...bodies(to, from, ['1.00'])]), 1, 'insufficient_balance');
    expect(await available(from)).toBe('10.00');
  });

  it('fails for what its items name, before any money is asked for', async () => {
    const { from, to } = await twoWallets(harness.test);
    const { wallet: euros } = await openWallet(harness.test, { currency: 'EUR' });
    expectFailed(await carryOut([...bodies(from, to, ['1.00']), transferBody(from, { id: nowhere }, '1.00')]), 1, 'not_found');
    expectFailed(await carryOut([transferBody(from, euros, '1.00'), ...bodies(from, to, ['1.00'])]), 0, 'currency_mismatch');
  });

  it('fails for a reference that another transfer has', async () => {
    const { from, to } = await twoWallets(harness.test);
    await pay(harness.test, from, to, '1.00', { reference: 'once' });
    const result = await carryOut([...bodies(from, to, times(2)), transferBody(from, to, '1.00', { reference: 'once' })]);
    expectFailed(result, 2, 'already_exists');
  });

  it('fails for a wallet that is frozen, and for a spender that is', async () => {
    const { from, to } = await twoWallets(harness.test);
    const second = await twoWallets(harness.test);
    await harness.test.post(`/v1/wallets/${second.from.id}/freeze`, {});
    expectFailed(await carryOut([...bodies(from, to, ['1.00']), ...bodies(second.from, to, ['1.00'])]), 1, 'wallet_frozen');
  });

  it('uses a budget for all of it, or not at all', async () => {
    const agent = await spender(harness.test);
    const budget = await newBudget(harness.test, { scope: { type: 'agent', id: agent.id }, amount: '10.00' });
    expectFailed(await carryOut(bodies(agent.from, agent.to, times(6, '2.00')), agent.token), 5, 'budget_exceeded');
    expect(await usedOf(harness.test, budget)).toEqual(['0.00', '0.00', '10.00']);
    const { batch } = await carryOut(bodies(agent.from, agent.to, times(5, '2.00')), agent.token);
    expect(batch.status).toBe('completed');
    expect(await usedOf(harness.test, budget)).toEqual(['10.00', '0.00', '0.00']);
    const decisions = await decisionsOf(harness, harness.test, `agent_id=${agent.uuid}`);
    expect(decisions.filter(({ outcome }: Json) => outcome === 'allow')).toHaveLength(5);
    expect(decisions.filter(({ outcome }: Json) => outcome === 'deny')).toMatchObject([{ code: 'budget_exceeded' }]);
  });

  it('fails for a rule that an item breaks by itself', async () => {
    const { from, to } = await twoWallets(harness.test);
    const rules = [{ kind: 'max_amount', per: 'tx', amount: '5.00', currency: 'USD' }];
    await newPolicy(harness.test, { target: { type: 'wallet', id: from.id }, rules });
    expectFailed(await carryOut(bodies(from, to, ['1.00', '6.00', '7.00'])), 1, 'policy_violation');
  });

  it('fails where an item would have to be approved', async () => {
    const agent = await waitingSpender(harness);
    const result = await carryOut(bodies(agent.wallet, agent.payee, times(2)), agent.token);
    expect(result.batch.status).toBe('failed');
    expect(result.items.map(({ status }) => status)).toEqual(['failed', 'skipped']);
    expect((await harness.test.get(`/v1/approvals?agent_id=${agent.uuid}`)).body.data).toEqual([]);
    expect(await available(agent.payee)).toBe('0.00');
  });

  it('fails where passing a limit would have to be approved', async () => {
    const { from, to } = await twoWallets(harness.test);
    const rules = [{ kind: 'max_amount', per: 'day', amount: '5.00', currency: 'USD', action: 'approve' }];
    await newPolicy(harness.test, { target: { type: 'wallet', id: from.id }, rules });
    expectFailed(await carryOut(bodies(from, to, times(4, '2.00'))), 2, 'policy_violation');
  });

  it('is tried again a second later, when the database could not do it', async () => {
    const { from, to } = await twoWallets(harness.test);
    const { id } = await taken(harness.test, bodies(from, to, times(3)), atomic);
    await whileRefusing(harness, '53100', () => harness.runDue());
    expect((await readBatch(harness.test, id)).batch).toMatchObject({ status: 'processing' });
    await harness.advance(1);
    expect((await readBatch(harness.test, id)).batch).toMatchObject({ status: 'completed', success_count: 3 });
    expect(await available(to)).toBe('3.00');
  });

  it('fails where something goes wrong on our side', async () => {
    const { from, to } = await twoWallets(harness.test);
    const { id } = await taken(harness.test, bodies(from, to, times(2)), atomic);
    await whileRefusing(harness, '22012', () => harness.runDue());
    const { batch, items } = await readBatch(harness.test, id);
    expect(batch).toMatchObject({ status: 'failed', failed_count: 0, failure: { code: 'internal_error' } });
    expect(items.map(({ status }) => status)).toEqual(['skipped', 'skipped']);
  });

  it('beside another one over the same money: one of them', async () => {
    const { from, to } = await twoWallets(harness.test, { funded: '10.00' });
    const both = await Promise.all([1, 2].map(() => taken(harness.test, bodies(from, to, times(6)), atomic)));
    await harness.runDue();
    const results = await Promise.all(both.map(({ id }) => readBatch(harness.test, id)));
    expect(results.map(({ batch }) => batch.status).sort()).toEqual(['completed', 'failed']);
    expect(await available(to)).toBe('6.00');
  });
});
