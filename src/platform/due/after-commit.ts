// Work that follows commits in the background, in a loop of its own: not under the lock of whoever publishes events.
import type { Platform } from '../ctx.js';
import { Loop } from './loop.js';

/** Brings something up to date with what was committed. The context.ts of its context lists each. */
export interface AfterCommit {
  /** Named in the log. */
  name: string;
  /** Makes a round, which takes everything that is there; what it remembers from round to round is its process's alone. */
  round(): (platform: Platform) => Promise<void>;
}

/** The shortest time between two rounds: under load a round is a batch. */
const everyMs = 100;

/** Runs a round after commits, and at a poll. */
export function followCommits(platform: Platform, { name, round }: AfterCommit, pollMs: number): Loop {
  const run = round();
  return new Loop({ name: `after commit ${name}`, pollMs, paceMs: everyMs, log: platform.log }, async () => {
    await run(platform);
    return Number.POSITIVE_INFINITY;
  });
}
