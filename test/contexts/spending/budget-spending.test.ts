// Budgets at work: POST /v1/transfers under them, holds, and what comes back (CONTRACT.md 6).
import { describe, expect, it } from 'vitest';
import { sweepLimitCounters } from '../../../src/ledger/sweep.js';
import { newBudget, readBudget, type Spender, spender, usedOf } from '../../factories/budget.js';
import { transferBody } from '../../factories/payment.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const own = ({ id }: Spender) => ({ scope: { type: 'agent', id } });
const ofAccount = ({ account }: Spender) => ({ scope: { type: 'account', id: account.id } });
const act = (path: string, body: object = {}) => harness.test.post(path, body);
const used = (budget: Json) => usedOf(harness.test, budget);
const pay = (from: Json, to: Json, amount: string, extra: object = {}) =>
  harness.test.post('/v1/transfers', transferBody(from, to, amount, extra));

describe('a spend under a budget', () => {
  it('passes up to its amount, and is then refused with the numbers and with what would help', async () => {
    const agent = await spender(harness.test);
    const budget = await newBudget(harness.test, own(agent));
    expect((await agent.pay('99.99')).status).toBe(201);
    const refused = await agent.pay('0.02');
    expectRefused(refused, 403, 'budget_exceeded', {
      reason: 'max_amount',
      rule_id: budget.id,
      limit: {
        kind: 'budget',
        per: 'day',
        currency: 'USD',
        max: '100.00',
        used: '99.99',
        requested: '0.02',
        remaining: '0.01',
        resets_at: '2026-03-03T00:00:00.000Z',
      },
      retry: { safe: true, same_key: true, after_s: 14 * 3_600 },
    });
    const actions: Json[] = refused.body.details.next_actions;
    expect(actions.map(({ rel }) => rel)).toEqual(['smaller_amount', 'request_approval', 'limits', 'change_limit']);
    expect(actions.at(-1)).toEqual({ rel: 'change_limit', actor: 'api_key', method: 'PATCH', path: `/v1/budgets/${budget.id}` });
    const [smaller] = actions;
    expect((await harness.test.post(smaller.path, smaller.body, { as: agent.token })).status).toBe(201);
    expect(await used(budget)).toEqual(['100.00', '0.00', '0.00']);
  });

  it('counts for the whole path, and for none of it when one refuses', async () => {
    const agent = await spender(harness.test);
    const top = await newBudget(harness.test, { ...ofAccount(agent), amount: '50.00', period: 'month' });
    const middle = await newBudget(harness.test, { ...ofAccount(agent), amount: '40.00', parent_id: top.id });
    const bottom = await newBudget(harness.test, { ...own(agent), amount: '30.00', parent_id: middle.id });
    expect((await agent.pay('30.00')).status).toBe(201);
    harness.clock.advance(86_400);
    // A new day for the lower two, the same month for the first.
    const refused = await agent.pay('20.01');
    expectRefused(refused, 403, 'budget_exceeded', { rule_id: top.id, limit: { per: 'month', remaining: '20.00' } });
    expect(await Promise.all([top, middle, bottom].map(used))).toEqual([
      ['30.00', '0.00', '20.00'],
      ['0.00', '0.00', '40.00'],
      ['0.00', '0.00', '30.00'],
    ]);
    expect((await agent.pay('20.00')).status).toBe(201);
    expect(await Promise.all([top, middle, bottom].map(used))).toEqual([
      ['50.00', '0.00', '0.00'],
      ['20.00', '0.00', '20.00'],
      ['20.00', '0.00', '10.00'],
    ]);
  });

  it('counts in the currency of the budget, rounded up', async () => {
    const agent = await spender(harness.test, { currency: 'USDC' });
    const budget = await newBudget(harness.test, own(agent));
    expect((await agent.pay('1.000001')).status).toBe(201);
    expect(await used(budget)).toEqual(['1.01', '0.00', '98.99']);
  });

  it('is refused once the budget has expired, and passes again when its end is taken away', async () => {
    const agent = await spender(harness.test);
    const end = new Date(harness.clock.now().getTime() + 60_000).toISOString();
    const budget = await newBudget(harness.test, { ...own(agent), expires_at: end });
    expect((await agent.pay('1.00')).status).toBe(201);
    harness.clock.set(end);
    const refused = await agent.pay('1.00');
    expectRefused(refused, 403, 'budget_exceeded', { reason: 'expired', rule_id: `${budget.id}.expires_at`, expires_at: end });
    await harness.test.patch(`/v1/budgets/${budget.id}`, { expires_at: null });
    expect((await agent.pay('1.00')).status).toBe(201);
  });

  it('is tried by a dry run, which shows the budget and uses nothing', async () => {
    const agent = await spender(harness.test);
    const budget = await newBudget(harness.test, { ...own(agent), amount: '5.00' });
    const body = transferBody(agent.from, agent.to, '6.00');
    const { decision } = (await harness.test.post('/v1/transfers?dry_run=true', body, { as: agent.token })).body.data;
    expect(decision).toMatchObject({ outcome: 'deny', code: 'budget_exceeded' });
    expect(decision.checks).toContainEqual(
      expect.objectContaining({ layer: 'budget', rule_id: budget.id, outcome: 'fail', used: '0.00', remaining: '5.00' }),
    );
    expect(await used(budget)).toEqual(['0.00', '0.00', '5.00']);
  });

  it('of a hundred at once exactly as many pass as every budget of the path holds', async () => {
    const agent = await spender(harness.test);
    const sister = await spender(harness.test, { parent_account_id: agent.account.id });
    const above = await newBudget(harness.test, { ...ofAccount(agent), amount: '17.00' });
    const below = await newBudget(harness.test, { ...own(agent), amount: '11.00', parent_id: above.id });
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? agent : sister).pay('1.00')));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(17);
    expect(answers.filter(({ body }) => body.code === 'budget_exceeded')).toHaveLength(83);
    expect(await used(above)).toEqual(['17.00', '0.00', '0.00']);
    const byAgent = answers.filter(({ status }, n) => n % 2 === 0 && status === 201).length;
    expect(byAgent).toBeLessThanOrEqual(11);
    expect((await used(below))[0]).toBe(`${byAgent}.00`);
  });
});

