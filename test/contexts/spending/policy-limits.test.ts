// What policies leave an agent, in GET /v1/agents/{id}/limits and GET /v1/me.
import { describe, expect, it } from 'vitest';
import { transferBody } from '../../factories/payment.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';
import { newPolicy } from './policies.js';

const harness = useHarness();
const day = { kind: 'max_amount', per: 'day', amount: '50.00', currency: 'USD' };
const limitsOf = async (id: string, as = harness.test.key) =>
  (await harness.test.get(`/v1/agents/${id}/limits`, { as })).body.data.policies;

/** An agent with a wallet of 100.00, and a way to pay from it. */
async function payer(): Promise<{
  id: string;
  token: string;
  account: Json;
  wallet: Json;
  pay: (amount: string, more?: object) => Promise<void>;
}> {
  const agent = await enrol(harness.test, { wallet: { currency: 'USD' } });
  const wallet = { id: agent.agent.default_wallet_id, currency: 'USD' };
  await harness.test.make(`/v1/wallets/${wallet.id}/fund`, { amount: '100.00' });
  const { wallet: to } = await openWallet(harness.test);
  const pay = async (amount: string, more = {}) => {
    await harness.test.make('/v1/transfers', transferBody(wallet, to, amount, more));
  };
  return { ...agent, wallet, pay };
}

describe('policies among the limits of an agent', () => {
  it('none without policies', async () => {
    const { id, token } = await payer();
    expect(await limitsOf(id)).toEqual([]);
    expect((await harness.test.get('/v1/me', { as: token })).body.data.limits.policies).toEqual([]);
  });

  it('every rule with a figure, with what was used and is left, and when it begins anew', async () => {
    const { id, pay } = await payer();
    const rules = [
      { kind: 'max_amount', per: 'tx', amount: '40.00', currency: 'EUR', action: 'approve' },
      { kind: 'protocols', allow: ['internal'] },
      day,
      { kind: 'max_count', per: 'week', count: 3 },
      { kind: 'velocity', count: 5, seconds: 90, action: 'approve' },
    ];
    const policy = await newPolicy(harness.test, { name: 'Daily', target: { type: 'agent', id }, rules: rules.slice(1) });
    await pay('12.50', { agent_id: id });
    const of = (index: number, rest: object) => ({
      policy_id: policy.id,
      name: 'Daily',
      rule_id: `${policy.id}.rules.${index}`,
      action: 'deny',
      ...rest,
    });
    expect(await limitsOf(id)).toEqual([
      of(1, {
        kind: 'max_amount',
        per: 'day',
        currency: 'USD',
        max: '50.00',
        used: '12.50',
        remaining: '37.50',
        resets_at: '2026-03-03T00:00:00.000Z',
      }),
      of(2, { kind: 'max_count', per: 'week', max: '3', used: '1', remaining: '2', resets_at: '2026-03-09T00:00:00.000Z' }),
      of(3, {
        kind: 'velocity',
        per: '90s',
        max: '5',
        used: '1',
        remaining: '4',
        resets_at: '2026-03-02T10:01:30.000Z',
        action: 'approve',
      }),
    ]);
    await harness.test.patch(`/v1/policies/${policy.id}`, { rules });
    const [cap, today] = await limitsOf(id);
    expect(cap).toEqual(
      of(0, { kind: 'max_amount', per: 'tx', currency: 'EUR', max: '40.00', used: '0.00', remaining: '40.00', action: 'approve' }),
    );
    expect(today).toMatchObject({ rule_id: `${policy.id}.rules.2`, used: '12.50' });
    await harness.test.patch(`/v1/policies/${policy.id}`, { enabled: false });
    expect(await limitsOf(id)).toEqual([]);
  });

  it('of the workspace, its account, itself and its wallets, and of nobody else', async () => {
    const { id, account, wallet } = await payer();
    const stranger = await payer();
    const made = [];
    for (const target of [
      { type: 'tenant' },
      { type: 'account', id: account.id },
      { type: 'agent', id },
      { type: 'wallet', id: wallet.id },
      { type: 'account', id: stranger.account.id },
      { type: 'agent', id: stranger.id },
      { type: 'wallet', id: stranger.wallet.id },
    ])
      made.push(await newPolicy(harness.test, { target, rules: [day] }));
    const names = (limits: Json[]) => limits.map(({ policy_id }) => policy_id);
    expect(names(await limitsOf(id))).toEqual(made.slice(0, 4).map(({ id: policy }) => policy));
    expect(names(await limitsOf(stranger.id))).toEqual([made[0], ...made.slice(4)].map(({ id: policy }) => policy));
    for (const { id: policy } of made) await harness.test.delete(`/v1/policies/${policy}`);
  });

  it('an agent reads what is left of those that count others, and not what they used', async () => {
    const { id, token, account, wallet, pay } = await payer();
    const made = [];
    for (const target of [
      { type: 'tenant' },
      { type: 'account', id: account.id },
      { type: 'agent', id },
      { type: 'wallet', id: wallet.id },
    ])
      made.push(await newPolicy(harness.test, { target, rules: [day] }));
    await pay('20.00');
    const left = { remaining: '30.00' };
    const own = await limitsOf(id, token);
    expect(own.map(({ max, used, remaining }: Json) => ({ max, used, remaining }))).toEqual([
      left,
      left,
      { max: '50.00', used: '0.00', remaining: '50.00' },
      { max: '50.00', used: '20.00', ...left },
    ]);
    expect((await harness.test.get('/v1/me', { as: token })).body.data.limits.policies).toEqual(own);
    expect((await limitsOf(id)).map(({ used }: Json) => used)).toEqual(['20.00', '20.00', '0.00', '20.00']);
    for (const { id: policy } of made) await harness.test.delete(`/v1/policies/${policy}`);
  });
});
