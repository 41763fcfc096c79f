// PATCH /v1/policies/{id}
import { describe, expect, it } from 'vitest';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { cap, newPolicy } from './policies.js';

const harness = useHarness();
const approval = { threshold: '50.00', currency: 'USD', timeout_seconds: 600 };
const change = (policy: Json, body: object) => harness.test.patch(`/v1/policies/${policy.id}`, body);

/** The versions of a policy as decisions find them. */
async function versionsOf({ id }: Json): Promise<Json[]> {
  const rows = await harness.platform.database.unscoped.policyVersion.findMany({
    where: { policyId: id.slice('pol_'.length) },
    orderBy: { version: 'asc' },
  });
  return rows.map(({ version, rules, approval }) => ({ version, rules, approval }));
}

describe('PATCH /v1/policies/{id}', () => {
  describe('200', () => {
    it('any of name, rules, approval and enabled, each a version; the rest stays', async () => {
      const policy = await newPolicy(harness.test);
      harness.clock.advance(60);
      const updated_at = harness.clock.now().toISOString();
      const renamed = await change(policy, { name: 'Renamed' });
      expect([renamed.status, renamed.body.data]).toEqual([200, { ...policy, name: 'Renamed', version: 2, updated_at }]);
      const rules = [{ kind: 'max_count', per: 'day', count: 2 }];
      expect((await change(policy, { rules })).body.data).toMatchObject({ version: 3, name: 'Renamed', rules });
      expect((await change(policy, { approval })).body.data).toMatchObject({ version: 4, rules, approval });
      expect((await change(policy, { enabled: false })).body.data).toMatchObject({ version: 5, enabled: false, approval });
      expect((await change(policy, { approval: null })).body.data).not.toHaveProperty('approval');
      expect((await harness.test.get(`/v1/policies/${policy.id}`)).body.data).toMatchObject({ version: 6, target: { type: 'tenant' } });
    });

    it('keeps what every version said', async () => {
      const policy = await newPolicy(harness.test);
      await change(policy, { approval });
      await change(policy, { rules: [], name: 'Approvals' });
      const rule = { ...cap, action: 'deny' };
      const stored = { threshold: '50.00', currency: 'USD', timeoutSeconds: 600 };
      expect(await versionsOf(policy)).toEqual([
        { version: 1, rules: [rule], approval: null },
        { version: 2, rules: [rule], approval: stored },
        { version: 3, rules: [], approval: stored },
      ]);
    });

    it('a change of nothing is none', async () => {
      const policy = await newPolicy(harness.test);
      harness.clock.advance(60);
      for (const body of [{}, { name: null, rules: null, enabled: null }]) expect((await change(policy, body)).body.data).toEqual(policy);
      expect(await versionsOf(policy)).toHaveLength(1);
    });

    it('changes at once follow each other', async () => {
      const policy = await newPolicy(harness.test);
      const names = Array.from({ length: 8 }, (_, index) => `Name ${index}`);
      const answers = await Promise.all(names.map((name) => change(policy, { name })));
      expect(answers.map(({ body }) => body.data.version).sort()).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
      expect((await versionsOf(policy)).map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    });
  });

  describe('400', () => {
    const day = { kind: 'max_count', per: 'day', count: 1 };
    const velocity = { kind: 'velocity', count: 1, seconds: 60 };
    const cases: [string, object, ...string[]][] = [
      ['another target', { target: { type: 'tenant' } }, 'target'],
      ['no rules where there is no approval', { rules: [] }, 'rules'],
      ['two caps of one period and currency', { rules: [cap, { ...cap, amount: '1.00' }] }, 'rules.1'],
      ['two numbers of one period', { rules: [day, day] }, 'rules.1'],
      ['two velocities of as many seconds', { rules: [velocity, velocity] }, 'rules.1'],
      ['a number of spends per spend', { rules: [{ ...day, per: 'tx' }] }, 'rules.0.per'],
      ['a negative amount', { rules: [{ ...cap, amount: '-1.00' }] }, 'rules.0.amount'],
      ['an amount of zero', { rules: [{ ...cap, amount: '0' }] }, 'rules.0.amount'],
      ['a member of another kind', { rules: [{ ...day, seconds: 1 }] }, 'rules.0.seconds'],
      ['a misspelt member of a rule', { rules: [{ ...cap, amuont: '1.00' }] }, 'rules.0.amuont'],
      ['a merchant allowed and blocked', { rules: [{ kind: 'merchants', allow: [nowhere], block: [nowhere] }] }, 'rules.0.block.0'],
      [
        'a counterparty allowed and blocked',
        { rules: [{ kind: 'counterparties', allow: [nowhere], block: [nowhere] }] },
        'rules.0.block.0',
      ],
      ['a category allowed and blocked', { rules: [{ kind: 'categories', allow: ['a'], block: ['a'] }] }, 'rules.0.block.0'],
      ['hours that end as they begin', { rules: [{ kind: 'hours', from: '09:00', to: '09:00' }] }, 'rules.0.to'],
      ['an unknown time zone', { rules: [{ kind: 'hours', from: '09:00', to: '10:00', timezone: 'Mars/Olympus' }] }, 'rules.0.timezone'],
      ['51 rules', { rules: Array.from({ length: 51 }, (_, index) => ({ kind: 'velocity', count: 1, seconds: index + 1 })) }, 'rules'],
      ['a negative threshold', { approval: { ...approval, threshold: '-1' } }, 'approval.threshold'],
      ['an empty name', { name: '' }, 'name'],
      ['a misspelt member', { enable: true }, 'enable'],
    ];
    for (const [name, body, ...paths] of cases) {
      it(name, async () => {
        const policy = await newPolicy(harness.test);
        expectInvalid(await change(policy, body), ...paths);
        expect((await harness.test.get(`/v1/policies/${policy.id}`)).body.data).toEqual(policy);
      });
    }

    it('the approval of a policy that has no rules is not taken away', async () => {
      const policy = await newPolicy(harness.test, { rules: [], approval });
      expectInvalid(await change(policy, { approval: null }), 'rules');
      expect((await change(policy, { approval: null, rules: [cap] })).status).toBe(200);
    });
  });

  describe('404', () => {
    it('a deleted one, and a merchant of nobody in a rule', async () => {
      const policy = await newPolicy(harness.test);
      const rules = [{ kind: 'merchants', block: [nowhere] }];
      expectRefused(await change(policy, { rules }), 404, 'not_found', { fields: [{ path: 'rules.0.block.0' }] });
      await harness.test.delete(`/v1/policies/${policy.id}`);
      expectRefused(await change(policy, { name: 'Late' }), 404, 'not_found');
    });
  });
});
