// How the trigger transaction_count counts, whatever comes when
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Count, countOne } from '../../../src/contexts/settlement-rules/count.js';

const gaps = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 60 });
const to = fc.integer({ min: 1, max: 6 });

/** On which of the transfers, which come so many seconds after each other, the trigger fires. */
function firings(given: readonly number[], count: number, withinWindow?: number): { at: number[]; kept: Count[] } {
  let state: Count = { counted: 0, recent: [] };
  let now = 0;
  const kept: Count[] = [];
  const at = given.flatMap((gap, index) => {
    now += gap;
    const { fires, ...next } = countOne(state, new Date(now * 1000), { count, withinWindow });
    state = next;
    kept.push(next);
    return fires ? [index] : [];
  });
  return { at, kept };
}

describe('countOne', () => {
  it('without a window fires on every so manieth', () => {
    fc.assert(
      fc.property(gaps, to, (given, count) => {
        expect(firings(given, count).at).toEqual(given.flatMap((_, index) => ((index + 1) % count === 0 ? [index] : [])));
      }),
    );
  });

  it('with a window fires as soon as so many lie within it that no firing has counted', () => {
    fc.assert(
      fc.property(gaps, to, fc.integer({ min: 1, max: 120 }), (given, count, window) => {
        const times = given.map((_, index) => given.slice(0, index + 1).reduce((sum, gap) => sum + gap, 0));
        let since = 0;
        const expected = times.flatMap((time, index) => {
          const near = times.slice(since, index + 1).filter((other) => time - other <= window);
          if (near.length < count) return [];
          since = index + 1;
          return [index];
        });
        expect(firings(given, count, window).at).toEqual(expected);
      }),
    );
  });

  it('never keeps as many as it counts to', () => {
    fc.assert(
      fc.property(gaps, to, fc.integer({ min: 1, max: 120 }), (given, count, window) => {
        for (const { counted, recent } of firings(given, count, window).kept) expect([counted, recent.length < count]).toEqual([0, true]);
      }),
    );
  });
});
