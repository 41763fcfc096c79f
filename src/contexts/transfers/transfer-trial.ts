// A transfer tried and rolled back, whatever it would be: at once, held, scheduled, or out of the platform.
import type { Ctx } from '../../platform/ctx.js';
import { rollBack } from '../../platform/postgres/rollback.js';
import { newId } from '../../platform/schema/id.js';
import { decide } from '../spending/pipeline/decision.js';
import { type DryRun, dryRunSpend } from '../spending/pipeline/dry-run.js';
import type { RuleResults } from '../spending/pipeline/rule-result.js';
import { isOutside } from './destination.js';
import { externalOf } from './external-transfer.js';
import type { CreateTransferInput } from './transfer.input.js';
import { transferRow } from './transfer.js';
import { draftTransfer, insertScheduled, planTransfer } from './transfer-request.js';

// Gap G-47: A dry run posts and rolls back; a refusal of the pipeline is a decision (200), a faulty request is an error.
/** What `createTransfer` would do. A refusal by a layer of the pipeline is a decision, a faulty request an error. */
export async function dryRunTransfer(ctx: Ctx, input: CreateTransferInput): Promise<DryRun> {
  if (isOutside(input.destination)) return externalOf(ctx).dryRun(ctx, input);
  const plan = await planTransfer(ctx, input);
  const id = newId(plan.value.at);
  if (plan.value.scheduledFor !== undefined) {
    await rollBack(ctx.db, (tx) => insertScheduled(ctx, tx, transferRow(ctx, plan.value), plan.value));
    const decision = decide(ctx, { ruleResults: noRules, refusals: [], requirements: [], before: () => undefined });
    return { decision, wouldPost: [], wouldEmit: ['transfer.created'] };
  }
  return dryRunSpend(ctx, plan.authority, (form) => draftTransfer(ctx, id, plan, form), {
    requestApproval: input.requestApproval === true,
  });
}

/** A transfer that is scheduled is checked at its time. */
const noRules: RuleResults = { uses: [], results: [], rateIds: [] };
