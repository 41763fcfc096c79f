// An approval as it is asked for: written with the posting that holds its money (CONTRACT.md 6).
import { eventRecords } from '../../../events/event.js';
import type { Approval, InitiatorType } from '../../../generated/prisma/client.js';
import { joinRecords, type Records } from '../../../ledger/record.js';
import { addSeconds } from '../../../platform/clock.js';
import type { ActorType, Ctx } from '../../../platform/ctx.js';
import { rowOf } from '../../../platform/postgres/column.js';
import { printId } from '../../../platform/schema/id.js';
import { aboutApproval, approvalData, event } from '../events.js';
import type { ApprovalRequirement } from '../pipeline/decision.js';
import { liftedBy } from '../pipeline/lifted-rule.js';
import type { Authority } from '../pipeline/pipeline.js';
import type { RulesInForce } from '../pipeline/rules-in-force.js';
import type { ApprovalBackground } from './approval-context.js';
import { type Requirement, votesNeeded } from './vote-count.js';

/** What an approval of a thing says and keeps. */
export interface ApprovalRequest {
  subject: { subjectType: string; subjectId: string };
  /** The transfer that holds the money; null where none does. */
  transferId: string | null;
  description: string | null;
  /** What the subject needs to be carried out, in its own terms. */
  execution: Record<string, unknown>;
  /** Who asked, where it is not the actor: whoever scheduled what begins now. */
  requestedBy?: { type: InitiatorType; id: string };
}

/** Seconds for which an approval waits, unless the policy that asks for it says otherwise. */
export const defaultApprovalSeconds = 3_600;

/** Actors that are not known by name act with the workspace's API key. */
export function initiatorOf(type: ActorType): InitiatorType {
  return type === 'user' || type === 'member' || type === 'agent' || type === 'system' ? type : 'api_key';
}

/** Why an approval is asked for, and what the one who decides should know. */
export interface ApprovalReasons {
  requirements: readonly ApprovalRequirement[];
  background: ApprovalBackground;
}

/** The votes that an approval asks for; none: one decision, by whoever may decide. */
export function requiredBy({ required }: Pick<Approval, 'required'>): readonly Requirement[] {
  return required as unknown as Requirement[];
}

/** What the policies behind these rules ask of people, each once. */
export function votesAsked(requirements: readonly ApprovalRequirement[], { policies }: Pick<RulesInForce, 'policies'>): Requirement[] {
  const asking = new Set(requirements.map(({ ruleId }) => ruleId.split('.', 1)[0]));
  return policies.flatMap(({ id, approval }): Requirement[] => {
    if (!approval?.approvers || !asking.has(printId('policy', id))) return [];
    return [{ policyId: id, ...approval.approvers }];
  });
}

/** The row of an approval that is asked for now. */
export function newApproval(
  ctx: Ctx,
  { at, facts, rules }: Authority,
  id: string,
  request: ApprovalRequest,
  { requirements, background }: ApprovalReasons,
): Approval {
  if (facts === null) throw new Error('what is no spend needs no approval');
  const timeouts = requirements.map(({ timeoutSeconds }) => timeoutSeconds ?? defaultApprovalSeconds);
  const expiresAt = addSeconds(at, Math.min(...timeouts));
  const required = votesAsked(requirements, rules);
  const { type, id: requestedById } = request.requestedBy ?? { type: initiatorOf(ctx.actor.type), id: ctx.actor.id };
  return {
    workspaceId: ctx.workspace.id,
    id,
    status: 'pending',
    ...request.subject,
    transferId: request.transferId,
    amount: facts.amount,
    currency: facts.currency,
    agentId: facts.agent?.id ?? null,
    walletId: facts.payer.walletId,
    merchantId: background.merchantId,
    description: request.description,
    context: { ...background.context },
    lifted: liftedBy(requirements, rules, required),
    required: required as unknown as Approval['required'],
    execution: request.execution as Approval['execution'],
    requestedByType: type,
    requestedById,
    behindMemberId: background.behindMemberId,
    heldByIds: [...background.heldByIds],
    requestedAt: at,
    expiresAt,
    decidedAt: null,
    decidedByType: null,
    decidedById: null,
    comment: null,
    resultError: null,
    traceId: facts.traceId,
    connectionId: facts.connectionId ?? null,
    // The first step tells those who may vote, the last one ends it.
    dueAt: background.isNoticed ? at : expiresAt,
    leaseUntil: null,
  };
}

/** The approval and its event, as the posting records them. */
export function approvalRecords(ctx: Ctx, approval: Approval): Records {
  const requested = event(ctx, 'approval.requested', approvalData(ctx, approval, votesNeeded(requiredBy(approval))), {
    at: approval.requestedAt,
    ...aboutApproval(approval),
  });
  return joinRecords({ approval: [rowOf(approval)] }, eventRecords(ctx.workspace.id, [requested]));
}
