// The one door through which contexts post: alone, in a group with others, or as a part of a transaction. A posting that is refused leaves
// nothing behind, and its refusal is worded (see refusal.ts).
import { type Fault, PostingRefused } from '../../../ledger/fault.js';
import { postGrouped } from '../../../ledger/group-commit.js';
import type { LimitUse, Posting } from '../../../ledger/posting.js';
import { post as postIn } from '../../../ledger/statement.js';
import { auditLine, notePosted } from '../../../platform/audit.js';
import type { Ctx } from '../../../platform/ctx.js';
import { keyClaims, type Written } from '../../../platform/idempotency.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { rollBack, rollBackWithin } from '../../../platform/postgres/rollback.js';
import { postedWith } from '../evidence/posting-part.js';
import { refusalOf } from './refusal.js';

/**
 * Where a posting goes. Without a transaction it commits by itself, in a group with others. `key` names the result: the posting then
 * carries the claim of the request's Idempotency-Key and its line of the audit log. In a transaction that saves two statements, and
 * `written` tells it so; without a key the transaction writes them itself.
 */
export type PostingPlace =
  | { in?: undefined; key: string }
  | { in: Tx; key?: undefined }
  | {
      in: Tx;
      key: string;
      /** As transact() hands it out. */
      written: Written;
    };

/**
 * Posts what no rule binds. Throws the refusal of the first layer that refuses, as an error of the contract. In a transaction call it last:
 * its locks are then held shortly.
 */
export async function postSpend(ctx: Ctx, value: Posting, place: PostingPlace): Promise<void> {
  const faults = await faultsOf(postTo(ctx, value, place));
  if (faults.length > 0) throw refusalOf(faults, ctx);
}

/** The same for what rules bind: throws PostingRefused with every fault, of which the rules know which can be approved. */
export async function postTo(ctx: Ctx, value: Posting, place: PostingPlace): Promise<void> {
  if (place.key === undefined) {
    await postIn(place.in, value);
    await noteForLine(ctx, place.in, value);
    return;
  }
  const withKey = await withBooks(ctx, value, place);
  if (place.in !== undefined) {
    await postIn(place.in, withKey);
    Object.assign(place.written, { claim: true, line: true } satisfies Written);
    return;
  }
  await postGrouped(ctx.platform.database, withKey);
  if (ctx.idempotency !== undefined) ctx.idempotency.recorded = true;
  ctx.effect.reference = place.key;
  if (value.limits.some(({ marks }) => marks !== undefined)) ctx.platform.due.ring('limit_crossing', crossingMs);
}

/** The posting with the claim of the request, and the line of the audit log among its records. */
async function withBooks(ctx: Ctx, value: Posting, { key, in: tx }: Extract<PostingPlace, { key: string }>): Promise<Posting> {
  const claims = [...value.claims, ...keyClaims(ctx, key)];
  if (ctx.act === null) return { ...value, claims };
  const line = auditLine(ctx, key, ctx.act, await postedWith(tx ?? ctx.db, value));
  return { ...value, claims, records: line === null ? value.records : { ...value.records, audit_entry: [line] } };
}

/** Hands over what was posted in a transaction to the line that the transaction writes at its end. */
export async function noteForLine(ctx: Ctx, tx: Tx, value: Posting): Promise<void> {
  const posted = ctx.act === null ? undefined : await postedWith(tx, value);
  if (posted !== undefined) notePosted(tx, posted);
}

/** Milliseconds after which crossings are looked for: few postings pass a mark, and under load one look is for many of them. */
const crossingMs = 100;

/** What the ledger has against something that is being posted: nothing once it is posted. */
export async function faultsOf(posted: Promise<void>): Promise<readonly Fault[]> {
  try {
    await posted;
    return [];
  } catch (error) {
    if (error instanceof PostingRefused) return error.faults;
    throw error;
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
    await postIn(tx, value);
  };
  const faults = await faultsOf(within === undefined ? rollBack(ctx.db, work) : rollBackWithin(within, work));
  return { faults, before };
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
