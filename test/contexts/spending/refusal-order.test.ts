// The first layer of the pipeline that refuses decides the code, whether a posting runs alone, in a group or as a dry run.
import { describe, expect, it } from 'vitest';
import { decisionsOf } from '../../factories/decision.js';
import { transferBody } from '../../factories/payment.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';
import { boundWallet } from './policies.js';

const harness = useHarness();

/** An agent with a wallet of 10.00 and a cap of 5.00 for a spend; `body` asks for 7.00, `large` for more than it has. */
async function cappedAgent(): Promise<{ id: string; token: string; wallet: Json; payee: Json }> {
  const { id, token } = await enrol(harness.test, { kya_tier: 2 });
  const wallet = await harness.test.make('/v1/wallets', { owner_type: 'agent', owner_id: id, currency: 'USD' });
  await harness.test.make(`/v1/wallets/${wallet.id}/fund`, { amount: '10.00' });
  const { wallet: payee } = await openWallet(harness.test);
  await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 2, currency: 'USD', per_tx: '5.00', per_day: '100.00' }] });
  return { id, token, wallet, payee };
}

/** The code that each door answers with. */
async function codes(body: object, as: string): Promise<string[]> {
  const alone = await harness.test.post('/v1/transfers', body, { as });
  const group = await Promise.all(Array.from({ length: 6 }, () => harness.test.post('/v1/transfers', body, { as })));
  const dry = await harness.test.post('/v1/transfers?dry_run=true', body, { as });
  return [alone.body.code, ...new Set(group.map((answer) => answer.body.code)), dry.body.data.decision.code];
}

describe('a refused spend', () => {
  it('has the code of its first layer through every door: the agent before the wallet, caps before the balance', async () => {
    const { id, token, wallet, payee } = await cappedAgent();
    const tooLarge = transferBody(wallet, payee, '70.00');
    const empty = transferBody(wallet, payee, '4.00');
    expect(await codes(tooLarge, token)).toEqual(Array(3).fill('kya_limit_exceeded'));
    await harness.test.make(`/v1/transfers`, transferBody(wallet, payee, '8.00'));
    expect(await codes(empty, token)).toEqual(Array(3).fill('insufficient_balance'));
    await harness.test.post(`/v1/wallets/${wallet.id}/freeze`, {});
    for (const body of [tooLarge, empty]) expect(await codes(body, token)).toEqual(Array(3).fill('wallet_frozen'));
    await harness.test.post(`/v1/agents/${id}/freeze`, { reason: 'why' });
    for (const body of [tooLarge, empty]) expect(await codes(body, token)).toEqual(Array(3).fill('agent_frozen'));
  });

  it('is reported whole by a dry run: every layer that refuses, and what a limit has left', async () => {
    const { token, wallet, payee } = await cappedAgent();
    const refused = (await harness.test.post('/v1/transfers?dry_run=true', transferBody(wallet, payee, '70.00'), { as: token })).body.data;
    const outcomes = refused.decision.checks.map(({ layer, outcome }: Json) => `${layer} ${outcome}`);
    expect(outcomes).toEqual([
      'workspace pass',
      'agent pass',
      'wallet pass',
      'kya fail',
      'kya pass',
      'policy skipped',
      'budget skipped',
      'mandate skipped',
      'balance fail',
    ]);
    const allowed = (await harness.test.post('/v1/transfers?dry_run=true', transferBody(wallet, payee, '4.00'), { as: token })).body.data;
    expect(allowed.decision.checks[3]).toMatchObject({
      layer: 'kya',
      rule_id: 'kya.tier.2',
      outcome: 'pass',
      limit: { per: 'day', max: '100.00', used: '0.00', requested: '4.00', remaining: '100.00' },
    });
  });
});

describe('a spend that waits for an approval', () => {
  const cap = { kind: 'max_amount', per: 'day', amount: '5.00', currency: 'USD' };
  const sent = async (from: Json, to: Json, amount: string, extra: object = {}) => {
    const body = transferBody(from, to, amount, extra);
    const { decision } = (await harness.test.post('/v1/transfers?dry_run=true', body)).body.data;
    const { status, body: answer } = await harness.test.post('/v1/transfers', body);
    return [status, answer.code ?? answer.data.status, decision.outcome, decision.code];
  };
  const waits = [202, 'pending', 'require_approval', undefined];
  const tooPoor = [422, 'insufficient_balance', 'deny', 'insufficient_balance'];

  it('is refused by whatever no approval lifts, though an earlier layer only requires one', async () => {
    const { from, to } = await boundWallet(harness.test, [{ ...cap, action: 'approve' }]);
    expect(await sent(from, to, '1000.01')).toEqual(tooPoor);
    expect(await sent(from, to, '6.00')).toEqual(waits);
    const { from: other } = await boundWallet(harness.test, [cap]);
    expect(await sent(other, to, '1000.01', { request_approval: true })).toEqual(tooPoor);
    expect(await sent(other, to, '6.00')).toEqual([403, 'policy_violation', 'deny', 'policy_violation']);
    expect(await sent(other, to, '6.00', { request_approval: true })).toEqual(waits);
  });

  it('asks for all that stands in its way at once: what refuses by itself, and limits', async () => {
    const rules = [cap, { kind: 'protocols', allow: ['x402'] }, { kind: 'max_count', per: 'day', count: 1 }];
    const approval = { threshold: '3.00', currency: 'USD' };
    const { from, to } = await boundWallet(harness.test, rules, { approval });
    for (let n = 0; n < 2; n += 1) expect(await sent(from, to, '6.00', { request_approval: true })).toEqual(waits);
    const [decision] = await decisionsOf(harness, harness.test, 'limit=1');
    const asked = decision.checks
      .filter(({ outcome }: Json) => outcome === 'approve')
      .map(({ rule_id }: Json) => rule_id.split('.').at(-1));
    expect(asked.sort()).toEqual(['0', '1', '2', 'approval']);
    expect(decision).toMatchObject({ outcome: 'require_approval', approval_id: expect.stringMatching(/^apr_/) });
  });
});

describe('money that stays with its owner', () => {
  it('uses no cap: between the wallets of one account, and from an account to its own agent', async () => {
    const { id, wallet } = await cappedAgent();
    const account = (await harness.test.get(`/v1/wallets/${wallet.id}`)).body.data.account_id;
    const open = () => harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: account, currency: 'USD' });
    const [first, second] = [await open(), await open()];
    await harness.test.make(`/v1/wallets/${first.id}/fund`, { amount: '50.00' });
    for (const to of [second, wallet]) {
      const { status } = await harness.test.post('/v1/transfers', transferBody(first, to, '20.00', { agent_id: id }));
      expect(status).toBe(201);
    }
    const { kya } = (await harness.test.get(`/v1/agents/${id}/limits`)).body.data;
    expect(kya.map(({ used }: Json) => used)).toEqual(['0.00', '0.00']);
  });
});

describe('a transfer that an API key scheduled for an agent', () => {
  it('is carried out although the key of the agent was revoked meanwhile', async () => {
    const { id, wallet, payee } = await cappedAgent();
    const at = new Date(harness.clock.now().getTime() + 60_000).toISOString();
    const body = transferBody(wallet, payee, '3.00', { agent_id: id, scheduled_for: at });
    const scheduled = await harness.test.make('/v1/transfers', body);
    await harness.test.post(`/v1/agents/${id}/auth-keys`, {});
    await harness.test.delete(`/v1/agents/${id}/auth-keys`);
    await harness.advance(61);
    expect((await harness.test.get(`/v1/transfers/${scheduled.id}`)).body.data).toMatchObject({ status: 'completed' });
  });
});
