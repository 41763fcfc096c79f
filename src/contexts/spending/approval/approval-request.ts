// An approval as it is asked for: written with the posting that holds its money (CONTRACT.md 6).
import { eventRecords } from '../../../events/event.js';
import type { Approval, InitiatorType } from '../../../generated/prisma/client.js';
import { joinRecords, type Records } from '../../../ledger/record.js';
import { addSeconds } from '../../../platform/clock.js';
import type { ActorType, Ctx } from '../../../platform/ctx.js';
import { rowOf } from '../../../platform/postgres/column.js';
import { aboutApproval, event, requestedData } from '../events.js';
import type { ApprovalRequirement } from '../pipeline/decision.js';
import { liftedBy } from '../pipeline/lifted-rule.js';
import type { Authority } from '../pipeline/pipeline.js';
import type { ApprovalBackground } from './approval-context.js';

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
  return type === 'user' || type === 'agent' || type === 'system' ? type : 'api_key';
}

/** Why an approval is asked for, and what the one who decides should know. */
export interface ApprovalReasons {
  requirements: readonly ApprovalRequirement[];
  background: ApprovalBackground;
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
    lifted: liftedBy(requirements, rules),
    execution: request.execution as Approval['execution'],
    requestedByType: type,
    requestedById,
    requestedAt: at,
    expiresAt,
    decidedAt: null,
    decidedByType: null,
    decidedById: null,
    comment: null,
    resultError: null,
    traceId: facts.traceId,
    dueAt: expiresAt,
    leaseUntil: null,
  };
}

/** The approval and its event, as the posting records them. */
export function approvalRecords(ctx: Ctx, approval: Approval): Records {
  const requested = event(ctx, '_approval.requested', requestedData(ctx, approval), {
    at: approval.requestedAt,
    ...aboutApproval(approval),
  });
  return joinRecords({ approval: [rowOf(approval)] }, eventRecords(ctx.workspace.id, [requested]));
}
