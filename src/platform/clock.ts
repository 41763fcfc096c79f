// The only reader of the machine's clock. Everything else is handed a Clock, so that tests and test workspaces can move time.

export interface Clock {
  now(): Date;
}

/** Real time. */
export const systemClock: Clock = { now: () => new Date() };

/** The clock of a workspace is moved at most so far at once: five years. */
export const maxAdvanceSeconds = 5 * 365 * 86_400;

/** `clock` moved by `offsetMs`, for a workspace whose test clock was advanced. */
export function shiftedClock(clock: Clock, offsetMs: number): Clock {
  return offsetMs === 0 ? clock : { now: () => new Date(clock.now().getTime() + offsetMs) };
}

/** `at` plus a number of seconds (may be negative). */
export function addSeconds(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * 1000);
}
