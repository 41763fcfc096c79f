// Budgets among the limits of an agent: GET /v1/agents/{id}/limits and /v1/me (CONTRACT.md 5, 6).
import { describe, expect, it } from 'vitest';
import { newBudget, type Spender, spender } from '../../factories/budget.js';
import { transferBody } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { recordStatements } from '../../plan.js';

const harness = useHarness();
const limitsOf = async ({ id }: Spender, as?: string): Promise<Json[]> =>
  (await harness.test.get(`/v1/agents/${id}/limits`, as === undefined ? {} : { as })).body.data.budgets;
const scopeOf = (type: string, id: string) => ({ scope: { type, id } });

describe('the budgets of an agent', () => {
  it('are those that bind it and those above them, each with what is left', async () => {
    const agent = await spender(harness.test);
    expect(await limitsOf(agent)).toEqual([]);
    const top = await newBudget(harness.test, { ...scopeOf('account', agent.account.id), name: 'Top', period: 'once' });
    const own = await newBudget(harness.test, { ...scopeOf('agent', agent.id), name: 'Own', amount: '50.00', parent_id: top.id });
    const stranger = await spender(harness.test);
    await newBudget(harness.test, scopeOf('agent', stranger.id));
    await newBudget(harness.test, scopeOf('trace', '4bf92f3577b34da6a3ce929d0e0e4736'));
    await agent.pay('10.00');
    await agent.pay('5.00', { capture: 'manual' });
    const about = { currency: 'USD', spent: '15.00' };
    expect(await limitsOf(agent)).toEqual([
      { ...about, budget_id: top.id, name: 'Top', scope_type: 'account', period: 'once', amount: '100.00', remaining: '85.00' },
      {
        ...about,
        budget_id: own.id,
        name: 'Own',
        scope_type: 'agent',
        period: 'day',
        amount: '50.00',
        remaining: '35.00',
        resets_at: '2026-03-03T00:00:00.000Z',
      },
    ]);
  });

  it('tell the agent the name and what is left, but of its own alone what was spent', async () => {
    const agent = await spender(harness.test);
    const sister = await spender(harness.test, { parent_account_id: agent.account.id });
    await newBudget(harness.test, { ...scopeOf('account', agent.account.id), name: 'Ours' });
    await newBudget(harness.test, { ...scopeOf('agent', agent.id), name: 'Mine', amount: '50.00' });
    await sister.pay('30.00');
    await agent.pay('10.00');
    for (const budgets of [
      await limitsOf(agent, agent.token),
      (await harness.test.get('/v1/me', { as: agent.token })).body.data.limits.budgets,
    ]) {
      const [ours, mine] = budgets;
      expect(ours).toMatchObject({ name: 'Ours', remaining: '60.00' });
      for (const hidden of ['amount', 'spent']) expect(ours).not.toHaveProperty(hidden);
      expect(mine).toMatchObject({ name: 'Mine', amount: '50.00', spent: '10.00', remaining: '40.00' });
    }
  });

  it('have nothing left once they have expired, and what is left anew in the next period', async () => {
    const agent = await spender(harness.test);
    const end = new Date(harness.clock.now().getTime() + 86_400_000).toISOString();
    await newBudget(harness.test, { ...scopeOf('agent', agent.id), expires_at: end });
    await newBudget(harness.test, { ...scopeOf('agent', agent.id) });
    await agent.pay('10.00');
    expect((await limitsOf(agent)).map(({ remaining }) => remaining)).toEqual(['90.00', '90.00']);
    harness.clock.set(end);
    expect((await limitsOf(agent)).map(({ remaining }) => remaining)).toEqual(['0.00', '100.00']);
  });

  it('are what a spend finds: the least of them is what passes', async () => {
    const agent = await spender(harness.test);
    const top = await newBudget(harness.test, { ...scopeOf('account', agent.account.id), amount: '20.00' });
    await newBudget(harness.test, { ...scopeOf('agent', agent.id), amount: '15.00', parent_id: top.id });
    const sister = await spender(harness.test, { parent_account_id: agent.account.id });
    await sister.pay('12.00');
    const least = Math.min(...(await limitsOf(agent, agent.token)).map(({ remaining }) => Number(remaining)));
    expect(least).toBe(8);
    expect((await agent.pay('8.01')).body.code).toBe('budget_exceeded');
    expect((await agent.pay('8.00')).status).toBe(201);
  });

  it('are read with one look at what was used, however many they are', async () => {
    const agent = await spender(harness.test);
    for (const period of ['once', 'day', 'week', 'month']) {
      for (let n = 0; n < 5; n += 1) await newBudget(harness.test, { ...scopeOf('agent', agent.id), period });
    }
    await agent.pay('10.00');
    const recorded = recordStatements(harness.platform.database.pool);
    const budgets = await limitsOf(agent);
    recorded.stop();
    expect(budgets.map(({ remaining }) => remaining)).toEqual(Array(20).fill('90.00'));
    expect(recorded.statements.filter(({ text }) => text.includes('limit_counter'))).toHaveLength(1);
  });

  it('of the tenant are among them, with what everybody has used', async () => {
    const agent = await spender(harness.other);
    const budget = await newBudget(harness.other, { name: 'All', period: 'week' });
    const body = transferBody(agent.from, agent.to, '25.00');
    expect((await harness.other.post('/v1/transfers', body)).status).toBe(201);
    const { budgets } = (await harness.other.get(`/v1/agents/${agent.id}/limits`, { as: agent.token })).body.data;
    expect(budgets).toEqual([
      {
        budget_id: budget.id,
        name: 'All',
        scope_type: 'tenant',
        period: 'week',
        currency: 'USD',
        remaining: '75.00',
        resets_at: '2026-03-09T00:00:00.000Z',
      },
    ]);
  });
});
