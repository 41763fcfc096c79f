// The published vectors of `t=,v1=` signatures (test/vectors/webhooks), and what is made of secrets and retries.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxAttempts, parseRetryAfter, retryDelaySeconds, retrySchedule } from '../../../src/contexts/webhooks/retry.js';
import { signatureHeader } from '../../../src/contexts/webhooks/signature.js';

interface Vector {
  secret?: string;
  secrets?: string[];
  timestamp: number;
  body: string;
  header: string;
}
const file = new URL('../../vectors/webhooks/stripe_style_t_v1.json', import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] };

describe('a signature', () => {
  it('is that of every published vector, over text and bytes alike', () => {
    expect(vectors).toHaveLength(3);
    for (const { secret, secrets = [secret as string], timestamp, body, header } of vectors) {
      expect(signatureHeader(body, secrets, timestamp)).toBe(header);
      expect(signatureHeader(Buffer.from(body), secrets, timestamp)).toBe(header);
    }
  });
});

describe('the wait after a failure', () => {
  it('is 1 min, 5 min, 15 min, 1 h, and 24 h with a higher maximum', () => {
    expect(maxAttempts).toBe(5);
    expect([1, 2, 3, 4, 5, 6].map((failures) => retryDelaySeconds(failures, null, 0))).toEqual([60, 300, 900, 3_600, 86_400, 86_400]);
  });

  it('is never earlier than the schedule nor than the receiver asked, and a tenth later at most', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.option(fc.integer({ min: 0, max: 86_400 })),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, after, random) => {
          const wait = retrySchedule[n - 1] ?? 0;
          const delay = retryDelaySeconds(n, after, random);
          expect(delay).toBeGreaterThanOrEqual(Math.max(wait, after ?? 0));
          expect(delay).toBeLessThanOrEqual(Math.max(wait * 1.1, after ?? 0));
        },
      ),
    );
  });

  it('reads Retry-After as seconds or as a date', () => {
    const now = new Date('2026-03-02T10:00:00.000Z');
    const rows: [string | null, number | null][] = [
      ['120', 120],
      ['Mon, 02 Mar 2026 10:05:00 GMT', 300],
      ['Mon, 02 Mar 2026 09:00:00 GMT', 0],
      ['soon', null],
      ['-5', null],
      [null, null],
    ];
    for (const [text, seconds] of rows) expect(parseRetryAfter(text, now), String(text)).toBe(seconds);
  });

  it('is put off by a receiver for a day at most', () => {
    expect(retryDelaySeconds(1, 10_000_000, 0)).toBe(86_400);
  });
});
