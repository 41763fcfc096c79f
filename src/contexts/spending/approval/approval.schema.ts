// The GraphQL face of approvals: what a spend waits for when somebody has to say yes (CONTRACT.md 0 "Approval interplay", 6).
import type { Approval as ApprovalRow } from '../../../generated/prisma/client.js';
import { ApprovalStatus } from '../../../generated/prisma/enums.js';
import { loadTogether } from '../../../platform/batch.js';
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound, StateConflict } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { formatMinor } from '../../../platform/money.js';
import { hasScope } from '../../../platform/schema/audience.js';
import { builder, facts, listed, pageOf } from '../../../platform/schema/builder.js';
import { idKinds, printId } from '../../../platform/schema/id.js';
import { byId, rowsOf } from '../../../platform/schema/relation.js';
import { Me } from '../../agents/me.schema.js';
import { Initiator } from '../initiator.schema.js';
import { mostPolicies } from '../policy/policy.js';
import { rest } from '../rest.js';
import { ApproveApprovalInput, CancelApprovalInput, RejectApprovalInput } from './approval.input.js';
import { approval, approvals, approveApproval, cancelApproval, pendingApprovals, rejectApproval, visibleApprovals } from './approval.js';
import type { ApprovalContext } from './approval-context.js';
import { requiredBy } from './approval-request.js';
import { approvalSubjectOf } from './approval-subject.js';
import { deciderErrors } from './decider.js';
import { shownAsAsked } from './requirement.js';
import { mostVotes, standingOf } from './standing.js';
import { ApprovalRequirementType, ApprovalVoteType } from './vote.schema.js';

const ApprovalStatusEnum = builder.enumType(ApprovalStatus, {
  name: 'ApprovalStatus',
  description:
    '`pending`: waits for a decision. `approved` and `rejected`: decided. `expired`: nobody decided in time. `cancelled`: withdrawn.',
});

const SubjectType = builder.objectRef<ApprovalRow>('ApprovalSubject').implement({
  description: 'What the approval is about.',
  fields: (t) => ({
    type: t.string({
      description: 'What kind of thing waits, such as `transfer`, `payout`, `stream` or `task`.',
      resolve: ({ subjectType }) => subjectType,
    }),
    id: t.string({
      description: 'Identifier of what waits, as its own resource prints it.',
      resolve: ({ subjectType, subjectId }, _args, ctx) => subjectIdOf(ctx, subjectType, subjectId),
    }),
  }),
});

/** The id of a subject as its own endpoints print it. */
function subjectIdOf(ctx: Ctx, type: string, id: string): string {
  const { kind } = approvalSubjectOf(ctx, type);
  const forms: string[] = Object.values(idKinds[kind].scalars);
  return forms.includes('bare') ? id : printId(kind, id);
}

interface Named {
  id: string;
  name: string;
}

const ApprovalAgent = builder.objectRef<Named>('ApprovalAgent').implement({
  description: 'The agent that spends.',
  fields: (t) => ({ id: t.expose('id', { type: 'AgentId' }), name: t.exposeString('name', { description: 'Name of the agent.' }) }),
});
const ApprovalMerchant = builder.objectRef<Named>('ApprovalMerchant').implement({
  description: 'The merchant that is to be paid.',
  fields: (t) => ({ id: t.expose('id', { type: 'MerchantId' }), name: t.exposeString('name', { description: 'Name of the merchant.' }) }),
});

/** The agent or merchant of that id, where the actor may read it; those of a list are read together. */
function named(ctx: Ctx, noun: 'agent' | 'merchant', id: string | null): Promise<Named | undefined> | null {
  if (id === null || !hasScope(ctx.actor, noun === 'agent' ? 'agents:read' : 'accounts:read')) return null;
  return loadTogether(ctx, `approval ${noun}`, id, async (ids) => {
    const query = { where: { id: { in: [...ids] } }, select: { id: true, name: true } };
    const rows = await (noun === 'agent' ? ctx.db.agent.findMany(query) : ctx.db.merchant.findMany(query));
    return new Map(rows.map((row) => [row.id, row]));
  });
}

