// The connections of a process. What waits too long is suspect, and a probe tells why: the statement is slow, its connection has died
// without a word, or the database hangs. Then all that waits fails at once, and so does what comes (ARCHITECTURE.md 12).
import pg from 'pg';
import type { Logger } from '../log.js';
import { Connection, statementTimeoutMs } from './connection.js';
import { DatabaseUnavailable, isUnavailable } from './failure.js';
import { release } from './migration-file.js';
import { applicationName } from './older-process.js';
import { probe } from './probe.js';
import { connectionSeconds } from './statement-name.js';

/** How long a request waits for a connection, or for a new one to open. */
const connectMs = 5_000;
/** How often is looked for what waits too long. */
const lookMs = 250;
// Gap G-14: The database counts as lost when something waits 1.5 s and a probe has no answer in 2 s; a statement may take 15 s.
/** What has waited for so long makes the database suspect: it is probed, at most once in `probeEveryMs`. */
const suspectMs = 1_500;
const probeEveryMs = 500;
// Gap G-546: Where there are several cells, one counts as lost when something waits 0.6 s and a probe has no answer in 1 s.
/** The same where another cell may serve: who waits for one that is lost takes up what others need. */
const hasty = { suspectMs: 600, probeMs: 1_000 };
/** What pg-pool says when every connection is in use for `connectMs`. */
const noneFree = 'timeout exceeded when trying to connect';

type Release = (error?: Error | boolean) => void;
type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: Release) => void;

/** One caller that waits for a connection. */
interface Waiter {
  /** By performance.now(). */
  since: number;
  refuse(error: Error): void;
}

export class ConnectionPool extends pg.Pool {
  readonly #url: string;
  readonly #log: Logger;
  readonly #connections = new Set<Connection>();
  readonly #waiters = new Set<Waiter>();
  readonly #looking: NodeJS.Timeout;
  #patience: { suspectMs: number; probeMs?: number } = { suspectMs };
  #isProbing = false;
  #probedAt = 0;
  #isSilent = false;
  #lastLook = performance.now();
  #answeredAt = 0;

  constructor(url: string, { size, log }: { size: number; log: Logger }) {
    super({
      connectionString: url,
      max: size,
      Client: Connection,
      idleTimeoutMillis: 30_000,
      connectionTimeoutMillis: connectMs,
      maxLifetimeSeconds: connectionSeconds,
      keepAlive: true,
      application_name: `${applicationName} ${release}`,
      options: `-c statement_timeout=${statementTimeoutMs} -c idle_in_transaction_session_timeout=15000 -c timezone=UTC -c jit=off`,
    });
    this.#url = url;
    this.#log = log;
    // The error itself carries the whole client, with the key that cancels its statements. A pool that ends loses what it lets go of.
    this.on('error', ({ message }) => {
      if (!this.ending) log.warn({ reason: message }, 'an idle database connection was lost');
    });
    this.on('connect', (client) => {
      // A connection that is checked out when PostgreSQL dies emits on the client itself: unheard, that ends the process.
      client.on('error', () => {});
      this.#connections.add(client as unknown as Connection);
      this.#answeredAt = performance.now();
    });
    this.on('remove', (client) => this.#forget(client as unknown as Connection));
    this.#looking = setInterval(() => this.#look(), lookMs);
    this.#looking.unref();
  }

  /** True from when the database was found silent until it answers again. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Gives a database that hangs up sooner from now on. */
  hurry(): void {
    this.#patience = hasty;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (callback !== undefined) {
      this.#acquire(callback);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      this.#acquire((error, client) => (error === undefined ? resolve(client as pg.PoolClient) : reject(error)));
    });
  }

  /** Runs one statement. Its error says whether it changed anything, which pg-pool's own would not once the connection is lost. */
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg, passed on as they come
  override async query(...args: any[]): Promise<any> {
    const client = await this.connect();
    try {
      const result = await (client.query as (...args: unknown[]) => Promise<unknown>)(...args);
      client.release();
      return result;
    } catch (error) {
      client.release(isUnavailable(error));
      throw error;
    }
  }

  override async end(): Promise<void> {
    clearInterval(this.#looking);
    await super.end();
  }

  /** Nothing has been sent while a caller waits here: every failure of this changed nothing. */
  #acquire(callback: Connected): void {
    const refuse = (error: Error) => callback(error, undefined, () => {});
    if (this.#isSilent) {
      refuse(silent());
      return;
    }
    const waiter: Waiter = { refuse, since: performance.now() };
    this.#waiters.add(waiter);
    super.connect((error, client, release) => {
      const isWaiting = this.#waiters.delete(waiter);
      if (!isWaiting) {
        // It was refused when the database fell silent.
        if (error === undefined) release();
        return;
      }
      if (error === undefined) {
        callback(undefined, client, release);
        return;
      }
      refuse(unconnected(error));
    });
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection);
    this.#answeredAt = Math.max(this.#answeredAt, connection.answeredAt);
  }

  /** Cuts connections that are overdue, and probes the database when something has waited too long. */
  #look(): void {
    const now = performance.now();
    const isLate = now - this.#lastLook > 2 * lookMs;
    this.#lastLook = now;
    // The process itself stood still: answers that have arrived meanwhile are read before the next look.
    if (isLate) return;
    for (const connection of this.#connections) if (connection.isOverdue(now)) connection.cut();
    const isDue = now - this.#probedAt >= probeEveryMs && !this.#isProbing;
    if (isDue && (this.#isSilent || this.#hasSuspects(now))) void this.#probe();
  }

  #hasSuspects(now: number): boolean {
    const longest = this.#patience.suspectMs;
    for (const { waitingSince = now } of this.#connections) if (now - waitingSince > longest) return true;
    for (const { since } of this.#waiters) if (now - since > longest) return true;
    return false;
  }

  async #probe(): Promise<void> {
    this.#isProbing = true;
    this.#probedAt = performance.now();
    const asked = [...this.#connections].map((connection) => ({ connection, since: connection.waitingSince ?? Number.POSITIVE_INFINITY }));
    const report = await probe(this.#url, this.#patience.probeMs);
    this.#isProbing = false;
    if (this.ending) return;
    if (report === undefined) this.#fallSilent();
    else {
      this.#answerAgain();
      for (const { connection, since } of asked) {
        const isSuspect = connection.waitingSince === since && this.#probedAt - since > this.#patience.suspectMs;
        if (isSuspect && report.working?.has(connection.processID ?? 0) === false) connection.cut();
      }
    }
  }

  /** A probe has had no answer. If nothing else has had one since, the database hangs. */
  #fallSilent(): void {
    const answeredAt = Math.max(this.#answeredAt, ...[...this.#connections].map((connection) => connection.answeredAt));
    if (this.#isSilent || answeredAt > this.#probedAt) return;
    this.#isSilent = true;
    this.#log.error('the database does not answer: requests are refused until it does');
    for (const connection of this.#connections) connection.cut();
    for (const { refuse } of this.#waiters) refuse(silent());
    this.#waiters.clear();
  }

  #answerAgain(): void {
    if (!this.#isSilent) return;
    this.#isSilent = false;
    this.#log.info('the database answers again');
  }
}

function silent(): DatabaseUnavailable {
  return new DatabaseUnavailable('the database does not answer', { changed: 'nothing' });
}

function unconnected(cause: Error): DatabaseUnavailable {
  const isOverload = cause.message === noneFree;
  return new DatabaseUnavailable(isOverload ? 'no connection was free in time' : 'the database could not be reached', {
    changed: 'nothing',
    isOverload,
    cause,
  });
}
