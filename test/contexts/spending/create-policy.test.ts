// POST /v1/policies
import { describe, expect, it } from 'vitest';
import { newAccount, newMerchant } from '../../factories/payment.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused, plain } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const cap = { kind: 'max_amount', per: 'day', amount: '500.00', currency: 'USD' };
const create = (body: object) => harness.test.post('/v1/policies', { name: 'Spending', target: { type: 'tenant' }, rules: [cap], ...body });
const rulesOf = async (...rules: object[]) => (await create({ rules })).body.data.rules;

describe('POST /v1/policies', () => {
  describe('201', () => {
    it('makes a policy for the whole workspace', async () => {
      const { status, body } = await create({});
      const at = harness.clock.now().toISOString();
      expect(status).toBe(201);
      expect(body.data).toEqual({
        id: expect.stringMatching(/^pol_[0-9a-f-]{36}$/),
        version: 1,
        name: 'Spending',
        target: { type: 'tenant' },
        rules: [{ ...cap, action: 'deny' }],
        enabled: true,
        created_at: at,
        updated_at: at,
      });
    });

    it('for an account, an agent and a wallet, by either form of their ids', async () => {
      const { account, wallet } = await openWallet(harness.test);
      const agent = await enrol(harness.test);
      for (const [type, id, shown] of [
        ['account', account.id, account.id],
        ['account', `acc_${account.id}`, account.id],
        ['agent', agent.id, agent.uuid],
        ['wallet', `wal_${wallet.id}`, wallet.id],
      ]) {
        const { status, body } = await create({ target: { type, id } });
        expect([status, body.data.target]).toEqual([201, { type, id: shown }]);
      }
    });

    it('keeps of each kind its own members, amounts and ids as they are printed, and what was left out', async () => {
      const merchant = await newMerchant(harness.test);
      const { account, wallet } = await openWallet(harness.test);
      const agent = await enrol(harness.test);
      expect(
        await rulesOf(
          { kind: 'max_amount', per: 'tx', amount: '20', currency: 'USDC', action: 'approve' },
          { kind: 'max_count', per: 'week', count: 7 },
          { kind: 'velocity', count: 3, seconds: 90 },
          { kind: 'merchants', allow: [merchant.id.slice('mer_'.length), merchant.id] },
          { kind: 'categories', allow: ['cloud-computing', '5734'], block: ['gambling'] },
          { kind: 'protocols', allow: ['x402', 'internal', 'x402'] },
          { kind: 'counterparties', allow: [account.id, agent.uuid], block: [`wal_${wallet.id}`] },
          { kind: 'hours', from: '22:00', to: '06:00', days: ['sat', 'fri', 'sat'], timezone: 'Europe/Berlin' },
          { kind: 'hours', from: '00:00', to: '24:00' },
          { kind: 'new_counterparty', action: 'approve' },
        ),
      ).toEqual([
        { kind: 'max_amount', per: 'tx', amount: '20.00', currency: 'USDC', action: 'approve' },
        { kind: 'max_count', per: 'week', count: 7, action: 'deny' },
        { kind: 'velocity', count: 3, seconds: 90, action: 'deny' },
        { kind: 'merchants', allow: [merchant.id], action: 'deny' },
        { kind: 'categories', allow: ['cloud-computing', '5734'], block: ['gambling'], action: 'deny' },
        { kind: 'protocols', allow: ['x402', 'internal'], action: 'deny' },
        { kind: 'counterparties', allow: [`acc_${account.id}`, agent.id], block: [`wal_${wallet.id}`], action: 'deny' },
        { kind: 'hours', from: '22:00', to: '06:00', days: ['fri', 'sat'], timezone: 'Europe/Berlin', action: 'deny' },
        {
          kind: 'hours',
          from: '00:00',
          to: '24:00',
          days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
          timezone: 'UTC',
          action: 'deny',
        },
        { kind: 'new_counterparty', action: 'approve' },
      ]);
    });

    it('with an approval alone, an hour by default, and switched off', async () => {
      const { body } = await create({ rules: [], approval: { threshold: '0', currency: 'EUR' }, enabled: false });
      expect(body.data).toMatchObject({
        rules: [],
        approval: { threshold: '0.00', currency: 'EUR', timeout_seconds: 3_600 },
        enabled: false,
      });
      const quick = await create({ approval: { threshold: '9.5', currency: 'USD', timeout_seconds: 60 } });
      expect(quick.body.data.approval).toEqual({ threshold: '9.50', currency: 'USD', timeout_seconds: 60 });
    });

    it('takes several caps that differ in period, in currency or in kind', async () => {
      const rules = [
        cap,
        { ...cap, per: 'tx' },
        { ...cap, currency: 'EUR' },
        { kind: 'max_count', per: 'day', count: 1 },
        { kind: 'max_count', per: 'hour', count: 1 },
        { kind: 'velocity', count: 1, seconds: 60 },
        { kind: 'velocity', count: 1, seconds: 61 },
      ];
      expect(await rulesOf(...rules)).toHaveLength(rules.length);
    });

    it('once for one Idempotency-Key', async () => {
      const body = { name: 'Once', target: { type: 'tenant' }, rules: [cap] };
      const ask = () => harness.test.post('/v1/policies', body, { headers: { 'Idempotency-Key': 'policy' } });
      const [first, again] = [await ask(), await ask()];
      expect([again.status, again.headers.get('idempotent-replayed'), again.body]).toEqual([201, 'true', first.body]);
    });

    it('in GraphQL, with the same members', async () => {
      const query = 'mutation ($input: CreatePolicyInput!) { createPolicy(input: $input) { id rules { kind per count seconds } } }';
      const input = { name: 'G', target: { type: 'tenant' }, rules: [{ kind: 'velocity', count: 2, seconds: 60 }] };
      const { body } = await harness.test.graphql(query, { input });
      expect(body.data.createPolicy.rules).toEqual([{ kind: 'velocity', per: null, count: 2, seconds: 60 }]);
      const wrong = await harness.test.graphql(query, { input: { ...input, rules: [{ ...input.rules[0], per: 'day' }] } });
      expect(wrong.body.errors[0].extensions).toMatchObject({ code: 'validation_failed', details: { fields: [{ path: 'rules.0.per' }] } });
    });
  });

  describe('400', () => {
    const hours = { kind: 'hours', from: '09:00', to: '17:00' };
    const ofRule: [string, object, ...string[]][] = [
      ['a negative amount', { ...cap, amount: '-1' }, 'rules.0.amount'],
      ['an amount of zero', { ...cap, amount: '0.00' }, 'rules.0.amount'],
      ['more digits than the currency has', { ...cap, amount: '0.001' }, 'rules.0.amount'],
      ['a cap without a period', { ...cap, per: undefined }, 'rules.0.per'],
      ['a cap without anything', { kind: 'max_amount' }, 'rules.0.per', 'rules.0.amount', 'rules.0.currency'],
      ['null for what is required', { ...cap, currency: null }, 'rules.0.currency'],
      ['an unknown currency', { ...cap, currency: 'XXX' }, 'rules.0.currency'],
      ['an unknown period', { ...cap, per: 'year' }, 'rules.0.per'],
      ['an unknown kind', { kind: 'max_amounts' }, 'rules.0.kind'],
      ['an unknown action', { ...cap, action: 'allow' }, 'rules.0.action'],
      ['a number of spends per spend', { kind: 'max_count', per: 'tx', count: 1 }, 'rules.0.per'],
      ['no spend at all', { kind: 'max_count', per: 'day', count: 0 }, 'rules.0.count'],
      ['a negative number of spends', { kind: 'velocity', seconds: 60, count: -1 }, 'rules.0.count'],
      ['half a spend', { kind: 'max_count', per: 'day', count: 0.5 }, 'rules.0.count'],
      ['a window of no time', { kind: 'velocity', count: 1, seconds: 0 }, 'rules.0.seconds'],
      ['a window of more than thirty days', { kind: 'velocity', count: 1, seconds: 2_592_001 }, 'rules.0.seconds'],
      ['no merchant at all', { kind: 'merchants' }, 'rules.0.allow'],
      ['an empty list', { kind: 'categories', allow: [] }, 'rules.0.allow'],
      ['an id that can be no merchant’s', { kind: 'merchants', block: [nowhere, `acc_${nowhere}`] }, 'rules.0.block.1'],
      ['an id that can be no counterparty’s', { kind: 'counterparties', allow: [`mer_${nowhere}`] }, 'rules.0.allow.0'],
      ['a category with spaces', { kind: 'categories', allow: ['Cloud Computing'] }, 'rules.0.allow.0'],
      ['an unknown protocol', { kind: 'protocols', allow: ['x402', 'x403'] }, 'rules.0.allow.1'],
      ['no protocol', { kind: 'protocols' }, 'rules.0.allow'],
      ['a category allowed and blocked', { kind: 'categories', allow: ['a', 'b'], block: ['c', 'b'] }, 'rules.0.block.1'],
      ['a merchant allowed and blocked', { kind: 'merchants', allow: [nowhere], block: [`mer_${nowhere}`] }, 'rules.0.block.0'],
      ['a counterparty allowed and blocked', { kind: 'counterparties', allow: [nowhere], block: [`acc_${nowhere}`] }, 'rules.0.block.0'],
      ['hours that end as they begin', { ...hours, to: '09:00' }, 'rules.0.to'],
      ['hours that begin at no time of day', { ...hours, from: '24:00' }, 'rules.0.from'],
      ['hours that end at no time of day', { ...hours, to: '9:00' }, 'rules.0.to'],
      ['hours without an end', { kind: 'hours', from: '09:00' }, 'rules.0.to'],
      ['an unknown time zone', { ...hours, timezone: 'Europe/Atlantis' }, 'rules.0.timezone'],
      ['an offset as a time zone', { ...hours, timezone: '+02:00' }, 'rules.0.timezone'],
      ['no days', { ...hours, days: [] }, 'rules.0.days'],
      ['an unknown day', { ...hours, days: ['monday'] }, 'rules.0.days.0'],
      ['a misspelt member', { ...cap, amuont: '1' }, 'rules.0.amuont'],
      ['a member of another kind', { kind: 'velocity', count: 1, seconds: 60, per: 'day' }, 'rules.0.per'],
      ['members of another kind', { kind: 'new_counterparty', allow: [nowhere], amount: '1' }, 'rules.0.amount', 'rules.0.allow'],
    ];
    for (const [name, rule, ...paths] of ofRule) it(name, async () => expectInvalid(await create({ rules: [rule] }), ...paths));

    const cases: [string, object, ...string[]][] = [
      ['no name', { name: ' ' }, 'name'],
      ['no rules and no approval', { rules: [] }, 'rules'],
      ['rules left out', { rules: undefined }, 'rules'],
      ['51 rules', { rules: Array.from({ length: 51 }, (_, index) => ({ kind: 'velocity', count: 1, seconds: index + 1 })) }, 'rules'],
      ['two caps of one period and currency', { rules: [cap, { ...cap, per: 'week' }, { ...cap, action: 'approve' }] }, 'rules.2'],
      [
        'two numbers of one period',
        {
          rules: [
            { kind: 'max_count', per: 'day', count: 1 },
            { kind: 'max_count', per: 'day', count: 2 },
          ],
        },
        'rules.1',
      ],
      [
        'two velocities of as many seconds',
        {
          rules: [
            { kind: 'velocity', count: 1, seconds: 60 },
            { kind: 'velocity', count: 2, seconds: 60 },
          ],
        },
        'rules.1',
      ],
      ['the tenant with an id', { target: { type: 'tenant', id: nowhere } }, 'target.id'],
      ['an account without one', { target: { type: 'account' } }, 'target.id'],
      ['the id of another kind', { target: { type: 'agent', id: `acc_${nowhere}` } }, 'target.id'],
      ['what can be no id', { target: { type: 'wallet', id: 'mine' } }, 'target.id'],
      ['an unknown target', { target: { type: 'merchant' } }, 'target.type'],
      ['a negative threshold', { approval: { threshold: '-1', currency: 'USD' } }, 'approval.threshold'],
      ['a threshold of too many digits', { approval: { threshold: '1.001', currency: 'USD' } }, 'approval.threshold'],
      ['a threshold without a currency', { approval: { threshold: '1' } }, 'approval.currency'],
      [
        'an approval that waits for no time',
        { approval: { threshold: '1', currency: 'USD', timeout_seconds: 0 } },
        'approval.timeout_seconds',
      ],
      ['an unknown member', { enable: false }, 'enable'],
    ];
    for (const [name, body, ...paths] of cases) it(name, async () => expectInvalid(await create(body), ...paths));

    it('says which member or which kind was meant', async () => {
      const messageOf = async (rule: object) => {
        const { fields } = (await create({ rules: [rule] })).body.details;
        return fields.find((field: Json) => field.rule === 'unknown').message;
      };
      expect(await messageOf({ ...cap, amuont: '1' })).toContain('did you mean amount?');
      expect(await messageOf({ kind: 'velocity', count: 1, per: 'day' })).toContain('did you mean the kind max_count?');
      expect(await messageOf({ kind: 'velocity', count: 1, seconds: 1, per: 'day' })).toContain('which has count, seconds, action');
    });

    it('names everything that is wrong at once', async () => {
      const body = {
        target: { type: 'account' },
        rules: [
          { ...cap, amount: '0' },
          { kind: 'max_count', per: 'day' },
        ],
      };
      expectInvalid(await create(body), 'target.id', 'rules.0.amount', 'rules.1.count');
    });
  });

  describe('403', () => {
    const body = { name: 'Mine', target: { type: 'tenant' }, rules: [cap] };

    it('but not for a JWT session of the key', async () => {
      const session = await harness.test.make('/v1/auth/session', { api_key: harness.test.key }, { as: null });
      expect((await harness.test.post('/v1/policies', body, { as: session.token })).status).toBe(201);
    });
  });

  describe('404', () => {
    it('one body for a target of nobody, of another tenant, of production, and of another kind', async () => {
      const ask = (type: string, id: string) => create({ target: { type, id } });
      const [foreign, live] = await Promise.all([openWallet(harness.other), openWallet(harness.live)]);
      const missing = await ask('account', nowhere);
      expectRefused(missing, 404, 'not_found', { fields: [{ path: 'target.id' }] });
      const theirs = await enrol(harness.other);
      const others = [
        ['account', foreign.account.id],
        ['account', live.account.id],
        ['wallet', foreign.wallet.id],
        ['wallet', (await newAccount(harness.test)).id],
        ['agent', theirs.uuid],
      ] as const;
      for (const [type, id] of others) expect(plain(await ask(type, id)), type).toEqual(plain(missing));
    });

    it('the same for a merchant and a counterparty in a list, and for an id under the prefix of another kind', async () => {
      const { wallet } = await openWallet(harness.test);
      const known = await newMerchant(harness.test);
      const [foreign, live] = await Promise.all([newMerchant(harness.other), newMerchant(harness.live)]);
      const merchants = (id: string) => create({ rules: [cap, { kind: 'merchants', allow: [known.id, id] }] });
      const missing = await merchants(nowhere);
      expectRefused(missing, 404, 'not_found', { fields: [{ path: 'rules.1.allow.1' }] });
      for (const { id } of [foreign, live]) expect(plain(await merchants(id))).toEqual(plain(missing));
      const strangers = await Promise.all([openWallet(harness.other), openWallet(harness.live)]);
      for (const id of [nowhere, `acc_${wallet.id}`, ...strangers.flatMap((one: Json) => [one.wallet.id, one.account.id])]) {
        const answer = await create({ rules: [{ kind: 'counterparties', block: [wallet.id, id] }] });
        expectRefused(answer, 404, 'not_found', { fields: [{ path: 'rules.0.block.1' }] });
      }
    });
  });
});

describe('the hundredth policy', () => {
  it('is the last, also of many at once; a deleted one makes room', async () => {
    const { other } = harness;
    const make = () => other.post('/v1/policies', { name: 'One', target: { type: 'tenant' }, rules: [cap] });
    for (let n = 0; n < 96; n += 1) expect((await make()).status).toBe(201);
    const answers = await Promise.all(Array.from({ length: 8 }, make));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
    for (const answer of answers.filter(({ status }) => status !== 201)) expectInvalid(answer, '');
    const id = answers.find(({ status }) => status === 201)?.body.data.id;
    expect((await other.delete(`/v1/policies/${id}`)).status).toBe(200);
    expect((await make()).status).toBe(201);
    expectInvalid(await make(), '');
  });
});