const ContextType = builder.objectRef<ApprovalContext>('ApprovalContext').implement({
  description: 'What the approver should know, as it was when the approval was requested.',
  fields: (t) => ({
    spentToday: t.field({
      type: 'Amount',
      nullable: true,
      description:
        "Spent in this UTC day, in the approval's currency: by the agent, or else from the wallet or by the card. Null without `policies:read`.",
      resolve: ({ spent_today }, _args, { actor }) => (hasScope(actor, 'policies:read') ? spent_today : null),
    }),
    remainingToday: t.field({
      wire: { orNull: true },
      type: 'Amount',
      nullable: true,
      description:
        "The least that was left of a daily limit, in the approval's currency; null where none binds, and without `policies:read`.",
      resolve: ({ remaining_today }, _args, { actor }) => (hasScope(actor, 'policies:read') ? remaining_today : null),
    }),
    firstTimeCounterparty: t.exposeBoolean('first_time_counterparty', {
      description: 'True where the payer has never completed a payment to this payee.',
    }),
    similarApproved30d: t.exposeInt('similar_approved_30d', {
      wire: { name: 'similar_approved_30d' },
      description: 'Number of approvals given in 30 days for the same payee and at least this amount.',
    }),
  }),
});

interface ResultError {
  code: string;
  error: string;
}
const ResultErrorType = builder.objectRef<ResultError>('ApprovalResultError').implement({
  description: 'Why an approved spend failed when it was checked again.',
  fields: (t) => ({
    code: t.exposeString('code'),
    error: t.exposeString('error', { description: 'What went wrong, as a sentence for people; its wording may change.' }),
  }),
});

