// PUT /v1/config
import { describe, expect, it } from 'vitest';
import { transferBody, twoWallets } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';
import { foundCompany, perDay, researcher, wholeConfig } from './company.js';

const harness = useHarness();
const apply = (config: unknown, more: object = {}, options: object = {}) => harness.test.put('/v1/config', { config, ...more }, options);
const exported = async (): Promise<Json> => (await harness.test.get('/v1/config')).body.data;
const named = (changes: Json[]) => changes.map(({ op, kind, name }) => `${op} ${kind} ${name}`);
const auditLines = async (): Promise<Json[]> => (await harness.test.get('/v1/audit-log?limit=100')).body.data;
const tenantPolicy = (name: string, amount: string) => ({ name, target: { type: 'tenant' }, rules: [perDay(amount)] });

describe('200', () => {
  it('makes what a document names, in the order in which it builds on each other', async () => {
    await foundCompany(harness.test);
    const before = await auditLines();
    const answer = await apply(wholeConfig, { source: 'infra' });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(named(answer.body.data.changes)).toEqual([
      'update kya_limits kya_limits',
      'update breakers breakers',
      'update approval_notices approval_notices',
      'update settlement.config settlement.config',
      'create rates USD/BRL',
      'create budgets All',
      'create budgets Search',
      'create policies Careful',
      'create settlement.windows Nightly',
      'create settlement.rules Sweep',
      'create webhooks erp',
      'create x402_endpoints Search API',
    ]);
    const secret = answer.body.data.made.find(({ kind }: Json) => kind === 'webhooks').secret;
    expect(secret).toMatch(/^whsec_/);
    // A line for each change, by whoever asked, and one for the whole.
    const lines = (await auditLines()).slice(0, -before.length);
    expect(lines.map(({ action }) => action).sort()).toEqual(
      [
        'applyConfig',
        'createBudget',
        'createBudget',
        'createPolicy',
        'createSettlementRule',
        'createSettlementWindow',
        'createWebhook',
        'createX402Endpoint',
        'setApprovalNotices',
        'setBreakers',
        'setKyaLimits',
        'setRates',
        'updateSettlementConfig',
      ].sort(),
    );
    expect(new Set(lines.map(({ request_id }) => request_id)).size).toBe(1);
    expect(JSON.stringify(lines)).not.toContain(secret);
  });

  it('changes nothing when it is applied again, and leaves no line in the audit log', async () => {
    const { revision, managed } = await exported();
    const before = (await harness.test.get('/v1/audit-log')).body.pagination.total;
    const policies = (await harness.test.get('/v1/policies')).body.data;
    const again = await apply(wholeConfig, { source: 'infra' });
    expect(again.body.data).toEqual({ revision, changes: [], made: [] });
    expect((await harness.test.get('/v1/audit-log')).body.pagination.total).toBe(before);
    expect((await harness.test.get('/v1/policies')).body.data).toEqual(policies);
    expect((await exported()).managed).toEqual(managed);
    expect(managed).toContainEqual({ kind: 'budgets', name: 'Search', managed_by: 'infra', applied_at: expect.any(String) });
  });

  it('binds at once, and a budget that is changed keeps what was used of it', async () => {
    const { from, to } = await twoWallets(harness.test);
    const pay = (amount: string) => harness.test.post('/v1/transfers', transferBody(from, to, amount));
    const account = { name: 'Spent', scope: { type: 'tenant' }, amount: '60.00', currency: 'USD', period: 'month' };
    await apply({ budgets: [account] });
    expect((await pay('25.00')).status).toBe(201);
    expect((await apply({ budgets: [{ ...account, amount: '30' }] })).body.data.changes[0].fields).toEqual([
      { path: 'amount', from: '60.00', to: '30' },
    ]);
    const [budget] = (await harness.test.get('/v1/budgets')).body.data.filter(({ name }: Json) => name === 'Spent');
    expect(budget).toMatchObject({ amount: '30.00', spent: '25.00', remaining: '5.00' });
    expectRefused(await pay('5.01'), 403, 'budget_exceeded');
    await apply({ budgets: [{ ...account, amount: '1000.00' }] });
  });

  it('clears what may be empty and is left out, and leaves the rest', async () => {
    const [careful] = wholeConfig.policies as Json[];
    const { approval: _, ...without } = careful;
    const { changes } = (await apply({ policies: [without] }, { source: 'infra' })).body.data;
    expect(changes).toEqual([
      {
        op: 'update',
        kind: 'policies',
        name: 'Careful',
        fields: [{ path: 'approval', from: expect.objectContaining({ threshold: '20.00' }), to: null }],
      },
    ]);
    expect((await exported()).config.policies[0]).not.toHaveProperty('approval');
    expect((await exported()).config.budgets).toHaveLength(3);
  });

  it('undoes a change by hand, and only that', async () => {
    const [search] = (await harness.test.get('/v1/budgets?limit=100')).body.data.filter(({ name }: Json) => name === 'Search');
    await harness.test.patch(`/v1/budgets/${search.id}`, { amount: '51.00', alerts_at: [0.9] });
    const { changes } = (await apply(wholeConfig, { source: 'infra' })).body.data;
    expect(changes.filter(({ kind }: Json) => kind === 'budgets')).toEqual([
      { op: 'update', kind: 'budgets', name: 'Search', fields: [{ path: 'amount', from: '51.00', to: '50.00' }] },
    ]);
    await apply({ policies: [{ ...(wholeConfig.policies[0] as Json), approval: undefined }] }, { source: 'infra' });
  });

  it('finds a thing that was renamed by hand, and names it again', async () => {
    const [policy] = (await harness.test.get('/v1/policies')).body.data;
    await harness.test.patch(`/v1/policies/${policy.id}`, { name: 'Careless' });
    const [careful] = (await exported()).config.policies;
    const { changes, made } = (await apply({ policies: [{ ...careful, name: 'Careful' }] }, { source: 'infra' })).body.data;
    expect(changes[0]).toMatchObject({ op: 'update', name: 'Careful', fields: [{ path: 'name', from: 'Careless', to: 'Careful' }] });
    expect(made).toEqual([]);
    expect((await harness.test.get(`/v1/policies/${policy.id}`)).body.data.name).toBe('Careful');
  });

  it('deletes with `prune` what the source made and no longer names, and nothing else', async () => {
    await apply({ policies: [tenantPolicy('Of ours', '900'), tenantPolicy('Another of ours', '901')] }, { source: 'ours' });
    await apply({ policies: [tenantPolicy('Of theirs', '902')] }, { source: 'theirs' });
    await harness.test.make('/v1/policies', tenantPolicy('By hand', '903'));
    const { changes } = (await apply({ policies: [tenantPolicy('Of ours', '900')] }, { source: 'ours', prune: true })).body.data;
    expect(named(changes)).toEqual(['delete policies Another of ours']);
    expect((await exported()).config.policies.map(({ name }: Json) => name)).toEqual(['By hand', 'Careful', 'Of ours', 'Of theirs']);
    const gone = (await apply({}, { source: 'infra', prune: true })).body.data.changes;
    // What others build on goes last.
    expect(named(gone)).toEqual([
      'delete x402_endpoints Search API',
      'delete webhooks erp',
      'delete settlement.rules Sweep',
      'delete settlement.windows Nightly',
      'delete policies Careful',
      'delete budgets Search',
      'delete budgets All',
    ]);
  });

  it('answers a repeated key with what was done, without the secret', async () => {
    const config = { webhooks: [{ name: 'again', url: 'https://hooks.example.com/again', events: ['*'] }] };
    const options = { headers: { 'Idempotency-Key': 'apply-1' } };
    const first = await apply(config, {}, options);
    const replay = await apply(config, {}, options);
    const [{ secret, ...made }] = first.body.data.made;
    expect(secret).toMatch(/^whsec_/);
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(replay.body.data).toEqual({ ...first.body.data, made: [made] });
    expectRefused(await apply({}, {}, options), 422, 'idempotency_key_reused');
  });

  it('does the same over GraphQL', async () => {
    const query = 'mutation ($input: ApplyConfigInput!) { applyConfig(input: $input) { changes { op kind name fields } made { id } } }';
    const { body } = await harness.test.graphql(query, { input: { config: { policies: [tenantPolicy('Twin', '77')] } } });
    expect(body.data.applyConfig).toMatchObject({
      changes: [{ op: 'create', kind: 'policies', name: 'Twin' }],
      made: [{ id: expect.stringMatching(/^pol_/) }],
    });
  });

  it('with dry_run answers what it would do, and does nothing', async () => {
    const before = await exported();
    const config = { policies: [tenantPolicy('Tried', '5')] };
    const answer = await harness.test.put('/v1/config?dry_run=true', { config });
    expect(named(answer.body.data.changes)).toEqual(['create policies Tried']);
    expect(await exported()).toEqual(before);
  });
});

