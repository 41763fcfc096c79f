// One key, one effect. The row with the reference of the result is written in the transaction of the effect; the rendered
// body is added after it, and a replay without one renders from the reference (CONTRACT.md 0 "Idempotency").
import type { Ctx } from './ctx.js';
import { isUniqueViolation, retrySerialization, type Tx } from './database.js';
import { declareError } from './errors.js';

export class IdempotencyInFlight extends declareError(409, 'idempotency_in_flight') {
  constructor() {
    super('A request with this Idempotency-Key is still running. Wait a second and send it again with the same key.', {
      headers: { 'Retry-After': '1' },
      details: { retry: { safe: true, same_key: true, after_s: 1 } },
    });
  }
}
export class IdempotencyKeyReused extends declareError(422, 'idempotency_key_reused') {}

/** What a request with a key carries. `id` is SHA-256 of scope and key, `replayOf` the reference of the first run. */
export interface IdempotencyClaim {
  id: Buffer<ArrayBuffer>;
  fingerprint: Buffer<ArrayBuffer>;
  expiresAt: Date;
  replayOf?: string;
  /** Set once the row is written with the effect. */
  recorded: boolean;
}

/** The 64-bit advisory lock that stands for a key while its effect is under way. */
export function lockOf(claim: IdempotencyClaim): bigint {
  return claim.id.readBigInt64BE(0);
}

/** The resolver of a mutation: runs it, or, on a replay, loads what the first run made. */
export function once<T>(ctx: Ctx, run: () => Promise<T>, load: (reference: string) => Promise<T>): Promise<T> {
  const reference = ctx.idempotency?.replayOf;
  return reference === undefined ? run() : load(reference);
}

/**
 * The transaction of a mutation. Writes the idempotency row with it; `referenceOf` names the result (its `id` by default).
 * Runs again after a deadlock; 409 `idempotency_in_flight` when another process holds the key.
 */
export function transact<T extends { id: string }>(ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T>;
export function transact<T>(ctx: Ctx, work: (tx: Tx) => Promise<T>, referenceOf: (result: T) => string): Promise<T>;
export async function transact<T>(
  ctx: Ctx,
  work: (tx: Tx) => Promise<T>,
  referenceOf = (result: T) => (result as { id: string }).id,
): Promise<T> {
  const claim = ctx.idempotency;
  const run = () =>
    ctx.db.$transaction(async (tx) => {
      if (claim === undefined) return work(tx);
      const [lock] = await tx.$queryRaw<{ taken: boolean }[]>`select pg_try_advisory_xact_lock(${lockOf(claim)}::bigint) as taken`;
      if (lock?.taken !== true) throw new IdempotencyInFlight();
      const result = await work(tx);
      await tx.idempotencyKey.create({
        data: { id: claim.id, fingerprint: claim.fingerprint, reference: referenceOf(result), expiresAt: claim.expiresAt },
      });
      return result;
    });
  try {
    const result = await retrySerialization(run);
    ctx.platform.database.written.ring();
    if (claim !== undefined) claim.recorded = true;
    return result;
  } catch (error) {
    if (claim !== undefined && isClaimConflict(error)) throw new IdempotencyInFlight();
    throw error;
  }
}

/** The key's row was written by another process between our look and our write. */
function isClaimConflict(error: unknown): boolean {
  const { meta } = error as { meta?: { modelName?: string } };
  return isUniqueViolation(error) && meta?.modelName === 'IdempotencyKey';
}
