// One key, one effect. The row with the reference of the result is written in the transaction of the effect; the rendered
// body is added after it, and a replay without one renders from the reference (CONTRACT.md 0 "Idempotency").
import { writeLinesOf } from './audit.js';
import { hasLeft } from './cell/present.js';
import type { Ctx, IdempotencyClaim } from './ctx.js';
import { commit, Effect } from './effect.js';
import { DependencyUnavailable, declareError } from './errors.js';
import type { PartitionedTable } from './partition.js';
import type { Db, Tx } from './postgres/database.js';
import { isUniqueViolation, retrySerialization } from './postgres/failure.js';

export class IdempotencyInFlight extends declareError(409, 'idempotency_in_flight') {
  constructor() {
    super('A request with this Idempotency-Key is still running. Wait a second and send it again with the same key.', {
      headers: { 'Retry-After': '1' },
      details: { retry: { safe: true, same_key: true, after_s: 1 } },
    });
  }
}

/** 422: the key belongs to another request. With a new key this one may be sent. */
export class IdempotencyKeyReused extends declareError(422, 'idempotency_key_reused') {
  constructor() {
    super('This Idempotency-Key was used for another request. Take a new key for a new request.', {
      details: { retry: { safe: true, same_key: false } },
    });
  }
}

/** What a mutation is answered with, before it is sent. */
export interface Answer {
  status: number;
  /** Ready for JSON.stringify, or JSON text already: what a replay reads from the store is text. */
  body: unknown;
  /** The body without its secrets, as a replay may print it. Undefined: a replay renders from the reference instead. */
  secretless: () => unknown;
  replayed?: true;
}

export interface KeyedRequest {
  /** The Idempotency-Key header as it was sent; undefined where it is to be ignored. */
  key: string | undefined;
  /** Name of the operation. */
  operation: string;
  /** What the fingerprint is taken of: plain JSON. */
  content: unknown;
}

/** Wraps a mutation. `run` is called again when a replay renders from its reference: it must have no effect of its own. */
export type Idempotency = (ctx: Ctx, request: KeyedRequest, run: () => Promise<Answer>) => Promise<Answer>;

/** How long a key is kept. */
export const keySeconds = 86_400;

/** The answers that are kept: each expires with its key. Four hours of partitions are there before they are needed. */
export const keyedAnswers: Omit<PartitionedTable, 'table'> = {
  column: 'expires_at',
  kind: 'time',
  unit: 'hour',
  from: keySeconds,
  to: keySeconds + 4 * 3_600,
  kept: 3_600,
  moved: 0,
};

/** The kind of the claims of requests with a key. */
export const keyKind = 'idempotency_key';

/** The claim of the request, for a posting whose result is `reference`; none without a key. */
export function keyClaims(ctx: Ctx, reference: string) {
  if (ctx.idempotency === undefined) return [];
  const { key, fingerprint, expiresAt } = ctx.idempotency;
  return [{ kind: keyKind, key, fingerprint, expiresAt, reference }] as const;
}

/**
 * The resolver of a mutation field: `run` does it; on a replay `load` reads what the first run made, by its reference. `isRemade` says
 * where `load` gives exactly what the run gave, whatever happened since: the answer of REST, which shows nothing else, is then not stored.
 */
export function once<Args, T>(
  run: (ctx: Ctx, args: Args) => Promise<T>,
  load: (ctx: Ctx, reference: string) => Promise<T>,
  isRemade?: (made: T) => boolean,
): (root: unknown, args: Args, ctx: Ctx) => Promise<T> {
  const first = async (ctx: Ctx, args: Args): Promise<T> => {
    const made = await run(ctx, args);
    if (isRemade !== undefined && ctx.idempotency !== undefined) ctx.idempotency.remade = isRemade(made);
    return made;
  };
  return (_root, args, ctx) => {
    const reference = ctx.idempotency?.replayOf;
    return reference === undefined ? first(ctx, args) : load(ctx, reference);
  };
}

/** What a run of a transaction has written of its books with a posting: the posting sets it, and transact() writes what is missing. */
export interface Written {
  /** The claim of the request. */
  claim: boolean;
  /** The line of the audit log. */
  line: boolean;
}

