// The strong locks that migrating holds, and for how long: looked at over and over while it goes on.
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

export interface HeldLock {
  what: string;
  ms: number;
}

/** What somebody who writes waits for. */
const sql = `SELECT c.relname AS "table", l.mode, l.pid, a.xact_start::text AS began FROM pg_locks l
  JOIN pg_stat_activity a ON a.pid = l.pid JOIN pg_class c ON c.oid = l.relation
  WHERE l.granted AND a.application_name = 'migrate' AND c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
    AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`;

export class LockWatch {
  readonly #db: pg.Client;
  readonly #held = new Map<string, { what: string; first: number; last: number }>();
  #isOver = false;
  #running: Promise<void> = Promise.resolve();

  private constructor(db: pg.Client) {
    this.#db = db;
  }

  static async start(url: string): Promise<LockWatch> {
    const db = new pg.Client({ connectionString: url });
    await db.connect();
    const watch = new LockWatch(db);
    watch.#running = watch.#look();
    return watch;
  }

  /** The locks that were seen, the longest first. */
  async stop(): Promise<HeldLock[]> {
    if (!this.#isOver) {
      this.#isOver = true;
      await this.#running;
      await this.#db.end();
    }
    return [...this.#held.values()].map(({ what, first, last }) => ({ what, ms: Math.round(last - first) })).sort((a, b) => b.ms - a.ms);
  }

  async #look(): Promise<void> {
    while (!this.#isOver) {
      const now = performance.now();
      const { rows } = await this.#db.query(sql);
      for (const { table, mode, pid, began } of rows) {
        const name = `${pid} ${began} ${table} ${mode}`;
        this.#held.set(name, { what: `${table} ${mode}`, first: this.#held.get(name)?.first ?? now, last: performance.now() });
      }
      await pause(2);
    }
  }
}
