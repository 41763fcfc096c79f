// POST /v1/settlement-windows
import { afterEach, describe, expect, it } from 'vitest';
import { endWindows, newWindow, windowBody } from '../../factories/window.js';
import { useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const path = '/v1/settlement-windows';
const create = (extra: object = {}) => harness.test.post(path, windowBody(extra));
afterEach(() => endWindows(harness));

describe('POST /v1/settlement-windows', () => {
  describe('201', () => {
    it('with every member of its resource', async () => {
      const { status, body } = await create({ min_batch_amount_cents: 5_000, max_batch_size: 100 });
      const at = harness.clock.now().toISOString();
      expect([status, body]).toEqual([
        201,
        {
          data: {
            id: expect.stringMatching(/^[0-9a-f-]{36}$/),
            name: 'Nightly',
            rail: 'ach',
            frequency: 'daily',
            currency: 'USD',
            min_batch_amount_cents: 5_000,
            max_batch_size: 100,
            enabled: true,
            schedule_utc: ['18:00'],
            next_closing_at: '2026-03-02T18:00:00.000Z',
            created_at: at,
            updated_at: at,
          },
        },
      ]);
    });

    it.each([
      [{ frequency: 'realtime', schedule_utc: undefined }, [], undefined],
      [{ frequency: 'hourly', schedule_utc: undefined }, [], '2026-03-02T11:00:00.000Z'],
      [{ schedule_utc: undefined }, ['00:00'], '2026-03-03T00:00:00.000Z'],
      [{ frequency: 'weekly', schedule_utc: undefined }, ['MON 00:00'], '2026-03-09T00:00:00.000Z'],
      [{ frequency: 'weekly', schedule_utc: ['MON 10:00', 'WED 07:15'] }, ['MON 10:00', 'WED 07:15'], '2026-03-04T07:15:00.000Z'],
      [{ frequency: 'custom', schedule_utc: undefined, cron_expression: '*/15 * * * *' }, [], '2026-03-02T10:15:00.000Z'],
    ])('%o closes next', async (extra, schedule, next) => {
      const { body } = await create(extra);
      expect(body.data).toMatchObject({ min_batch_amount_cents: 0, max_batch_size: 1_000, schedule_utc: schedule });
      expect(body.data.next_closing_at).toBe(next);
    });

    it('with a least amount beyond 32 bits', async () => {
      const min_batch_amount_cents = 2 ** 53 - 1;
      expect((await create({ min_batch_amount_cents })).body.data).toMatchObject({ min_batch_amount_cents });
    });

    it('several that are not enabled, and one for each rail and currency', async () => {
      await newWindow(harness.test);
      await newWindow(harness.test, { rail: 'wire' });
      expect(await newWindow(harness.test, { enabled: false })).toMatchObject({ enabled: false });
    });
  });

  describe('400', () => {
    it.each([
      [{ frequency: 'custom', schedule_utc: undefined }, 'cron_expression'],
      [{ frequency: 'custom', schedule_utc: undefined, cron_expression: '*/10 * * * *' }, 'cron_expression'],
      [{ frequency: 'custom', schedule_utc: undefined, cron_expression: '@daily' }, 'cron_expression'],
      [{ frequency: 'custom', cron_expression: '0 9 * * 1' }, 'schedule_utc'],
      [{ frequency: 'hourly' }, 'schedule_utc'],
      [{ cron_expression: '0 9 * * 1' }, 'cron_expression'],
      [{ schedule_utc: ['18:00', '24:00'] }, 'schedule_utc.1'],
      [{ schedule_utc: ['MON 18:00'] }, 'schedule_utc.0'],
      [{ frequency: 'weekly', schedule_utc: ['Mon 18:00'] }, 'schedule_utc.0'],
      [{ schedule_utc: [] }, 'schedule_utc'],
      [{ schedule_utc: Array.from({ length: 25 }, () => '18:00') }, 'schedule_utc'],
      [{ max_batch_size: 0 }, 'max_batch_size'],
      [{ max_batch_size: 10_001 }, 'max_batch_size'],
      [{ min_batch_amount_cents: -1 }, 'min_batch_amount_cents'],
      [{ name: ' ' }, 'name'],
      [{ frequency: 'yearly' }, 'frequency'],
      [{ window: 1 }, 'window'],
    ])('for %o', async (extra, member) => {
      expectInvalid(await create(extra), member);
    });
  });

  describe('409', () => {
    it('while another one takes the payouts; of several at once one is opened', async () => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => create()));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
      const { id } = answers.find(({ status }) => status === 201)?.body.data ?? {};
      const refused = await create();
      expectRefused(refused, 409, 'state_conflict', { window_id: id });
      const [{ method, path: way, body }] = refused.body.details.next_actions;
      expect((await harness.test.call(method, way, { body })).status).toBe(200);
      expect((await create()).status).toBe(201);
    });
  });

  describe('422', () => {
    it.each(['sepa', 'card-simulated', 'nonsense'])('for the rail %s, which does not carry the currency', async (rail) => {
      expectRefused(await create({ rail }), 422, 'unsupported_rail', { rail, currency: 'USD', rails: ['ach', 'wire'] });
    });
  });
});
