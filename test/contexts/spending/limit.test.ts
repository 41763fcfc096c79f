// The windows that limits count in, by table and by property.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LimitPeriod, windowOf } from '../../../src/contexts/spending/pipeline/limit.js';

type Windowed = Exclude<LimitPeriod, 'tx'>;

describe('windowOf', () => {
  it.each<[Windowed, string, string, string]>([
    ['hour', '2026-11-21T14:59:59.999Z', '2026-11-21T14', '2026-11-21T15:00:00.000Z'],
    ['hour', '2026-12-31T23:00:00.000Z', '2026-12-31T23', '2027-01-01T00:00:00.000Z'],
    ['hour', '2026-11-21T14:00:00+05:30', '2026-11-21T08', '2026-11-21T09:00:00.000Z'],
    ['day', '2026-11-21T23:59:59.999Z', '2026-11-21', '2026-11-22T00:00:00.000Z'],
    ['day', '2026-11-30T23:30:00-02:00', '2026-12-01', '2026-12-02T00:00:00.000Z'],
    ['day', '2028-02-28T12:00:00.000Z', '2028-02-28', '2028-02-29T00:00:00.000Z'],
    ['month', '2026-11-30T23:30:00-02:00', '2026-12', '2027-01-01T00:00:00.000Z'],
    ['month', '2027-01-31T00:00:00.000Z', '2027-01', '2027-02-01T00:00:00.000Z'],
    ['90s', '2026-11-21T00:01:29.999Z', '2026-11-21T00:00:00', '2026-11-21T00:01:30.000Z'],
    ['90s', '2026-11-21T00:01:30.000Z', '2026-11-21T00:01:30', '2026-11-21T00:03:00.000Z'],
    ['1s', '2026-12-31T23:59:59.999Z', '2026-12-31T23:59:59', '2027-01-01T00:00:00.000Z'],
    ['86400s', '2026-11-21T10:00:00.000Z', '2026-11-21T00:00:00', '2026-11-22T00:00:00.000Z'],
  ])('of %s at %s is %s until %s', (per, time, name, end) => {
    expect(windowOf(per, new Date(time))).toEqual({ name, resetsAt: new Date(end) });
  });

  /** The weeks around new year, where the year of the week is not always that of the day. */
  it.each([
    ['2024-12-29T23:59:59.999Z', '2024-W52', '2024-12-30'],
    ['2024-12-30T00:00:00.000Z', '2025-W01', '2025-01-06'],
    ['2026-01-01T00:00:00.000Z', '2026-W01', '2026-01-05'],
    ['2026-12-27T12:00:00.000Z', '2026-W52', '2026-12-28'],
    ['2026-12-31T12:00:00.000Z', '2026-W53', '2027-01-04'],
    ['2027-01-03T23:59:59.999Z', '2026-W53', '2027-01-04'],
    ['2027-01-04T00:00:00.000Z', '2027-W01', '2027-01-11'],
    ['2028-01-01T00:00:00.000Z', '2027-W52', '2028-01-03'],
    ['2032-12-31T00:00:00.000Z', '2032-W53', '2033-01-03'],
    ['2026-03-02T00:00:00.000Z', '2026-W10', '2026-03-09'],
  ])('of week at %s is %s until %s', (time, name, end) => {
    expect(windowOf('week', new Date(time))).toEqual({ name, resetsAt: new Date(end) });
  });

  it('of once is one for ever', () => {
    for (const time of ['1970-01-01', '2026-11-21', '9999-12-31']) {
      expect(windowOf('once', new Date(time))).toEqual({ name: 'once', resetsAt: null });
    }
  });

  const seconds = fc.integer({ min: 1, max: 92 * 86_400 }).map((count): Windowed => `${count}s`);
  const ending = fc.oneof(fc.constantFrom<Windowed>('hour', 'day', 'week', 'month'), seconds);
  const moment = fc.date({ min: new Date('1970-01-05T00:00:00Z'), max: new Date('9990-01-01T00:00:00Z'), noInvalidDate: true });

  it('ends after each moment in it, and the next one begins there, with a name that sorts behind it', () => {
    fc.assert(
      fc.property(ending, moment, (per, at) => {
        const { name, resetsAt } = windowOf(per, at);
        if (resetsAt === null) throw new Error(`${per} has an end`);
        expect(resetsAt > at).toBe(true);
        expect(windowOf(per, new Date(resetsAt.getTime() - 1))).toEqual({ name, resetsAt });
        expect(windowOf(per, resetsAt).name > name).toBe(true);
      }),
    );
  });

  it('has one name for moments of one window, and names in order of time for others', () => {
    fc.assert(
      fc.property(ending, moment, moment, (per, a, b) => {
        const [early, late] = a <= b ? [a, b] : [b, a];
        const [first, last] = [windowOf(per, early), windowOf(per, late)];
        if (first.name === last.name) expect(first.resetsAt).toEqual(last.resetsAt);
        else expect(first.name < last.name && (first.resetsAt as Date) <= late).toBe(true);
      }),
    );
  });

  it('is not swept while it counts: counters of names before the day 92 days ago are deleted', () => {
    fc.assert(
      fc.property(ending, moment, (per, at) => {
        const sweptBelow = new Date(at.getTime() - 92 * 86_400_000).toISOString().slice(0, 10);
        expect(windowOf(per, at).name >= sweptBelow).toBe(true);
      }),
    );
    expect(windowOf('once', new Date(0)).name > 'A').toBe(true);
  });
});