/** A spending mutation returns a payload with the noun that it made and this, which is null unless the noun waits for it. */
export const ApprovalType = builder.prismaObject('Approval', {
  ...byId(rowsOf('approval', visibleApprovals)),
  description: 'A spend that waits for a decision by a person.',
  fields: (t) => ({
    id: t.expose('id', { type: 'ApprovalId' }),
    status: t.expose('status', { type: ApprovalStatusEnum }),
    subject: t.field({
      type: SubjectType,
      description: 'What would be paid: the thing that waits, by type and id.',
      resolve: (row) => row,
    }),
    amount: t.field({
      type: 'Amount',
      description: 'What would be spent, in `currency`, fees included.',
      resolve: (row) => formatMinor(row.amount, row.currency),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    agent: t.field({
      type: ApprovalAgent,
      nullable: true,
      description: 'The agent that spends; null where no agent does.',
      resolve: (row, _args, ctx) => named(ctx, 'agent', row.agentId),
    }),
    merchant: t.field({
      type: ApprovalMerchant,
      nullable: true,
      description: 'The merchant that would be paid; null where the payee is none.',
      resolve: (row, _args, ctx) => named(ctx, 'merchant', row.merchantId),
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Text of the request for people; null where none was given.',
    }),
    context: t.field({
      type: ContextType,
      description: 'What the approver should know, as it was when the approval was requested.',
      resolve: (row) => row.context as unknown as ApprovalContext,
    }),
    requestedBy: t.field({
      type: Initiator,
      description: 'Who requested it, and so may not decide it.',
      resolve: (row) => ({ type: row.requestedByType, id: row.requestedById }),
    }),
    requestedAt: t.expose('requestedAt', { type: 'DateTime', description: 'When it was requested.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'When it expires and its subject is cancelled, if nobody decides before.',
    }),
    required: t.field({
      type: [ApprovalRequirementType],
      description: 'The votes that policies ask for, each of which has to be satisfied; empty where one decision is enough.',
      ...facts({ most: mostPolicies, embedded: true }),
      resolve: async (row, _args, ctx) => [...requiredBy(await shownAsAsked(ctx, row))],
    }),
    votes: t.field({
      type: [ApprovalVoteType],
      description: 'The votes of members in the order in which they were cast, at most 20.',
      ...facts({ most: mostVotes }),
      resolve: async (row, _args, ctx) => [...(await standingOf(ctx, row)).votes],
    }),
    missing: t.int({
      description: 'How many more votes it takes at least; 0 once it is decided.',
      resolve: async (row, _args, ctx) => (await standingOf(ctx, row)).missing,
    }),
    decidedBy: t.field({
      type: Initiator,
      nullable: true,
      description: 'Who decided; null while nobody has, and for one that expired.',
      resolve: ({ decidedByType: type, decidedById: id }) => (type === null || id === null ? null : { type, id }),
    }),
    decidedAt: t.expose('decidedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was decided, withdrawn or expired; null while it is pending.',
    }),
    comment: t.exposeString('comment', { nullable: true, description: 'Comment or reason of whoever decided; null where none was given.' }),
    resultError: t.field({
      type: ResultErrorType,
      nullable: true,
      description: 'Why the spend failed after it was approved, when it was checked again; null where it did not.',
      resolve: (row) => row.resultError as ResultError | null,
    }),
  }),
});
const ApprovalPage = pageOf(ApprovalType, 'Approval');

/** The member of a spend's answer that says what it waits for. */
export const pendingApproval = {
  type: ApprovalType,
  nullable: true,
  description: 'The approval that it waits for; null where it waits for none.',
  extensions: { isOwn: true },
  wire: { fragment: 'PendingApproval' },
} as const;

/** What approving made of the subject: contexts that spend add their noun as a nullable field. */
export const ApproveApprovalPayload = builder.objectRef<{ approval: ApprovalRow }>('ApproveApprovalPayload').implement({
  description: 'The approval, and what it was about: the member for the kind of its subject.',
  fields: (t) => ({
    approval: t.expose('approval', {
      type: ApprovalType,
      description: 'The approval: decided, or pending where votes of others are missing.',
    }),
    missing: t.int({
      nullable: true,
      description: 'How many more votes it takes at least, where this was not the last one; null where the approval was decided.',
      resolve: async ({ approval: row }, _args, ctx) => (row.status === 'pending' ? (await standingOf(ctx, row)).missing : null),
    }),
  }),
});
const payloadOf = (approved: ApprovalRow) => ({ approval: approved });

builder.objectField(Me, 'pendingApprovals', (t) =>
  t.int({
    description: 'Number of spends that wait for an approval: your own as an agent, else all of the workspace.',
    resolve: (_me, _args, ctx) => pendingApprovals(ctx),
  }),
);

builder.queryFields((t) => ({
  approval: t.prismaField({
    route: rest(
      'GET /v1/approvals/{id}',
      'Read an approval with its context. An agent reads approvals of its own spends; any other is 404.',
    ),
    type: ApprovalType,
    authScopes: { audience: 'any', scope: 'approvals:read' },
    args: { id: t.arg({ type: 'ApprovalId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id }, ctx) => approval(ctx, id),
  }),
  approvals: t.field({
    route: rest('GET /v1/approvals', 'List approvals, newest first. Filter by status or by agent; an agent sees those of its own spends.'),
    type: ApprovalPage,
    authScopes: { audience: 'any', scope: 'approvals:read' },
    ...listed(t, approvals, {
      status: t.arg({ type: ApprovalStatusEnum, required: false }),
      agentId: t.arg({ type: 'AgentUuid', required: false }),
    }),
  }),
}));

// An approval has no relations, so its mutations need no selection of rows: a plain field is the faster way.
builder.mutationFields((t) => ({
  approveApproval: t.field({
    type: ApproveApprovalPayload,
    description:
      'Approve a spend, which is checked again and carried out now. Where a check fails the approval is approved all the same, with `result_error`, and its subject has failed. What a member says is a vote: the one that leaves nothing missing carries the spend out, and an earlier one leaves the approval pending (202). Agents decide nothing and nobody decides their own request (403); a second decision is 409 `state_conflict`.',
    authScopes: { audience: 'operator', scope: 'approvals:decide' },
    args: { id: t.arg({ type: 'ApprovalId' }), input: t.arg({ type: ApproveApprovalInput }) },
    ...facts({ errors: [NotFound, StateConflict, ...deciderErrors] }),
    resolve: once(
      async (ctx, { id, input }) => payloadOf(await approveApproval(ctx, id, input.comment ?? null)),
      async (ctx, id) => payloadOf(await approval(ctx, id)),
    ),
  }),
  rejectApproval: t.field({
    route: rest(
      'POST /v1/approvals/{id}/reject',
      'Reject a spend. Its subject is cancelled and held money goes back. Of members who vote, one rejection ends it. Nobody decides their own request (403); a second decision is 409 `state_conflict`.',
    ),
    type: ApprovalType,
    authScopes: { audience: 'operator', scope: 'approvals:decide' },
    args: { id: t.arg({ type: 'ApprovalId' }), input: t.arg({ type: RejectApprovalInput }) },
    ...facts({ errors: [NotFound, StateConflict, ...deciderErrors] }),
    resolve: once((ctx, { id, input }) => rejectApproval(ctx, id, input.reason ?? null), approval),
  }),
  cancelApproval: t.field({
    route: rest(
      'POST /v1/approvals/{id}/cancel',
      'Withdraw a request for an approval; its subject is cancelled. The agent that spends may, and an operator may for anybody. A request that was decided is 409 `state_conflict`.',
    ),
    type: ApprovalType,
    authScopes: { audience: 'any', scope: 'self' },
    args: { id: t.arg({ type: 'ApprovalId' }), input: t.arg({ type: CancelApprovalInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id, input }) => cancelApproval(ctx, id, input.reason ?? null), approval),
  }),
}));
