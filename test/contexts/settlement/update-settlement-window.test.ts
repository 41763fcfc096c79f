// PATCH /v1/settlement-windows/{id}
import { afterEach, describe, expect, it } from 'vitest';
import { newPayer, newPayout, readPayout } from '../../factories/payout.js';
import { endWindows, newWindow } from '../../factories/window.js';
import { useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const pathOf = (id: string) => `/v1/settlement-windows/${id}`;
const body = { name: 'Evening' };
afterEach(() => endWindows(harness));

describe('PATCH /v1/settlement-windows/{id}', () => {
  describe('200', () => {
    it('what is given is changed, and the rest stays', async () => {
      const window = await newWindow(harness.test, { max_batch_size: 7 });
      const { status, body: changed } = await harness.test.patch(pathOf(window.id), { ...body, min_batch_amount_cents: 100 });
      expect([status, changed.data]).toEqual([200, { ...window, ...body, min_batch_amount_cents: 100 }]);
    });

    it('with another frequency the times of the old one are gone', async () => {
      const window = await newWindow(harness.test);
      const custom = { frequency: 'custom', cron_expression: '30 9 * * 1-5' };
      const { data } = (await harness.test.patch(pathOf(window.id), custom)).body;
      expect(data).toMatchObject({ ...custom, schedule_utc: [], next_closing_at: '2026-03-03T09:30:00.000Z' });
      const weekly = (await harness.test.patch(pathOf(window.id), { frequency: 'weekly' })).body.data;
      expect(weekly).toMatchObject({ schedule_utc: ['MON 00:00'], next_closing_at: '2026-03-09T00:00:00.000Z' });
      expect(weekly.cron_expression).toBeUndefined();
    });

    it('payouts that wait go with the new closing', async () => {
      const window = await newWindow(harness.test);
      const payout = await newPayout(harness.test, await newPayer(harness.test));
      await harness.test.patch(pathOf(window.id), { schedule_utc: ['12:00'] });
      const closing = Date.parse('2026-03-02T12:00:00Z');
      expect((await readPayout(harness.test, payout)).expected_at).toBe(new Date(closing + 86_400_000).toISOString());
      await harness.advance((closing - harness.clock.now().getTime()) / 1000);
      expect((await readPayout(harness.test, payout)).status).toBe('confirmed');
    });

    it.each([{ enabled: false }, { frequency: 'realtime' }])(
      'payouts that wait go at once for %o, whatever they come to',
      async (change) => {
        const window = await newWindow(harness.test, { min_batch_amount_cents: 1_000_000, max_batch_size: 1 });
        const payer = await newPayer(harness.test);
        const payouts = [await newPayout(harness.test, payer), await newPayout(harness.test, payer)];
        expect((await harness.test.patch(pathOf(window.id), change)).status).toBe(200);
        await harness.runDue();
        for (const payout of payouts)
          expect(await readPayout(harness.test, payout)).toMatchObject({ status: 'confirmed', window_id: window.id });
        expect((await harness.test.get(pathOf(window.id))).body.data.next_closing_at).toBeUndefined();
      },
    );
  });

  describe('400', () => {
    it.each([
      [{ rail: 'wire' }, 'rail'],
      [{ currency: 'EUR' }, 'currency'],
      [{ frequency: 'custom' }, 'cron_expression'],
      [{ cron_expression: '0 9 * * *' }, 'cron_expression'],
      [{ schedule_utc: ['9:00'] }, 'schedule_utc.0'],
      [{ max_batch_size: 0 }, 'max_batch_size'],
    ])('for %o', async (change, member) => {
      const window = await newWindow(harness.test);
      expectInvalid(await harness.test.patch(pathOf(window.id), change), member);
    });
  });

  describe('409', () => {
    it('when it is enabled while another one takes the payouts', async () => {
      const [taking, off] = [await newWindow(harness.test), await newWindow(harness.test, { enabled: false })];
      expectRefused(await harness.test.patch(pathOf(off.id), { enabled: true }), 409, 'state_conflict', { window_id: taking.id });
      expect((await harness.test.patch(pathOf(taking.id), { enabled: true })).status).toBe(200);
    });
  });
});
