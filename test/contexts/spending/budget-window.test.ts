// The periods of budgets: they begin at the midnight of a time zone, whatever its clocks do (CONTRACT.md 6).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budgetWindow, windowEnd } from '../../../src/contexts/spending/budget/budget-window.js';
import { isTimeZone, localDay, printDay } from '../../../src/platform/time-zone.js';

const windowAt = (period: 'day' | 'week' | 'month' | 'once', zone: string, at: string) => {
  const { name, resetsAt } = budgetWindow(period, zone, new Date(at));
  return [name, resetsAt?.toISOString() ?? null];
};

describe('the window of an instant', () => {
  const cases: [string, 'day' | 'week' | 'month' | 'once', string, string, string, string | null][] = [
    ['a day of UTC', 'day', 'UTC', '2026-11-21T23:59:59.999Z', '2026-11-21', '2026-11-22T00:00:00.000Z'],
    ['the first instant of a day', 'day', 'UTC', '2026-11-22T00:00:00.000Z', '2026-11-22', '2026-11-23T00:00:00.000Z'],
    ['a day ahead of UTC', 'day', 'Asia/Kolkata', '2026-11-21T18:29:59.999Z', '2026-11-21', '2026-11-21T18:30:00.000Z'],
    ['and the next', 'day', 'Asia/Kolkata', '2026-11-21T18:30:00.000Z', '2026-11-22', '2026-11-22T18:30:00.000Z'],
    ['a week begins on its Monday', 'week', 'UTC', '2026-11-22T12:00:00Z', '2026-11-16', '2026-11-23T00:00:00.000Z'],
    ['a week over the end of a year', 'week', 'UTC', '2027-01-01T00:00:00Z', '2026-12-28', '2027-01-04T00:00:00.000Z'],
    ['a Monday is in its own week', 'week', 'Europe/Berlin', '2026-11-22T23:00:00Z', '2026-11-23', '2026-11-29T23:00:00.000Z'],
    ['a week in which the clocks are set back', 'week', 'Europe/Berlin', '2026-10-24T12:00:00Z', '2026-10-19', '2026-10-25T23:00:00.000Z'],
    ['a month', 'month', 'Europe/Berlin', '2026-10-31T22:59:59Z', '2026-10-01', '2026-10-31T23:00:00.000Z'],
    ['a leap February', 'month', 'UTC', '2028-02-29T12:00:00Z', '2028-02-01', '2028-03-01T00:00:00.000Z'],
    ['December', 'month', 'America/Sao_Paulo', '2027-01-01T02:59:59Z', '2026-12-01', '2027-01-01T03:00:00.000Z'],
    ['a day of 23 hours', 'day', 'Europe/Berlin', '2026-03-29T10:00:00Z', '2026-03-29', '2026-03-29T22:00:00.000Z'],
    ['a day of 25 hours', 'day', 'Europe/Berlin', '2026-10-25T10:00:00Z', '2026-10-25', '2026-10-25T23:00:00.000Z'],
    // Clocks that were set forward at midnight: the day began at one.
    ['the day before one without midnight', 'day', 'America/Sao_Paulo', '2018-11-04T02:59:59Z', '2018-11-03', '2018-11-04T03:00:00.000Z'],
    ['a day without midnight', 'day', 'America/Sao_Paulo', '2018-11-04T03:00:00Z', '2018-11-04', '2018-11-05T02:00:00.000Z'],
    // And set back at midnight: the last hour of the day came twice.
    ['an hour that comes twice', 'day', 'America/Sao_Paulo', '2019-02-17T02:30:00Z', '2019-02-16', '2019-02-17T03:00:00.000Z'],
    // Set back a minute after midnight: what was begun is not left.
    ['a midnight that comes twice', 'day', 'America/St_Johns', '2010-11-07T03:00:00Z', '2010-11-07', '2010-11-08T03:30:00.000Z'],
    // Samoa went over the date line and had no 30 December.
    ['the day before one left out', 'day', 'Pacific/Apia', '2011-12-30T09:59:59Z', '2011-12-29', '2011-12-30T10:00:00.000Z'],
    ['the day after it', 'day', 'Pacific/Apia', '2011-12-30T10:00:00Z', '2011-12-31', '2011-12-31T10:00:00.000Z'],
    ['one window for ever', 'once', 'Pacific/Apia', '2026-11-21T00:00:00Z', 'once', null],
  ];
  it.each(cases)('%s', (_name, period, zone, at, name, resetsAt) => expect(windowAt(period, zone, at)).toEqual([name, resetsAt]));
});

