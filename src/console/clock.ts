// The time of this browser, read in one place, and the time of the workspace, which a sandbox may have moved on.

/** Milliseconds since 1970, by the clock of this browser. */
export function now(): number {
  return Date.now();
}

/** By how much the clock of the workspace is ahead of the one of this browser, in milliseconds. */
class WorkspaceClock {
  #ahead = 0;

  /** The server has just said that it is so late in the workspace. */
  set(asOf: string): void {
    this.#ahead = new Date(asOf).getTime() - now();
  }

  now(): number {
    return now() + this.#ahead;
  }
}

export const workspaceClock = new WorkspaceClock();
