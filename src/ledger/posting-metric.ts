// What group commit tells of itself: how many postings go together, and how long each waits to be sent.
import { Histogram } from 'prom-client';

/** Of each statement. */
export const setSizes = new Histogram({
  name: 'posting_set_size',
  help: 'Postings that were sent together in one statement.',
  buckets: [1, 2, 5, 10, 20, 50, 100],
  registers: [],
});

/** Of each posting, until its statement is sent. */
export const waits = new Histogram({
  name: 'posting_wait_seconds',
  help: 'Time that a posting waited for the statement which it was sent in.',
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers: [],
});
