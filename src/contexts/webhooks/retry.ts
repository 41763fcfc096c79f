// When a delivery that failed is sent again (CONTRACT.md 16 "Attempts"). The schedule is data.

// Gap G-82: Of the five waits the first four are used; the fifth is for a higher maximum of sends.
/** Seconds to wait after the first failure, the second, and so on. */
export const retrySchedule: readonly number[] = [60, 300, 900, 3_600, 86_400];
export const maxAttempts = 5;
/** The sends of a delivery whose maximum uses the whole schedule. */
export const mostAttempts = retrySchedule.length + 1;

/** What is added at random, at most: a tenth. Never earlier than the schedule says. */
const jitter = 0.1;
/** No receiver puts a delivery off for longer than the longest wait. */
const longestRetryAfter = 86_400;

/**
 * Seconds until the next send after `failures` failures (from 1).
 * @param retryAfter seconds that the receiver asked for; it wins when it is longer
 * @param random a number from 0 to 1
 */
export function retryDelaySeconds(failures: number, retryAfter: number | null, random: number): number {
  const wait = retrySchedule[Math.min(failures, retrySchedule.length) - 1] ?? 0;
  return Math.max(wait * (1 + jitter * random), Math.min(retryAfter ?? 0, longestRetryAfter));
}

/** Retry-After as seconds from `now` (real time); null when there is none that can be read. */
export function parseRetryAfter(text: string | null, now: Date): number | null {
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text);
  // Date.parse takes much that is no HTTP date.
  const at = / GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1000);
}
