// Removing rows that nobody asks for again. A sweep is one function; the context.ts of a context lists them, and the worker runs each by itself.
import { Gauge } from 'prom-client';
import type { Platform } from '../ctx.js';

/** Removes up to about `most` rows and returns how many. It is called again at once while that is `most` or more. */
export type Sweep = (platform: Platform, most: number) => Promise<number>;

/** Rows of one call: few enough that a worker that is told to stop stops soon. */
export const sweepSize = 1_000;

/** By sweep. A worker that has swept nothing yet says nothing. */
export const caughtUp = new Gauge({
  name: 'sweep_caught_up_timestamp_seconds',
  help: 'When a sweep last left nothing behind that is over, as seconds since 1970.',
  labelNames: ['sweep'],
  registers: [],
});
