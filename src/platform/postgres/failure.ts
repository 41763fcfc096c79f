// What a failure of the database means: it refused (a SQLSTATE), or it could not be reached, and then whether a change may have been
// committed (CONTRACT.md 0 "When nobody knows").
import { ApiError } from '../errors.js';

/**
 * The database gave no answer, or refused for a reason of its own (a full disk, a time limit).
 * It has no `code` on purpose: Prisma passes such an error on as it is, and makes one of its own from any other.
 */
export class DatabaseUnavailable extends Error {
  /** `unknown`: a statement or COMMIT was under way, so a change may have been committed. `nothing`: certainly no change. */
  readonly changed: 'nothing' | 'unknown';
  /** True when this process has more work than connections, and the database itself is well. */
  readonly isOverload: boolean;

  constructor(
    message: string,
    { changed, isOverload = false, cause }: { changed: 'nothing' | 'unknown'; isOverload?: boolean; cause?: unknown },
  ) {
    super(message, { cause });
    this.name = 'DatabaseUnavailable';
    this.changed = changed;
    this.isOverload = isOverload;
  }
}

/**
 * A row is of a partition that was made while its statement waited: the DEFAULT partition has it no longer, and whoever looks again finds the new one.
 * It has no `code` either.
 */
export class PartitionMade extends Error {
  constructor(cause: unknown) {
    super('a partition was made of the time of a row', { cause });
    this.name = 'PartitionMade';
  }
}

/** True when a row did not fit into its partition. A condition of a table has a name, and that of a partition has none. */
export function isOfOtherPartition({ code, constraint }: { code?: string | undefined; constraint?: string | undefined }): boolean {
  return code === '23514' && constraint === undefined;
}

/** The SQLSTATE (or Node, or Prisma code) at the root of a database error, if it is one. */
export function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, meta, cause, originalCode } = error as Partial<Record<'code' | 'cause' | 'originalCode', unknown>> & {
    meta?: { driverAdapterError?: { cause?: { originalCode?: string } } };
  };
  // What fails at COMMIT is the adapter's own error, whose cause names the SQLSTATE.
  const original = meta?.driverAdapterError?.cause?.originalCode ?? (typeof originalCode === 'string' ? originalCode : undefined);
  if (original !== undefined) return original;
  if (typeof code === 'string') return code;
  return cause === undefined || cause === error ? undefined : sqlState(cause);
}

/** Prisma's own: a transaction that did not begin in time, or took too long and was rolled back. */
const transactionExpired = 'P2028';

/** True when the database could not serve, whatever was asked of it: the request is answered 503. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof DatabaseUnavailable || sqlState(error) === transactionExpired;
}

/**
 * True when `error` proves that the statement or transaction which failed has changed nothing: it never left, was rolled back, or was
 * refused. False also when nobody knows.
 */
export function changedNothing(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return error.changed === 'nothing';
  return error instanceof ApiError || answered.test(sqlState(error) ?? '');
}

/** A SQLSTATE, or a code of Prisma that tells of one. Not the codes of the network, nor those of Prisma for a lost connection. */
const answered = /^(?!P1)(?=.*\d)[0-9A-Z]{5}$/;

/** The tenant has moved to another cell, of which this process has not heard yet (prisma/functions/refuse_moved.sql). */
const movedAway = 'AP012';

/** True where a statement failed for one tenant alone, which is in another cell. */
export function hasMovedAway(error: unknown): boolean {
  return sqlState(error) === movedAway;
}

/** SQLSTATEs with which PostgreSQL refuses although the statement is good. What it refuses it has rolled back. */
const refusals = new Set([
  '57014', // the statement took too long, or somebody cancelled it
  '55P03', // a lock was not to be had in time
  '53100', // the disk is full
  '53200', // no memory
  '53300', // too many connections
  '53400', // a limit of the configuration
  '25006', // read only: a replica, or a primary that has just become one
  '25P02', // a statement of this transaction failed before
  '25P03', // the transaction was idle for too long
  '58030', // an error of the disk
  movedAway,
]);

/** True for the SQLSTATE of a refusal that has nothing to do with what was asked. */
export function isRefusalOfAll(state: string | undefined): boolean {
  return state !== undefined && refusals.has(state);
}

/** True when a row with the same key is there already. */
export function isUniqueViolation(error: unknown): boolean {
  const code = sqlState(error);
  return code === 'P2002' || code === '23505';
}

const serializationFailures = new Set(['40001', '40P01', 'P2034']);

/** True when PostgreSQL chose a statement or transaction as the victim of a deadlock or serialization failure, or of a new partition. */
export function isSerializationFailure(error: unknown): boolean {
  return error instanceof PartitionMade || serializationFailures.has(sqlState(error) ?? '');
}

/** Runs `work` again, up to three more times, when it was the victim of a deadlock, a serialization failure or a new partition. */
export async function retrySerialization<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 3 || !isSerializationFailure(error)) throw error;
    }
  }
}
