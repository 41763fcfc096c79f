// What policies ask of people for an approval that waits: as they ask when it is decided, and never fewer than they asked at first
// (CONTRACT.md 23, 29).
import type { Approval } from '../../../generated/prisma/client.js';
import { loadTogether } from '../../../platform/batch.js';
import type { Ctx } from '../../../platform/ctx.js';
import type { Tx } from '../../../platform/postgres/database.js';
import type { PolicyApproval } from '../pipeline/rule-kind.js';
import { requiredBy } from './approval-request.js';
import type { Requirement } from './vote-count.js';

type Approvers = NonNullable<PolicyApproval['approvers']>;

/** Whom these policies ask now. Those that ask nobody any more are left out. */
async function approversOf(tx: Tx, policyIds: readonly string[]): Promise<Map<string, Approvers>> {
  const rows = await tx.policy.findMany({
    where: { id: { in: [...policyIds] }, enabled: true, deletedAt: null },
    select: { id: true, approval: true },
  });
  return new Map(
    rows.flatMap(({ id, approval }): [string, Approvers][] => {
      const { approvers } = (approval ?? {}) as unknown as Partial<PolicyApproval>;
      return approvers ? [[id, approvers]] : [];
    }),
  );
}

// Gap G-524: A raised `count` and another list bind approvals that wait; a lower `count`, and the end of a policy, do not.
function boundBy(first: Requirement, now: Approvers | undefined): Requirement {
  return now === undefined ? first : { ...first, count: Math.max(first.count, now.count), memberIds: now.memberIds };
}

/** The approval with what is asked of it now, in the transaction that decides it. */
export async function asAskedNow(tx: Tx, approval: Approval): Promise<Approval> {
  const first = requiredBy(approval);
  if (first.length === 0 || approval.status !== 'pending') return approval;
  const now = await approversOf(
    tx,
    first.map(({ policyId }) => policyId),
  );
  return { ...approval, required: first.map((one) => boundBy(one, now.get(one.policyId))) as unknown as Approval['required'] };
}

/** The same to look at: what a document asks of several approvals is read together. */
export async function shownAsAsked(ctx: Ctx, approval: Approval): Promise<Approval> {
  const first = requiredBy(approval);
  if (first.length === 0 || approval.status !== 'pending') return approval;
  const load = (ids: readonly string[]) => approversOf(ctx.db as unknown as Tx, ids);
  const required = await Promise.all(
    first.map(async (one) => boundBy(one, await loadTogether(ctx, 'approvers of a policy', one.policyId, load))),
  );
  return { ...approval, required: required as unknown as Approval['required'] };
}
