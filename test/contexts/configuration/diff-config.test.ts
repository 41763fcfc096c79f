// POST /v1/config/diff
import { describe, expect, it } from 'vitest';
import { type Json, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';
import { issueKey } from '../identity/sign-in.js';
import { foundCompany, perDay, wholeConfig } from './company.js';

const harness = useHarness();
const ask = (config: unknown, more: object = {}, options: object = {}) =>
  harness.test.post('/v1/config/diff', { config, ...more }, options);
const diff = async (config: unknown, more: object = {}): Promise<Json> => (await ask(config, more)).body.data;
const policy = (name: string, amount: string) => ({ name, target: { type: 'tenant' }, rules: [perDay(amount)] });

describe('200', () => {
  it('shows what would be made, with a plan, and makes nothing', async () => {
    await foundCompany(harness.test);
    const { plan, revision, changes, unresolved, warnings } = await diff(wholeConfig);
    expect(plan).toMatch(/^[0-9a-f]{32}$/);
    expect({ unresolved, warnings }).toEqual({ unresolved: [], warnings: [] });
    expect(changes).toHaveLength(12);
    expect(changes.find(({ kind }: Json) => kind === 'policies')).toEqual({
      op: 'create',
      kind: 'policies',
      name: 'Careful',
      fields: [
        { path: 'target', from: null, to: { type: 'agent', id: { agent: 'researcher' } } },
        { path: 'rules', from: null, to: [perDay('100.00'), { kind: 'merchants', allow: [{ merchant: 'Bookshop' }] }] },
        { path: 'approval', from: null, to: { threshold: '20.00', currency: 'USD' } },
      ],
    });
    expect(await diff(wholeConfig)).toEqual({ plan, revision, changes, unresolved, warnings });
    expect((await harness.test.put('/v1/config', { config: wholeConfig, plan })).body.data.changes).toEqual(changes);
    expect((await diff(wholeConfig)).changes).toEqual([]);
  });

  it('shows each setting that changes, down to the members of its rules', async () => {
    const [careful] = wholeConfig.policies as Json[];
    const rules = [perDay('150.00'), { kind: 'merchants', block: [{ merchant: 'Bookshop' }] }];
    const { changes } = await diff({ policies: [{ ...careful, rules }] });
    expect(changes).toEqual([
      {
        op: 'update',
        kind: 'policies',
        name: 'Careful',
        fields: expect.arrayContaining([
          { path: 'rules[0].amount', from: '100.00', to: '150.00' },
          { path: 'rules[1].allow', from: [{ merchant: 'Bookshop' }], to: null },
          { path: 'rules[1].block', from: null, to: [{ merchant: 'Bookshop' }] },
        ]),
      },
    ]);
  });

  it('takes free JSON as it is, though it looks like a reference', async () => {
    const [endpoint] = wholeConfig.x402_endpoints as Json[];
    const metadata = { agent: 'nobody', owner: { account: 'nobody' }, none: null };
    const config = { x402_endpoints: [{ ...endpoint, name: 'Free', path: '/free', metadata }] };
    expect((await harness.test.put('/v1/config', { config })).body.data.changes).toHaveLength(1);
    const { data } = (await harness.test.get('/v1/config')).body;
    expect(data.config.x402_endpoints.find(({ name }: Json) => name === 'Free').metadata).toEqual(metadata);
    expect((await diff(config)).changes).toEqual([]);
  });

  it('lists references that name nothing here', async () => {
    const config = { policies: [{ ...policy('A', '1'), target: { type: 'agent', id: { agent: 'nobody' } } }] };
    const { unresolved } = await diff(config);
    expect(unresolved).toEqual([{ kind: 'policies', name: 'A', path: 'config.policies.0.target.id', ref: { agent: 'nobody' }, found: 0 }]);
  });

  it('warns of what no file names, of what was changed by hand, and of what another source applied', async () => {
    await harness.test.make('/v1/policies', policy('By hand', '5'));
    await harness.test.put('/v1/config', { config: { policies: [policy('Theirs', '6')] }, source: 'theirs' });
    const [budget] = (await harness.test.get('/v1/budgets')).body.data;
    await harness.test.patch(`/v1/budgets/${budget.id}`, { amount: '77' });
    const { warnings } = await diff({ policies: [policy('Theirs', '6')] }, { source: 'ours' });
    expect(warnings).toEqual([
      { kind: 'budgets', name: budget.name, message: 'was changed by hand since default applied it' },
      { kind: 'policies', name: 'By hand', message: 'no file names it: it was made by hand' },
      { kind: 'policies', name: 'Theirs', message: 'is managed by theirs, and will be managed by ours' },
    ]);
    // A change by hand is undone by the next apply.
    const { changes } = await diff(wholeConfig);
    expect(changes).toMatchObject([{ op: 'update', kind: 'budgets', fields: [{ path: 'amount', from: '77.00' }] }]);
  });

  it('sees a thing that was deleted by hand and made again as another one', async () => {
    const config = { policies: [policy('Again', '9')] };
    await harness.test.put('/v1/config', { config });
    const { data } = (await harness.test.get('/v1/policies')).body;
    const { id } = data.find(({ name }: Json) => name === 'Again');
    await harness.test.delete(`/v1/policies/${id}`);
    const { managed } = (await harness.test.get('/v1/config')).body.data;
    expect(managed.map(({ name }: Json) => name)).not.toContain('Again');
    expect((await diff(config)).changes).toMatchObject([{ op: 'create', name: 'Again' }]);
    await harness.test.make('/v1/policies', policy('Again', '8'));
    expect((await diff(config)).changes).toMatchObject([
      { op: 'update', fields: [{ path: 'rules[0].amount', from: '8.00', to: '9' }, expect.anything()] },
    ]);
  });
});

describe('400', () => {
  it('refuses what an apply refuses at the edge', async () => {
    expectInvalid(await ask({ policies: [{ ...policy('A', '1'), rules: [], enabled: 'yes' }] }), 'config.policies.0.enabled');
    expectInvalid(await ask({ rates: [{ name: 'a', from: 'USD', to: 'XXX', rate: '1' }] }), 'config.rates.0.to');
    expectInvalid(await ask({}, { source: 'a b' }), 'source');
    expectInvalid(await harness.test.post('/v1/config/diff', {}), 'config');
    const many = Array.from({ length: 2_001 }, (_, index) => ({ name: `p${index}` }));
    expectInvalid(await ask({ policies: many }), 'config');
  });
});

describe('403', () => {
  it('needs config:read, and to read what the document names', async () => {
    const { key } = await issueKey(harness.test, { scopes: ['config:read', 'webhooks:read'] });
    expect((await ask({ webhooks: wholeConfig.webhooks }, {}, { as: key })).status).toBe(200);
    expectRefused(await ask(wholeConfig, {}, { as: key }), 403, 'insufficient_scope', { required_scope: 'policies:read' });
    const { key: other } = await issueKey(harness.test, { scopes: ['policies:write'] });
    expectRefused(await ask({}, {}, { as: other }), 403, 'insufficient_scope', { required_scope: 'config:read' });
    const { token } = await enrol(harness.test, {});
    expectRefused(await ask({}, {}, { as: token }), 403, 'forbidden');
  });
});
