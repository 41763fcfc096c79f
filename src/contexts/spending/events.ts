// What is told of approvals: by webhook, in lists of events, by the subscription `approvals`, and on the channel of the agent that spends
// (CONTRACT.md 5, 6, 23). Members are named by their ids alone: an event is kept as it is, also when a member is erased.
import { z } from 'zod';
import { anyId, currency, exampleId, exampleTime, id, money, time } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';
import type { Definition } from '../../events/definition.js';
import type { Roles } from '../../events/event.js';
import type { Approval, ApprovalVote } from '../../generated/prisma/client.js';
import { actorOnWire } from '../../platform/actor.js';
import type { Ctx } from '../../platform/ctx.js';
import { formatMinor } from '../../platform/money.js';
import { printId } from '../../platform/schema/id.js';
import { approvalSubjectOf } from './approval/approval-subject.js';

const actor = z.strictObject({ type: z.enum(['api_key', 'user', 'agent', 'system']), id: z.union([anyId, z.literal('system')]) });
const shown = {
  approval_id: id('apr'),
  amount: money,
  currency,
  merchant_id: id('mer').nullable(),
  subject: z
    .strictObject({ type: z.string().describe('Kind of the object, such as `transfer`.'), id: anyId.describe('Its identifier.') })
    .describe('What the approval is about.'),
  expires_at: time,
};
const statuses = z.enum(['pending', 'approved', 'rejected', 'expired', 'cancelled']);
const data = z.strictObject({
  ...shown,
  status: statuses,
  agent_id: id('agt').nullable(),
  missing: z.int().min(0).describe('How many more votes it takes at least; 0 once it is decided.'),
  decided_by: actor.nullable().describe('Who decided; null while nobody has, and where nobody did in time.'),
});
type Data = z.infer<typeof data>;
const vote = z.strictObject({
  member_id: id('mem').describe('The member who voted.'),
  vote: z.enum(['approve', 'reject']).describe('What the member said.'),
  via: z.enum(['console', 'api', 'link']).describe('From where.'),
});
const votedData = data.extend({ vote: vote.describe('Who voted, and how.') });

const pending: Data = {
  approval_id: exampleId('apr'),
  amount: '42.00',
  currency: 'USD',
  merchant_id: null,
  subject: { type: 'transfer', id: exampleId('tx') },
  expires_at: exampleTime,
  status: 'pending',
  agent_id: exampleId('agt'),
  missing: 2,
  decided_by: null,
};

/** A decision, as its event and the channel of the agent that spends tell it. */
function decision(status: Exclude<Data['status'], 'pending'>, description: string, by: Data['decided_by']): Definition<typeof data> {
  return {
    description,
    data,
    subject: 'approval_id',
    example: { ...pending, status, missing: 0, decided_by: by },
    channel: {
      type: 'approval_decided',
      data: z.strictObject({ approval_id: id('apr'), status: statuses, decided_by: actor.nullable() }),
      roles: ['spender'],
      line: ({ approval_id, status: now, decided_by }) => ({ approval_id, status: now, decided_by }),
    },
  };
}

const member = { type: 'user', id: exampleId('mem') } as const;

// Gap G-496: `approval.*` tells `missing` as the fewest votes that it still takes, and members by id alone, never by name.
export const { events, emit, event } = declareEvents({
  'approval.requested': {
    description: 'a spend waits for an approval',
    data,
    subject: 'approval_id',
    example: pending,
    channel: {
      type: 'approval_requested',
      data: z.strictObject(shown),
      roles: ['spender'],
      line: ({ approval_id, amount, currency: held, merchant_id, subject, expires_at }) => {
        return { approval_id, amount, currency: held, merchant_id, subject, expires_at };
      },
    },
  },
  'approval.voted': {
    description: 'a member has voted on a spend',
    data: votedData,
    subject: 'approval_id',
    example: { ...pending, missing: 1, vote: { member_id: exampleId('mem'), vote: 'approve', via: 'console' } },
  },
  'approval.approved': decision('approved', 'a spend was approved', member),
  'approval.rejected': decision('rejected', 'a spend was rejected', member),
  'approval.expired': decision('expired', 'nobody decided in time', null),
  'approval.cancelled': decision('cancelled', 'a request for an approval was withdrawn', { type: 'agent', id: exampleId('agt') }),
});

/** Data of the events of an approval. `missing`: how many more votes it takes at least. */
export function approvalData(ctx: Pick<Ctx, 'platform'>, approval: Approval, missing: number): Data {
  const { id: approvalId, status, amount, currency: held, merchantId, agentId, subjectType, subjectId, expiresAt } = approval;
  const { decidedByType: type, decidedById } = approval;
  return {
    approval_id: printId('approval', approvalId),
    amount: formatMinor(amount, held),
    currency: held,
    merchant_id: merchantId === null ? null : printId('merchant', merchantId),
    subject: { type: subjectType, id: printId(approvalSubjectOf(ctx, subjectType).kind, subjectId) },
    expires_at: expiresAt.toISOString(),
    status,
    agent_id: agentId === null ? null : printId('agent', agentId),
    missing: status === 'pending' ? missing : 0,
    decided_by:
      type === null || decidedById === null ? null : type === 'system' ? { type, id: type } : actorOnWire({ type, id: decidedById }),
  };
}

/** What an event of a vote says of it. */
export function voteData({ memberId, vote: value, via }: Pick<ApprovalVote, 'memberId' | 'vote' | 'via'>): z.infer<typeof vote> {
  return { member_id: printId('member', memberId), vote: value, via };
}

/** What the events are about, and the agent whose channel shows them: the one that spends. */
export function aboutApproval({ id: objectId, agentId }: Approval): { objectId: string; agentId: string | null; roles: Roles } {
  return { objectId, agentId, roles: agentId === null ? {} : { [agentId]: 'spender' } };
}
