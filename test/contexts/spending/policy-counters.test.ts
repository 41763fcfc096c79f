// What policies count: exactly under any concurrency, on from what was used when a rule is changed, anew in each window.
import { describe, expect, it } from 'vitest';
import { transferBody } from '../../factories/payment.js';
import { type Answer, type Json, openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { boundWallet, newPolicy } from './policies.js';

const harness = useHarness();
const dayCap = (amount: string, more: object = {}) => ({ kind: 'max_amount', per: 'day', amount, currency: 'USD', ...more });
const passed = (answers: Answer[]) => answers.filter(({ status }) => status === 201).length;
const change = (policy: Json, rules: object[]) => harness.test.patch(`/v1/policies/${policy.id}`, { rules });

/** Moves the clock on for a test alone. */
async function at(moment: string, work: () => Promise<void>): Promise<void> {
  const before = harness.clock.now().toISOString();
  harness.clock.set(moment);
  await work();
  harness.clock.set(before);
}

describe('of payments at once', () => {
  const rules: [string, object][] = [
    ['an amount per day', dayCap('7.00')],
    ['an amount per hour', { ...dayCap('7.00'), per: 'hour' }],
    ['an amount per week', { ...dayCap('7.00'), per: 'week' }],
    ['an amount per month', { ...dayCap('7.00'), per: 'month' }],
    ['an amount in another currency', { ...dayCap('7.00'), currency: 'USDC' }],
    ['a number per day', { kind: 'max_count', per: 'day', count: 7 }],
    ['a velocity', { kind: 'velocity', count: 7, seconds: 3_600 }],
  ];
  for (const [name, rule] of rules) {
    it(`exactly as many pass as fit: ${name}`, async () => {
      const { policy, pay } = await boundWallet(harness.test, [rule]);
      const answers = await Promise.all(Array.from({ length: 40 }, () => pay('1.00')));
      expect(passed(answers)).toBe(7);
      for (const answer of answers.filter(({ status }) => status !== 201))
        expectRefused(answer, 403, 'policy_violation', { rule_id: `${policy.id}.rules.0` });
    });
  }

  it('with an approval beyond it, exactly as many pass and the others wait', async () => {
    const { pay } = await boundWallet(harness.test, [dayCap('7.00', { action: 'approve' })]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => pay('1.00')));
    expect(passed(answers)).toBe(7);
    expect(answers.filter(({ status, body }) => status === 202 && body.approval.status === 'pending')).toHaveLength(13);
  });

  it('of unequal amounts the sum never passes the cap, and what fits at last passes', async () => {
    const { pay } = await boundWallet(harness.test, [dayCap('20.00')]);
    const amounts = Array.from({ length: 40 }, (_, index) => ((index * 37) % 300) + 50);
    const answers = await Promise.all(amounts.map((cents) => pay((cents / 100).toFixed(2))));
    const spent = answers.reduce((sum, { status, body }) => sum + (status === 201 ? Math.round(Number(body.data.amount) * 100) : 0), 0);
    expect(spent).toBeLessThanOrEqual(2_000);
    const left = ((2_000 - spent) / 100).toFixed(2);
    if (spent < 2_000) expect((await pay(left)).status).toBe(201);
    expect((await pay('0.01')).body.details.limit).toMatchObject({ used: '20.00', remaining: '0.00' });
  });

  it('every policy that binds takes its part, and one that refuses leaves the others as they were', async () => {
    const { from, pay } = await boundWallet(harness.test, [dayCap('10.00')]);
    const narrow = await harness.test.make('/v1/policies', {
      name: 'Narrow',
      target: { type: 'account', id: from.account_id },
      rules: [{ kind: 'max_count', per: 'day', count: 2 }],
    });
    expect(passed(await Promise.all(Array.from({ length: 10 }, () => pay('1.00'))))).toBe(2);
    await harness.test.delete(`/v1/policies/${narrow.id}`);
    expect((await pay('8.01')).body.details.limit).toMatchObject({ used: '2.00', remaining: '8.00' });
  });
});

