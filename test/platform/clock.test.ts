// Time that can be handed out and moved.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addSeconds, type Clock, shiftedClock, systemClock } from '../../src/platform/clock.js';

const at = new Date('2026-03-02T10:00:00.000Z');
const still: Clock = { now: () => at };

describe('clocks', () => {
  it('the system’s tells real time', () => {
    const before = Date.now();
    const now = systemClock.now().getTime();
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });

  it('a shifted one is ahead by its offset and goes on with the other', () => {
    fc.assert(
      fc.property(fc.integer({ min: -86_400_000, max: 86_400_000_000 }), (offset) => {
        expect(shiftedClock(still, offset).now().getTime()).toBe(at.getTime() + offset);
      }),
    );
    expect(shiftedClock(still, 0)).toBe(still);
  });

  it('seconds are added without touching the date', () => {
    for (const [seconds, expected] of [
      [0, '2026-03-02T10:00:00.000Z'],
      [0.001, '2026-03-02T10:00:00.001Z'],
      [86_400, '2026-03-03T10:00:00.000Z'],
      [-1, '2026-03-02T09:59:59.000Z'],
    ] as const) {
      expect(addSeconds(at, seconds).toISOString()).toBe(expected);
    }
    expect(at.toISOString()).toBe('2026-03-02T10:00:00.000Z');
  });
});
