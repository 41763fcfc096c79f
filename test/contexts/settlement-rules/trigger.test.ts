// When settlement rules fire (CONTRACT.md 12): by the clock, by what is published, by the balance, by the number of transfers
import { beforeEach, describe, expect, it } from 'vitest';
import { balanceOf, pay, twoWallets } from '../../factories/payment.js';
import { newPayout } from '../../factories/payout.js';
import { executionsOf, fund, newRule, newSettler, runRule } from '../../factories/settlement-rule.js';
import { protocolPayment } from '../../factories/window.js';
import { type Json, openWallet, useHarness } from '../../harness.js';

const harness = useHarness();
const firings = async (rule: Json) => (await executionsOf(harness.test, rule)).map(({ fired_at: at, trigger }) => [at, trigger]);
const advance = (seconds: number) => harness.test.make('/v1/test/clocks/advance', { seconds });

beforeEach(async () => {
  // A clock that was advanced stays ahead; what is published belongs to the test that published it.
  await harness.runDue();
});

describe('time_based', () => {
  it('fires in its time zone, through the change of its clocks, and a disabled rule does not', async () => {
    const { body } = await harness.test.get('/v1/test/clock');
    const now = new Date(body.data.now);
    expect(now.toISOString()).toBe('2026-03-02T10:00:00.000Z');
    const { wallet } = await openWallet(harness.test);
    const config = { schedule: '0 9 * * 5', timezone: 'America/New_York' };
    const rule = await newRule(harness.test, wallet, { trigger_type: 'time_based', trigger_config: config });
    expect([rule.trigger_config, rule.next_firing_at]).toEqual([config, '2026-03-06T14:00:00.000Z']);
    const off = await newRule(harness.test, wallet, { trigger_type: 'time_based', trigger_config: config, enabled: false });
    expect(off.next_firing_at).toBeUndefined();
    await advance(14 * 86_400);
    expect(await executionsOf(harness.test, rule)).toMatchObject([
      { fired_at: '2026-03-06T14:00:00.000Z', trigger: 'time_based', status: 'completed' },
      { fired_at: '2026-03-13T13:00:00.000Z', trigger: 'time_based', status: 'completed' },
    ]);
    expect(await executionsOf(harness.test, off)).toEqual([]);
    expect((await harness.test.patch(`/v1/settlement-rules/${rule.id}`, { enabled: false })).body.data.next_firing_at).toBeUndefined();
    await advance(14 * 86_400);
    expect(await executionsOf(harness.test, rule)).toHaveLength(2);
  });

  it('first what comes first by priority, where several fire at once', async () => {
    const [{ wallet }, to] = [await openWallet(harness.test, { funded: '100.00' }), await openWallet(harness.test)];
    const trigger = { trigger_type: 'time_based', trigger_config: { schedule: '0 * * * *', timezone: 'UTC' } };
    const settle = (config: object) => ({
      action_type: 'settle_to_wallet',
      action_config: { destination_wallet_id: to.wallet.id, ...config },
    });
    const rest = await newRule(harness.test, wallet, { ...trigger, ...settle({}), priority: 2 });
    const first = await newRule(harness.test, wallet, { ...trigger, ...settle({ amount: 'fixed', amount_cents: 4_000 }), priority: 1 });
    await advance(3_600);
    const amountOf = async (rule: Json) => {
      const [{ transfer_id: id }] = await executionsOf(harness.test, rule);
      return (await harness.test.get(`/v1/transfers/${id}`)).body.data.amount;
    };
    expect([await amountOf(first), await amountOf(rest)]).toEqual(['40.00', '60.00']);
    for (const { id } of [first, rest]) await harness.test.delete(`/v1/settlement-rules/${id}`);
  });
});

