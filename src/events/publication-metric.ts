// What the publisher tells of itself: what its steps came to, and how long events had waited for them.
import { Counter, Histogram } from 'prom-client';

/** `busy`: another process was publishing. */
export const steps = new Counter({
  name: 'publication_steps_total',
  help: 'Steps of the publisher in this process: published, idle (nothing to do) or busy (another process was publishing).',
  labelNames: ['result'],
  registers: [],
});

/** Of the oldest line of each step. */
export const lags = new Histogram({
  name: 'publication_lag_seconds',
  help: 'Time from the writing of an event to its publication, of the oldest event of each step.',
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600],
  registers: [],
});