const zones = [
  'UTC',
  'America/Sao_Paulo',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Pacific/Apia',
  'Pacific/Kwajalein',
  'Pacific/Kiritimati',
  'America/St_Johns',
  'America/Havana',
  'America/Asuncion',
  'Asia/Beirut',
  'Asia/Amman',
  'Africa/Cairo',
  'Africa/Monrovia',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
];
const periods = ['day', 'week', 'month'] as const;
const instants = fc.record({
  period: fc.constantFrom(...periods),
  zone: fc.oneof(fc.constantFrom(...zones), fc.constantFrom(...Intl.supportedValuesOf('timeZone'))),
  at: fc.date({ min: new Date('1971-01-01T00:00:00Z'), max: new Date('2040-01-01T00:00:00Z'), noInvalidDate: true }),
});

describe('windows', () => {
  it('contain the instant, tile time without hole or overlap, and sort as they come', () => {
    fc.assert(
      fc.property(instants, ({ period, zone, at }) => {
        const { name, resetsAt } = budgetWindow(period, zone, at);
        const end = resetsAt as Date;
        const before = new Date(end.getTime() - 1);
        expect(at < end).toBe(true);
        // The last instant of a window belongs to it, and the next one to the window after it.
        expect(budgetWindow(period, zone, before)).toEqual({ name, resetsAt });
        const next = budgetWindow(period, zone, end);
        expect(next.name > name && (next.resetsAt as Date) > end).toBe(true);
        expect(windowEnd(period, zone, name)).toEqual(end);
        // Asked again behind the next one, which is the one that is kept by now.
        expect(budgetWindow(period, zone, before).name).toBe(name);
      }),
      { numRuns: 2_000 },
    );
  });

  it('begin on the date that names them, as the calendar of the place has it', () => {
    fc.assert(
      fc.property(instants, ({ period, zone, at }) => {
        const { resetsAt } = budgetWindow(period, zone, at);
        const start = resetsAt as Date;
        const { name } = budgetWindow(period, zone, start);
        const first = new Date(`${name}T00:00:00Z`);
        if (period === 'week') expect(first.getUTCDay()).toBe(1);
        if (period === 'month') expect(first.getUTCDate()).toBe(1);
        // Only where the place left out that date does the window begin with the day after it.
        const shown = printDay(localDay(zone, start.getTime()));
        const isLeftOut = shown > name && printDay(localDay(zone, start.getTime() - 1)) < name;
        expect(shown === name || isLeftOut, `${zone} ${name} ${shown}`).toBe(true);
        expect(printDay(localDay(zone, start.getTime() - 1)) < name).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are answered the same in any order of instants and zones', () => {
    const at = new Date('2026-11-21T23:30:00Z');
    const ask = (zone: string) => budgetWindow('day', zone, at).name;
    expect(['UTC', 'Asia/Kolkata', 'UTC', 'America/Sao_Paulo', 'Asia/Kolkata'].map(ask)).toEqual([
      '2026-11-21',
      '2026-11-22',
      '2026-11-21',
      '2026-11-21',
      '2026-11-22',
    ]);
    expect(budgetWindow('day', 'UTC', new Date('2026-11-20T00:00:00Z')).name).toBe('2026-11-20');
    expect(budgetWindow('month', 'UTC', at).name).toBe('2026-11-01');
  });
});

describe('the name of a time zone', () => {
  it.each([
    ['Europe/Berlin', true],
    ['UTC', true],
    ['America/Argentina/Buenos_Aires', true],
    ['Mars/Olympus', false],
    ['+02:00', false],
    ['', false],
    ['Europe', false],
  ])('%s: %s', (name, isOne) => expect(isTimeZone(name)).toBe(isOne));
});
