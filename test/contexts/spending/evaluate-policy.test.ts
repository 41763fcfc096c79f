// POST /v1/policies/evaluate
import { describe, expect, it } from 'vitest';
import { balanceOf, newAccount } from '../../factories/payment.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused, plain } from '../../refusal.js';
import { enrol } from '../agents/identity.js';
import { newPolicy } from './policies.js';

const harness = useHarness();
const path = '/v1/policies/evaluate';
const evaluate = (body: object, as?: string) =>
  harness.test.post(path, { protocol: 'internal', amount: '10.00', currency: 'USD', ...body }, as === undefined ? {} : { as });
const outcomes = ({ checks }: Json) => checks.map(({ layer, outcome }: Json) => `${layer} ${outcome}`);

/** An agent with a wallet of 100.00, bound by policies of its own. */
async function boundAgent(
  ...policies: object[]
): Promise<{ id: string; uuid: string; token: string; account: Json; wallet: Json; made: Json[] }> {
  const agent = await enrol(harness.test, { wallet: { currency: 'USD' } });
  const wallet = { id: agent.agent.default_wallet_id, currency: 'USD' };
  await harness.test.make(`/v1/wallets/${wallet.id}/fund`, { amount: '100.00' });
  const made = [];
  for (const policy of policies) made.push(await newPolicy(harness.test, { target: { type: 'agent', id: agent.id }, ...policy }));
  return { ...agent, wallet, made };
}

async function traces(): Promise<unknown> {
  const { unscoped, pool } = harness.platform.database;
  const tables = [unscoped.transfer, unscoped.ledgerTransaction, unscoped.event, unscoped.decision, unscoped.approval] as {
    count(): Promise<number>;
  }[];
  return [
    ...(await Promise.all(tables.map((table) => table.count()))),
    (await pool.query('SELECT sum(used + reserved) FROM limit_counter')).rows[0].sum,
  ];
}

