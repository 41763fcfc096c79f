// PATCH /v1/budgets/{id}
import { describe, expect, it } from 'vitest';
import { newBudget, readBudget, spender, unusedTrace } from '../../factories/budget.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';

const harness = useHarness();
const update = ({ id }: Json, body: unknown) => harness.test.patch(`/v1/budgets/${id}`, body);
const make = (extra: object = {}) => newBudget(harness.test, { scope: unusedTrace, ...extra });
const versionsOf = ({ id }: Json) =>
  harness.platform.database.unscoped.budgetVersion.findMany({ where: { budgetId: id.slice(4) }, orderBy: { version: 'asc' } });

describe('PATCH /v1/budgets/{id}', () => {
  describe('200', () => {
    it('changes what it is given, clears with null, leaves the rest, and keeps each version', async () => {
      const budget = await make({ alerts_at: [0.5] });
      harness.clock.advance(5);
      const changes = { name: 'Books', amount: '250.00', expires_at: '2027-01-01T00:00:00.000Z', alerts_at: [0.9, 0.1] };
      const { status, body } = await update(budget, changes);
      const now = harness.clock.now().toISOString();
      expect(status).toBe(200);
      const changed = { ...budget, ...changes, alerts_at: [0.1, 0.9], remaining: '250.00', version: 2, updated_at: now };
      expect(body.data).toEqual(changed);
      const cleared = (await update(budget, { expires_at: null, alerts_at: null })).body.data;
      const { expires_at: _, ...rest } = changed;
      expect(cleared).toEqual({ ...rest, alerts_at: [], version: 3 });
      expect(await versionsOf(budget)).toMatchObject([
        { version: 1, amount: 10_000n, expiresAt: null, alertsAt: ['0.5'] },
        { version: 2, amount: 25_000n, expiresAt: new Date(changes.expires_at), alertsAt: ['0.1', '0.9'] },
        { version: 3, amount: 25_000n, expiresAt: null, alertsAt: [] },
      ]);
    });

    it('makes no version of what changes nothing', async () => {
      const budget = await make({ alerts_at: [0.5] });
      for (const body of [{}, { name: budget.name, amount: '100', expires_at: null, alerts_at: ['0.5'] }]) {
        expect((await update(budget, body)).body.data).toEqual(budget);
      }
      expect(await versionsOf(budget)).toHaveLength(1);
    });

    it('binds from the next spend on, for what the period has counted so far', async () => {
      const agent = await spender(harness.test);
      const budget = await newBudget(harness.test, { scope: { type: 'agent', id: agent.id } });
      expect((await agent.pay('60.00')).status).toBe(201);
      expect((await update(budget, { amount: '50.00' })).body.data).toMatchObject({ spent: '60.00', remaining: '0.00' });
      expect((await agent.pay('0.01')).body.details.limit).toMatchObject({ max: '50.00', used: '60.00', remaining: '0.00' });
      await update(budget, { amount: '60.01' });
      expect((await agent.pay('0.01')).status).toBe(201);
    });

    it('up to its parent and down to its largest child', async () => {
      const parent = await make({ amount: '500.00' });
      const child = await make({ parent_id: parent.id, amount: '300.00' });
      expect((await update(child, { amount: '500.00' })).status).toBe(200);
      expect((await update(child, { amount: '200.00' })).status).toBe(200);
      expect((await update(parent, { amount: '200.00' })).status).toBe(200);
    });

    it('one after the other: no two at once let a child outgrow its parent', async () => {
      for (let round = 0; round < 5; round += 1) {
        const parent = await make({ amount: '500.00' });
        const child = await make({ parent_id: parent.id, amount: '100.00' });
        const answers = await Promise.all([update(parent, { amount: '200.00' }), update(child, { amount: '400.00' })]);
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
        const [above, below] = await Promise.all([readBudget(harness.test, parent), readBudget(harness.test, child)]);
        expect(Number(below.amount)).toBeLessThanOrEqual(Number(above.amount));
      }
    });

    it('twenty at once: every change is a version of its own', async () => {
      const budget = await make();
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => update(budget, { amount: `${200 + n}.00` })));
      expect(new Set(answers.map(({ body }) => body.data.version)).size).toBe(20);
      const last = answers.find(({ body }) => body.data.version === 21)?.body.data;
      expect((await readBudget(harness.test, budget)).amount).toBe(last.amount);
    });

    it('also when it has expired', async () => {
      const end = new Date(harness.clock.now().getTime() + 1_000).toISOString();
      const budget = await make({ expires_at: end });
      harness.clock.set(end);
      expect((await update(budget, { name: 'Late' })).body.data).toMatchObject({ name: 'Late', remaining: '0.00' });
      expect((await update(budget, { expires_at: null })).body.data).toMatchObject({ remaining: '100.00' });
    });
  });

  describe('400', () => {
    it.each<[string, object, string]>([
      ['no name', { name: '' }, 'name'],
      ['zero', { amount: '0' }, 'amount'],
      ['more digits than the currency has', { amount: '1.001' }, 'amount'],
      ['an end that is not in the future', { expires_at: '2026-01-01' }, 'expires_at'],
      ['an alert beyond the whole', { alerts_at: [2] }, 'alerts_at.0'],
      ['an alert twice', { alerts_at: [0.5, 0.5] }, 'alerts_at.1'],
      ['its currency', { currency: 'EUR' }, 'currency'],
      ['its scope', { scope: { type: 'tenant' } }, 'scope'],
      ['its period', { period: 'week' }, 'period'],
      ['its time zone', { timezone: 'UTC' }, 'timezone'],
      ['its parent', { parent_id: nowhere }, 'parent_id'],
    ])('%s', async (_name, body, path) => {
      const budget = await make();
      expectInvalid(await update(budget, body), path);
      expect(await readBudget(harness.test, budget)).toEqual(budget);
    });

    it('more than its parent has, and less than its child', async () => {
      const parent = await make({ amount: '500.00' });
      const child = await make({ parent_id: parent.id, amount: '300.00', currency: 'USDC' });
      expectInvalid(await update(child, { amount: '500.000001' }), 'amount');
      expectInvalid(await update(parent, { amount: '299.99' }), 'amount');
      await harness.test.delete(`/v1/budgets/${child.id}`);
      expect((await update(parent, { amount: '299.99' })).status).toBe(200);
    });
  });
});
