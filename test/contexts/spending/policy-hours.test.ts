// When a policy lets be paid: hours of the day in a time zone, over midnight and over the change of summer time.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policyLayer } from '../../../src/contexts/spending/policy/policy-rule.js';
import { policyOf, rates, reasons, spend } from './policy-facts.js';

describe('hours', () => {
  const office = { kind: 'hours', days: ['mon', 'tue'], from: '09:00', to: '17:30', timezone: 'UTC' };
  const night = { kind: 'hours', days: ['fri'], from: '22:00', to: '06:00', timezone: 'UTC' };
  const berlin = { ...office, timezone: 'Europe/Berlin' };
  const cases: [string, object, string, boolean][] = [
    ['the first minute', office, '2026-03-02T09:00:00Z', true],
    ['the moment before', office, '2026-03-02T08:59:59.999Z', false],
    ['the last moment', office, '2026-03-03T17:29:59.999Z', true],
    ['the end', office, '2026-03-03T17:30:00Z', false],
    ['another day', office, '2026-03-04T10:00:00Z', false],
    ['the evening of a night', night, '2026-03-06T22:00:00Z', true],
    ['the morning after', night, '2026-03-07T05:59:59Z', true],
    ['the end of the morning after', night, '2026-03-07T06:00:00Z', false],
    ['the morning before', night, '2026-03-06T05:00:00Z', false],
    ['the evening after', night, '2026-03-07T22:00:00Z', false],
    ['a whole day: midnight', { ...office, from: '00:00', to: '24:00' }, '2026-03-02T00:00:00Z', true],
    ['a whole day: its last moment', { ...office, from: '00:00', to: '24:00' }, '2026-03-03T23:59:59.999Z', true],
    ['a whole day: the day after', { ...office, from: '00:00', to: '24:00' }, '2026-03-04T00:00:00Z', false],
    ['in winter the zone is an hour ahead', berlin, '2026-03-02T08:00:00Z', true],
    ['in summer it is two', berlin, '2026-07-06T07:00:00Z', true],
    ['which it was not in winter', berlin, '2026-03-02T07:00:00Z', false],
    ['the day of the zone, not of UTC', { ...office, from: '00:00', to: '02:00', timezone: 'Asia/Tokyo' }, '2026-03-01T15:30:00Z', true],
  ];
  for (const [name, rule, at, isOpen] of cases) {
    it(name, () => expect(reasons(rule, { at: new Date(at) })).toEqual(isOpen ? [] : ['policy_violation hours']));
  }

  it('on all days are open for exactly so many minutes of each', () => {
    const time = (minute: number) => `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
    const minute = fc.integer({ min: 0, max: 1_439 });
    fc.assert(
      fc.property(minute, minute, fc.constantFrom('UTC', 'Asia/Kolkata', 'America/Lima'), (from, to, timezone) => {
        fc.pre(from !== to);
        const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
        const policy = policyOf([{ kind: 'hours', days, from: time(from), to: time(to), timezone }]);
        let open = 0;
        for (let at = 0; at < 1_440; at += 1) {
          const facts = spend({ at: new Date(Date.UTC(2026, 2, 4, 0, at)) });
          if (policyLayer(facts, [policy], rates).results.length === 0) open += 1;
        }
        expect(open).toBe((to - from + 1_440) % 1_440);
      }),
      { numRuns: 12 },
    );
  });
});
