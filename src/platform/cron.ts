// Schedules in the five fields of cron: minute, hour, day of month, month, day of week.
import { Cron } from 'croner';

/** Between two firings lies at least this much. */
const leastGapMs = 15 * 60_000;
/** So many firings show the shortest gap: the same minutes and hours come every day, so two days have all there are. */
const examined = 200;
const maxLength = 128;
const notCron = 'must be a cron expression of five fields such as "0 9 * * 1": minute, hour, day of month, month, day of week';

/** Says what is wrong with an expression, or returns null. */
export function cronFault(expression: string): string | null {
  if (expression.length > maxLength) return `must have at most ${maxLength} characters`;
  // croner knows @daily and the like too, and single moments such as 2027-01-01T00:00:00, which are over some day.
  if (expression.trim().split(/\s+/).length !== 5) return notCron;
  let firings: Date[];
  try {
    firings = cron(expression, 'UTC').nextRuns(examined, new Date(0));
  } catch {
    return notCron;
  }
  if (firings.length === 0) return 'never fires';
  const tooClose = firings.some((at, i) => at.getTime() - (firings[i - 1]?.getTime() ?? Number.NEGATIVE_INFINITY) < leastGapMs);
  return tooClose ? 'must fire at least 15 minutes apart' : null;
}

/** The first firing after a time, in a time zone; null when none is to come. Of an hour that the clocks skip or repeat, see croner. */
export function nextFiring(expression: string, timeZone: string, after: Date): Date | null {
  return cron(expression, timeZone).nextRun(after);
}

function cron(expression: string, timezone: string): Cron {
  return new Cron(expression, { timezone, mode: '5-part', paused: true });
}