describe('POST /v1/policies/evaluate', () => {
  describe('200', () => {
    it('allows: the whole decision, with what is used and left of every limit, and nothing is changed', async () => {
      const rules = [
        { kind: 'max_amount', per: 'day', amount: '50.00', currency: 'USD' },
        { kind: 'max_count', per: 'month', count: 5 },
        { kind: 'protocols', allow: ['internal'] },
      ];
      const { id, token, wallet, made } = await boundAgent({ rules });
      const { wallet: to } = await openWallet(harness.test);
      const body = { type: 'internal', from_wallet_id: wallet.id, to_wallet_id: to.id, amount: '15.00', currency: 'USD' };
      await harness.test.make('/v1/transfers', body, { as: token });
      const before = await traces();
      const { status, body: answer } = await evaluate({ agent_id: id });
      expect(status).toBe(200);
      const head = { outcome: 'pass', layer: 'policy' };
      expect(answer.data).toMatchObject({ outcome: 'allow', evaluated_at: harness.clock.now().toISOString() });
      expect(answer.data).not.toHaveProperty('id');
      expect(answer.data.checks.filter(({ layer }: Json) => layer === 'policy')).toEqual([
        {
          ...head,
          rule_id: `${made[0].id}.rules.0`,
          limit: {
            kind: 'policy',
            per: 'day',
            currency: 'USD',
            max: '50.00',
            used: '15.00',
            requested: '10.00',
            remaining: '35.00',
            resets_at: '2026-03-03T00:00:00.000Z',
          },
          used: '15.00',
          remaining: '35.00',
        },
        {
          ...head,
          rule_id: `${made[0].id}.rules.1`,
          limit: {
            kind: 'policy',
            per: 'month',
            currency: null,
            max: 5,
            used: 1,
            requested: 1,
            remaining: 4,
            resets_at: '2026-04-01T00:00:00.000Z',
          },
          used: '1',
          remaining: '4',
        },
      ]);
      expect(outcomes(answer.data)).toEqual([
        'workspace pass',
        'agent pass',
        'wallet pass',
        'kya pass',
        'policy pass',
        'policy pass',
        'budget pass',
        'mandate pass',
        'balance pass',
      ]);
      expect(await traces()).toEqual(before);
      expect(await balanceOf(harness.test, wallet)).toMatchObject({ available: '85.00', held: '0.00' });
    });

    it('says the same as the spend itself', async () => {
      const { id, token, wallet } = await boundAgent({ rules: [{ kind: 'max_amount', per: 'day', amount: '20.00', currency: 'USD' }] });
      const { wallet: to } = await openWallet(harness.test);
      for (const amount of ['12.00', '8.01', '8.00', '0.01']) {
        const { outcome } = (await evaluate({ agent_id: id, amount })).body.data;
        const body = { type: 'internal', from_wallet_id: wallet.id, to_wallet_id: to.id, amount, currency: 'USD' };
        const { status } = await harness.test.post('/v1/transfers', body, { as: token });
        expect([outcome, status]).toEqual(outcome === 'allow' ? ['allow', 201] : ['deny', 403]);
      }
    });

    it('denies: the first layer that refuses has the code, and rules that fail have messages', async () => {
      const rules = [
        { kind: 'protocols', allow: ['x402'] },
        { kind: 'max_amount', per: 'day', amount: '5.00', currency: 'USD' },
      ];
      const { id, made } = await boundAgent({ rules });
      const { data } = (await evaluate({ agent_id: id, amount: '1000.00' })).body;
      expect(data).toMatchObject({ outcome: 'deny', code: 'policy_violation', message: expect.stringContaining('protocols x402') });
      expect(data.checks.filter(({ layer }: Json) => layer === 'policy')).toMatchObject([
        { rule_id: `${made[0].id}.rules.0`, outcome: 'fail', message: data.message },
        { rule_id: `${made[0].id}.rules.1`, outcome: 'fail', used: '0.00', remaining: '5.00' },
      ]);
      // A layer behind it that refuses too says so.
      expect(outcomes(data).slice(-3)).toEqual(['budget skipped', 'mandate skipped', 'balance fail']);
    });

    it('denies by KYA caps, by the state of agent and wallet, and by the balance', async () => {
      const { id, wallet } = await boundAgent();
      const code = async (body: object = {}) => (await evaluate({ agent_id: id, ...body })).body.data.code;
      expect(await code({ amount: '100.01' })).toBe('insufficient_balance');
      await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 0, currency: 'USD', per_tx: '5.00' }] });
      expect(await code()).toBe('kya_limit_exceeded');
      await harness.test.put('/v1/kya-limits', { tiers: [] });
      await harness.test.post(`/v1/wallets/${wallet.id}/freeze`, {});
      expect(await code()).toBe('wallet_frozen');
      await harness.test.post(`/v1/agents/${id}/freeze`, { reason: 'why' });
      expect(await code()).toBe('agent_frozen');
    });

    it('requires an approval: by a threshold, a static rule and a counted one', async () => {
      const approval = { threshold: '5.00', currency: 'USD' };
      for (const policy of [
        { rules: [], approval },
        { rules: [{ kind: 'protocols', allow: ['x402'], action: 'approve' }] },
        { rules: [{ kind: 'max_amount', per: 'day', amount: '5.00', currency: 'USD', action: 'approve' }] },
      ]) {
        const { id, made } = await boundAgent(policy);
        const answer = await evaluate({ agent_id: id });
        const { data } = answer.body;
        const rule_id = `${made[0].id}.${policy.rules.length === 0 ? 'approval' : 'rules.0'}`;
        expect(data).toMatchObject({ outcome: 'require_approval', message: expect.any(String) });
        expect(data.checks).toEqual(expect.arrayContaining([expect.objectContaining({ rule_id, outcome: 'approve' })]));
      }
    });

    it('takes the agent’s oldest wallet in the currency, else its account’s, or the one that is named', async () => {
      const { id, account } = await boundAgent();
      const open = (owner_type: string, owner_id: string, currency: string) =>
        harness.test.make('/v1/wallets', { owner_type, owner_id, currency });
      await open('agent', id, 'USD');
      expect((await evaluate({ agent_id: id })).body.data.outcome).toBe('allow');
      const shared = await open('account', account.id, 'EUR');
      const ask = async (body: object) => (await evaluate({ agent_id: id, ...body })).body.data.outcome;
      await harness.test.make(`/v1/wallets/${shared.id}/fund`, { amount: '10.00' });
      expect(await ask({ currency: 'EUR' })).toBe('allow');
      const empty = await open('account', account.id, 'EUR');
      expect(await ask({ currency: 'EUR', wallet_id: empty.id })).toBe('deny');
    });

    it('judges the merchant that is named, and whom the wallet that is named belongs to', async () => {
      const { account, wallet } = await openWallet(harness.test);
      const merchant = await harness.test.make('/v1/merchants', {
        name: 'Shop',
        category: 'travel',
        account_id: account.id,
        settlement_wallet_id: wallet.id,
      });
      const category = await boundAgent({ rules: [{ kind: 'categories', allow: ['travel'] }] });
      const code = async ({ id }: Json, body: object) => (await evaluate({ agent_id: id, ...body })).body.data.code ?? 'allow';
      expect(await code(category, { merchant_id: merchant.id })).toBe('allow');
      expect(await code(category, { to_wallet_id: wallet.id })).toBe('allow');
      expect(await code(category, {})).toBe('policy_violation');
      const counterparty = await boundAgent({ rules: [{ kind: 'counterparties', block: [account.id] }] });
      expect(await code(counterparty, { merchant_id: merchant.id })).toBe('policy_violation');
      expect(await code(counterparty, { to_wallet_id: wallet.id })).toBe('policy_violation');
      expect(await code(counterparty, {})).toBe('allow');
    });

    it('of money that stays with its owner: no rule binds it', async () => {
      const { id, account } = await boundAgent({ rules: [{ kind: 'protocols', allow: ['x402'] }] });
      const own = () => harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USD' });
      const [from, to] = [await own(), await own()];
      await harness.test.make(`/v1/wallets/${from.id}/fund`, { amount: '10.00' });
      const { data } = (await evaluate({ agent_id: id, wallet_id: from.id, to_wallet_id: to.id })).body;
      expect(data.outcome).toBe('allow');
    });

    it('for the agent itself', async () => {
      const { id, token } = await boundAgent({ rules: [{ kind: 'protocols', allow: ['x402'] }] });
      expect((await evaluate({ agent_id: id, protocol: 'x402' }, token)).body.data.outcome).toBe('allow');
      expect((await evaluate({ agent_id: id }, token)).body.data.outcome).toBe('deny');
    });
  });

  describe('400', () => {
    const cases: [string, object, string][] = [
      ['no agent', { agent_id: undefined }, 'agent_id'],
      ['an amount of zero', { amount: '0.00' }, 'amount'],
      ['an amount of too many digits', { amount: '0.001' }, 'amount'],
      ['an unknown protocol', { protocol: 'cash' }, 'protocol'],
      ['an unknown currency', { currency: 'XXX' }, 'currency'],
      ['the id of a wallet as a merchant’s', { merchant_id: `wal_${nowhere}` }, 'merchant_id'],
      ['a misspelt member', { merchant: nowhere }, 'merchant'],
    ];
    for (const [name, body, member] of cases) it(name, async () => expectInvalid(await evaluate({ agent_id: nowhere, ...body }), member));
  });

  describe('403', () => {
    it('a wallet that is not the agent’s to spend from', async () => {
      const { id, token, account } = await boundAgent();
      const { wallet: foreign } = await openWallet(harness.test);
      const shared = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USD' });
      expectRefused(await evaluate({ agent_id: id, wallet_id: foreign.id }), 403, 'forbidden');
      expectRefused(await evaluate({ agent_id: id, wallet_id: shared.id }, token), 403, 'forbidden');
    });
  });

  describe('404', () => {
    it('one body for an agent of nobody, of another tenant and of production; for an agent: every other one', async () => {
      const missing = await evaluate({ agent_id: nowhere });
      expectRefused(missing, 404, 'not_found', { fields: [{ path: 'agent_id' }] });
      const mine = await boundAgent();
      for (const { uuid } of await Promise.all([enrol(harness.other), enrol(harness.live)]))
        expect(plain(await evaluate({ agent_id: uuid }))).toEqual(plain(missing));
      expect(plain(await evaluate({ agent_id: (await boundAgent()).id }, mine.token))).toEqual(plain(missing));
    });

    it('wallets and merchants of nobody and of another tenant, and no wallet in the currency', async () => {
      const { id } = await boundAgent();
      const foreign = await openWallet(harness.other);
      const account = await newAccount(harness.other);
      const merchant = await harness.other.make('/v1/merchants', { name: 'Shop', category: 'retail', account_id: account.id });
      for (const [member, theirs] of [
        ['wallet_id', foreign.wallet.id],
        ['to_wallet_id', foreign.wallet.id],
        ['merchant_id', merchant.id],
      ]) {
        const missing = await evaluate({ agent_id: id, [member]: nowhere });
        expectRefused(missing, 404, 'not_found', { fields: [{ path: member }] });
        expect(plain(await evaluate({ agent_id: id, [member]: theirs }))).toEqual(plain(missing));
      }
      expectRefused(await evaluate({ agent_id: id, currency: 'BRL' }), 404, 'not_found', { fields: [{ path: 'wallet_id' }] });
    });
  });

  it('422: a wallet of another currency', async () => {
    const { id, wallet } = await boundAgent();
    expectRefused(await evaluate({ agent_id: id, wallet_id: wallet.id, currency: 'EUR' }), 422, 'currency_mismatch');
  });
});
