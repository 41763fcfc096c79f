// DELETE /v1/policies/{id}
import { describe, expect, it } from 'vitest';
import { useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { boundWallet, newPolicy } from './policies.js';

const harness = useHarness();

describe('DELETE /v1/policies/{id}', () => {
  describe('200', () => {
    it('ends the policy: it binds nothing any more, at once', async () => {
      const { policy, pay } = await boundWallet(harness.test, [{ kind: 'protocols', allow: ['x402'] }]);
      expect((await pay('1.00')).status).toBe(403);
      const { status, body } = await harness.test.delete(`/v1/policies/${policy.id}`);
      expect([status, body]).toEqual([200, { data: { id: policy.id, deleted: true } }]);
      expect((await pay('1.00')).status).toBe(201);
    });

    it('once for one Idempotency-Key', async () => {
      const { id } = await newPolicy(harness.test);
      const ask = () => harness.test.delete(`/v1/policies/${id}`, { headers: { 'Idempotency-Key': 'delete' } });
      const [first, again] = [await ask(), await ask()];
      expect([again.status, again.body]).toEqual([200, first.body]);
    });

    it('keeps what the policy said for decisions', async () => {
      const { id } = await newPolicy(harness.test);
      await harness.test.delete(`/v1/policies/${id}`);
      const versions = { where: { policyId: id.slice('pol_'.length) } };
      expect(await harness.platform.database.unscoped.policyVersion.count(versions)).toBe(1);
    });
  });

  describe('404', () => {
    it('a second time', async () => {
      const { id } = await newPolicy(harness.test);
      await harness.test.delete(`/v1/policies/${id}`);
      expectRefused(await harness.test.delete(`/v1/policies/${id}`), 404, 'not_found');
    });
  });
});
