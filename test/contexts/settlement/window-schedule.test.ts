// When windows close, for any schedule and any instant.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  completeSchedule,
  nextClosing,
  scheduleFaults,
  type WindowSchedule,
} from '../../../src/contexts/settlement/window/window-schedule.js';

const two = (n: number) => String(n).padStart(2, '0');
const time = fc.tuple(fc.nat(23), fc.nat(59)).map(([hour, minute]) => `${two(hour)}:${two(minute)}`);
const day = fc.constantFrom('MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN');
const at = fc.date({ min: new Date('2024-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
const daily = fc.array(time, { minLength: 1, maxLength: 4 });
const weekly = fc.array(
  fc.tuple(day, time).map(([name, when]) => `${name} ${when}`),
  { minLength: 1, maxLength: 4 },
);
const scheduleOf = (frequency: WindowSchedule['frequency'], scheduleUtc: readonly string[] = []): WindowSchedule => ({
  frequency,
  scheduleUtc,
  cronExpression: null,
});

/** The entry of an instant, as a schedule writes it. */
function entryOf(instant: Date, withDay: boolean): string {
  const clock = instant.toISOString().slice(11, 16);
  return withDay ? `${['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'][instant.getUTCDay()]} ${clock}` : clock;
}

describe('the next closing', () => {
  it.each([
    ['daily', daily, 86_400_000],
    ['weekly', weekly, 7 * 86_400_000],
  ] as const)('of a window %s is the first of its times that comes', (frequency, entries, within) => {
    fc.assert(
      fc.property(entries, at, (scheduleUtc, after) => {
        const schedule = scheduleOf(frequency, scheduleUtc);
        expect(scheduleFaults(schedule)).toEqual([]);
        const next = nextClosing(schedule, after) as Date;
        const waits = next.getTime() - after.getTime();
        expect(waits).toBeGreaterThan(0);
        expect(waits).toBeLessThanOrEqual(within);
        expect(next.getTime() % 60_000).toBe(0);
        expect(scheduleUtc).toContain(entryOf(next, frequency === 'weekly'));
        // None of the times lies between.
        for (const entry of scheduleUtc) {
          const alone = nextClosing(scheduleOf(frequency, [entry]), after) as Date;
          expect(alone.getTime()).toBeGreaterThanOrEqual(next.getTime());
        }
      }),
      { numRuns: 50 },
    );
  });

  it('of a window hourly is the next full hour, of a realtime one there is none', () => {
    expect(nextClosing(scheduleOf('hourly'), new Date('2026-03-02T10:00:00Z'))).toEqual(new Date('2026-03-02T11:00:00Z'));
    expect(nextClosing(scheduleOf('realtime'), new Date())).toBeNull();
  });

  it('without times is that of midnight', () => {
    expect(completeSchedule(scheduleOf('daily')).scheduleUtc).toEqual(['00:00']);
    expect(completeSchedule(scheduleOf('daily', ['07:00'])).scheduleUtc).toEqual(['07:00']);
    expect(completeSchedule(scheduleOf('hourly')).scheduleUtc).toEqual([]);
  });
});
