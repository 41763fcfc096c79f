// Dates and times on the wire: what exists is read exactly, what does not is refused (CONTRACT.md 0 "Small decisions").
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDateTime } from '../../../src/platform/schema/scalar.js';

const two = (value: number) => String(value).padStart(2, '0');

/** The parts of a text that has the form of a date-time. Many name nothing that exists. */
const partsArbitrary = fc.record({
  year: fc.integer({ min: 1900, max: 2400 }),
  month: fc.integer({ min: 0, max: 13 }),
  day: fc.integer({ min: 0, max: 32 }),
  hour: fc.integer({ min: 0, max: 25 }),
  minute: fc.integer({ min: 0, max: 61 }),
  second: fc.integer({ min: 0, max: 61 }),
  milliseconds: fc.option(fc.integer({ min: 0, max: 999 }), { nil: undefined }),
  offset: fc.oneof(
    fc.constant('Z'),
    fc
      .tuple(fc.constantFrom('+', '-'), fc.integer({ min: 0, max: 15 }), fc.constantFrom(0, 30, 45, 60))
      .map(([sign, hours, minutes]) => `${sign}${two(hours)}:${two(minutes)}`),
  ),
});

type Parts = typeof partsArbitrary extends fc.Arbitrary<infer T> ? T : never;

/** Milliseconds since 1970 by counting days, null where a part is outside its range: shares nothing with the parser. */
function referenceOf({ year, month, day, hour, minute, second, milliseconds = 0, offset }: Parts): number | null {
  const days = new Date(0);
  days.setUTCFullYear(year, month - 1, day);
  const exists = days.getUTCFullYear() === year && days.getUTCMonth() === month - 1 && days.getUTCDate() === day;
  const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  const away = Number(hours) * 60 + Number(minutes);
  if (!exists || hour > 23 || minute > 59 || second > 59 || Number(minutes) > 59 || away > 840) return null;
  const ms = days.getTime() + ((hour * 60 + minute - (sign === '-' ? -away : away)) * 60 + second) * 1000 + milliseconds;
  return year >= 1970 && ms >= 0 ? ms : null;
}

describe('parseDateTime', () => {
  it('agrees with a calendar on what exists, and reads it exactly', () => {
    fc.assert(
      fc.property(partsArbitrary, (parts) => {
        const { year, month, day, hour, minute, second, milliseconds, offset } = parts;
        const fraction = milliseconds === undefined ? '' : `.${String(milliseconds).padStart(3, '0')}`;
        const text = `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}${fraction}${offset}`;
        const reference = referenceOf(parts);
        if (reference === null) expect(() => parseDateTime(text), text).toThrow();
        else expect(parseDateTime(text).getTime(), text).toBe(reference);
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads back what Date prints', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (ms) => {
        expect(parseDateTime(new Date(ms).toISOString()).getTime()).toBe(ms);
      }),
    );
  });

  it.each([
    ['2026-11-21', '2026-11-21T00:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['2000-02-29', '2000-02-29T00:00:00.000Z'],
    ['2026-11-21T10:00Z', '2026-11-21T10:00:00.000Z'],
    ['2026-11-21t10:00:00z', '2026-11-21T10:00:00.000Z'],
    ['2026-11-21 10:00:00+02:00', '2026-11-21T08:00:00.000Z'],
    ['2026-11-21T10:00:00-05:30', '2026-11-21T15:30:00.000Z'],
    ['2026-11-21T10:00:00+14:00', '2026-11-20T20:00:00.000Z'],
    ['2026-11-21T10:00:00.123456789Z', '2026-11-21T10:00:00.123Z'],
    ['2026-11-21T10:00:00.5Z', '2026-11-21T10:00:00.500Z'],
  ])('%s', (text, printed) => expect(parseDateTime(text).toISOString()).toBe(printed));

  it.each([
    '2026-02-30', '2026-02-29', '1900-02-29', '2100-02-29', '2026-04-31', '2026-13-01', '2026-00-10', '2026-01-00', '2026-01-32',
    '2026-11-21T24:00:00Z', '2026-11-21T25:61:00Z', '2026-11-21T10:60:00Z', '2026-12-31T23:59:60Z',
    '2026-11-21T10:00:00+14:01', '2026-11-21T10:00:00-15:00', '2026-11-21T10:00:00+00:60', '1969-12-31T23:59:59Z', '1970-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00', '2026-11-21T10:00:00', '2026-11-21T10', '2026-1-2', '20261121', ' 2026-11-21', '2026-11-21T10:00:00,5Z', '',
  ])('refuses %j', (text) => expect(() => parseDateTime(text)).toThrow()); // biome-ignore format: a table

  it.each([[0], [null], [new Date()], [{}]])('refuses what is no text: %j', (value) => expect(() => parseDateTime(value)).toThrow());
});
