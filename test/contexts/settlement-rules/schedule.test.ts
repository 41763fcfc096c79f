// The schedule of the settlement config: merchants are paid out without being asked, where no rule says otherwise
import { afterEach, describe, expect, it } from 'vitest';
import { balanceOf } from '../../factories/payment.js';
import { newBankAccount } from '../../factories/payout.js';
import { fund, newRule } from '../../factories/settlement-rule.js';
import { type Json, openWallet, useHarness } from '../../harness.js';

const harness = useHarness();
const advance = (seconds: number) => harness.test.make('/v1/test/clocks/advance', { seconds });
const schedule = async (settlement_schedule: string, enabled = true) => {
  const body = { settlement_schedule, auto_settlement_enabled: enabled };
  expect((await harness.test.patch('/v1/settlement/config', body)).status).toBe(200);
  await harness.runDue();
};
const payouts = async (wallet: Json): Promise<Json[]> => (await harness.test.get(`/v1/payouts?wallet_id=${wallet.id}`)).body.data;

/** A merchant with money, and a bank account that its currency can go to. */
async function newShop({ funded = '100.00', bank = true, merchant = true, currency = 'USD' } = {}): Promise<Json> {
  const { account, wallet } = await openWallet(harness.test, { funded, currency });
  if (merchant) await harness.test.make('/v1/merchants', { name: 'Shop', category: 'retail', account_id: account.id });
  if (bank) await newBankAccount(harness.test, account.id);
  return wallet;
}

afterEach(async () => {
  await schedule('manual', false);
});

describe('settlement_schedule', () => {
  it('daily pays out at midnight what merchants have that no enabled rule covers', async () => {
    const shop = await newShop();
    const others = [
      await newShop({ bank: false }),
      await newShop({ merchant: false }),
      await newShop({ currency: 'EUR' }),
      await newShop({ funded: '0.20' }),
    ];
    const [covered, released] = [await newShop(), await newShop()];
    await newRule(harness.test, covered);
    await newRule(harness.test, released, { enabled: false });
    await schedule('daily');
    await advance(14 * 3_600 - 1);
    expect(await payouts(shop)).toEqual([]);
    await advance(1);
    for (const wallet of [shop, released]) {
      expect(await payouts(wallet)).toMatchObject([
        { amount: '99.75', created_at: '2026-03-03T00:00:00.000Z', description: 'Automatic settlement' },
      ]);
    }
    for (const wallet of [...others, covered]) expect(await payouts(wallet)).toEqual([]);
    await fund(harness.test, shop, '10.00');
    await advance(86_399);
    expect(await payouts(shop)).toHaveLength(1);
    await advance(1);
    expect((await payouts(shop))[0]).toMatchObject({ amount: '9.75', created_at: '2026-03-04T00:00:00.000Z' });
  });

  it('immediate pays out what is there, and then whatever arrives', async () => {
    const shop = await newShop();
    await schedule('immediate');
    expect(await payouts(shop)).toMatchObject([{ amount: '99.75' }]);
    await fund(harness.test, shop, '5.00');
    await fund(harness.test, shop, '6.00');
    await harness.runDue();
    expect((await payouts(shop)).slice(0, -1)).toMatchObject([{ amount: '10.75' }]);
    expect(await balanceOf(harness.test, shop)).toMatchObject({ available: '0.00' });
    await advance(86_400);
    expect(await payouts(shop)).toHaveLength(2);
  });

  it('is kept when something else of the config changes, though it is due', async () => {
    const shop = await newShop();
    await schedule('hourly');
    harness.clock.advance(3_600);
    expect((await harness.test.patch('/v1/settlement/config', { holdback_release_days: 8 })).status).toBe(200);
    await harness.runDue();
    expect(await payouts(shop)).toHaveLength(1);
  });

  it.each(['hourly', 'weekly'])('%s in its time, and not when it is off', async (name) => {
    const shop = await newShop();
    await schedule(name);
    await schedule(name, false);
    await advance(7 * 86_400);
    expect(await payouts(shop)).toEqual([]);
    await schedule(name);
    await advance(name === 'hourly' ? 3_600 : 7 * 86_400);
    const [payout] = await payouts(shop);
    expect(payout.created_at).toMatch(name === 'hourly' ? /:00:00\.000Z$/ : /T00:00:00\.000Z$/);
    if (name === 'weekly') expect(new Date(payout.created_at).getUTCDay()).toBe(1);
  });
});
