// A transfer tried and rolled back (Gap G-47): the whole pipeline runs, and its decision is answered (CONTRACT.md 0 "Spend pipeline").

import { isInternal } from '../../events/definition.js';
import { accountKinds } from '../../ledger/account.js';
import type { Posting } from '../../ledger/posting.js';
import type { Ctx } from '../../platform/ctx.js';
import { formatMinor } from '../../platform/money.js';
import { rollBack } from '../../platform/postgres/rollback.js';
import { newId } from '../../platform/schema/id.js';
import { type Decision, decide } from '../spending/decision.js';
import type { Evaluation } from '../spending/evaluation.js';
import { type CarryOptions, type Draft, type SpendForm, tryOut } from '../spending/execution.js';
import { isDeciding } from '../spending/layer.js';
import type { Authority } from '../spending/pipeline.js';
import { isOutside } from './destination.js';
import { outward } from './outward.js';
import type { CreateTransferInput } from './request-shape.js';
import { transferRow } from './transfer.js';
import { draftTransfer, insertScheduled, planTransfer } from './transfer-request.js';

export interface DryRun {
  decision: Decision;
  wouldPost: { account: string; direction: 'debit' | 'credit'; amount: string; currency: string }[];
  wouldEmit: string[];
}

/** What `createTransfer` would do. A refusal by a layer of the pipeline is a decision, a faulty request an error. */
export async function dryRunTransfer(ctx: Ctx, input: CreateTransferInput): Promise<DryRun> {
  if (isOutside(input.destination)) return outward().dryRun(ctx, input);
  const plan = await planTransfer(ctx, input);
  const id = newId(plan.value.at);
  if (plan.value.scheduledFor !== undefined) {
    await rollBack(ctx.db, (tx) => insertScheduled(ctx, tx, transferRow(ctx, plan.value)));
    const decision = decide(ctx, { evaluation: noRules, refusals: [], wishes: [], before: () => undefined });
    return { decision, wouldPost: [], wouldEmit: ['transfer.created'] };
  }
  return dryRun(ctx, plan.authority, (form) => draftTransfer(ctx, id, plan, form), { requestApproval: input.requestApproval === true });
}

/** What a spend would do under its authority. */
export async function dryRun<T>(
  ctx: Ctx,
  authority: Authority,
  draftFor: (form: SpendForm) => Draft<T>,
  options: CarryOptions,
): Promise<DryRun> {
  const { decision, draft, refusals } = await tryOut(ctx, authority, draftFor, options);
  const faulty = refusals.find(({ layer }) => !isDeciding(layer));
  if (faulty !== undefined) throw faulty.error;
  return decision.outcome === 'deny' ? { decision, wouldPost: [], wouldEmit: [] } : { decision, ...(await outcomeOf(ctx, draft.posting)) };
}

/** A transfer that is scheduled is checked at its time. */
const noRules: Evaluation = { uses: [], findings: [], rateIds: [] };

/** The entries that a posting would make, and the events. */
async function outcomeOf(ctx: Ctx, { legs, records }: Posting): Promise<Pick<DryRun, 'wouldPost' | 'wouldEmit'>> {
  const kinds = await accountKinds(
    ctx,
    legs.map(({ accountId }) => accountId),
  );
  const wouldPost = legs.map(({ accountId, amount, currency }) => ({
    account: kinds.get(accountId) ?? '',
    direction: amount < 0n ? ('debit' as const) : ('credit' as const),
    amount: formatMinor(amount < 0n ? -amount : amount, currency),
    currency,
  }));
  return { wouldPost, wouldEmit: (records.event ?? []).map((row) => String(row['type'])).filter((type) => !isInternal(type)) };
}