describe('event_based', () => {
  it('fires on events of its type about its wallet that pass its filter, once each', async () => {
    const [a, b, c] = [
      await openWallet(harness.test, { funded: '100.00' }),
      await openWallet(harness.test),
      await openWallet(harness.test),
    ];
    const on = (wallet: Json, filter?: object) =>
      newRule(harness.test, wallet, {
        trigger_type: 'event_based',
        trigger_config: { event_type: 'transfer.completed', ...(filter && { filter }) },
      });
    const [any, mine, nobody] = [
      await on(b.wallet),
      await on(b.wallet, { to_account_id: `acc_${b.account.id}`, currency: 'USD' }),
      await on(c.wallet),
    ];
    await pay(harness.test, a.wallet, b.wallet, '10.00');
    await fund(harness.test, b.wallet, '1.00');
    await harness.runDue();
    await pay(harness.test, b.wallet, a.wallet, '2.00');
    await harness.runDue();
    await harness.runDue();
    expect([await firings(any), await firings(mine), await firings(nobody)].map((all) => all.length)).toEqual([3, 2, 0]);
    expect((await firings(any))[0]?.[1]).toBe('event_based');
    for (const { id } of [any, mine, nobody]) await harness.test.delete(`/v1/settlement-rules/${id}`);
  });

  it('not on what was before it, and on test events, whatever they are about', async () => {
    const { wallet } = await openWallet(harness.test, { funded: '100.00' });
    const config = { event_type: 'settlement.completed', filter: { 'destination.type': 'bank', 'destination.nothing': null } };
    const rule = await newRule(harness.test, wallet, { trigger_type: 'event_based', trigger_config: config });
    const funded = await newRule(harness.test, wallet, {
      trigger_type: 'event_based',
      trigger_config: { event_type: 'transfer.completed' },
    });
    await harness.test.make('/v1/test/events/trigger', { type: 'settlement.completed' });
    await harness.test.make('/v1/test/events/trigger', {
      type: 'settlement.completed',
      data: { destination: { type: 'wallet', ref: '0x' } },
    });
    await harness.runDue();
    expect([await firings(rule), await firings(funded)].map((all) => all.length)).toEqual([1, 0]);
    for (const { id } of [rule, funded]) await harness.test.delete(`/v1/settlement-rules/${id}`);
  });

  it('what a rule caused fires no rule: neither the payout, nor what is told of it later', async () => {
    const { wallet, bank, rule, account } = await newSettler(harness.test);
    const types = ['settlement.initiated', 'settlement.completed', 'transfer.completed', 'transfer.created', 'account.balance.low'];
    const rules: Json[] = [];
    for (const type of types)
      rules.push(await newRule(harness.test, wallet, { trigger_type: 'event_based', trigger_config: { event_type: type } }));
    await harness.test.patch(`/v1/wallets/${wallet.id}`, { low_balance_threshold: '500.00' });
    const notified = await harness.test.post('/v1/settlement-rules', {
      ...{ name: 'No', wallet_id: wallet.id, trigger_type: 'event_based', action_type: 'notify' },
      trigger_config: { event_type: 'settlement_rule.notified' },
    });
    expect(notified.status).toBe(400);
    const { payout_id: id } = await runRule(harness, rule);
    await advance(2 * 86_400);
    await harness.runDue();
    expect((await harness.test.get(`/v1/payouts/${id}`)).body.data.status).toBe('complete');
    for (const one of rules) expect(await firings(one)).toEqual([]);
    await fund(harness.test, wallet, '600.00');
    await harness.runDue();
    await newPayout(harness.test, { account, wallet, bank });
    await pay(harness.test, wallet, (await openWallet(harness.test)).wallet, '10.00');
    await harness.runDue();
    await advance(2 * 86_400);
    expect(await Promise.all(rules.map(async (one) => (await firings(one)).length))).toEqual([1, 1, 3, 3, 1]);
    for (const one of rules) await harness.test.delete(`/v1/settlement-rules/${one.id}`);
  });
});

