// The periods of budgets: they begin at the midnight of the budget's time zone, and a window is named by the date of its first day
// there (CONTRACT.md 6). Names of ended windows sort before later ones, so that counters can be swept.
import { LRUCache } from 'lru-cache';
import type { BudgetPeriod } from '../../../generated/prisma/client.js';
import { localDay, parseDay, printDay, startOfDay } from '../../../platform/time-zone.js';
import type { LimitWindow, WindowSpan } from '../pipeline/limit.js';

/** The name of the one window of a budget that never begins anew. */
const once = 'once';

/** The last window of each period and time zone: nearly every spend falls into it, and a calendar is slow to ask. */
const last = new LRUCache<string, WindowSpan>({ max: 1_000 });

/** The window of a period in a time zone that `at` falls into. */
export function budgetWindow(period: BudgetPeriod, timeZone: string, at: Date): LimitWindow {
  if (period === once) return { name: once, resetsAt: null };
  const key = `${period} ${timeZone}`;
  const instant = at.getTime();
  const known = last.get(key);
  if (known !== undefined && known.from <= instant && instant < known.until) return known.window;
  const found = stretchAt(period, timeZone, instant);
  last.set(key, found);
  return found.window;
}

/** When the window of that name ends; null for the one that does not. */
export function windowEnd(period: BudgetPeriod, timeZone: string, name: string): Date | null {
  return period === once ? null : new Date(startOfDay(timeZone, dayAfter(period, parseDay(name))));
}

function stretchAt(period: Exclude<BudgetPeriod, 'once'>, timeZone: string, instant: number): WindowSpan {
  let day = firstDay(period, localDay(timeZone, instant));
  let until = startOfDay(timeZone, dayAfter(period, day));
  // Clocks that are set back over midnight show the day before once more, when its successor has begun.
  while (until <= instant) {
    day = dayAfter(period, day);
    until = startOfDay(timeZone, dayAfter(period, day));
  }
  return { from: startOfDay(timeZone, day), until, window: { name: printDay(day), resetsAt: new Date(until) } };
}

/** The first day of the period that a day belongs to. A week begins on its Monday, and day 0 was a Thursday. */
function firstDay(period: Exclude<BudgetPeriod, 'once'>, day: number): number {
  if (period === 'day') return day;
  if (period === 'week') return day - ((((day + 3) % 7) + 7) % 7);
  return parseDay(`${printDay(day).slice(0, 7)}-01`);
}

/** The first day of the period after the one that begins with `first`. */
function dayAfter(period: Exclude<BudgetPeriod, 'once'>, first: number): number {
  if (period === 'day') return first + 1;
  return period === 'week' ? first + 7 : firstDay('month', first + 31);
}
