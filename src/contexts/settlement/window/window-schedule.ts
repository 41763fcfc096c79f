// When a settlement window closes: at times of the day or the week in UTC, or as a cron expression says (CONTRACT.md 12). Every schedule is
// a list of cron expressions in the end.
import type { WindowFrequency } from '../../../generated/prisma/client.js';
import { cronFault, nextFiring } from '../../../platform/cron.js';
import type { FieldIssue } from '../../../platform/errors.js';

export interface WindowSchedule {
  frequency: WindowFrequency;
  /** `HH:MM` of a day, `MON HH:MM` of a week. */
  scheduleUtc: readonly string[];
  cronExpression: string | null;
}

const entries = {
  daily: { pattern: /^([01]\d|2[0-3]):[0-5]\d$/, shape: 'HH:MM', usual: '00:00' },
  weekly: { pattern: /^(MON|TUE|WED|THU|FRI|SAT|SUN) ([01]\d|2[0-3]):[0-5]\d$/, shape: 'MON HH:MM', usual: 'MON 00:00' },
} as const;

function hasEntries(frequency: WindowFrequency): frequency is keyof typeof entries {
  return frequency in entries;
}

// Gap G-172: daily takes `HH:MM`, weekly `MON HH:MM`, custom `cron_expression`, hourly nothing; at most 24 entries, all in UTC.
/** What is wrong with a schedule, by member: each frequency has its own and takes no other. */
export function scheduleFaults({ frequency, scheduleUtc, cronExpression }: WindowSchedule): FieldIssue[] {
  const unknown = (member: string): FieldIssue => ({ path: [member], message: `is no member of a window ${frequency}`, rule: 'unknown' });
  const faults: FieldIssue[] = [];
  if (frequency === 'custom') {
    const fault = cronExpression === null ? null : cronFault(cronExpression);
    if (cronExpression === null) faults.push({ path: ['cronExpression'], message: 'is required for a window custom', rule: 'required' });
    else if (fault !== null) faults.push({ path: ['cronExpression'], message: fault, rule: 'cron' });
  } else if (cronExpression !== null) faults.push(unknown('cronExpression'));
  if (!hasEntries(frequency)) return scheduleUtc.length === 0 ? faults : [...faults, unknown('scheduleUtc')];
  const { pattern, shape } = entries[frequency];
  const wrong = scheduleUtc.flatMap((entry, index): FieldIssue[] =>
    pattern.test(entry) ? [] : [{ path: ['scheduleUtc', index], message: `must be ${shape} for a window ${frequency}`, rule: 'pattern' }],
  );
  return [...faults, ...wrong];
}

/** A schedule with its usual times where it names none: midnight, and on Mondays. */
export function completeSchedule(schedule: WindowSchedule): WindowSchedule {
  const { frequency, scheduleUtc } = schedule;
  return hasEntries(frequency) && scheduleUtc.length === 0 ? { ...schedule, scheduleUtc: [entries[frequency].usual] } : schedule;
}

/** The next closing after a time; null for realtime, which never holds anything up. */
export function nextClosing(schedule: WindowSchedule, after: Date): Date | null {
  const closings = cronsOf(schedule).flatMap((cron) => nextFiring(cron, 'UTC', after)?.getTime() ?? []);
  return closings.length === 0 ? null : new Date(Math.min(...closings));
}

function cronsOf({ frequency, scheduleUtc, cronExpression }: WindowSchedule): string[] {
  if (frequency === 'hourly') return ['0 * * * *'];
  if (frequency === 'custom') return cronExpression === null ? [] : [cronExpression];
  return scheduleUtc.map((entry) => {
    const [, day = '*', hour = '0', minute = '0'] = /^(?:(\w{3}) )?(\d\d):(\d\d)$/.exec(entry) ?? [];
    return `${Number(minute)} ${Number(hour)} * * ${day}`;
  });
}
