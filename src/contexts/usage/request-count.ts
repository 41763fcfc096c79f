// HTTP requests, counted in the memory of each process and written every few seconds in one statement, so that no request pays for being
// counted (CONTRACT.md 17). Those of agents and portal tokens are counted for their account too, by the day. What a process that is
// killed had not written is lost.
import type pg from 'pg';
import type { Platform } from '../../platform/ctx.js';
import { floorTo } from './period.js';
import { type AccountRequestRow, addAccountRequests, addRequests, type RequestCountRow } from './request-count.sql.js';

/** A request that was answered. */
export interface CountedRequest {
  workspaceId: string;
  method: string;
  route: string;
  status: number;
  milliseconds: number;
  /** Whose it was, where an account is known. */
  accountId: string | null;
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

/** Rows of a kind that wait to be written, at most: what cannot be written does not fill the memory. */
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

/** Counts a request of this process. */
export function countRequest(platform: Platform, request: CountedRequest): void {
  counterOf(platform).add(request);
}

/** Writes what this process has counted. */
export function writeRequests(platform: Platform): Promise<void> {
  return counterOf(platform).write();
}

class RequestCounter {
  readonly #platform: Platform;
  readonly #requests: WaitingRows<RequestCountRow>;
  readonly #ofAccounts: WaitingRows<AccountRequestRow>;

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#requests = new WaitingRows(platform, addRequests);
    this.#ofAccounts = new WaitingRows(platform, addAccountRequests);
  }

  add({ workspaceId, accountId, method, route, status, milliseconds }: CountedRequest): void {
    const now = this.#platform.clock.now();
    const at = floorTo(now, 3_600).toISOString();
    const duration = stepOf(milliseconds);
    const what = `${method} ${route} ${status}`;
    this.#requests.add(`${workspaceId} ${at} ${what} ${duration}`, () => ({
      workspaceId,
      at,
      method,
      route,
      status,
      duration,
      requests: 0,
    }));
    if (accountId === null) return;
    const day = at.slice(0, 10);
    this.#ofAccounts.add(`${accountId} ${day} ${what}`, () => ({ workspaceId, accountId, day, method, route, status, requests: 0 }));
  }

  async write(): Promise<void> {
    await this.#requests.write();
    await this.#ofAccounts.write();
  }
}

/** Counts that wait to be written, by what they count. */
class WaitingRows<Row extends { requests: number }> {
  readonly #platform: Platform;
  readonly #add: (pool: pg.Pool, rows: readonly Row[]) => Promise<void>;
  #rows = new Map<string, Row>();

  constructor(platform: Platform, add: (pool: pg.Pool, rows: readonly Row[]) => Promise<void>) {
    this.#platform = platform;
    this.#add = add;
  }

  /** Counts one more; `first` makes its row. */
  add(key: string, first: () => Row): void {
    let row = this.#rows.get(key);
    if (row === undefined) {
      if (this.#rows.size >= mostWaiting) return;
      row = first();
      this.#rows.set(key, row);
    }
    row.requests += 1;
  }

  /** What could not be written is counted in again, with what has come meanwhile. */
  async write(): Promise<void> {
    if (this.#rows.size === 0) return;
    const taken = this.#rows;
    this.#rows = new Map();
    try {
      await this.#add(this.#platform.database.pool, [...taken.values()]);
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
