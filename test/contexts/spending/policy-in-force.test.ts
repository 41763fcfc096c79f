// Policies in force, through POST /v1/transfers: each kind of rule refuses or asks for an approval, counts exactly, and goes on from
// what was used when it is changed.
import { describe, expect, it } from 'vitest';
import { balanceOf, newMerchant, transferBody } from '../../factories/payment.js';
import { type Answer, type Json, openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';
import { boundWallet, newPolicy } from './policies.js';

const harness = useHarness();
const codes = (answers: Answer[]) => answers.map(({ status, body }) => (status === 201 ? 201 : body.code));

/** The merchant behind a new wallet. */
async function shop(category: string): Promise<{ merchant: Json; wallet: Json }> {
  const { account, wallet } = await openWallet(harness.test);
  const merchant = await harness.test.make('/v1/merchants', {
    name: 'Shop',
    category,
    account_id: account.id,
    settlement_wallet_id: wallet.id,
  });
  return { merchant, wallet };
}

describe('a rule that a spend does not meet', () => {
  /** Rules that refuse a payment of 10.00 to a new wallet on Monday at ten. */
  const rules: [string, object, string, object][] = [
    ['max_amount per tx', { kind: 'max_amount', per: 'tx', amount: '9.99', currency: 'USD' }, 'policy_violation', { reason: 'max_amount' }],
    [
      'max_amount per day',
      { kind: 'max_amount', per: 'day', amount: '9.99', currency: 'USD' },
      'policy_violation',
      { reason: 'max_amount' },
    ],
    ['merchants', { kind: 'merchants', allow: ['merchant'] }, 'policy_violation', { reason: 'merchant' }],
    ['categories', { kind: 'categories', allow: ['retail'] }, 'policy_violation', { reason: 'category' }],
    ['protocols', { kind: 'protocols', allow: ['x402'] }, 'policy_violation', { reason: 'protocol', protocol: 'internal' }],
    ['counterparties', { kind: 'counterparties', allow: ['account'] }, 'policy_violation', { reason: 'counterparty' }],
    ['hours', { kind: 'hours', from: '18:00', to: '06:00' }, 'policy_violation', { reason: 'hours' }],
    ['new_counterparty', { kind: 'new_counterparty' }, 'policy_violation', { reason: 'new_counterparty' }],
  ];
  /** The rule with the id of a thing that is not paid here. */
  async function named(rule: object): Promise<object> {
    const text = JSON.stringify(rule);
    const merchant = text.includes('"merchant"') ? await newMerchant(harness.test) : { id: '' };
    const { account } = await openWallet(harness.test);
    return JSON.parse(text.replace('"merchant"', `"${merchant.id}"`).replace('"account"', `"${account.id}"`));
  }

  for (const [kind, rule, code, details] of rules) {
    it(`is refused by ${kind}, and moves nothing`, async () => {
      const { policy, from, pay } = await boundWallet(harness.test, [await named(rule)]);
      const refused = await pay('10.00');
      expectRefused(refused, 403, code, { rule_id: `${policy.id}.rules.0`, ...details });
      const change = { rel: 'change_limit', method: 'PATCH', path: `/v1/policies/${policy.id}` };
      expect(refused.body.details.next_actions).toEqual(expect.arrayContaining([expect.objectContaining(change)]));
      expect((await balanceOf(harness.test, from)).available).toBe('1000.00');
    });

    it(`waits for an approval where ${kind} says approve: the money is held`, async () => {
      const { from, pay } = await boundWallet(harness.test, [{ ...(await named(rule)), action: 'approve' }]);
      const { status, body } = await pay('10.00');
      expect([status, body.data.status, body.approval.status]).toEqual([202, 'pending', 'pending']);
      expect(body.data.approval_id).toBe(body.approval.id);
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '990.00', held: '10.00' });
    });
  }

  it('waits as long as its policy says, whichever rule asks', async () => {
    const approval = { threshold: '500.00', currency: 'USD', timeout_seconds: 600 };
    for (const rule of [
      { kind: 'protocols', allow: ['x402'] },
      { kind: 'max_count', per: 'day', count: 1 },
    ]) {
      const { pay } = await boundWallet(harness.test, [{ ...rule, action: 'approve' }], { approval });
      const answers = [await pay('1.00'), await pay('1.00')];
      const expires_at = new Date(harness.clock.now().getTime() + 600_000).toISOString();
      expect(answers[1]?.body.approval).toMatchObject({ expires_at });
    }
  });
});

describe('the threshold of a policy', () => {
  it('lets pass what is equal to it; what is above waits, for as long as it says', async () => {
    const { pay } = await boundWallet(harness.test, [], { approval: { threshold: '10.00', currency: 'USD', timeout_seconds: 900 } });
    expect((await pay('10.00')).status).toBe(201);
    const { status, body } = await pay('10.01');
    expect([status, body.data.status]).toEqual([202, 'pending']);
    expect(body.approval.expires_at).toBe(new Date(harness.clock.now().getTime() + 900_000).toISOString());
  });

  it('loses to a refusal of another rule', async () => {
    const { pay } = await boundWallet(harness.test, [{ kind: 'protocols', allow: ['x402'] }], {
      approval: { threshold: '10.00', currency: 'USD' },
    });
    expect((await pay('10.01')).body.code).toBe('policy_violation');
  });
});