describe('a budget binds', () => {
  it('of the tenant: everybody in its workspace, and nobody else', async () => {
    const [payer, payee] = [(await openWallet(harness.other, { funded: '50.00' })).wallet, (await openWallet(harness.other)).wallet];
    const agent = await spender(harness.other);
    const budget = await newBudget(harness.other, { amount: '10.00' });
    expect((await harness.other.post('/v1/transfers', transferBody(payer, payee, '6.00'))).status).toBe(201);
    expect((await agent.pay('5.00')).body.code).toBe('budget_exceeded');
    expect((await agent.pay('4.00')).status).toBe(201);
    expect((await (await spender(harness.test)).pay('500.00')).status).toBe(201);
    await harness.other.delete(`/v1/budgets/${budget.id}`);
  });

  it('of an account: its own wallets and those of its agents', async () => {
    const agent = await spender(harness.test);
    const { account } = agent;
    const wallet = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USD' });
    await harness.test.make(`/v1/wallets/${wallet.id}/fund`, { amount: '50.00' });
    const budget = await newBudget(harness.test, { ...ofAccount(agent), amount: '10.00' });
    expect((await pay(wallet, agent.to, '6.00')).status).toBe(201);
    expect((await agent.pay('4.01')).body.code).toBe('budget_exceeded');
    expect((await agent.pay('4.00')).status).toBe(201);
    const stranger = await spender(harness.test);
    expect((await stranger.pay('20.00')).status).toBe(201);
    // What stays with its owner is no spend, nor is what an account receives.
    expect((await pay(wallet, agent.from, '20.00')).status).toBe(201);
    expect((await pay(stranger.from, wallet, '20.00')).status).toBe(201);
    expect(await used(budget)).toEqual(['10.00', '0.00', '0.00']);
  });

  it('of an agent: what it spends itself, and what an API key spends as it', async () => {
    const agent = await spender(harness.test);
    const budget = await newBudget(harness.test, { ...own(agent), amount: '10.00' });
    expect((await agent.pay('4.00')).status).toBe(201);
    expect((await pay(agent.from, agent.to, '5.00', { agent_id: agent.id })).status).toBe(201);
    expect((await pay(agent.from, agent.to, '5.00')).status).toBe(201);
    expect((await pay(agent.from, agent.to, '1.01', { agent_id: agent.id })).body.code).toBe('budget_exceeded');
    expect(await used(budget)).toEqual(['9.00', '0.00', '1.00']);
  });

  it('of a trace: the requests that carry it', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = (id: string) => ({ traceparent: `00-${id}-00f067aa0ba902b7-01` });
    const [agent, other] = [await spender(harness.test), await spender(harness.test)];
    const budget = await newBudget(harness.test, { scope: { type: 'trace', id: trace }, amount: '10.00', period: 'once' });
    expect((await agent.pay('6.00', {}, headers(trace))).status).toBe(201);
    const refused = await other.pay('5.00', {}, headers(trace));
    expectRefused(refused, 403, 'budget_exceeded', { limit: { per: 'once', remaining: '4.00' } });
    expect(refused.body.details.limit).not.toHaveProperty('resets_at');
    expect((await other.pay('5.00', {}, headers(trace.replace('4', '5')))).status).toBe(201);
    expect((await other.pay('5.00')).status).toBe(201);
    harness.clock.advance(40 * 86_400);
    expect(await used(budget)).toEqual(['6.00', '0.00', '4.00']);
  });

  it('through the one above it, although that one is of somebody else', async () => {
    const [agent, boss] = [await spender(harness.test), await enrol(harness.test)];
    const above = await newBudget(harness.test, { scope: { type: 'agent', id: boss.id }, amount: '10.00' });
    const below = await newBudget(harness.test, { ...own(agent), amount: '10.00', parent_id: above.id });
    expect((await agent.pay('7.00')).status).toBe(201);
    expect(await Promise.all([above, below].map(used))).toEqual(Array(2).fill(['7.00', '0.00', '3.00']));
  });
});