describe('400', () => {
  it('names every place, with a suggestion for what is misspelt', async () => {
    const config = {
      polices: [],
      policies: [{ name: 'A', target: { type: 'tenant' }, rules: [perDay('1')], enabld: true }, { target: {} }, tenantPolicy('A', '1')],
      settlement: { windws: [] },
      budgets: {},
      kya_limits: { name: 'x', tiers: [] },
    };
    const answer = await apply(config);
    expectInvalid(
      answer,
      'config.polices',
      'config.policies.0.enabld',
      'config.policies.1.name',
      'config.policies.2.name',
      'config.settlement.windws',
      'config.budgets',
      'config.kya_limits.name',
    );
    const messages = answer.body.details.fields.map(({ message }: Json) => message);
    expect(messages[0]).toBe('is no kind of setting here: did you mean policies?');
    expect(messages[1]).toBe('is no setting here: did you mean enabled?');
    expect(messages[4]).toBe('is no kind of setting here: did you mean windows?');
    for (const wrong of [null, [], 'x', 7]) expectInvalid(await apply(wrong), 'config');
  });

  it('refuses what the endpoints refuse, at its place in the document', async () => {
    const rules = [perDay('100'), { kind: 'hours', from: '25:00', to: '26:00' }];
    expectInvalid(
      await apply({ policies: [tenantPolicy('Good', '1'), { name: 'Bad', target: { type: 'tenant' }, rules }] }),
      'config.policies.1.rules.1.from',
      'config.policies.1.rules.1.to',
    );
    expectInvalid(
      await apply({ webhooks: [{ name: 'a', url: 'https://a.example.com', events: ['transfer.complete'] }] }),
      'config.webhooks.0.events.0',
    );
    expectInvalid(
      await apply({ budgets: [{ name: 'b', scope: { type: 'tenant' }, amount: 'ten', currency: 'USDX', period: 'month' }] }),
      'config.budgets.0.amount',
      'config.budgets.0.currency',
    );
    expect((await exported()).config.policies.map(({ name }: Json) => name)).not.toContain('Good');
  });

  it('refuses references that name nothing, or two things', async () => {
    await enrol(harness.test, { name: 'twin' });
    await enrol(harness.test, { name: 'twin' });
    const of = (name: string) => ({ name, target: { type: 'agent', id: { agent: name } }, rules: [perDay('1')] });
    const answer = await apply({
      policies: [
        of('twin'),
        of('nobody'),
        { ...of('x'), target: { type: 'wallet', id: { wallet: { owner: { account: 'acme' }, currency: 'EUR' } } } },
      ],
    });
    expectInvalid(answer, 'config.policies.0.target.id', 'config.policies.1.target.id', 'config.policies.2.target.id');
    expect(answer.body.details.fields.map(({ message }: Json) => message)).toEqual([
      'names 2 things, and must name one',
      'names no agent here',
      'names no wallet here',
    ]);
  });

  it('refuses to change what stays as it was made, and budgets below each other', async () => {
    await apply({ policies: [tenantPolicy('Fixed', '5')] });
    expectInvalid(
      await apply({ policies: [{ ...tenantPolicy('Fixed', '5'), target: { type: 'agent', id: researcher } }] }),
      'config.policies.0.target',
    );
    const budget = (name: string, parent: string) => ({
      name,
      scope: { type: 'tenant' },
      parent_id: { budget: parent },
      amount: '1',
      currency: 'USD',
      period: 'day',
    });
    expectInvalid(
      await apply({ budgets: [budget('one', 'two'), budget('two', 'one')] }),
      'config.budgets.0.parent_id',
      'config.budgets.1.parent_id',
    );
  });

  it('takes no secret, and does not echo one', async () => {
    const secret = 'whsec_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
    const answer = await apply({ webhooks: [{ name: 'a', url: 'https://a.example.com', events: ['*'], secret }] });
    expectInvalid(answer, 'config.webhooks.0.secret');
    expect(JSON.stringify(answer.body)).not.toContain(secret);
  });
});
