// GET /v1/budgets/{id}
import { describe, expect, it } from 'vitest';
import { newBudget, readBudget, spender, unusedTrace } from '../../factories/budget.js';
import { useHarness } from '../../harness.js';

const harness = useHarness();

describe('GET /v1/budgets/{id}', () => {
  describe('200', () => {
    it('with what was spent, what is held, and what is left', async () => {
      const agent = await spender(harness.test);
      const budget = await newBudget(harness.test, { scope: { type: 'agent', id: agent.id } });
      await agent.pay('12.50');
      await agent.pay('30.00', { capture: 'manual' });
      expect(await readBudget(harness.test, budget)).toEqual({ ...budget, spent: '12.50', reserved: '30.00', remaining: '57.50' });
    });

    it('of the period of now: the next one begins anew', async () => {
      const agent = await spender(harness.test);
      const budget = await newBudget(harness.test, { scope: { type: 'agent', id: agent.id }, timezone: 'Asia/Kolkata' });
      expect(budget.resets_at).toBe('2026-03-02T18:30:00.000Z');
      await agent.pay('40.00');
      harness.clock.set('2026-03-02T18:29:59.999Z');
      expect(await readBudget(harness.test, budget)).toMatchObject({ spent: '40.00', remaining: '60.00' });
      harness.clock.set('2026-03-02T18:30:00.000Z');
      expect(await readBudget(harness.test, budget)).toMatchObject({
        spent: '0.00',
        remaining: '100.00',
        resets_at: '2026-03-03T18:30:00.000Z',
      });
    });

    it('with nothing left once it has expired', async () => {
      const end = new Date(harness.clock.now().getTime() + 60_000).toISOString();
      const budget = await newBudget(harness.test, { scope: unusedTrace, expires_at: end });
      expect(budget.remaining).toBe('100.00');
      harness.clock.set(end);
      expect(await readBudget(harness.test, budget)).toMatchObject({ expires_at: end, remaining: '0.00' });
    });

    it('over GraphQL, with the parts that are asked for', async () => {
      const budget = await newBudget(harness.test, { scope: unusedTrace, alerts_at: [0.8] });
      const query = 'query ($id: BudgetId!) { budget(id: $id) { remaining alertsAt scope { type id } } }';
      const { body } = await harness.test.graphql(query, { id: budget.id });
      expect(body.data.budget).toEqual({ remaining: '100.00', alertsAt: [0.8], scope: unusedTrace });
    });
  });
});