describe('money that is held', () => {
  async function held(amount: string): Promise<{ agent: Spender; budgets: [Json, Json]; transfer: Json }> {
    const agent = await spender(harness.test);
    const above = await newBudget(harness.test, { ...ofAccount(agent), period: 'month' });
    const below = await newBudget(harness.test, { ...own(agent), parent_id: above.id });
    const { status, body } = await agent.pay(amount, { capture: 'manual' });
    expect(status).toBe(201);
    return { agent, budgets: [above, below], transfer: body.data };
  }
  const both = (...use: [string, string, string]) => [use, use];

  it('is reserved along the path, and used when it is captured', async () => {
    const { agent, budgets, transfer } = await held('60.00');
    expect(await Promise.all(budgets.map(used))).toEqual(both('0.00', '60.00', '40.00'));
    expect((await agent.pay('40.01')).body.code).toBe('budget_exceeded');
    expect((await act(`/v1/transfers/${transfer.id}/capture`)).status).toBe(200);
    expect(await Promise.all(budgets.map(used))).toEqual(both('60.00', '0.00', '40.00'));
  });

  it('is given back as far as it is not captured', async () => {
    const { budgets, transfer } = await held('60.00');
    expect((await act(`/v1/transfers/${transfer.id}/capture`, { amount: '20.00' })).status).toBe(200);
    expect(await Promise.all(budgets.map(used))).toEqual(both('20.00', '0.00', '80.00'));
  });

  it('is given back when it is cancelled, and when it expires', async () => {
    const cancelled = await held('60.00');
    expect((await act(`/v1/transfers/${cancelled.transfer.id}/cancel`)).status).toBe(200);
    expect(await Promise.all(cancelled.budgets.map(used))).toEqual(both('0.00', '0.00', '100.00'));
    const agent = await spender(harness.test);
    const budget = await newBudget(harness.test, own(agent));
    await agent.pay('60.00', { capture: 'manual', hold_expires_in: 60 });
    await harness.advance(61);
    expect(await used(budget)).toEqual(['0.00', '0.00', '100.00']);
  });

  it('counts in the window in which it was asked for: a later one gets nothing back and pays nothing', async () => {
    const first = await held('60.00');
    const second = await held('60.00');
    // Past midnight, before the holds expire.
    harness.clock.advance(15 * 3_600);
    for (const { agent } of [first, second]) expect((await agent.pay('30.00')).status).toBe(201);
    expect((await act(`/v1/transfers/${first.transfer.id}/cancel`)).status).toBe(200);
    expect((await act(`/v1/transfers/${second.transfer.id}/capture`)).status).toBe(200);
    const [month, day] = first.budgets;
    expect([await used(month), await used(day)]).toEqual([
      ['30.00', '0.00', '70.00'],
      ['30.00', '0.00', '70.00'],
    ]);
    expect([await used(second.budgets[0]), await used(second.budgets[1])]).toEqual([
      ['90.00', '0.00', '10.00'],
      ['30.00', '0.00', '70.00'],
    ]);
  });

  it('may be captured although the budget was lowered or has expired meanwhile', async () => {
    const { budgets, transfer } = await held('60.00');
    const soon = new Date(harness.clock.now().getTime() + 1_000).toISOString();
    for (const { id } of budgets.toReversed()) {
      const { status } = await harness.test.patch(`/v1/budgets/${id}`, { amount: '1.00', expires_at: soon });
      expect(status).toBe(200);
    }
    harness.clock.advance(2);
    expect((await act(`/v1/transfers/${transfer.id}/capture`)).status).toBe(200);
    expect(await readBudget(harness.test, budgets[0])).toMatchObject({ amount: '1.00', spent: '60.00', remaining: '0.00' });
  });
});

