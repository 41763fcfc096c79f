// GET /v1/disputes and GET /v1/disputes/{id}
import { describe, expect, it } from 'vitest';
import { idsOf } from '../../factories/payment.js';
import { dispute } from '../../factories/refund.js';
import { useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();

describe('GET /v1/disputes/{id}', () => {
  it('200', async () => {
    const { dispute: open } = await dispute(harness.test);
    expect((await harness.test.get(`/v1/disputes/${open.id}`)).body).toEqual({ data: open });
  });

  describe('404', () => {
    it('for an agent on neither side', async () => {
      const { dispute: open } = await dispute(harness.test);
      const { token } = await enrol(harness.test);
      expectRefused(await harness.test.get(`/v1/disputes/${open.id}`, { as: token }), 404, 'not_found');
    });
  });
});

describe('GET /v1/disputes', () => {
  it('200: newest first, by status and by transfer', async () => {
    const [one, other] = [await dispute(harness.test), await dispute(harness.test)];
    await harness.test.make(`/v1/disputes/${one.dispute.id}/escalate`, {});
    const list = async (query: string) => idsOf(await harness.test.get(`/v1/disputes?${query}`));
    expect((await list('limit=2')).slice(0, 2)).toEqual([other.dispute.id, one.dispute.id]);
    expect(await list(`transfer_id=${one.transfer.id}`)).toEqual([one.dispute.id]);
    expect(await list(`transfer_id=${one.transfer.id}&status=open`)).toEqual([]);
  });

  it('400 for a status that is none', async () => {
    expectInvalid(await harness.test.get('/v1/disputes?status=lost'), 'status');
  });
});
