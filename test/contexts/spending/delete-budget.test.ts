// DELETE /v1/budgets/{id}
import { describe, expect, it } from 'vitest';
import { newBudget, spender, unusedTrace } from '../../factories/budget.js';
import { type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();
const end = ({ id }: Json, options = {}) => harness.test.delete(`/v1/budgets/${id}`, options);

describe('DELETE /v1/budgets/{id}', () => {
  describe('200', () => {
    it('binds no spend any more, and is nowhere', async () => {
      const agent = await spender(harness.test);
      const budget = await newBudget(harness.test, { scope: { type: 'agent', id: agent.id }, amount: '5.00' });
      expect((await agent.pay('6.00')).body.code).toBe('budget_exceeded');
      const { status, body } = await end(budget);
      expect([status, body]).toEqual([200, { data: { id: budget.id, deleted: true } }]);
      expect((await agent.pay('6.00')).status).toBe(201);
      expectRefused(await harness.test.get(`/v1/budgets/${budget.id}`), 404, 'not_found');
      expectRefused(await harness.test.patch(`/v1/budgets/${budget.id}`, { name: 'Back' }), 404, 'not_found');
      expectRefused(await end(budget), 404, 'not_found');
    });

    it('gives back what it held, and lets what was held be paid', async () => {
      const agent = await spender(harness.test);
      const budget = await newBudget(harness.test, { scope: { type: 'agent', id: agent.id } });
      const [kept, paid] = [await agent.pay('10.00', { capture: 'manual' }), await agent.pay('10.00', { capture: 'manual' })];
      await end(budget);
      expect((await harness.test.post(`/v1/transfers/${kept.body.data.id}/cancel`, {})).status).toBe(200);
      expect((await harness.test.post(`/v1/transfers/${paid.body.data.id}/capture`, {})).status).toBe(200);
    });

    it('once for one key', async () => {
      const budget = await newBudget(harness.test, { scope: unusedTrace });
      const headers = { 'Idempotency-Key': 'delete-budget-once' };
      const [first, again] = [await end(budget, { headers }), await end(budget, { headers })];
      expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([200, first.body, 'true']);
    });

    it('makes room for its parent to go', async () => {
      const parent = await newBudget(harness.test, { scope: unusedTrace });
      const child = await newBudget(harness.test, { scope: unusedTrace, parent_id: parent.id });
      for (const one of [child, parent]) expect((await end(one)).status).toBe(200);
    });
  });

  describe('409', () => {
    it('a budget with children, and says which', async () => {
      const parent = await newBudget(harness.test, { scope: unusedTrace });
      const children = [1, 2].map(() => newBudget(harness.test, { scope: unusedTrace, parent_id: parent.id }));
      const [first, second] = await Promise.all(children);
      const answer = await end(parent);
      expectRefused(answer, 409, 'state_conflict');
      const ids = [first.id, second.id].sort();
      expect(answer.body.details.open).toEqual(ids.map((id) => ({ type: 'budget', id })));
      for (const { method, path } of answer.body.details.next_actions) expect((await harness.test.call(method, path)).status).toBe(200);
      expect((await end(parent)).status).toBe(200);
    });

    it('never leaves a child without its parent, when both happen at once', async () => {
      for (let round = 0; round < 5; round += 1) {
        const parent = await newBudget(harness.test, { scope: unusedTrace });
        const body = { name: 'Child', scope: unusedTrace, parent_id: parent.id, amount: '1.00', currency: 'USD', period: 'once' };
        const [gone, child] = await Promise.all([end(parent), harness.test.post('/v1/budgets', body)]);
        expect([
          [200, 404],
          [409, 201],
        ]).toContainEqual([gone.status, child.status]);
      }
    });
  });
});
