// Days as the calendar of a time zone has them: which one it is there at an instant, and when it begins. A day is a number, counted
// from 1970-01-01, so that a period is a stretch of numbers.
import { LRUCache } from 'lru-cache';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** No clock on earth is further from UTC, and none is moved twice within so long. */
const furthestMs = 26 * hourMs;

/** A formatter costs far more to make than to use. */
const formatters = new LRUCache<string, Intl.DateTimeFormat>({ max: 100 });

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
  const formatter = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...numeric });
  formatters.set(timeZone, formatter);
  return formatter;
}

/** True for a name of the time zone database, such as `Europe/Berlin`. An offset such as `+02:00` is none: it knows no summer. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    formatterOf(name);
    return true;
  } catch {
    return false;
  }
}

/** Milliseconds by which the clocks of a time zone are ahead of UTC at an instant. */
function offsetAt(timeZone: string, at: number): number {
  if (timeZone === 'UTC') return 0;
  const second = Math.floor(at / 1000) * 1000;
  // `11/21/2026, 14:05:06`
  const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, seconds = 0] = (
    formatterOf(timeZone).format(second).match(/\d+/g) ?? []
  ).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, seconds) - second;
}

/** The day that the calendar of a time zone shows at an instant (milliseconds since 1970). */
export function localDay(timeZone: string, at: number): number {
  return Math.floor((at + offsetAt(timeZone, at)) / dayMs);
}

// Gap G-108: A period begins at the first midnight that the clocks show, or when they are moved past it.
/**
 * The instant at which a day begins in a time zone: the first at which its clocks show midnight or, where they are moved beyond it, the
 * instant of the move. A day that a time zone left out begins with the day after it, and so lasts no time.
 */
export function startOfDay(timeZone: string, day: number): number {
  const midnight = day * dayMs;
  const offsets = [offsetAt(timeZone, midnight - furthestMs), offsetAt(timeZone, midnight + furthestMs)];
  const shown = offsets.map((offset) => midnight - offset).filter((at) => at + offsetAt(timeZone, at) === midnight);
  return shown.length > 0 ? Math.min(...shown) : moveOver(timeZone, midnight, offsets);
}

/** The instant at which the clocks are moved from before `midnight` to after it. */
function moveOver(timeZone: string, midnight: number, offsets: readonly number[]): number {
  let before = midnight - Math.max(...offsets) - 1;
  let after = midnight - Math.min(...offsets);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (middle + offsetAt(timeZone, middle) >= midnight) after = middle;
    else before = middle;
  }
  return after;
}

/** `2026-11-21`: a day as it is written. */
export function printDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/** The number of a day as printDay() writes it. */
export function parseDay(text: string): number {
  return Date.parse(`${text}T00:00:00.000Z`) / dayMs;
}
