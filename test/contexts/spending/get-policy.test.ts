// GET /v1/policies/{id}
import { describe, expect, it } from 'vitest';
import { useHarness } from '../../harness.js';
import { newPolicy } from './policies.js';

const harness = useHarness();

describe('GET /v1/policies/{id}', () => {
  it('200: the policy, by either form of its id, also for a JWT session', async () => {
    const policy = await newPolicy(harness.test, { approval: { threshold: '50.00', currency: 'USD' } });
    const session = await harness.test.make('/v1/auth/session', { api_key: harness.test.key }, { as: null });
    for (const id of [policy.id, policy.id.slice('pol_'.length)]) {
      const { status, body } = await harness.test.get(`/v1/policies/${id}`, { as: session.token });
      expect([status, body]).toEqual([200, { data: policy }]);
    }
  });

  it('200 in GraphQL: members of other kinds are null', async () => {
    const { id } = await newPolicy(harness.test, { rules: [{ kind: 'protocols', allow: ['x402'] }] });
    const query =
      'query ($id: PolicyId!) { policy(id: $id) { version target { type id } rules { kind action per amount allow days } approval { threshold } } }';
    const { body } = await harness.test.graphql(query, { id });
    expect(body.data.policy).toEqual({
      version: 1,
      target: { type: 'tenant', id: null },
      rules: [{ kind: 'protocols', action: 'deny', per: null, amount: null, allow: ['x402'], days: null }],
      approval: null,
    });
  });

  describe('404', () => {
    it('a deleted one', async () => {
      const { id } = await newPolicy(harness.test);
      await harness.test.delete(`/v1/policies/${id}`);
      expect((await harness.test.get(`/v1/policies/${id}`)).status).toBe(404);
    });
  });
});
