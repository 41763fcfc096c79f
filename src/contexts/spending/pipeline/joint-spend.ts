// Spends that are carried out together or not at all: one set of postings, in a transaction. What would need an approval is refused,
// for the others would have to wait with it (CONTRACT.md 4).
import { type Fault, PostingRefused } from '../../../ledger/fault.js';
import { faultyPosting } from '../../../ledger/fault-place.js';
import { postTogether } from '../../../ledger/statement.js';
import type { Ctx } from '../../../platform/ctx.js';
import type { ApiError } from '../../../platform/errors.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { type Draft, draftAtOnce, type SpendForm } from './execution.js';
import type { Authority } from './pipeline.js';
import { countersIn, faultsOf, noteForLine } from './posting.js';
import { refusalsOf } from './refusal.js';
import { queueRefusal } from './refusal-writer.js';

/** One of the spends. */
export interface JointSpend {
  authority: Authority;
  draft: (form: SpendForm) => Draft<unknown>;
}

/** None was carried out, for the one at `index` is refused. */
export class JointRefusal extends Error {
  readonly index: number;
  readonly refusal: ApiError;

  constructor(index: number, refusal: ApiError) {
    super(refusal.message);
    this.index = index;
    this.refusal = refusal;
  }
}

// Gap G-152: In an atomic batch the first item that would pass a balance or limit is to blame; its numbers are those of the batch.
/** Posts all of them. Call it last. Throws JointRefusal for the first that is refused, which rolls the transaction back. */
export async function postJointly(ctx: Ctx, tx: Tx, spends: readonly JointSpend[]): Promise<void> {
  const strict = spends.map(({ authority, draft }): JointSpend => ({ authority: withoutApprovals(authority), draft }));
  const postings = strict.map(({ authority, draft }) => draftAtOnce(ctx, authority, draft).posting);
  const faults = await faultsOf(postTogether(tx, postings));
  const byIndex = new Map<number, Fault[]>();
  for (const fault of faults) {
    const index = faultyPosting(fault, postings);
    byIndex.set(index, [...(byIndex.get(index) ?? []), fault]);
  }
  for (const [index, { authority }] of strict.entries()) {
    const own = byIndex.get(index) ?? [];
    const refusals = refusalsOf(own, ctx, authority);
    const [first] = refusals;
    if (first === undefined) continue;
    queueRefusal(ctx, { authority, refusals, requirements: [], used: countersIn(own) });
    throw new JointRefusal(index, first.error);
  }
  if (faults.length > 0) throw new PostingRefused(faults);
  for (const posting of postings) await noteForLine(ctx, tx, posting);
}

/** The same, where what requires an approval refuses. */
function withoutApprovals(authority: Authority): Authority {
  const results = authority.ruleResults.results.map((result) => ({ ...result, outcome: 'fail' as const }));
  return { ...authority, ruleResults: { ...authority.ruleResults, results } };
}
