// GET /v1/batches/{id}/items
import { describe, expect, it } from 'vitest';
import { spender } from '../../factories/budget.js';
import { twoWallets } from '../../factories/payment.js';
import { nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';
import { bodies, carriedOut, taken, times } from './transfer-batch.js';

const harness = useHarness();
const itemsOf = async (id: string, query = '') => (await harness.test.get(`/v1/batches/${id}/items?${query}`)).body.data;

describe('GET /v1/batches/{id}/items', () => {
  describe('200', () => {
    it('all of them, before it begins and afterwards', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '500.00' });
      const { id } = await taken(harness.test, bodies(from, to, times(210)));
      expect(await itemsOf(id)).toEqual(times(210).map((_, index) => ({ index, status: 'pending' })));
      await harness.runDue();
      expect(await itemsOf(id)).toEqual(times(210).map((_, index) => ({ index, status: 'succeeded', transfer_id: expect.any(String) })));
    });

    it('by status', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '1.00' });
      const { batch, items } = await carriedOut(harness, bodies(from, to, ['0.50', '2.00', '0.50']));
      expect(await itemsOf(batch.id, 'status=succeeded')).toEqual([items[0], items[2]]);
      expect(await itemsOf(batch.id, 'status=failed')).toEqual([items[1]]);
      expect(await itemsOf(batch.id, 'status=pending')).toEqual([]);
      expect(await itemsOf(batch.id, 'status=skipped')).toEqual([]);
    });
  });

  describe('400', () => {
    it('an unknown status', async () => expectInvalid(await harness.test.get(`/v1/batches/bat_${nowhere}/items?status=done`), 'status'));
  });

  describe('404', () => {
    it('for an agent that did not create it', async () => {
      const agent = await spender(harness.test);
      const { id } = await taken(harness.test, bodies(agent.from, agent.to, ['1.00']), {}, { as: agent.token });
      const { token } = await enrol(harness.test);
      expectRefused(await harness.test.get(`/v1/batches/${id}/items`, { as: token }), 404, 'not_found');
      expect((await harness.test.get(`/v1/batches/${id}/items`, { as: agent.token })).status).toBe(200);
    });
  });
});
