// How a spend is carried out under its authority: at once, or held until somebody approves it (CONTRACT.md 0 "Approval interplay").
import type { Approval as ApprovalRow } from '../../generated/prisma/client.js';
import type { Fault } from '../../ledger/fault.js';
import type { LimitUse, Posting } from '../../ledger/posting.js';
import { joinRecords, type Records } from '../../ledger/record.js';
import { type Ctx, within } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';
import { newId } from '../../platform/schema/id.js';
import { approvalBackground } from './approval-context.js';
import { type ApprovalReasons, type ApprovalRequest, approvalRecords, newApproval } from './approval-request.js';
import { type Decision, decide, type Grounds, type Wish } from './decision.js';
import { decisionRecord } from './decision-record.js';
import { isApprovable } from './finding.js';
import { limitFigures, type RuleUse } from './limit.js';
import type { Authority } from './pipeline.js';
import { counterKey, countersIn, faultsOf, type PostingPlace, postTo, tryPosting } from './posting.js';
import { type Refusal, refusalsOf, useBehind } from './refusal.js';
import { noteRefusal } from './refusal-writer.js';
import { sentenceOf } from './rule-refusal.js';

/** What the maker of a posting is given: the uses of limits, the links to store, and whether the money has to wait. */
export interface SpendForm {
  limits: readonly LimitUse[];
  /** The approval that it waits for: the money is held. */
  approvalId: string | null;
  /** The decision that is stored with it. */
  decisionId: string | null;
}

/** What a spend makes: the posting, and the thing that it is about. */
export interface Draft<T> {
  posting: Posting;
  value: T;
  /** What an approval of it says and keeps. */
  request: ApprovalRequest;
}

export interface Carried<T> {
  value: T;
  approval: ApprovalRow | null;
}

/** How a spend is tried. */
export interface TryOptions {
  /** The caller wants an approval where a rule refuses. */
  requestApproval?: boolean | undefined;
  /** The transaction that it is tried in, which goes on; else it is tried in one of its own. */
  in?: Tx | undefined;
}

/** How a spend is carried out. */
export type CarryOptions = PostingPlace & {
  requestApproval?: boolean | undefined;
  /** What the spend is about, where that is there before: a refusal is then told of it. */
  subject?: ApprovalRequest['subject'] | undefined;
};

/** A limit that is passed while a spend is being held for another one joins it; so often it is looked again. */
const mostAttempts = 3;

/**
 * Carries a spend out: posts it at once, or holds its money for an approval that a rule asks for. Throws the refusal of the first layer
 * that refuses; nothing was changed then. A refusal by any layer beats the wish of an earlier one (Gap G-124).
 */
export async function carryOut<T>(
  ctx: Ctx,
  authority: Authority,
  draft: (form: SpendForm) => Draft<T>,
  options: CarryOptions,
): Promise<Carried<T>> {
  let wishes = wishesOf(authority, options);
  const seen: Fault[] = [];
  const refusing = authority.evaluation.findings.some((finding) => finding.outcome === 'fail' && !canApprove(finding, options));
  if (refusing) {
    const { posting } = draft({ limits: authority.evaluation.uses, approvalId: null, decisionId: null });
    seen.push(...(await tryPosting(ctx, posting, options.in)).faults);
    wishes = [...wishes, ...approvable(seen, authority, options)];
    throw refusalIn(ctx, authority, seen, wishes, options);
  }
  for (let attempt = 1; ; attempt += 1) {
    const reasons = await reasonsOf(ctx, authority, wishes, options);
    const { draft: made, approval } = draftAs(ctx, authority, draft, reasons);
    const faults = await faultsOf(postTo(ctx, made.posting, options));
    if (faults.length === 0) return { value: made.value, approval };
    seen.push(...faults);
    const passed = attempt < mostAttempts ? approvable(faults, authority, options) : [];
    wishes = [...wishes, ...passed];
    if (passed.length < faults.length) throw refusalIn(ctx, authority, seen, wishes, options);
  }
}

/** Says what carryOut() would do, and changes nothing. */
export async function tryOut<T>(
  ctx: Ctx,
  authority: Authority,
  draft: (form: SpendForm) => Draft<T>,
  options: TryOptions = {},
): Promise<{ decision: Decision; draft: Draft<T>; refusals: readonly Refusal[] }> {
  let wishes = wishesOf(authority, options);
  const draftFor = async () => draftAs(ctx, authority, draft, await reasonsOf(ctx, authority, wishes, options)).draft;
  let made = await draftFor();
  let trial = await tryPosting(ctx, made.posting, options.in);
  const passed = approvable(trial.faults, authority, options);
  wishes = [...wishes, ...passed];
  if (passed.length > 0 && passed.length === trial.faults.length) {
    made = await draftFor();
    trial = await tryPosting(ctx, made.posting, options.in);
  }
  const refusals = refusalsBeside(wishes, refusalsOf(trial.faults, ctx, authority));
  const before = (use: RuleUse) => trial.before.get(counterKey(use)) ?? 0n;
  return { decision: decide(ctx, { evaluation: authority.evaluation, refusals, wishes, before }), draft: made, refusals };
}