describe('a scheduled transfer', () => {
  it('counts when its time comes, and fails where the budget does not hold it', async () => {
    const agent = await spender(harness.test);
    const budget = await newBudget(harness.test, { ...own(agent), amount: '10.00', period: 'once' });
    const later = new Date(harness.clock.now().getTime() + 60_000).toISOString();
    const made = [await agent.pay('8.00', { scheduled_for: later }), await agent.pay('8.00', { scheduled_for: later })];
    expect(await used(budget)).toEqual(['0.00', '0.00', '10.00']);
    await harness.advance(61);
    const statuses = await Promise.all(made.map(async ({ body }) => (await harness.test.get(`/v1/transfers/${body.data.id}`)).body.data));
    expect(statuses.map(({ status }) => status).sort()).toEqual(['completed', 'failed']);
    expect(statuses.find(({ status }) => status === 'failed').failure.code).toBe('budget_exceeded');
    expect(await used(budget)).toEqual(['8.00', '0.00', '2.00']);
  });
});

describe('what a budget has counted', () => {
  it('is forgotten long after its period, and never when it has none', async () => {
    const agent = await spender(harness.test);
    const periods = ['day', 'week', 'month', 'once'];
    const budgets: Json[] = [];
    for (const period of periods) budgets.push(await newBudget(harness.test, { ...own(agent), period, timezone: 'Pacific/Apia' }));
    expect((await agent.pay('10.00')).status).toBe(201);
    const counted = async () => {
      while ((await sweepLimitCounters(harness.platform)) > 0);
      const counters = budgets.map(({ id }) => `budget:${id.slice(4)}`);
      const left = await harness.platform.database.unscoped.limitCounter.findMany({ where: { counter: { in: counters } } });
      return periods.filter((_, n) => left.some(({ counter }) => counter === counters[n]));
    };
    expect(await counted()).toEqual(periods);
    harness.clock.advance(60 * 86_400);
    expect(await counted()).toEqual(periods);
    harness.clock.advance(70 * 86_400);
    expect(await counted()).toEqual(['once']);
    expect(await used(budgets[3])).toEqual(['10.00', '0.00', '90.00']);
  });
});
