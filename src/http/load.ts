// A process that has more work than it can hold refuses new work before it has begun, so a refused request had no effect (CONTRACT.md 0
// "When nobody knows"). What has begun goes on: turned away half-way it would have cost more than it gives.
import type { Platform } from '../platform/ctx.js';
import { Overloaded } from '../platform/errors.js';
import type { Handler } from './state.js';

// Gap G-13: A process takes 1,000 requests at once, and 500 wait for a connection; more are 503 `overloaded` before they begin.
/**
 * Requests that a process holds at once. One holds up to 256 KiB of body and some objects, so all of them stay within the memory that a
 * process is given; and at a thousand requests a second this is a second of waiting, after which callers lose patience anyway.
 */
export const mostInFlight = 1_000;
/** Callers that wait for a connection: at some ms a statement, what comes now would wait for its connection for most of a second. */
const mostWaiting = 500;

/** What a process holds, for all of its listeners together. */
export class Load {
  readonly #cells: Platform['cells'];
  readonly #most: number;
  #inFlight = 0;
  readonly #ofCell = new WeakMap<Platform, number>();

  constructor({ cells }: Pick<Platform, 'cells'>, most = mostInFlight) {
    this.#cells = cells;
    this.#most = most;
  }

  /** Refuses with 503 `overloaded` what finds too much before it. Streams count until they begin. */
  readonly limit: Handler = async (_http, next) => {
    const { only } = this.#cells;
    if (this.#inFlight >= this.#most || (only !== undefined && isCrowded(only))) throw new Overloaded();
    this.#inFlight += 1;
    try {
      await next();
    } finally {
      this.#inFlight -= 1;
    }
  };

  // Gap G-601: Of several cells each takes at most as many requests at once as there is room left for others.
  /** Does `work` for a cell: one that hangs leaves room, so it takes nothing from the others. With one cell there is nothing to share. */
  async share<T>(platform: Platform, work: () => Promise<T>): Promise<T> {
    if (this.#cells.only !== undefined) return work();
    const own = this.#ofCell.get(platform) ?? 0;
    if (own >= this.#most - this.#inFlight || isCrowded(platform)) throw new Overloaded();
    this.#ofCell.set(platform, own + 1);
    try {
      return await work();
    } finally {
      this.#ofCell.set(platform, (this.#ofCell.get(platform) ?? 1) - 1);
    }
  }
}

const isCrowded = ({ database }: Platform): boolean => database.pool.waitingCount >= mostWaiting;
