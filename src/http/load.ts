// A process that has more work than it can hold refuses new work before it has begun, so a refused request had no effect (CONTRACT.md 0
// "When nobody knows"). What has begun goes on: turned away half-way it would have cost more than it gives.
import type { Pool } from 'pg';
import { Overloaded } from '../platform/errors.js';
import type { Handler } from './state.js';

/**
 * Requests that a process holds at once (Gap G-13). One holds up to 256 KiB of body and some objects, so all of them stay within the memory
 * that a process is given; and at a thousand requests a second this is a second of waiting, after which callers lose patience anyway.
 */
export const mostInFlight = 1_000;
/** Callers that wait for a connection: at some ms a statement, what comes now would wait for its connection for most of a second. */
const mostWaiting = 500;

/** Refuses with 503 `overloaded` what finds too much before it. One for all listeners of a process. Streams count until they begin. */
export function limitLoad(pool: Pick<Pool, 'waitingCount'>, most = mostInFlight): Handler {
  let inFlight = 0;
  return async (_http, next) => {
    if (inFlight >= most || pool.waitingCount >= mostWaiting) throw new Overloaded();
    inFlight += 1;
    try {
      await next();
    } finally {
      inFlight -= 1;
    }
  };
}