/** What the rules wish to be approved, as far as it can be known before the ledger is asked. */
function wishesOf({ evaluation }: Authority, options: TryOptions): Wish[] {
  return evaluation.findings
    .filter((finding) => finding.outcome === 'approve' || canApprove(finding, options))
    .map(({ ruleId, message, timeoutSeconds }) => ({ ruleId, message, timeoutSeconds }));
}

/** Whether an approval may lift a rule that refuses: where the caller asks for one, rules of policies and budgets. */
function canApprove({ ruleId, reason }: { ruleId: string; reason?: string }, { requestApproval = false }: TryOptions): boolean {
  return requestApproval && isApprovable(ruleId, reason);
}

/** The wishes behind those of the faults that are about a limit whose passing can be approved. */
function approvable(faults: readonly Fault[], authority: Authority, options: TryOptions): Wish[] {
  const wishes: Wish[] = [];
  for (const fault of faults) {
    const use = fault.kind === 'limit' ? useBehind(fault, authority) : undefined;
    if (use === undefined || !(use.action === 'approve' || canApprove(use, options))) continue;
    const { ruleId, timeoutSeconds } = use;
    wishes.push({ ruleId, message: sentenceOf(use, limitFigures(use, BigInt(fault.detail['used'] ?? '0'))), timeoutSeconds });
  }
  return wishes;
}

/** Why an approval is asked for; undefined where none is. In a transaction it reads there: another connection may not be free. */
async function reasonsOf(
  ctx: Ctx,
  authority: Authority,
  wishes: readonly Wish[],
  { in: tx }: TryOptions,
): Promise<ApprovalReasons | undefined> {
  if (wishes.length === 0) return undefined;
  return { wishes, background: await approvalBackground(tx === undefined ? ctx : within(ctx, tx), authority) };
}

/** The posting of a spend that waits for nobody, with its decision among the records. */
export function draftAtOnce<T>(ctx: Ctx, authority: Authority, draft: (form: SpendForm) => Draft<T>): Draft<T> {
  return draftAs(ctx, authority, draft, undefined).draft;
}

/** The posting of a spend, with its decision and, where there are reasons for one, its approval among the records. */
function draftAs<T>(
  ctx: Ctx,
  authority: Authority,
  draft: (form: SpendForm) => Draft<T>,
  reasons: ApprovalReasons | undefined,
): { draft: Draft<T>; approval: ApprovalRow | null } {
  const { evaluation, facts, at } = authority;
  const wishes = reasons?.wishes ?? [];
  const isHeld = wishes.length > 0;
  // A limit whose passing is approved is counted beyond its maximum; every rule that could ask for it is lifted at once.
  const isLifted = ({ ruleId, action }: RuleUse) => action === 'approve' || wishes.some((wish) => wish.ruleId === ruleId);
  const limits = isHeld ? evaluation.uses.map((use) => (isLifted(use) ? { ...use, maximum: null } : use)) : evaluation.uses;
  const stored = facts !== null && (limits.length > 0 || isHeld);
  const form = { limits, approvalId: isHeld ? newId(at) : null, decisionId: stored ? newId(at) : null };
  const made = draft(form);
  const { approvalId } = form;
  const approval = approvalId === null || !reasons ? null : newApproval(ctx, authority, approvalId, made.request, reasons);
  const records: Records[] = [made.posting.records];
  if (form.decisionId !== null) {
    const grounds: Grounds = { evaluation, refusals: [], wishes, before: () => undefined };
    const links = { approvalId: form.approvalId, transactionId: made.posting.id, ...made.request.subject };
    records.push({ decision: [decisionRecord(ctx, authority, form.decisionId, grounds, links)] });
  }
  if (approval !== null) records.push(approvalRecords(ctx, approval));
  return { draft: { ...made, posting: { ...made.posting, records: joinRecords(...records) } }, approval };
}

/** The refusal behind the faults that were seen, which is noted to be stored. */
function refusalIn(
  ctx: Ctx,
  authority: Authority,
  seen: readonly Fault[],
  wishes: readonly Wish[],
  { subject }: Pick<CarryOptions, 'subject'>,
): Error {
  const refusals = refusalsBeside(wishes, refusalsOf(seen, ctx, authority));
  noteRefusal(ctx, { authority, refusals, wishes, used: countersIn(seen), subject });
  return refusals[0]?.error ?? new Error('a spend was refused without a reason');
}

/** The refusals that no approval would lift. */
function refusalsBeside(wishes: readonly Wish[], refusals: readonly Refusal[]): Refusal[] {
  return refusals.filter(({ ruleId }) => !wishes.some((wish) => wish.ruleId === ruleId));
}
