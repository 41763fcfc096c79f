// The doors through which contexts post: as the ledger's own, and a refusal is worded (see refusal.ts). A spend that a rule refuses is
// tried all the same, and rolled back: the layers before may refuse it too, and the first one decides.
import { type Fault, PostingRefused } from '../../ledger/fault.js';
import { postGrouped } from '../../ledger/group-commit.js';
import type { LimitUse, Posting } from '../../ledger/posting.js';
import { post } from '../../ledger/statement.js';
import { auditLine, markTold } from '../../platform/audit.js';
import type { Ctx } from '../../platform/ctx.js';
import { keyClaims, markPosted, markRecorded } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { rollBack, rollBackWithin } from '../../platform/postgres/rollback.js';
import { refusalOf } from './refusal.js';

/** Posts, or throws PostingRefused with every fault and leaves nothing behind. */
export type Poster = (value: Posting) => Promise<void>;

/** Posts at once, in a group with others, under the Idempotency-Key of the request; `reference` names the result. */
export function postingNow(ctx: Ctx, reference: string): Poster {
  return async (value) => {
    const claims = [...value.claims, ...keyClaims(ctx, reference)];
    await postGrouped(ctx.platform.database, { ...withLine(ctx, value, reference), claims });
    markRecorded(ctx);
    ctx.effect.reference = reference;
    if (value.limits.some(({ marks }) => marks !== undefined)) ctx.platform.due.ring('limit_crossing', crossingMs);
  };
}

/** The posting with the line of the audit log among its records. */
function withLine(ctx: Ctx, value: Posting, reference: string): Posting {
  const line = auditLine(ctx, reference);
  return line === null ? value : { ...value, records: { ...value.records, audit_line: [line] } };
}

/** Milliseconds after which crossings are looked for: few postings pass a mark, and under load one look is for many of them. */
const crossingMs = 100;

/** Posts inside a transaction that also writes other rows. Call it last: its locks are then held shortly. */
export function postingWithin(tx: Tx): Poster {
  return (value) => post(tx, value);
}

/**
 * The same, and the posting carries the claim of the request and its line of the audit log, which saves statements; `reference` names the
 * result.
 */
export function postingKeyed(ctx: Ctx, tx: Tx, reference: string): Poster {
  return async (value) => {
    await post(tx, { ...withLine(ctx, value, reference), claims: [...value.claims, ...keyClaims(ctx, reference)] });
    markPosted(ctx);
    markTold(tx);
  };
}

/** A posting that no rule binds. Throws its refusal as an error of the contract. */
export async function postPlainly(ctx: Ctx, poster: Poster, value: Posting): Promise<void> {
  try {
    await poster(value);
  } catch (error) {
    throw error instanceof PostingRefused ? refusalOf(error.faults, ctx) : error;
  }
}

/** What a posting would do, and that it did not: every fault, and what the counters of its limits stood at before. */
export interface Trial {
  faults: readonly Fault[];
  before: ReadonlyMap<string, bigint>;
}

/** The name of a counter in a window. */
export function counterKey({ counter, window }: Pick<LimitUse, 'counter' | 'window'>): string {
  return `${counter} ${window}`;
}

/** Tries a posting in a transaction that is rolled back, or within one that goes on. */
export async function tryPosting(ctx: Ctx, value: Posting, within?: Tx): Promise<Trial> {
  let before: ReadonlyMap<string, bigint> = new Map();
  const work = async (tx: Tx) => {
    before = await readCounters(tx, value.limits);
    await post(tx, value);
  };
  try {
    await (within === undefined ? rollBack(ctx.db, work) : rollBackWithin(within, work));
  } catch (error) {
    if (error instanceof PostingRefused) return { faults: error.faults, before };
    throw error;
  }
  return { faults: [], before };
}

/** What the counters of limits stand at, by counterKey(); none for a counter that nothing has used. */
export async function readCounters(
  tx: Pick<Tx, 'limitCounter'>,
  uses: readonly Pick<LimitUse, 'counter' | 'window'>[],
): Promise<Map<string, bigint>> {
  if (uses.length === 0) return new Map();
  const rows = await tx.limitCounter.findMany({ where: { OR: uses.map(({ counter, window }) => ({ counter, window })) } });
  return new Map(rows.map((row) => [counterKey(row), row.used + row.reserved]));
}

/** What the counters of the limits stood at that were found to be too small, by counterKey(). */
export function countersIn(faults: readonly Fault[]): Map<string, bigint> {
  const used = new Map<string, bigint>();
  for (const { kind, detail } of faults) {
    const { counter = '', window = '', used: stood = '0' } = detail;
    if (kind === 'limit') used.set(counterKey({ counter, window }), BigInt(stood));
  }
  return used;
}
