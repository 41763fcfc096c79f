// How a spend is executed under its authority: at once, or held until somebody approves it (CONTRACT.md 0 "Approval interplay").
import type { Approval as ApprovalRow } from '../../../generated/prisma/client.js';
import type { Fault } from '../../../ledger/fault.js';
import type { LimitUse, Posting } from '../../../ledger/posting.js';
import { joinRecords, type Records } from '../../../ledger/record.js';
import { type Ctx, within } from '../../../platform/ctx.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { newId } from '../../../platform/schema/id.js';
import { approvalBackground } from '../approval/approval-context.js';
import { type ApprovalReasons, type ApprovalRequest, approvalRecords, newApproval } from '../approval/approval-request.js';
import { type ApprovalRequirement, type Decision, decide, type Evidence } from './decision.js';
import { decisionRecord } from './decision-record.js';
import { limitFigures, type RuleUse } from './limit.js';
import type { Authority } from './pipeline.js';
import { counterKey, countersIn, faultsOf, type PostingPlace, postTo, tryPosting } from './posting.js';
import { type Refusal, refusalsOf, useBehind } from './refusal.js';
import { queueRefusal } from './refusal-writer.js';
import { sentenceOf } from './rule-refusal.js';
import { isApprovable } from './rule-result.js';

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

