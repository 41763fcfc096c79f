// GET /v1/treasury/runway
import { describe, expect, it } from 'vitest';
import { payAbroad } from '../../factories/exchange.js';
import { pay, twoWallets } from '../../factories/payment.js';
import { newPayer, newPayout, readPayout } from '../../factories/payout.js';
import { newStream } from '../../factories/stream.js';
import { moveOut, newSandbox } from '../../factories/treasury.js';
import { type Client, openWallet, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';

const harness = useHarness();
const path = '/v1/treasury/runway';
const day = 86_400;
const none = { runway_days: null, burn_rate_cents_per_day: 0, depletion_date: null };

async function runway(client: Client, query = '') {
  const { status, body } = await client.get(`${path}${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}
/** The forecast of so many days, from now. */
const lasts = (days: number, cents: number) => ({
  runway_days: days,
  burn_rate_cents_per_day: cents,
  depletion_date: new Date(harness.clock.now().getTime() + days * day * 1000).toISOString(),
});

describe('GET /v1/treasury/runway', () => {
  describe('200', () => {
    it('is null while no money leaves: funding, payments, holds, wraps and streams stay inside', async () => {
      const client = await newSandbox(harness);
      expect(await runway(client)).toEqual(none);
      const { from, to } = await twoWallets(client, { funded: '500.00' });
      await pay(client, from, to, '20.00');
      await pay(client, from, to, '30.00', { capture: 'manual' });
      await client.make(`/v1/wallets/${from.id}/wrap`, { amount: '5.00' });
      await newStream(client);
      expect(await runway(client)).toEqual(none);
    });

    it('is what is available by what left less what came in, all in USD', async () => {
      const client = await newSandbox(harness);
      const rates = [
        { from: 'EUR', to: 'USD', rate: '1.2' },
        { from: 'USD', to: 'JPY', rate: '150' },
      ];
      expect((await client.put('/v1/rates', { rates })).status).toBe(200);
      const { wallet: dollars } = await openWallet(client, { funded: '1000.00' });
      const { wallet: euros } = await openWallet(client, { currency: 'EUR', funded: '500.00' });
      const { wallet: yen } = await openWallet(client, { currency: 'JPY', funded: '30000' });
      await moveOut(harness, client, dollars, 90_00n);
      await moveOut(harness, client, dollars, -30_00n, 'rail.clearing:wire');
      await moveOut(harness, client, euros, 50_00n, 'rail.clearing:sepa');
      await moveOut(harness, client, yen, 3_000n, 'rail.clearing:wire');
      // 60.00 + 50.00 * 1.2 + 3000 / 150 = 140.00 left; 940.00 + 450.00 * 1.2 + 27000 / 150 = 1660.00 are available.
      expect(await runway(client)).toEqual(lasts(355, 467));
      expect(await runway(client, '?days=10')).toEqual(lasts(118, 1400));
      expect(await runway(client, '?window_days=7')).toEqual(lasts(83, 2000));
      expect(await runway(client, '?days=1')).toEqual(lasts(11, 14_000));
      expect(await runway(client, '?days=180')).toEqual(lasts(2134, 78));
      // What is held is not available.
      const { wallet: payee } = await openWallet(client);
      await pay(client, dollars, payee, '940.00', { capture: 'manual' });
      expect(await runway(client, '?days=10')).toEqual(lasts(51, 1400));
    });

    it('counts a payout with its fee when the money goes to the rail, and none that was cancelled', async () => {
      const client = await newSandbox(harness);
      const payer = await newPayer(client);
      const payout = await newPayout(client, payer);
      const cancelled = await newPayout(client, payer, { amount: '40.00' });
      // Set aside, and still ours.
      expect(await runway(client)).toEqual(none);
      await client.make(`/v1/payouts/${cancelled.id}/cancel`, {});
      for (let hour = 0; hour < 48; hour += 1) await harness.advance(3_600);
      expect((await readPayout(client, payout)).status).toBe('complete');
      // 100.25 in 3 days, of which 899.75 lasts 26.9 more.
      expect(await runway(client, '?days=3')).toEqual(lasts(26, 3342));
    });

    it('counts the minor units of a token at their worth', async () => {
      const client = await newSandbox(harness);
      const { wallet } = await openWallet(client, { currency: 'USDC', funded: '10.00' });
      await moveOut(harness, client, wallet, 1_500_000n, 'rail.clearing:usdc-base');
      expect(await runway(client, '?days=1')).toEqual(lasts(5, 150));
    });

    it('looks back as far as it is told, to the millisecond', async () => {
      const client = await newSandbox(harness);
      const { wallet } = await openWallet(client, { funded: '100.00' });
      await moveOut(harness, client, wallet, 10_00n);
      harness.clock.advance(day / 2);
      await moveOut(harness, client, wallet, 5_00n);
      harness.clock.advance(day / 2);
      expect(await runway(client, '?days=1')).toEqual(lasts(5, 1500));
      harness.clock.advance(0.001);
      expect(await runway(client, '?days=1')).toEqual(lasts(17, 500));
      harness.clock.advance(day);
      expect(await runway(client, '?days=1')).toEqual(none);
      expect(await runway(client, '?days=2')).toEqual(lasts(34, 250));
      expect(await runway(client)).toEqual(lasts(170, 50));
    });

    it('counts fees, and what goes back into the world', async () => {
      const client = await newSandbox(harness);
      await payAbroad(client);
      // The fee of 0.50; 900.00 USD and 49.75 EUR at 2 USD are left.
      expect(await runway(client, '?days=1')).toEqual(lasts(1999, 50));
      const { wallet } = await openWallet(client, { funded: '10.00' });
      await moveOut(harness, client, wallet, 9_50n, 'world');
      expect(await runway(client, '?days=1')).toEqual(lasts(100, 1000));
    });

    it('is null when more came in than left', async () => {
      const client = await newSandbox(harness);
      const { wallet } = await openWallet(client, { funded: '100.00' });
      await moveOut(harness, client, wallet, 10_00n);
      expect(await runway(client)).toMatchObject({ runway_days: 270 });
      await moveOut(harness, client, wallet, -10_01n);
      expect(await runway(client)).toEqual(none);
    });

    it('is 0 when nothing is left', async () => {
      const client = await newSandbox(harness);
      const { wallet } = await openWallet(client, { funded: '10.00' });
      await moveOut(harness, client, wallet, 10_00n);
      expect(await runway(client, '?days=1')).toEqual(lasts(0, 1000));
    });

    it('knows nothing of another tenant', async () => {
      const [client, stranger] = [await newSandbox(harness), await newSandbox(harness)];
      for (const one of [client, stranger]) {
        const { wallet } = await openWallet(one, { funded: '100.00' });
        if (one === client) await moveOut(harness, one, wallet, 10_00n);
      }
      expect(await runway(client, '?days=1')).toEqual(lasts(9, 1000));
      expect(await runway(stranger, '?days=1')).toEqual(none);
      expect(await runway(harness.live)).toEqual(none);
    });

    it('over GraphQL', async () => {
      const client = await newSandbox(harness);
      const { wallet } = await openWallet(client, { funded: '100.00' });
      await moveOut(harness, client, wallet, 10_00n);
      const { body } = await client.graphql('{ treasuryRunway(days: 1) { runwayDays burnRateCentsPerDay } }');
      expect(body.data.treasuryRunway).toEqual({ runwayDays: 9, burnRateCentsPerDay: 1000 });
    });
  });

  describe('400', () => {
    it.each(['0', '181', '-1', '1.5', 'x', ''])('days=%s', async (days) => {
      expectInvalid(await harness.test.get(`${path}?days=${days}`), 'days');
      expectInvalid(await harness.test.get(`${path}?window_days=${days}`), 'window_days');
    });
    it('both names at once', async () => expectInvalid(await harness.test.get(`${path}?days=30&window_days=30`), 'window_days'));
  });
});
