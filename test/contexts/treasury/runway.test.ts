// The forecast by numbers alone.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forecast } from '../../../src/contexts/treasury/runway.js';

const now = new Date('2026-03-02T10:00:00.000Z');
const whole = (num: bigint, den = 1n) => ({ num, den });
const none = { runwayDays: null, burnRateCentsPerDay: 0n, depletionDate: null };
const amount = fc.record({ num: fc.bigInt({ min: 1n, max: 10n ** 12n }), den: fc.bigInt({ min: 1n, max: 1_000n }) });

describe('forecast()', () => {
  it('is the whole days that the money lasts, by the exact burn', () => {
    fc.assert(
      fc.property(amount, amount, fc.integer({ min: 1, max: 180 }), (available, burned, days) => {
        const { runwayDays, burnRateCentsPerDay, depletionDate } = forecast({ available, burned, days, now });
        // Twice the burn in cents a day, times its denominator: less than one is nothing.
        if (runwayDays === null) {
          expect(2n * burned.num).toBeLessThanOrEqual(burned.den * BigInt(days));
          return;
        }
        const used = (n: number) => BigInt(n) * burned.num * available.den;
        const has = available.num * burned.den * BigInt(days);
        if (runwayDays < 2_912_000) expect(used(runwayDays) <= has && has < used(runwayDays + 1)).toBe(true);
        const off = 2n * (burnRateCentsPerDay * burned.den * BigInt(days) - burned.num);
        expect((off < 0n ? -off : off) <= burned.den * BigInt(days)).toBe(true);
        expect(depletionDate).toEqual(new Date(now.getTime() + runwayDays * 86_400_000));
      }),
    );
  });

  it.each([
    [1n, 2n, 0n],
    [3n, 2n, 2n],
    [5n, 2n, 2n],
    [51n, 20n, 3n],
  ])('rounds %s / %s cents to %s', (num, den, cents) => {
    expect(forecast({ available: whole(1n), burned: whole(num, den), days: 1, now }).burnRateCentsPerDay).toBe(cents);
  });

  it('is nothing for what is not burned, or less than half a cent a day', () => {
    for (const burned of [whole(0n), whole(-5n), whole(15n)]) {
      expect(forecast({ available: whole(1_000n), burned, days: 30, now })).toEqual(none);
    }
    expect(forecast({ available: whole(1_000n), burned: whole(16n), days: 30, now })).toMatchObject({ burnRateCentsPerDay: 1n });
  });

  it('ends with the year 9999', () => {
    expect(forecast({ available: whole(10n ** 19n), burned: whole(1n), days: 1, now })).toEqual({
      runwayDays: 2_912_381,
      burnRateCentsPerDay: 1n,
      depletionDate: new Date('9999-12-30T10:00:00.000Z'),
    });
  });
});
