// What is told of approvals: on the channel of the agent that spends, and to operators who subscribe. The specification announces
// approval.* webhooks as not emitted, so these types are the platform's own (CONTRACT.md 5, 6) (Gap G-119).
import { z } from 'zod';
import { anyId, currency, exampleId, exampleTime, id, money, time } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';
import type { Roles } from '../../events/event.js';
import type { Approval } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { formatMinor } from '../../platform/money.js';
import { printId } from '../../platform/schema/id.js';
import { actorId } from '../agents/me.js';
import { approvalSubjectOf } from './approval/approval-subject.js';

const actor = z.strictObject({ type: z.enum(['api_key', 'user', 'agent', 'system']), id: z.union([anyId, z.literal('system')]) });
const requested = {
  approval_id: id('apr'),
  amount: money,
  currency,
  merchant_id: id('mer').nullable(),
  subject: z.strictObject({ type: z.string(), id: anyId }),
  expires_at: time,
};
const decided = {
  approval_id: id('apr'),
  status: z.enum(['approved', 'rejected', 'expired', 'cancelled']),
  decided_by: actor.nullable(),
};

export const { events, emit, event } = declareEvents({
  '_approval.requested': {
    description: 'a spend waits for an approval',
    data: z.strictObject({ ...requested, agent_id: id('agt').nullable() }),
    subject: 'approval_id',
    example: {
      approval_id: exampleId('apr'),
      amount: '42.00',
      currency: 'USD',
      merchant_id: null,
      subject: { type: 'transfer', id: exampleId('tx') },
      expires_at: exampleTime,
      agent_id: exampleId('agt'),
    },
    channel: {
      type: 'approval_requested',
      data: z.strictObject(requested),
      roles: ['spender'],
      line: ({ agent_id: _, ...shown }) => shown,
    },
  },
  '_approval.decided': {
    description: 'an approval was given, refused, withdrawn, or nobody decided in time',
    data: z.strictObject({ ...decided, agent_id: id('agt').nullable() }),
    subject: 'approval_id',
    example: {
      approval_id: exampleId('apr'),
      status: 'approved',
      decided_by: { type: 'api_key', id: exampleId('key') },
      agent_id: exampleId('agt'),
    },
    channel: {
      type: 'approval_decided',
      data: z.strictObject(decided),
      roles: ['spender'],
      line: ({ agent_id: _, ...shown }) => shown,
    },
  },
});

const agentOf = ({ agentId }: Approval) => (agentId === null ? null : printId('agent', agentId));

/** Data of the event that an approval is asked for. */
export function requestedData(ctx: Pick<Ctx, 'platform'>, approval: Approval) {
  const { id: approvalId, amount, currency: held, merchantId, subjectType, subjectId, expiresAt } = approval;
  return {
    approval_id: printId('approval', approvalId),
    amount: formatMinor(amount, held),
    currency: held,
    merchant_id: merchantId === null ? null : printId('merchant', merchantId),
    subject: { type: subjectType, id: printId(approvalSubjectOf(ctx, subjectType).kind, subjectId) },
    expires_at: expiresAt.toISOString(),
    agent_id: agentOf(approval),
  };
}

/** Data of the event that an approval was decided; `decided_by` is null for one that expired. */
export function decidedData(approval: Approval & { status: z.infer<typeof decided.status> }) {
  const { id: approvalId, status, decidedByType: type, decidedById } = approval;
  return {
    approval_id: printId('approval', approvalId),
    status,
    decided_by: type === null || decidedById === null ? null : { type, id: type === 'system' ? type : actorId({ type, id: decidedById }) },
    agent_id: agentOf(approval),
  };
}

/** What both events are about, and the agent whose channel shows them: the one that spends. */
export function aboutApproval({ id: objectId, agentId }: Approval): { objectId: string; agentId: string | null; roles: Roles } {
  return { objectId, agentId, roles: agentId === null ? {} : { [agentId]: 'spender' } };
}
