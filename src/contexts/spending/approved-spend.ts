// A spend that somebody has approved, carried out: every layer is asked again, as of now, and only the rules that the approval lifts
// let it pass (CONTRACT.md 6) (Gap G-117).
import type { Approval } from '../../generated/prisma/client.js';
import type { Fault } from '../../ledger/fault.js';
import type { LimitUse, Posting } from '../../ledger/posting.js';
import { joinRecords } from '../../ledger/record.js';
import { SubjectRefused } from '../../manifest/approval-subject.js';
import type { Ctx } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';
import { newId } from '../../platform/schema/id.js';
import type { Evidence } from './decision.js';
import { decisionRecord } from './decision-record.js';
import type { Authority } from './pipeline.js';
import { countersIn, faultsOf, postTo } from './posting.js';
import { refusalsOf } from './refusal.js';
import { noteRefusal } from './refusal-writer.js';

/** What the maker of the posting is given: the uses of limits in the windows of now, and the decision that is stored with it. */
export interface ApprovedForm {
  limits: readonly LimitUse[];
  decisionId: string;
}

/**
 * Posts an approved spend in the transaction of its decision. The posting gives back what the spend had reserved before it uses limits
 * anew. Throws SubjectRefused for what refuses the spend, and the plain refusal where the one who approves may not post.
 */
export async function postApproved(
  ctx: Ctx,
  tx: Tx,
  { approval, authority }: { approval: Approval; authority: Authority },
  draft: (form: ApprovedForm) => Promise<Posting>,
): Promise<void> {
  const { ruleResults, at } = authority;
  const decisionId = newId(at);
  const posting = await draft({ limits: ruleResults.uses, decisionId });
  const evidence: Evidence = { ruleResults, refusals: [], requirements: [], before: () => undefined };
  const { subjectType, subjectId } = approval;
  const links = { approvalId: approval.id, transactionId: posting.id, subjectType, subjectId };
  const records = joinRecords(posting.records, { decision: [decisionRecord(ctx, authority, decisionId, evidence, links)] });
  const faults = (await faultsOf(postTo(ctx, { ...posting, records }, { in: tx }))).map((fault) => withoutGivenBack(fault, posting.limits));
  const refusals = refusalsOf(faults, ctx, authority);
  const [first] = refusals;
  if (first === undefined) return;
  if (first.layer === 'credential') throw first.error;
  noteRefusal(ctx, { authority, refusals, requirements: [], used: countersIn(faults), subject: { subjectType, subjectId } });
  throw new SubjectRefused(first.error);
}

/** A limit that would be passed, in the numbers of a spend that had reserved nothing of it. */
function withoutGivenBack(fault: Fault, limits: readonly LimitUse[]): Fault {
  const { counter, window, used = '0', requested = '0' } = fault.detail;
  if (fault.kind !== 'limit') return fault;
  const given = limits
    .filter((use) => use.reserved < 0n && use.counter === counter && use.window === window)
    .reduce((sum, use) => sum - use.reserved, 0n);
  return { ...fault, detail: { ...fault.detail, used: `${BigInt(used) - given}`, requested: `${BigInt(requested) + given}` } };
}
