// HTTP requests, counted in the memory of each process and written every few seconds in one statement, so that no request pays for being
// counted (CONTRACT.md 17). What a process that is killed had not written is lost.
import type { Platform } from '../../platform/ctx.js';
import { floorTo } from './period.js';
import { addRequests, type RequestCountRow } from './request-count.sql.js';

/** A request that was answered. */
export interface CountedRequest {
  workspaceId: string;
  method: string;
  route: string;
  status: number;
  milliseconds: number;
}

/** Steps of the scale of durations for each factor of 2: a step is 19 % wide. */
const stepsPerDouble = 4;

/** The step of a duration. The scale begins with a tenth of a millisecond. */
function stepOf(milliseconds: number): number {
  return Math.max(0, Math.round(Math.log2(milliseconds * 10) * stepsPerDouble));
}

/** The middle of a step, in milliseconds to a tenth. */
export function millisecondsOf(step: number): number {
  return Math.round(2 ** (step / stepsPerDouble)) / 10;
}

/** Rows that wait to be written, at most: what cannot be written does not fill the memory. */
const mostWaiting = 100_000;

const counters = new WeakMap<Platform, RequestCounter>();

function counterOf(platform: Platform): RequestCounter {
  let counter = counters.get(platform);
  if (counter === undefined) {
    counter = new RequestCounter(platform);
    counters.set(platform, counter);
  }
  return counter;
}

/** Counts requests of this process. */
export function countRequests(platform: Platform): (request: CountedRequest) => void {
  const counter = counterOf(platform);
  return (request) => counter.add(request);
}

/** Writes what this process has counted. */
export function writeRequests(platform: Platform): Promise<void> {
  return counterOf(platform).write();
}

class RequestCounter {
  readonly #platform: Platform;
  #rows = new Map<string, RequestCountRow>();

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  add({ workspaceId, method, route, status, milliseconds }: CountedRequest): void {
    const at = floorTo(this.#platform.clock.now(), 3_600).toISOString();
    const duration = stepOf(milliseconds);
    const key = `${workspaceId} ${at} ${method} ${route} ${status} ${duration}`;
    const row = this.#rows.get(key);
    if (row !== undefined) row.requests += 1;
    else if (this.#rows.size < mostWaiting) this.#rows.set(key, { workspaceId, at, method, route, status, duration, requests: 1 });
  }

  /** What could not be written is counted in again, with what has come meanwhile. */
  async write(): Promise<void> {
    if (this.#rows.size === 0) return;
    const taken = this.#rows;
    this.#rows = new Map();
    try {
      await addRequests(this.#platform.database.pool, [...taken.values()]);
    } catch (error) {
      this.#platform.log.warn({ err: error, rows: taken.size }, 'counts of requests were not written; they are kept');
      for (const [key, row] of taken) {
        const since = this.#rows.get(key);
        if (since === undefined) this.#rows.set(key, row);
        else since.requests += row.requests;
      }
    }
  }
}
