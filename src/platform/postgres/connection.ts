// A connection that says of every failure whether a change may have been committed. All statements pass here, Prisma's too: this is the
// one place that sees what was sent, and inside which transaction (decision 0023).
import pg from 'pg';
import { DatabaseUnavailable, isOfOtherPartition, isRefusalOfAll, PartitionMade } from './failure.js';

/** PostgreSQL ends a statement of a request after so many ms. What it ended was rolled back. */
export const statementTimeoutMs = 15_000;
/** A second more, for the way there and back: a connection that is silent for longer is lost, for the server would have answered. */
const graceMs = 1_000;

type Callback = (error: Error | null | undefined, result: unknown) => void;

export class Connection extends pg.Client {
  /** Of the backend, as the server or a pooler said. */
  declare readonly processID: number | undefined;
  #underWay = 0;
  #waitingSince = 0;
  #answeredAt = 0;
  #patienceMs = statementTimeoutMs + graceMs;

  /** When the database last answered a statement, by performance.now(). 0: not yet. */
  get answeredAt(): number {
    return this.#answeredAt;
  }

  /** Since when an answer has been waited for, by performance.now(). Undefined while no statement is under way. */
  get waitingSince(): number | undefined {
    return this.#underWay === 0 ? undefined : this.#waitingSince;
  }

  /** True when the server should have answered long ago. */
  isOverdue(now: number): boolean {
    return this.#underWay > 0 && now - this.#waitingSince > this.#patienceMs;
  }

  /** Allows statements to take so many ms in the server, until the next call. Without an argument: what requests are allowed. */
  allow(timeoutMs = statementTimeoutMs): void {
    this.#patienceMs = timeoutMs + graceMs;
  }

  /** Ends the connection at once, whatever is under way: a server that does not answer would not answer a farewell either. */
  cut(): void {
    this.connection.stream.destroy();
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg, passed on as they come
  override query(...args: any[]): any {
    const text = textOf(args[0]);
    const changes = this.#mayCommit(text);
    if (this.#underWay === 0) this.#waitingSince = performance.now();
    this.#underWay += 1;
    const fail = (error: unknown) => {
      this.#underWay -= 1;
      // An error of the server is an answer.
      if (isAnswer(error)) this.#note();
      return meaningOf(error, changes);
    };
    const run = super.query as (...args: unknown[]) => Promise<unknown>;
    const callback: unknown = args.at(-1);
    if (typeof callback !== 'function') {
      return run.apply(this, args).then(
        (result) => {
          this.#underWay -= 1;
          this.#note();
          return result;
        },
        (error: unknown) => {
          throw fail(error);
        },
      );
    }
    const settle: Callback = (error, result) => {
      if (error) return (callback as Callback)(fail(error) as Error, result);
      this.#underWay -= 1;
      this.#note();
      return (callback as Callback)(error, result);
    };
    return run.call(this, ...args.slice(0, -1), settle);
  }

  #note(): void {
    this.#answeredAt = performance.now();
    this.#waitingSince = this.#answeredAt;
  }

  /** Whether a statement that is lost on its way may have been committed: COMMIT, and any statement outside of a transaction. */
  #mayCommit(text: string): boolean {
    if (/^\s*COMMIT\b/i.test(text)) return true;
    if (/^\s*(BEGIN|ROLLBACK)\b/i.test(text)) return false;
    // 'T' and 'E': inside of a transaction, which ends with its connection unless COMMIT was sent.
    return this.getTransactionStatus() === 'I' || this.getTransactionStatus() === null;
  }
}

function textOf(query: unknown): string {
  if (typeof query === 'string') return query;
  return (query as { text?: string } | undefined)?.text ?? '';
}

/** SQLSTATEs that may stand for the end of the connection, or of the whole server. */
const mayEnd = /^(08|53|57P|58|XX)/;

/**
 * True for an error that the server sent and after which it goes on: what failed with it was rolled back. After FATAL and PANIC it does
 * not. A server that speaks another language translates those words, so there the SQLSTATE decides.
 */
function isAnswer(error: unknown): error is pg.DatabaseError {
  if (!(error instanceof pg.DatabaseError)) return false;
  return error.severity === 'ERROR' || (error.severity !== 'FATAL' && error.severity !== 'PANIC' && !mayEnd.test(error.code ?? 'XX'));
}

/** `error` as it is where PostgreSQL refuses what was asked; else what it means: the database was unavailable, or a partition was made. */
function meaningOf(error: unknown, mayCommit: boolean): unknown {
  if (!isAnswer(error)) {
    return new DatabaseUnavailable('the connection to the database was lost', { changed: mayCommit ? 'unknown' : 'nothing', cause: error });
  }
  if (isOfOtherPartition(error)) return new PartitionMade(error);
  if (!isRefusalOfAll(error.code)) return error;
  return new DatabaseUnavailable(`the database refused: ${error.message}`, { changed: 'nothing', cause: error });
}
