// GET /v1/refunds, GET /v1/refunds/{id}, POST /v1/refunds/{id}/cancel
import { describe, expect, it } from 'vitest';
import { idsOf } from '../../factories/payment.js';
import { payment, refundBody } from '../../factories/refund.js';
import { useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();

async function refunded(amount?: string) {
  const { transfer } = await payment(harness.test);
  return { transfer, refund: await harness.test.make('/v1/refunds', refundBody(transfer, amount === undefined ? {} : { amount })) };
}

describe('GET /v1/refunds/{id}', () => {
  it('200', async () => {
    const { refund } = await refunded();
    expect((await harness.test.get(`/v1/refunds/${refund.id}`)).body).toEqual({ data: refund });
    expect((await harness.test.get(`/v1/refunds/rf_${refund.id}`)).body).toEqual({ data: refund });
  });

  describe('404', () => {
    it('for an agent on neither side', async () => {
      const { refund } = await refunded();
      const { token } = await enrol(harness.test);
      expectRefused(await harness.test.get(`/v1/refunds/${refund.id}`, { as: token }), 404, 'not_found');
    });
  });
});

describe('GET /v1/refunds', () => {
  describe('200', () => {
    it('newest first, by status and by transfer', async () => {
      const [one, other] = [await refunded('1.00'), await refunded('2.00')];
      const again = await harness.test.make('/v1/refunds', refundBody(one.transfer, { amount: '3.00' }));
      const list = async (query: string) => idsOf(await harness.test.get(`/v1/refunds?${query}`));
      expect((await list('limit=3')).slice(0, 3)).toEqual([again.id, other.refund.id, one.refund.id]);
      expect(await list(`original_transfer_id=${one.transfer.id}`)).toEqual([again.id, one.refund.id]);
      expect(await list(`original_transfer_id=${one.transfer.id}&status=pending`)).toEqual([]);
    });
  });

  it('400 for a status that is none', async () => {
    expectInvalid(await harness.test.get('/v1/refunds?status=lost'), 'status');
  });
});

describe('POST /v1/refunds/{id}/cancel', () => {
  it('200 for one that waits to leave the platform', async () => {
    const { refund } = await refunded();
    const { unscoped } = harness.platform.database;
    await unscoped.refund.updateMany({ where: { id: refund.id }, data: { status: 'pending' } });
    const { status, body } = await harness.test.post(`/v1/refunds/${refund.id}/cancel`);
    expect([status, body.data.status]).toEqual([200, 'cancelled']);
  });

  it('409 for one that is completed', async () => {
    const { refund } = await refunded();
    const details = { current_status: 'completed', allowed_from: ['pending'], terminal: true };
    expectRefused(await harness.test.post(`/v1/refunds/${refund.id}/cancel`), 409, 'state_conflict', details);
  });
});
