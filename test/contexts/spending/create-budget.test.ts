// POST /v1/budgets
import { describe, expect, it } from 'vitest';
import { budgetBody, newBudget, readBudget } from '../../factories/budget.js';
import { nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused, plain } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const create = (extra: object = {}, options = {}) => harness.test.post('/v1/budgets', budgetBody(extra), options);
const trace = '0af7651916cd43dd8448eb211c80319c';

describe('POST /v1/budgets', () => {
  describe('201', () => {
    it('with everything that a budget has', async () => {
      const { account } = await openWallet(harness.test);
      const parent = await newBudget(harness.test, { amount: '500.00' });
      const extra = {
        name: '  Clouds  ',
        scope: { type: 'account', id: `acc_${account.id}` },
        parent_id: parent.id,
        amount: '250',
        period: 'week',
        timezone: 'America/Sao_Paulo',
        expires_at: '2027-01-01T00:00:00Z',
        alerts_at: [0.8, 0.5, '1.00'],
      };
      const { status, body } = await create(extra);
      expect(status).toBe(201);
      expect(body.data).toEqual({
        id: expect.stringMatching(/^bud_[0-9a-f-]{36}$/),
        name: 'Clouds',
        scope: { type: 'account', id: account.id },
        parent_id: parent.id,
        amount: '250.00',
        currency: 'USD',
        period: 'week',
        timezone: 'America/Sao_Paulo',
        expires_at: '2027-01-01T00:00:00.000Z',
        alerts_at: [0.5, 0.8, 1],
        version: 1,
        spent: '0.00',
        reserved: '0.00',
        remaining: '250.00',
        resets_at: '2026-03-09T03:00:00.000Z',
        created_at: harness.clock.now().toISOString(),
        updated_at: harness.clock.now().toISOString(),
      });
      expect(await readBudget(harness.test, body.data)).toEqual(body.data);
    });

    it('with the least: a tenant’s, in UTC, without an end or alerts', async () => {
      const { body } = await create({ period: 'once' });
      expect(body.data).toMatchObject({ scope: { type: 'tenant' }, timezone: 'UTC', alerts_at: [], period: 'once' });
      for (const absent of ['parent_id', 'expires_at', 'resets_at']) expect(body.data).not.toHaveProperty(absent);
      expect(body.data.scope).not.toHaveProperty('id');
    });

    it('for an agent and a trace; ids are read with and without their prefix', async () => {
      const { id, uuid } = await enrol(harness.test);
      for (const given of [id, uuid]) {
        expect((await create({ scope: { type: 'agent', id: given } })).body.data.scope).toEqual({ type: 'agent', id: uuid });
      }
      const { body } = await create({ scope: { type: 'trace', id: trace.toUpperCase() } });
      expect(body.data.scope).toEqual({ type: 'trace', id: trace });
    });

    it('for a child that is as large as its parent, also in another currency; five deep', async () => {
      let parent = await newBudget(harness.test, { currency: 'USDC', amount: '7.000001' });
      for (let level = 2; level <= 5; level += 1) {
        parent = (await create({ parent_id: parent.id, amount: '7.00' })).body.data;
        expect(parent).toMatchObject({ amount: '7.00' });
      }
    });

    it('keeps its first version, once for one key', async () => {
      const headers = { 'Idempotency-Key': 'budget-once' };
      const [first, again] = [await create({ alerts_at: [0.8] }, { headers }), await create({ alerts_at: [0.8] }, { headers })];
      expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true']);
      const budgetId = first.body.data.id.slice(4);
      const versions = await harness.platform.database.unscoped.budgetVersion.findMany({ where: { budgetId } });
      expect(versions).toMatchObject([{ version: 1, amount: 10_000n, alertsAt: ['0.8'], expiresAt: null }]);
    });

    it('by a JWT session', async () => {
      const session = await harness.test.make('/v1/auth/session', { api_key: harness.test.key }, { as: null });
      expect((await create({}, { as: session.token })).status).toBe(201);
    });
  });

  describe('400', () => {
    it.each<[string, object, string]>([
      ['no name', { name: ' ' }, 'name'],
      ['zero', { amount: '0.00' }, 'amount'],
      ['less than nothing', { amount: '-5.00' }, 'amount'],
      ['more digits than the currency has', { amount: '1.001' }, 'amount'],
      ['an unknown currency', { currency: 'XXX' }, 'currency'],
      ['an unknown period', { period: 'year' }, 'period'],
      ['an unknown time zone', { timezone: 'Mars/Olympus' }, 'timezone'],
      ['an offset for a time zone', { timezone: '+02:00' }, 'timezone'],
      ['an end that is not in the future', { expires_at: '2026-03-02T10:00:00.000Z' }, 'expires_at'],
      ['an alert at nothing', { alerts_at: [0.5, 0] }, 'alerts_at.1'],
      ['an alert beyond the whole', { alerts_at: [1.01] }, 'alerts_at.0'],
      ['an alert too fine', { alerts_at: [0.00005] }, 'alerts_at.0'],
      ['an alert that is no number', { alerts_at: ['half'] }, 'alerts_at.0'],
      ['an alert twice', { alerts_at: [0.5, 0.8, '0.50'] }, 'alerts_at.2'],
      ['eleven alerts', { alerts_at: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((part) => part / 20) }, 'alerts_at'],
      ['a scope of nobody', { scope: { type: 'account' } }, 'scope.id'],
      ['a scope that is no id', { scope: { type: 'agent', id: 'x' } }, 'scope.id'],
      ['a scope with the prefix of something else', { scope: { type: 'account', id: `agt_${nowhere}` } }, 'scope.id'],
      ['a trace of zeros', { scope: { type: 'trace', id: '0'.repeat(32) } }, 'scope.id'],
      ['a tenant with an id', { scope: { type: 'tenant', id: nowhere } }, 'scope.id'],
      ['an unknown scope', { scope: { type: 'planet' } }, 'scope.type'],
      ['a parent that is no id', { parent_id: 'x' }, 'parent_id'],
      ['a member that is unknown', { parent: nowhere }, 'parent'],
    ])('%s', async (_name, extra, path) => expectInvalid(await create(extra), path));

    it('everything that is missing, at once', async () => {
      expectInvalid(await harness.test.post('/v1/budgets', {}), 'name', 'scope', 'amount', 'currency', 'period');
    });

    it('a child that is larger than its parent, or cannot be compared with it', async () => {
      const parent = await newBudget(harness.test, { amount: '7.00' });
      expectInvalid(await create({ parent_id: parent.id, amount: '7.01' }), 'amount');
      // One minor unit more, rounded up.
      expectInvalid(await create({ parent_id: parent.id, amount: '7.000001', currency: 'USDC' }), 'amount');
      expect((await create({ parent_id: parent.id, amount: '7.00', currency: 'USDC' })).status).toBe(201);
    });

    it('a sixth level', async () => {
      let parent = await newBudget(harness.test);
      for (let level = 2; level <= 5; level += 1) parent = await newBudget(harness.test, { parent_id: parent.id });
      expectInvalid(await create({ parent_id: parent.id }), 'parent_id');
    });
  });

  describe('404', () => {
    it('an account, an agent or a parent of nobody, of another tenant, or deleted', async () => {
      const [theirs, budget] = [await enrol(harness.other), await newBudget(harness.other)];
      const gone = await newBudget(harness.test);
      await harness.test.delete(`/v1/budgets/${gone.id}`);
      const asked: [(id: string) => object, string, string[]][] = [
        [(id) => ({ scope: { type: 'account', id } }), 'scope.id', [theirs.account.id]],
        [(id) => ({ scope: { type: 'agent', id } }), 'scope.id', [theirs.uuid]],
        [(id) => ({ parent_id: id }), 'parent_id', [budget.id, gone.id]],
      ];
      for (const [extra, path, ids] of asked) {
        const missing = await create(extra(nowhere));
        expectRefused(missing, 404, 'not_found', { fields: [{ path }] });
        for (const id of ids) expect(plain(await create(extra(id)))).toEqual(plain(missing));
      }
    });
  });

  describe('409', () => {
    it('the one after a thousand, also when many are made at once', async () => {
      const { elsewhere: platform, other } = harness;
      const { id } = await newBudget(other);
      const { workspaceId } = await platform.database.unscoped.budget.findFirstOrThrow({ where: { id: id.slice(4) } });
      const has = await platform.database.unscoped.budget.count({ where: { workspaceId, deletedAt: null } });
      await platform.database.pool.query(
        `INSERT INTO budget (workspace_id, id, name, scope_type, amount, currency, period, created_at, updated_at)
         SELECT $1, gen_random_uuid(), 'Many', 'trace', 1, 'USD', 'once', now(), now() FROM generate_series(1, $2)`,
        [workspaceId, 997 - has],
      );
      const answers = await Promise.all(Array.from({ length: 12 }, () => other.post('/v1/budgets', budgetBody())));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
      for (const answer of answers.filter(({ status }) => status !== 201)) {
        expectRefused(answer, 409, 'state_conflict', { limit: { name: 'budgets', maximum: 1_000, used: 1_000 } });
      }
    });
  });
});
