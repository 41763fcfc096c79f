// GET /v1/batches/{id}
import { describe, expect, it } from 'vitest';
import { spender } from '../../factories/budget.js';
import { twoWallets } from '../../factories/payment.js';
import { useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';
import { bare, bodies, someBatch, taken } from './transfer-batch.js';

const harness = useHarness();

describe('GET /v1/batches/{id}', () => {
  describe('200', () => {
    it('as it was created, by either form of its id', async () => {
      const batch = await someBatch(harness.test);
      for (const id of [batch.id, bare(batch)]) {
        const { status, body } = await harness.test.get(`/v1/batches/${id}`);
        expect(status).toBe(200);
        expect(body.data).toEqual(batch);
      }
    });

    it('several currencies: in US dollars, by the rates of the day, and each by itself', async () => {
      await harness.test.put('/v1/rates', { rates: [{ from: 'EUR', to: 'USD', rate: '1.10' }] });
      const dollars = await twoWallets(harness.test);
      const euros = await twoWallets(harness.test, { currency: 'EUR' });
      const yen = await twoWallets(harness.test, { currency: 'JPY', funded: '100' });
      await harness.test.put('/v1/rates', { rates: [{ from: 'JPY', to: 'USD', rate: '0.0067' }] });
      const batch = await taken(harness.test, [
        ...bodies(dollars.from, dollars.to, ['1.00']),
        ...bodies(euros.from, euros.to, ['1.01', '1.00']),
        ...bodies(yen.from, yen.to, ['7']),
      ]);
      // 1.00 + 2.01 * 1.10 = 2.211, up + 7 * 0.0067 = 0.0469, up
      expect(batch).toMatchObject({
        total_amount: '3.27',
        currency: null,
        totals: [
          { currency: 'EUR', amount: '2.01' },
          { currency: 'JPY', amount: '7' },
          { currency: 'USD', amount: '1.00' },
        ],
      });
      const [created] = await harness.platform.database.unscoped.event.findMany({
        where: { objectId: bare(batch) },
        orderBy: { id: 'asc' },
      });
      expect(created?.data).toMatchObject({ total_amount: '3.27', currency: 'USD' });
    });

    it('to the agent that created it', async () => {
      const agent = await spender(harness.test);
      const batch = await taken(harness.test, bodies(agent.from, agent.to, ['1.00']), {}, { as: agent.token });
      expect((await harness.test.get(`/v1/batches/${batch.id}`, { as: agent.token })).body.data).toEqual(batch);
    });
  });

  describe('404', () => {
    it('for an agent that did not create it, though it pays in it', async () => {
      const agent = await spender(harness.test);
      const batch = await taken(harness.test, bodies(agent.from, agent.to, ['1.00'], { agent_id: agent.id }));
      expectRefused(await harness.test.get(`/v1/batches/${batch.id}`, { as: agent.token }), 404, 'not_found');
      const { token } = await enrol(harness.test);
      expectRefused(await harness.test.get(`/v1/batches/${batch.id}`, { as: token }), 404, 'not_found');
    });
  });
});
