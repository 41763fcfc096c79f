// Whoever settles a payment waits until a block has it. All who wait in a process are told by one statement, again and again while somebody waits.
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { type ChainPaymentRow, movedAmong, type PaymentKey } from './payment.sql.js';

const lookMs = 100;

interface Waiter {
  key: PaymentKey;
  tell: (row: ChainPaymentRow | null) => void;
}

/** Those who wait for payments of one database. */
class Waiters {
  readonly #pool: pg.Pool;
  readonly #all = new Set<Waiter>();
  #isLooking = false;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async wait(key: PaymentKey, ms: number): Promise<ChainPaymentRow | null> {
    const { promise, resolve: tell } = promiseOf<ChainPaymentRow | null>();
    const waiter = { key, tell };
    const timer = setTimeout(tell, ms, null);
    this.#all.add(waiter);
    if (!this.#isLooking) void this.#look();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#all.delete(waiter);
    }
  }

  /** Looks until nobody waits any more. A look that fails is made again: who waits gives up by himself. */
  async #look(): Promise<void> {
    this.#isLooking = true;
    while (this.#all.size > 0) {
      const asked = [...this.#all];
      const keys = asked.map(({ key }) => key);
      const moved = new Map((await movedAmong(this.#pool, keys).catch(() => [])).map((row) => [nameOf(row), row]));
      for (const { key, tell } of asked) {
        const row = moved.get(nameOf(key));
        if (row !== undefined) tell(row);
      }
      await pause(lookMs);
    }
    this.#isLooking = false;
  }
}

const nameOf = ({ workspaceId, id }: PaymentKey) => `${workspaceId} ${id}`;

function promiseOf<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const byPool = new WeakMap<pg.Pool, Waiters>();

/** An authorization once it is in a block, or has come to its end; null when that takes longer than `ms`. */
export function untilMoved(pool: pg.Pool, key: PaymentKey, ms: number): Promise<ChainPaymentRow | null> {
  const waiters = byPool.get(pool) ?? new Waiters(pool);
  byPool.set(pool, waiters);
  return waiters.wait(key, ms);
}