export interface SpendResult<T> {
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

/** How a spend is executed. */
export type SpendOptions = PostingPlace & {
  requestApproval?: boolean | undefined;
  /** What the spend is about, where that is there before: a refusal is then recorded with it. */
  subject?: ApprovalRequest['subject'] | undefined;
};

/** A limit that is passed while a spend is being held for another one is one more requirement; so often the posting is attempted. */
const mostAttempts = 3;

// Gap G-124: A refusal by any layer beats the wish of a rule or of the caller for an approval.
/**
 * Executes a spend: posts it at once, or holds its money for the approvals that rules require. Throws the refusal of the first layer that
 * refuses; nothing was changed then.
 */
export function executeSpend<T>(
  ctx: Ctx,
  authority: Authority,
  draft: (form: SpendForm) => Draft<T>,
  options: SpendOptions,
): Promise<SpendResult<T>> {
  const isRefused = authority.ruleResults.results.some((result) => result.outcome === 'fail' && !canApprove(result, options));
  return isRefused ? refuse(ctx, authority, draft, options) : attempt(ctx, authority, draft, options);
}

/** Refuses a spend that a rule refuses for good. */
async function refuse<T>(ctx: Ctx, authority: Authority, draft: (form: SpendForm) => Draft<T>, options: SpendOptions): Promise<never> {
  // 1. Ask the ledger what it has against the spend as well, and take that back: an earlier layer may refuse it first.
  const { posting } = draft({ limits: authority.ruleResults.uses, approvalId: null, decisionId: null });
  const { faults } = await tryPosting(ctx, posting, options.in);
  // 2. What could be approved is no refusal.
  const requirements = [...requirementsOf(authority, options), ...approvable(faults, authority, options)];
  // 3. Throw what the first layer says.
  throw refusalIn(ctx, authority, faults, requirements, options);
}

/** Posts a spend, held for the approvals that rules require. The ledger may find a limit whose passing requires one more. */
async function attempt<T>(
  ctx: Ctx,
  authority: Authority,
  draft: (form: SpendForm) => Draft<T>,
  options: SpendOptions,
): Promise<SpendResult<T>> {
  const requirements = requirementsOf(authority, options);
  const seen: Fault[] = [];
  for (let left = mostAttempts - 1; ; left -= 1) {
    // 1. Make the posting: of the payment, or of a hold with its approval.
    const { draft: made, approval } = draftAs(ctx, authority, draft, await reasonsOf(ctx, authority, requirements, options));
    // 2. Post it.
    const faults = await faultsOf(postTo(ctx, made.posting, options));
    if (faults.length === 0) return { value: made.value, approval };
    // 3. Require an approval of each limit that would be passed and can be approved.
    const passed = left > 0 ? approvable(faults, authority, options) : [];
    seen.push(...faults);
    requirements.push(...passed);
    // 4. Refuse where anything else is in the way; else hold the spend for these approvals too.
    if (passed.length < faults.length) throw refusalIn(ctx, authority, seen, requirements, options);
  }
}

/** The decision and the posting that executeSpend() would make, without making them. */
export async function tryOut<T>(
  ctx: Ctx,
  authority: Authority,
  draft: (form: SpendForm) => Draft<T>,
  options: TryOptions = {},
): Promise<{ decision: Decision; draft: Draft<T>; refusals: readonly Refusal[] }> {
  const requirements = requirementsOf(authority, options);
  const draftFor = async () => draftAs(ctx, authority, draft, await reasonsOf(ctx, authority, requirements, options)).draft;
  let made = await draftFor();
  let trial = await tryPosting(ctx, made.posting, options.in);
  const passed = approvable(trial.faults, authority, options);
  requirements.push(...passed);
  if (passed.length > 0 && passed.length === trial.faults.length) {
    made = await draftFor();
    trial = await tryPosting(ctx, made.posting, options.in);
  }
  const refusals = refusalsBeside(requirements, refusalsOf(trial.faults, ctx, authority));
  const before = (use: RuleUse) => trial.before.get(counterKey(use)) ?? 0n;
  return { decision: decide(ctx, { ruleResults: authority.ruleResults, refusals, requirements, before }), draft: made, refusals };
}

/** What the rules require to be approved, as far as it can be known before the ledger is asked. */
function requirementsOf({ ruleResults }: Authority, options: TryOptions): ApprovalRequirement[] {
  return ruleResults.results
    .filter((result) => result.outcome === 'approve' || canApprove(result, options))
    .map(({ ruleId, message, timeoutSeconds }) => ({ ruleId, message, timeoutSeconds }));
}

/** Whether an approval may lift a rule that refuses: where the caller asks for one, rules of policies and budgets. */
function canApprove({ ruleId, reason }: { ruleId: string; reason?: string }, { requestApproval = false }: TryOptions): boolean {
  return requestApproval && isApprovable(ruleId, reason);
}

/** The requirements behind those of the faults that are about a limit whose passing can be approved. */
function approvable(faults: readonly Fault[], authority: Authority, options: TryOptions): ApprovalRequirement[] {
  const requirements: ApprovalRequirement[] = [];
  for (const fault of faults) {
    const use = fault.kind === 'limit' ? useBehind(fault, authority) : undefined;
    if (use === undefined || !(use.action === 'approve' || canApprove(use, options))) continue;
    const { ruleId, timeoutSeconds } = use;
    requirements.push({ ruleId, message: sentenceOf(use, limitFigures(use, BigInt(fault.detail['used'] ?? '0'))), timeoutSeconds });
  }
  return requirements;
}

/** Why an approval is asked for; undefined where none is. In a transaction it reads there: another connection may not be free. */
async function reasonsOf(
  ctx: Ctx,
  authority: Authority,
  requirements: readonly ApprovalRequirement[],
  { in: tx }: TryOptions,
): Promise<ApprovalReasons | undefined> {
  if (requirements.length === 0) return undefined;
  return { requirements, background: await approvalBackground(tx === undefined ? ctx : within(ctx, tx), authority) };
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
  const { ruleResults, facts, at } = authority;
  const requirements = reasons?.requirements ?? [];
  const isHeld = requirements.length > 0;
  // A limit whose passing is approved is counted beyond its maximum; every rule that could ask for it is lifted at once.
  // What asks people asks by itself: its people vote only where it would be passed.
  const isLifted = ({ ruleId, action, asksPeople }: RuleUse) =>
    (action === 'approve' && !asksPeople) || requirements.some((requirement) => requirement.ruleId === ruleId);
  const limits = isHeld ? ruleResults.uses.map((use) => (isLifted(use) ? { ...use, maximum: null } : use)) : ruleResults.uses;
  const stored = facts !== null && (limits.length > 0 || isHeld);
  const form = { limits, approvalId: isHeld ? newId(at) : null, decisionId: stored ? newId(at) : null };
  const made = draft(form);
  const { approvalId } = form;
  const approval = approvalId === null || !reasons ? null : newApproval(ctx, authority, approvalId, made.request, reasons);
  const records: Records[] = [made.posting.records];
  if (form.decisionId !== null) {
    const evidence: Evidence = { ruleResults, refusals: [], requirements, before: () => undefined };
    const links = { approvalId: form.approvalId, transactionId: made.posting.id, ...made.request.subject };
    records.push({ decision: [decisionRecord(ctx, authority, form.decisionId, evidence, links)] });
  }
  if (approval !== null) records.push(approvalRecords(ctx, approval));
  return { draft: { ...made, posting: { ...made.posting, records: joinRecords(...records) } }, approval };
}

/** The refusal behind the faults that were seen, which is noted to be stored. */
function refusalIn(
  ctx: Ctx,
  authority: Authority,
  seen: readonly Fault[],
  requirements: readonly ApprovalRequirement[],
  { subject }: Pick<SpendOptions, 'subject'>,
): Error {
  const refusals = refusalsBeside(requirements, refusalsOf(seen, ctx, authority));
  queueRefusal(ctx, { authority, refusals, requirements, used: countersIn(seen), subject });
  return refusals[0]?.error ?? new Error('a spend was refused without a reason');
}

/** The refusals that no approval would lift. */
function refusalsBeside(requirements: readonly ApprovalRequirement[], refusals: readonly Refusal[]): Refusal[] {
  return refusals.filter(({ ruleId }) => !requirements.some((requirement) => requirement.ruleId === ruleId));
}
