// Stops a process at the commit of a step, so that a test can kill it there. A deferred trigger waits at the commit for a lock that the test has.
// The commit of a process that was killed then goes on, or is taken back, as the test says: the process died just after it, or just before it.
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { vi } from 'vitest';

/** A step, as the row that says it. */
export interface Step {
  table: string;
  event: 'INSERT' | 'UPDATE';
  /** SQL over NEW and OLD; every row of the event without it. */
  when?: string;
}

/** How the statements of a step end after the kill. */
export type Fate = 'committed' | 'taken back';

const lockKey = 2_929;
const functionName = 'stop_at_step';

/** The commits of one kind of process, which calls itself `application` to the database. */
export class StepStop {
  /** Holds the lock while a step is stopped at. */
  readonly #db: pg.Client;
  readonly application = `victim ${randomUUID().slice(0, 8)}`;
  /** The transactions that have stopped. */
  #stopped: readonly string[] = [];

  private constructor(db: pg.Client) {
    this.#db = db;
  }

  /** `db`: a connection that nobody else uses. */
  static async on(db: pg.Client): Promise<StepStop> {
    const stop = new StepStop(db);
    await db.query(`CREATE FUNCTION ${functionName}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF current_setting('application_name') = '${stop.application}' THEN PERFORM pg_advisory_xact_lock_shared(${lockKey}); END IF;
        RETURN NULL;
      END $$`);
    return stop;
  }

  /** The address of the database for processes that are stopped. */
  urlOf(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.searchParams.set('application_name', this.application);
    return url.href;
  }

  /** From now on a process stops at the commit of a step. */
  async at({ table, event, when }: Step): Promise<void> {
    await this.#db.query(`SELECT pg_advisory_lock(${lockKey})`);
    await this.#db.query(`CREATE CONSTRAINT TRIGGER ${functionName} AFTER ${event} ON ${table} DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW ${when === undefined ? '' : `WHEN (${when})`} EXECUTE FUNCTION ${functionName}()`);
  }

  /** Waits until a process has stopped at the step. */
  async reached(): Promise<void> {
    const isStopped = async () => {
      const activity = await this.#activity();
      this.#stopped = activity.flatMap(({ wait, xid }) => (wait === 'advisory' && xid !== null ? [xid] : []));
      return this.#stopped.length > 0;
    };
    await vi.waitUntil(isStopped, { timeout: 60_000, interval: 20 });
  }

  /** Ends the stop, when the process is dead: what had stopped ends in one way. Throws where it did not. */
  async end(fate: Fate, { table }: Step): Promise<void> {
    if (fate === 'taken back') for (const { pid } of await this.#activity()) await this.#db.query('SELECT pg_terminate_backend($1)', [pid]);
    await this.#db.query(`SELECT pg_advisory_unlock(${lockKey})`);
    await vi.waitUntil(async () => (await this.#activity()).length === 0, { timeout: 20_000, interval: 20 });
    await this.#db.query(`DROP TRIGGER ${functionName} ON ${table}`);
    const { rows } = await this.#db.query<{ status: string }>('SELECT pg_xact_status(xid::xid8) AS status FROM unnest($1::text[]) xid', [
      this.#stopped,
    ]);
    const wanted = fate === 'committed' ? 'committed' : 'aborted';
    if (rows.some(({ status }) => status !== wanted)) throw new Error(`not all of it was ${fate}: ${JSON.stringify(rows)}`);
  }

  /** What the connections of the process do; those of one that is dead stay until they have done it. */
  async #activity(): Promise<{ pid: number; xid: string | null; wait: string | null }[]> {
    const { rows } = await this.#db.query(
      `SELECT pid, backend_xid::text AS xid, wait_event AS wait FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = $1`,
      [this.application],
    );
    return rows;
  }
}
