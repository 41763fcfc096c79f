// What a clock on the wall shows in a time zone: the day of the week and the minute of the day.

/** Days of the week as policies name them, Monday first. */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];

export interface LocalTime {
  day: Weekday;
  /** Minutes since midnight, 0 to 1439. */
  minute: number;
}

/** Reads the local time of an instant. */
export type LocalClock = (at: Date) => LocalTime;

/** The clock of a time zone. Making one costs far more than reading it: keep it. */
export function localClock(timeZone: string): LocalClock {
  const format = formatOf(timeZone);
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const day = (parts.get('weekday') ?? '').toLowerCase() as Weekday;
    return { day, minute: Number(parts.get('hour')) * 60 + Number(parts.get('minute')) };
  };
}

/** The day before. */
export function dayBefore(day: Weekday): Weekday {
  return weekdays[(weekdays.indexOf(day) + 6) % 7] as Weekday;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}
