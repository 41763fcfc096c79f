// PUT /v1/config: what it refuses of others' scopes, of plans, and together.
import { describe, expect, it } from 'vitest';
import { type Json, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';
import { issueKey } from '../identity/sign-in.js';
import { perDay } from './company.js';

const harness = useHarness();
const apply = (config: unknown, more: object = {}, options: object = {}) => harness.test.put('/v1/config', { config, ...more }, options);
const diff = async (config: unknown, more: object = {}): Promise<Json> =>
  (await harness.test.post('/v1/config/diff', { config, ...more })).body.data;
const exported = async (): Promise<Json> => (await harness.test.get('/v1/config')).body.data;
const tenantPolicy = (name: string, amount: string) => ({ name, target: { type: 'tenant' }, rules: [perDay(amount)] });

describe('400', () => {
  it('refuses more changes than one request has the time for', async () => {
    const budgets = Array.from({ length: 501 }, (_, index) => ({
      name: `B${index}`,
      scope: { type: 'tenant' },
      amount: '5',
      currency: 'USD',
      period: 'month',
    }));
    const answer = await apply({ budgets });
    expectInvalid(answer, 'config');
    expect(answer.body.details.fields[0].message).toContain('501 things');
    expect((await diff({ budgets })).changes).toHaveLength(501);
  });
});

describe('403', () => {
  it('needs the scope of each thing beside config:write: all or nothing', async () => {
    const { key } = await issueKey(harness.test, { scopes: ['config:write', 'webhooks:write', 'policies:read'] });
    const before = await exported();
    const webhooks = [{ name: 'allowed', url: 'https://hooks.example.com/allowed', events: ['*'] }];
    const answer = await apply({ webhooks, policies: [tenantPolicy('Escalated', '1000000')] }, {}, { as: key });
    expectRefused(answer, 403, 'insufficient_scope', { required_scope: 'policies:write', config: { kind: 'policies', name: 'Escalated' } });
    expect(await exported()).toEqual(before);
    expect((await apply({ webhooks }, {}, { as: key })).status).toBe(200);
  });

  it('needs config:write, and is nothing for agents', async () => {
    const { key } = await issueKey(harness.test, { scopes: ['policies:write', 'config:read'] });
    expectRefused(await apply({ policies: [] }, {}, { as: key }), 403, 'insufficient_scope', { required_scope: 'config:write' });
    const { token } = await enrol(harness.test, {});
    expectRefused(await apply({}, {}, { as: token }), 403, 'forbidden');
  });
});

describe('409', () => {
  it('refuses a plan that does not hold any more', async () => {
    const config = { policies: [tenantPolicy('Planned', '10')] };
    const { plan } = await diff(config);
    await harness.test.make('/v1/policies', tenantPolicy('Between', '11'));
    expectRefused(await apply(config, { plan }), 409, 'state_conflict', { reason: 'plan_changed' });
    const { plan: now } = await diff(config);
    expectRefused(await apply({ policies: [tenantPolicy('Planned', '12')] }, { plan: now }), 409, 'state_conflict');
    expect((await apply(config, { plan: now })).status).toBe(200);
  });

  it('lets one of two applies of a plan through', async () => {
    const config = { policies: [tenantPolicy('Raced', '10')] };
    const { plan } = await diff(config);
    const answers = await Promise.all([1, 2, 3].map(() => apply(config, { plan })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await exported()).config.policies.filter(({ name }: Json) => name.startsWith('Raced'))).toHaveLength(1);
  });

  it('takes everything back where the last change is refused', async () => {
    const before = await exported();
    const webhooks = Array.from({ length: 17 }, (_, index) => ({ name: `w${index}`, url: `https://w${index}.example.com`, events: ['*'] }));
    const answer = await apply({ policies: [tenantPolicy('Lost', '10')], webhooks });
    expectRefused(answer, 409, 'state_conflict', { config: { kind: 'webhooks', name: expect.any(String) } });
    expect(await exported()).toEqual(before);
  });
});