describe('merchants and categories', () => {
  it('are those of the wallet that is paid', async () => {
    const [travel, retail] = [await shop('travel'), await shop('retail')];
    const { pay, to } = await boundWallet(harness.test, [{ kind: 'categories', allow: ['travel', 'retail'] }]);
    const blocked = await boundWallet(harness.test, [{ kind: 'merchants', block: [retail.merchant.id] }]);
    expect(codes([await pay('1.00', travel.wallet), await pay('1.00', retail.wallet), await pay('1.00', to)])).toEqual([
      201,
      201,
      'policy_violation',
    ]);
    expect(codes([await blocked.pay('1.00', travel.wallet), await blocked.pay('1.00', blocked.to)])).toEqual([201, 201]);
    expectRefused(await blocked.pay('1.00', retail.wallet), 403, 'merchant_blocked', { merchant_id: retail.merchant.id });
  });
});

describe('hours', () => {
  it('are those of the workspace’s clock, in the zone of the rule', async () => {
    const { pay } = await boundWallet(harness.test, [{ kind: 'hours', days: ['mon'], from: '09:00', to: '17:00', timezone: 'Asia/Tokyo' }]);
    const before = harness.clock.now().toISOString();
    for (const [at, status] of [
      ['2026-03-08T23:59:59.999Z', 403],
      ['2026-03-09T00:00:00.000Z', 201],
      ['2026-03-09T07:59:59.999Z', 201],
      ['2026-03-09T08:00:00.000Z', 403],
    ] as const) {
      harness.clock.set(at);
      expect((await pay('1.00')).status, at).toBe(status);
    }
    harness.clock.set(before);
  });
});

describe('whom a policy binds', () => {
  it('the workspace and an account bind every wallet below them, an agent what it spends, a wallet its own', async () => {
    const agent = await enrol(harness.other, { wallet: { currency: 'USD' } });
    const own = { id: agent.agent.default_wallet_id, currency: 'USD' };
    const { id: accounts } = await harness.other.make('/v1/wallets', {
      owner_type: 'account',
      owner_id: agent.account.id,
      currency: 'USD',
    });
    const [shared, payee] = [{ id: accounts, currency: 'USD' }, (await openWallet(harness.other)).wallet];
    for (const { id } of [own, shared]) await harness.other.make(`/v1/wallets/${id}/fund`, { amount: '100.00' });
    const pay = async (from: Json, extra: object = {}, as?: string) =>
      (await harness.other.post('/v1/transfers', transferBody(from, payee, '1.00', extra), as === undefined ? {} : { as })).status;
    const spends = async () => [
      await pay(own, {}, agent.token),
      await pay(own),
      await pay(shared, { agent_id: agent.id }),
      await pay(shared),
      await pay(own, { agent_id: agent.id }),
    ];
    const rules = [{ kind: 'protocols', allow: ['x402'] }];
    for (const [target, expected] of [
      [{ type: 'tenant' }, [403, 403, 403, 403, 403]],
      [{ type: 'account', id: agent.account.id }, [403, 403, 403, 403, 403]],
      [{ type: 'agent', id: agent.id }, [403, 201, 403, 201, 403]],
      [{ type: 'wallet', id: own.id }, [403, 403, 201, 201, 403]],
    ] as const) {
      const { id } = await newPolicy(harness.other, { target, rules });
      expect(await spends(), target.type).toEqual(expected);
      await harness.other.delete(`/v1/policies/${id}`);
      expect(await spends()).toEqual([201, 201, 201, 201, 201]);
    }
  });

  it('not money that stays with its owner', async () => {
    const { from, pay } = await boundWallet(harness.test, [{ kind: 'max_amount', per: 'day', amount: '0.01', currency: 'USD' }]);
    const second = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: from.account_id, currency: 'USD' });
    expect((await pay('10.00', second)).status).toBe(201);
    expect((await harness.test.post(`/v1/wallets/${from.id}/wrap`, { amount: '10.00' })).status).toBe(201);
  });
});

describe('a refusal', () => {
  it('beats an earlier requirement for an approval, and comes after the caps and before the balance', async () => {
    const { from, to } = await boundWallet(harness.test, [
      { kind: 'protocols', allow: ['x402'], action: 'approve' },
      { kind: 'max_amount', per: 'day', amount: '5.00', currency: 'USD' },
    ]);
    const ask = (amount: string) => harness.test.post('/v1/transfers', transferBody(from, to, amount));
    expectRefused(await ask('5.01'), 403, 'policy_violation', { reason: 'max_amount' });
    expect((await ask('5000.00')).body.code).toBe('policy_violation');
    expect((await ask('5.00')).status).toBe(202);
  });

  it('names the policy and can be lifted by an approval that the caller asks for', async () => {
    const { policy, pay } = await boundWallet(harness.test, [{ kind: 'max_amount', per: 'tx', amount: '5.00', currency: 'USD' }]);
    const refused = await pay('6.00');
    expect(refused.body.error).toContain(`"${policy.name}"`);
    expect(refused.body.details.limit).toEqual({
      kind: 'policy',
      per: 'tx',
      currency: 'USD',
      max: '5.00',
      used: '0.00',
      requested: '6.00',
      remaining: '5.00',
    });
    expect((await pay('6.00', undefined, { request_approval: true })).status).toBe(202);
  });
});
