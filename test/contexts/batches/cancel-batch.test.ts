// POST /v1/batches/{id}/cancel
import { describe, expect, it } from 'vitest';
import { spender } from '../../factories/budget.js';
import { balanceOf, eventsOf, twoWallets } from '../../factories/payment.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';
import { bare, bodies, carriedOut, readBatch, someBatch, taken, times } from './transfer-batch.js';

const harness = useHarness();
const cancel = ({ id }: Json, body: object = {}, as = harness.test.key) => harness.test.post(`/v1/batches/${id}/cancel`, body, { as });

describe('POST /v1/batches/{id}/cancel', () => {
  describe('200', () => {
    it('a batch that has not begun: nothing of it is carried out', async () => {
      const { from, to } = await twoWallets(harness.test);
      const batch = await taken(harness.test, bodies(from, to, times(2)));
      const { status, body } = await cancel(batch, { reason: 'wrong month' });
      const failure = { code: 'cancelled', message: 'wrong month' };
      expect(status).toBe(200);
      expect(body.data).toEqual({ ...batch, status: 'failed', failure, completed_at: harness.clock.now().toISOString() });
      await harness.runDue();
      const { batch: after, items } = await readBatch(harness.test, batch.id);
      expect(after).toEqual(body.data);
      expect(items).toEqual([0, 1].map((index) => ({ index, status: 'skipped' })));
      expect((await balanceOf(harness.test, to)).available).toBe('0.00');
      const data = { batch_id: batch.id, total_count: 2, success_count: 0, failed_count: 0, total_amount: '2.00', currency: 'USD' };
      expect(await eventsOf(harness, bare(batch))).toEqual([
        { type: 'batch.created', data: { ...data, status: 'pending' } },
        { type: 'batch.failed', data: { ...data, status: 'failed' } },
      ]);
    });

    it('by the agent that created it, with a reason of ours where it gives none', async () => {
      const agent = await spender(harness.test);
      const batch = await taken(harness.test, bodies(agent.from, agent.to, ['1.00']), {}, { as: agent.token });
      const { status, body } = await cancel(batch, {}, agent.token);
      expect(status).toBe(200);
      expect(body.data.failure).toEqual({ code: 'cancelled', message: expect.stringMatching(/^The batch/) });
    });
  });

  describe('400', () => {
    it('an empty reason, and one of 501 characters', async () => {
      for (const reason of ['', 'x'.repeat(501)]) expectInvalid(await cancel({ id: `bat_${nowhere}` }, { reason }), 'reason');
    });
  });

  describe('404', () => {
    it('for an agent that did not create it', async () => {
      const { token } = await enrol(harness.test);
      expectRefused(await cancel(await someBatch(harness.test), {}, token), 404, 'not_found');
    });
  });

  describe('409', () => {
    it('a batch that is completed or was cancelled', async () => {
      const { from, to } = await twoWallets(harness.test);
      const { batch: done } = await carriedOut(harness, bodies(from, to, ['1.00']));
      const gone = await someBatch(harness.test);
      await cancel(gone);
      for (const [batch, current_status] of [
        [done, 'completed'],
        [gone, 'failed'],
      ]) {
        expectRefused(await cancel(batch), 409, 'state_conflict', { current_status, allowed_from: ['pending'], terminal: true });
      }
    });

    it('a batch that has begun', async () => {
      const batch = await someBatch(harness.test);
      await harness.platform.database.unscoped.batch.updateMany({ where: { id: bare(batch) }, data: { status: 'processing' } });
      expectRefused(await cancel(batch), 409, 'state_conflict', { current_status: 'processing', allowed_from: ['pending'] });
    });
  });
});