describe('balance_threshold', () => {
  const threshold = (direction: string, cents = 10_000) => ({
    trigger_type: 'balance_threshold',
    trigger_config: { threshold_cents: cents, currency: 'USD', direction },
  });

  it('fires where the balance passes it, not while it stays there, and again when it comes back', async () => {
    const [{ wallet }, to] = [await openWallet(harness.test, { funded: '100.00' }), await openWallet(harness.test)];
    const [above, below] = [
      await newRule(harness.test, wallet, threshold('above')),
      await newRule(harness.test, wallet, threshold('below')),
    ];
    const count = async () => {
      await harness.runDue();
      return [(await firings(above)).length, (await firings(below)).length];
    };
    await fund(harness.test, wallet, '50.00');
    expect(await count()).toEqual([0, 0]);
    await pay(harness.test, wallet, to.wallet, '50.01');
    expect(await count()).toEqual([0, 1]);
    await pay(harness.test, wallet, to.wallet, '9.99');
    expect(await count()).toEqual([0, 1]);
    await fund(harness.test, wallet, '10.00');
    expect(await count()).toEqual([1, 1]);
    await fund(harness.test, wallet, '10.00');
    expect(await count()).toEqual([1, 1]);
    // Within one stretch of events, there and back.
    await pay(harness.test, wallet, to.wallet, '50.00');
    await fund(harness.test, wallet, '50.00');
    expect(await count()).toEqual([2, 2]);
  });

  it('fires when what was held or kept back comes to the wallet, of which nothing is told', async () => {
    await harness.test.patch('/v1/settlement/config', { holdback_percentage: 10, holdback_release_days: 365 });
    const { from, to } = await twoWallets(harness.test, { funded: '200.00' });
    await protocolPayment(harness, from, to, '100.00');
    await harness.test.patch('/v1/settlement/config', { holdback_percentage: 0 });
    const held = await pay(harness.test, from, to, '100.00', { capture: 'manual' });
    await harness.runDue();
    const [payer, payee] = [await newRule(harness.test, from, threshold('above')), await newRule(harness.test, to, threshold('above'))];
    await harness.test.make(`/v1/transfers/${held.id}/cancel`, {});
    await harness.runDue();
    expect([await firings(payer), await firings(payee)].map((all) => all.length)).toEqual([1, 0]);
    await advance(365 * 86_400);
    expect([await firings(payer), await firings(payee)].map((all) => all.length)).toEqual([1, 1]);
  });

  it('settles each time that it is reached, and what it pays out arms it again', async () => {
    const { wallet, rule } = await newSettler(harness.test, threshold('above'), { funded: '10.00' });
    const paid = async () => (await executionsOf(harness.test, rule)).map(({ status }) => status);
    for (const times of [1, 2]) {
      await fund(harness.test, wallet, '99.00');
      await harness.runDue();
      expect(await paid()).toEqual(Array(times).fill('completed'));
      expect(await balanceOf(harness.test, wallet)).toMatchObject({ available: '0.00' });
      await fund(harness.test, wallet, '10.00');
    }
  });
});

describe('transaction_count', () => {
  it('fires on every so many completed transfers of the wallet, or when so many lie within the window', async () => {
    const [a, b] = [await openWallet(harness.test, { funded: '100.00' }), await openWallet(harness.test)];
    const counting = (config: object) => newRule(harness.test, b.wallet, { trigger_type: 'transaction_count', trigger_config: config });
    const [third, near] = [await counting({ count: 3 }), await counting({ count: 2, within_window: 60 })];
    const payAfter = async (seconds: number) => {
      if (seconds > 0) await advance(seconds);
      await pay(harness.test, a.wallet, b.wallet, '1.00');
      await harness.runDue();
      return [(await firings(third)).length, (await firings(near)).length];
    };
    expect(await payAfter(0)).toEqual([0, 0]);
    expect(await payAfter(61)).toEqual([0, 0]);
    expect(await payAfter(60)).toEqual([1, 1]);
    expect(await payAfter(1)).toEqual([1, 1]);
    expect(await payAfter(1)).toEqual([1, 2]);
    expect(await payAfter(1)).toEqual([2, 2]);
    await harness.test.patch(`/v1/settlement-rules/${third.id}`, { trigger_config: { count: 1 } });
    expect(await payAfter(0)).toEqual([3, 3]);
  });
});

it('during an advance of the clock events are heard in their time', async () => {
  const [a, b] = [await openWallet(harness.test, { funded: '100.00' }), await openWallet(harness.test)];
  const { body } = await harness.test.get('/v1/test/clock');
  const at = new Date(Date.parse(body.data.now) + 86_400_000).toISOString();
  const trigger_config = { event_type: 'transfer.completed' };
  const rule = await newRule(harness.test, b.wallet, {
    trigger_type: 'event_based',
    trigger_config,
    action_type: 'hold',
    action_config: { amount_cents: 100, release_after_seconds: 3_600 },
  });
  await pay(harness.test, a.wallet, b.wallet, '5.00', { scheduled_for: at });
  await advance(10 * 86_400);
  const [done] = await executionsOf(harness.test, rule);
  expect(done).toMatchObject({ fired_at: at, status: 'completed' });
  const { created_at: made, updated_at: released } = (await harness.test.get(`/v1/transfers/${done.transfer_id}`)).body.data;
  expect([made, Date.parse(released) - Date.parse(made)]).toEqual([at, 3_600_000]);
});