/** The work of a transaction. Only a posting that is given a key asks for `written`. */
type Work<T> = (tx: Tx, written: Written) => Promise<T>;

/** What a transaction of many changes needs. */
interface TransactOptions {
  /** Milliseconds that all of it may take, where that is more than for one change. */
  timeoutMs?: number;
}

/**
 * The transaction of a mutation. Writes the idempotency row and the line of the audit log with it; `referenceOf` names the result (its `id`
 * by default).
 * Runs again after a deadlock; 409 `idempotency_in_flight` when another process holds the key.
 */
export function transact<T extends { id: string }>(ctx: Ctx, work: Work<T>): Promise<T>;
export function transact<T>(ctx: Ctx, work: Work<T>, referenceOf: (result: T) => string, options?: TransactOptions): Promise<T>;
export async function transact<T>(
  ctx: Ctx,
  work: Work<T>,
  referenceOf = (result: T) => (result as { id: string }).id,
  { timeoutMs }: TransactOptions = {},
): Promise<T> {
  if (ctx.joins !== undefined) return workWithin(ctx, ctx.joins, work, referenceOf);
  const claim = ctx.idempotency;
  const run = () =>
    commit(ctx.effect, (begin) =>
      ctx.db.$transaction(
        async (tx) => {
          if (claim !== undefined) await lockKey(tx, claim);
          // Made for this run: one that was rolled back has written nothing.
          const written: Written = { claim: false, line: false };
          const result = await work(tx, written);
          const reference = referenceOf(result);
          if (claim !== undefined && !written.claim) await tx.claim.createMany({ data: [...keyClaims(ctx, reference)] });
          await writeLinesOf(ctx, tx, reference, written.line);
          // Prisma sends COMMIT as soon as this returns.
          begin();
          ctx.effect.reference = reference;
          return result;
        },
        timeoutMs === undefined ? undefined : { timeout: timeoutMs },
      ),
    );
  try {
    const result = await retrySerialization(run);
    ctx.platform.database.written.ring();
    if (claim !== undefined) claim.recorded = true;
    return result;
  } catch (error) {
    if (claim !== undefined && isClaimConflict(error)) throw new IdempotencyInFlight();
    // What was looked for is in the other cell.
    if (await isElsewhere(ctx)) throw new DependencyUnavailable('This tenant moves to another cell. It', error);
    throw error;
  }
}

/**
 * The ctx for changes that are parts of `tx`: each writes its own line of the audit log, and all of them commit or none does. The key of the
 * request belongs to the whole.
 */
export function joining(ctx: Ctx, tx: Tx): Ctx {
  const { idempotency: _key, act: _act, ...rest } = ctx;
  return { ...rest, db: tx as Db, joins: tx, effect: new Effect() };
}

/** A change that is a part of a transaction. */
async function workWithin<T>(ctx: Ctx, tx: Tx, work: Work<T>, referenceOf: (result: T) => string): Promise<T> {
  const written: Written = { claim: false, line: false };
  const result = await work(tx, written);
  await writeLinesOf(ctx, tx, referenceOf(result), written.line);
  return result;
}

/** True where the tenant has left the cell in which something has failed for it. With one cell nobody does. */
async function isElsewhere({ platform: { cells, database }, workspace }: Ctx): Promise<boolean> {
  return cells.only === undefined && (await hasLeft(database, workspace.id));
}

/** Keeps the key of the request until the transaction ends. 409 `idempotency_in_flight` while another one has it. */
async function lockKey(tx: Tx, { key }: IdempotencyClaim): Promise<void> {
  const [lock] = await tx.$queryRaw<{ taken: boolean }[]>`SELECT pg_try_advisory_xact_lock(hashtextextended(${key}, 0)) AS taken`;
  if (lock?.taken !== true) throw new IdempotencyInFlight();
}

/** The claim was written by another process between our look and our write. */
function isClaimConflict(error: unknown): boolean {
  const { meta } = error as { meta?: { modelName?: string } };
  return isUniqueViolation(error) && meta?.modelName === 'Claim';
}
