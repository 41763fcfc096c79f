// POST /v1/ap2/mandates/{id}/revoke and DELETE /v1/ap2/mandates/{id}
import { describe, expect, it } from 'vitest';
import { newHolder, readMandate } from '../../factories/mandate.js';
import { balanceOf, eventsOf } from '../../factories/payment.js';
import { useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();
const pathOf = (id: string) => `/v1/ap2/mandates/${id}/revoke`;

describe('POST /v1/ap2/mandates/{id}/revoke', () => {
  describe('200', () => {
    it('is revoked, tells it, and pays nothing any more', async () => {
      const holder = await newHolder(harness.test);
      const { id } = holder.mandate;
      const { status, body } = await harness.test.post(pathOf(id), { reason: 'lost' });
      expect([status, body.data]).toMatchObject([
        200,
        { status: 'revoked', revoked_at: harness.clock.now().toISOString(), revoked_reason: 'lost' },
      ]);
      expectRefused(await holder.spend('1.00'), 409, 'mandate_revoked');
      const [, told] = await eventsOf(harness, id.slice('ap2_mnd_'.length));
      expect(told).toEqual({
        type: 'ap2.mandate.revoked',
        data: {
          mandate_id: id,
          account_id: `acc_${holder.account.id}`,
          agent_id: holder.id,
          status: 'revoked',
          reason: 'lost',
          revoked_by: expect.stringMatching(/^key_/),
          revoked_at: harness.clock.now().toISOString(),
        },
      });
    });

    it('by DELETE', async () => {
      const { mandate } = await newHolder(harness.test);
      const { status, body } = await harness.test.delete(`/v1/ap2/mandates/${mandate.id}`);
      expect([status, body.data]).toMatchObject([200, { id: mandate.id, status: 'revoked' }]);
    });

    it('in the middle of many executions: none is carried out after its answer', async () => {
      const holder = await newHolder(harness.test, { max_per_day: '1000.00' });
      const answers: number[] = [];
      let answeredAt = Number.POSITIVE_INFINITY;
      const spend = async () => {
        const sentAt = performance.now();
        const { status } = await holder.spend('1.00');
        if (sentAt > answeredAt) expect(status).toBe(409);
        answers.push(status);
      };
      const running = Array.from({ length: 60 }, spend);
      await harness.test.make(pathOf(holder.mandate.id), {});
      answeredAt = performance.now();
      const paidThen = await balanceOf(harness.test, { id: holder.merchant.settlement_wallet_id });
      await Promise.all([...running, ...Array.from({ length: 5 }, spend)]);
      const paid = answers.filter((status) => status === 201).length;
      expect(new Set(answers)).toEqual(new Set(paid === 0 ? [409] : [201, 409]));
      expect(paidThen.available).toBe(`${paid}.00`);
      expect((await readMandate(harness.test, holder.mandate)).usage.executions).toBe(paid);
    });

    it('money that is held already may still be captured', async () => {
      const holder = await newHolder(harness.test);
      const { body } = await holder.spend('10.00', { capture: 'manual' });
      await harness.test.make(pathOf(holder.mandate.id), {});
      const captured = await harness.test.make(`/v1/transfers/${body.data.transfer_id}/capture`, {});
      expect(captured.status).toBe('completed');
    });
  });

  it('409 for one that has ended', async () => {
    const { mandate } = await newHolder(harness.test);
    await harness.test.make(pathOf(mandate.id), {});
    expectRefused(await harness.test.post(pathOf(mandate.id), {}), 409, 'state_conflict', { current_status: 'revoked' });
  });
});
