// GET /v1/budgets
import { describe, expect, it } from 'vitest';
import { newBudget, spender, unusedTrace } from '../../factories/budget.js';
import { idsOf } from '../../factories/payment.js';
import { useHarness } from '../../harness.js';
import { recordStatements } from '../../plan.js';
import { expectInvalid } from '../../refusal.js';

const harness = useHarness();
const list = (query: string) => harness.test.get(`/v1/budgets?${query}`);

describe('GET /v1/budgets', () => {
  describe('200', () => {
    it('filters by scope and parent, newest first, without those that were deleted', async () => {
      const agent = await spender(harness.test);
      const parent = await newBudget(harness.test, { scope: { type: 'account', id: agent.account.id } });
      const child = await newBudget(harness.test, { scope: { type: 'agent', id: agent.id }, parent_id: parent.id });
      const gone = await newBudget(harness.test, { scope: { type: 'agent', id: agent.id } });
      await harness.test.delete(`/v1/budgets/${gone.id}`);
      expect(idsOf(await list(''))).toEqual([child.id, parent.id]);
      expect(idsOf(await list('scope_type=account'))).toEqual([parent.id]);
      for (const id of [agent.id, agent.uuid]) expect(idsOf(await list(`scope_id=${id}`))).toEqual([child.id]);
      expect(idsOf(await list(`parent_id=${parent.id}`))).toEqual([child.id]);
      expect(idsOf(await list('limit=1&page=2'))).toEqual([parent.id]);
      expect(idsOf(await list(`starting_after=${child.id}`))).toEqual([parent.id]);
      expect(idsOf(await list(`since=${new Date(harness.clock.now().getTime() + 1).toISOString()}`))).toEqual([]);
    });

    it('finds those of a trace', async () => {
      const budget = await newBudget(harness.test, { scope: unusedTrace });
      expect(idsOf(await list(`scope_id=${unusedTrace.id}`))).toEqual([budget.id]);
    });

    it('says of each what is left, and reads that once for all of them', async () => {
      const agent = await spender(harness.test);
      const scope = { type: 'agent', id: agent.id };
      const budgets = [await newBudget(harness.test, { scope }), await newBudget(harness.test, { scope, period: 'month' })];
      for (let n = 0; n < 30; n += 1) await newBudget(harness.test, { scope, period: n % 2 === 0 ? 'week' : 'once' });
      await agent.pay('12.50');
      harness.clock.advance(86_400);
      await agent.pay('7.50');
      const recorded = recordStatements(harness.platform.database.pool);
      const { body } = await list(`scope_id=${agent.id}&limit=200`);
      recorded.stop();
      const left = new Map(body.data.map(({ id, spent, remaining }: Record<string, string>) => [id, [spent, remaining]]));
      expect(budgets.map(({ id }) => left.get(id))).toEqual([
        ['7.50', '92.50'],
        ['20.00', '80.00'],
      ]);
      expect(left.size).toBe(32);
      expect(recorded.statements.filter(({ text }) => text.includes('limit_counter'))).toHaveLength(1);
    });

    it('nothing of another tenant or environment', async () => {
      const theirs = await Promise.all([newBudget(harness.other), newBudget(harness.live)]);
      const ids = idsOf(await list('limit=200'));
      for (const { id } of theirs) expect(ids).not.toContain(id);
    });
  });

  describe('400', () => {
    it('an unknown scope', async () => expectInvalid(await list('scope_type=planet'), 'scope_type'));
    it('a scope that can be no id', async () => expectInvalid(await list('scope_id=me'), 'scope_id'));
    it('a parent that can be no id', async () => expectInvalid(await list('parent_id=me'), 'parent_id'));
  });
});