describe('a rule that is changed', () => {
  it('goes on from what was used, and binds at once', async () => {
    const { policy, pay } = await boundWallet(harness.test, [dayCap('10.00')]);
    expect((await pay('6.00')).status).toBe(201);
    await change(policy, [{ kind: 'velocity', count: 100, seconds: 60 }, dayCap('5.00')]);
    expectRefused(await pay('0.01'), 403, 'policy_violation', {
      rule_id: `${policy.id}.rules.1`,
      limit: { kind: 'policy', per: 'day', currency: 'USD', max: '5.00', used: '6.00', requested: '0.01', remaining: '0.00' },
    });
    await change(policy, [dayCap('7.50')]);
    expect((await pay('1.51')).status).toBe(403);
    expect((await pay('1.50')).status).toBe(201);
  });

  it('remembers while it is switched off, or taken out for a while, what it counted before', async () => {
    const { policy, pay } = await boundWallet(harness.test, [dayCap('10.00')]);
    expect((await pay('6.00')).status).toBe(201);
    await harness.test.patch(`/v1/policies/${policy.id}`, { enabled: false });
    expect((await pay('20.00')).status).toBe(201);
    await harness.test.patch(`/v1/policies/${policy.id}`, { enabled: true });
    expect((await pay('4.01')).body.details.limit).toMatchObject({ used: '6.00' });
  });

  it('counts anew in another currency or period', async () => {
    const { policy, pay } = await boundWallet(harness.test, [dayCap('10.00')]);
    expect((await pay('10.00')).status).toBe(201);
    await change(policy, [dayCap('10.00', { currency: 'USDT' })]);
    expect((await pay('10.00')).status).toBe(201);
  });
});

describe('a window', () => {
  it('ends: an hour, a day, an ISO week, a month, and so many seconds', async () => {
    for (const [rule, next] of [
      [{ ...dayCap('1.00'), per: 'hour' }, '2026-03-02T11:00:00.000Z'],
      [dayCap('1.00'), '2026-03-03T00:00:00.000Z'],
      [{ ...dayCap('1.00'), per: 'week' }, '2026-03-09T00:00:00.000Z'],
      [{ ...dayCap('1.00'), per: 'month' }, '2026-04-01T00:00:00.000Z'],
      [{ kind: 'max_count', per: 'week', count: 1 }, '2026-03-09T00:00:00.000Z'],
      [{ kind: 'velocity', count: 1, seconds: 90 }, '2026-03-02T10:01:30.000Z'],
    ] as const) {
      const { pay } = await boundWallet(harness.test, [rule]);
      expect((await pay('1.00')).status).toBe(201);
      const refused = await pay('1.00');
      expect(refused.body.details.limit, JSON.stringify(rule)).toMatchObject({ resets_at: next });
      await at(new Date(Date.parse(next) - 1).toISOString(), async () => expect((await pay('1.00')).status).toBe(403));
      await at(next, async () => expect((await pay('1.00')).status).toBe(201));
    }
  });

  it('gives back what a hold did not take', async () => {
    const { pay } = await boundWallet(harness.test, [dayCap('10.00')]);
    const held = await pay('10.00', undefined, { capture: 'manual' });
    expect((await pay('0.01')).status).toBe(403);
    await harness.test.post(`/v1/transfers/${held.body.data.id}/capture`, { amount: '4.00' });
    expect((await pay('6.01')).body.details.limit).toMatchObject({ used: '4.00', remaining: '6.00' });
    expect((await pay('6.00')).status).toBe(201);
  });
});

describe('a hold of which a part was captured', () => {
  it('is one spend of those that a rule counts', async () => {
    for (const rule of [
      { kind: 'max_count', per: 'day', count: 1 },
      { kind: 'velocity', count: 1, seconds: 3_600 },
    ]) {
      const { pay } = await boundWallet(harness.test, [rule]);
      const held = await pay('10.00', undefined, { capture: 'manual' });
      await harness.test.make(`/v1/transfers/${held.body.data.id}/capture`, { amount: '9.99' });
      expectRefused(await pay('0.01'), 403, 'policy_violation', { reason: rule.kind, limit: { used: 1, remaining: 0 } });
    }
  });

  it('counts in another currency rounded up, however small the parts are', async () => {
    const { account, wallet } = await openWallet(harness.test, { currency: 'JPY', funded: '10000' });
    const { wallet: to } = await openWallet(harness.test, { currency: 'JPY' });
    await newPolicy(harness.test, { target: { type: 'account', id: account.id }, rules: [dayCap('10.00')] });
    const ask = (amount: string, more: object = {}) => harness.test.post('/v1/transfers', transferBody(wallet, to, amount, more));
    for (let n = 0; n < 3; n += 1) {
      const held = await ask('100', { capture: 'manual' });
      await harness.test.make(`/v1/transfers/${held.body.data.id}/capture`, { amount: '1' });
    }
    expect((await ask('9999')).body.details.limit).toMatchObject({ currency: 'USD', used: '0.03' });
  });
});

describe('spends in another currency', () => {
  it('count in that of the rule, rounded up', async () => {
    const { account, wallet } = await openWallet(harness.test, { currency: 'USDC', funded: '100.00' });
    const { wallet: to } = await openWallet(harness.test, { currency: 'USDC' });
    await newPolicy(harness.test, { target: { type: 'account', id: account.id }, rules: [dayCap('10.00')] });
    const pay = (amount: string) => harness.test.post('/v1/transfers', transferBody(wallet, to, amount));
    expect((await pay('9.990001')).status).toBe(201);
    expect((await pay('0.01')).body.details.limit).toMatchObject({ currency: 'USD', used: '10.00', remaining: '0.00' });
  });
});
