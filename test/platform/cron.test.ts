// Cron expressions that are taken and refused, and when they fire next.
import { describe, expect, it } from 'vitest';
import { cronFault, nextFiring } from '../../src/platform/cron.js';

describe('A cron expression', () => {
  it.each(['0 9 * * 1', '*/15 * * * *', '0,15,30,45 * * * *', '50,5 * * * *', '0 0 29 2 *', '0,50 9 * * MON-FRI'])(
    '%s is taken',
    (expression) => {
      expect(cronFault(expression)).toBeNull();
    },
  );

  it.each([
    '',
    'a b c d e',
    '61 * * * *',
    '0 9 * *',
    '* * * * * *',
    '0 9 * * 9',
    '@daily 1',
    '@daily',
    '0 0 * * 1#2'.repeat(20),
    '1971-01-01T00:00:00',
  ])('%s is refused', (expression) => {
    expect(cronFault(expression)).toMatch(/must/);
  });

  it('that never fires is refused', () => {
    expect(cronFault('0 0 31 2 *')).toBe('never fires');
  });

  it.each(['* * * * *', '*/14 * * * *', '0,10 9 * * *', '0,50 9,10 * * *', '0,55 0,23 * * *', '0,55 0,23 1,31 1,12 *'])(
    '%s fires too often',
    (expression) => {
      expect(cronFault(expression)).toBe('must fire at least 15 minutes apart');
    },
  );
});

describe('The next firing', () => {
  it('is a time of the zone, before and after the clocks change', () => {
    expect(nextFiring('0 9 * * *', 'Europe/Berlin', new Date('2026-10-24T08:00:00Z'))).toEqual(new Date('2026-10-25T08:00:00Z'));
    expect(nextFiring('0 9 * * *', 'Europe/Berlin', new Date('2026-10-23T08:00:00Z'))).toEqual(new Date('2026-10-24T07:00:00Z'));
  });

  it('comes after the time, not at it', () => {
    expect(nextFiring('0 9 * * *', 'UTC', new Date('2026-11-22T09:00:00Z'))).toEqual(new Date('2026-11-23T09:00:00Z'));
  });
});
