// The GraphQL face of approvals: what a spend waits for when somebody has to say yes (CONTRACT.md 0 "Approval interplay", 6).
import { z } from 'zod';
import type { Approval as ApprovalRow } from '../../../generated/prisma/client.js';
import { ApprovalStatus } from '../../../generated/prisma/enums.js';
import { loadTogether } from '../../../platform/batch.js';
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound, StateConflict } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { formatMinor } from '../../../platform/money.js';
import { builder, facts, listed, pageOf } from '../../../platform/schema/builder.js';
import { idKinds, printId } from '../../../platform/schema/id.js';
import { Me } from '../../agents/me.schema.js';
import { Initiator } from '../initiator.schema.js';
import { rest } from '../rest.js';
import { approval, approvals, approveApproval, cancelApproval, OwnRequest, pendingApprovals, rejectApproval } from './approval.js';
import type { ApprovalContext } from './approval-context.js';
import { approvalSubjectOf } from './approval-subject.js';

const ApprovalStatusEnum = builder.enumType(ApprovalStatus, { name: 'ApprovalStatus' });

const SubjectType = builder.objectRef<ApprovalRow>('ApprovalSubject').implement({
  description: 'What is to be approved.',
  fields: (t) => ({
    type: t.string({ description: 'transfer, or another thing that spends.', resolve: ({ subjectType }) => subjectType }),
    id: t.string({ resolve: ({ subjectType, subjectId }, _args, ctx) => subjectIdOf(ctx, subjectType, subjectId) }),
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
  fields: (t) => ({ id: t.expose('id', { type: 'AgentId' }), name: t.exposeString('name') }),
});
const ApprovalMerchant = builder.objectRef<Named>('ApprovalMerchant').implement({
  description: 'The merchant that is to be paid.',
  fields: (t) => ({ id: t.expose('id', { type: 'MerchantId' }), name: t.exposeString('name') }),
});

/** The agent or merchant of that id; those of a list are read together. */
function named(ctx: Ctx, noun: 'agent' | 'merchant', id: string | null): Promise<Named | undefined> | null {
  if (id === null) return null;
  return loadTogether(ctx, `approval ${noun}`, id, async (ids) => {
    const query = { where: { id: { in: [...ids] } }, select: { id: true, name: true } };
    const rows = await (noun === 'agent' ? ctx.db.agent.findMany(query) : ctx.db.merchant.findMany(query));
    return new Map(rows.map((row) => [row.id, row]));
  });
}

const ContextType = builder.objectRef<ApprovalContext>('ApprovalContext').implement({
  description: 'What whoever decides should know, as it was when the approval was asked for.',
  fields: (t) => ({
    spentToday: t.expose('spent_today', {
      type: 'Amount',
      description: 'By the agent, or else from the wallet or by card, in this UTC day.',
    }),
    remainingToday: t.expose('remaining_today', {
      wire: { orNull: true },
      type: 'Amount',
      nullable: true,
      description: 'The least that was left of a limit per day. Null when none binds.',
    }),
    firstTimeCounterparty: t.exposeBoolean('first_time_counterparty', { description: 'The payer has never paid the payee.' }),
    similarApproved30d: t.exposeInt('similar_approved_30d', {
      wire: { name: 'similar_approved_30d' },
      description: 'Approved in 30 days: to the same payee, of at least this amount.',
    }),
  }),
});

interface ResultError {
  code: string;
  error: string;
}
const ResultErrorType = builder.objectRef<ResultError>('ApprovalResultError').implement({
  description: 'Why a check failed after the approval was given.',
  fields: (t) => ({ code: t.exposeString('code'), error: t.exposeString('error') }),
});

/** A spending mutation returns a payload with the noun that it made and this, which is null unless the noun waits for it. */
export const ApprovalType = builder.prismaObject('Approval', {
  description: 'A spend that waits until somebody says yes.',
  fields: (t) => ({
    id: t.expose('id', { type: 'ApprovalId' }),
    status: t.expose('status', { type: ApprovalStatusEnum }),
    subject: t.field({ type: SubjectType, resolve: (row) => row }),
    amount: t.field({ type: 'Amount', resolve: (row) => formatMinor(row.amount, row.currency) }),
    currency: t.expose('currency', { type: 'Currency' }),
    agent: t.field({ type: ApprovalAgent, nullable: true, resolve: (row, _args, ctx) => named(ctx, 'agent', row.agentId) }),
    merchant: t.field({ type: ApprovalMerchant, nullable: true, resolve: (row, _args, ctx) => named(ctx, 'merchant', row.merchantId) }),
    description: t.exposeString('description', { nullable: true }),
    context: t.field({ type: ContextType, resolve: (row) => row.context as unknown as ApprovalContext }),
    requestedBy: t.field({
      type: Initiator,
      description: 'Whoever asked does not decide.',
      resolve: (row) => ({ type: row.requestedByType, id: row.requestedById }),
    }),
    requestedAt: t.expose('requestedAt', { type: 'DateTime' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
    decidedBy: t.field({
      type: Initiator,
      nullable: true,
      description: 'Null for one that expired.',
      resolve: ({ decidedByType: type, decidedById: id }) => (type === null || id === null ? null : { type, id }),
    }),
    decidedAt: t.expose('decidedAt', { type: 'DateTime', nullable: true }),
    comment: t.exposeString('comment', { nullable: true, description: 'Of whoever decided.' }),
    resultError: t.field({ type: ResultErrorType, nullable: true, resolve: (row) => row.resultError as ResultError | null }),
  }),
});
const ApprovalPage = pageOf(ApprovalType, 'Approval');

/** The member of a spend's answer that says what it waits for. */
export const pendingApproval = { type: ApprovalType, nullable: true, wire: { fragment: 'PendingApproval' } } as const;

/** What approving made of the subject: contexts that spend add their noun as a nullable field. */
export const ApproveApprovalPayload = builder.objectRef<{ approval: ApprovalRow }>('ApproveApprovalPayload').implement({
  description: 'The approval, and what it was about: the one of the subject’s kind.',
  fields: (t) => ({ approval: t.expose('approval', { type: ApprovalType }) }),
});
const payloadOf = (approved: ApprovalRow) => ({ approval: approved });

const words = z.string().min(1).max(500);
const ApproveApprovalInput = builder.inputType('ApproveApprovalInput', {
  fields: (t) => ({ comment: t.string({ required: false, validate: words }) }),
});
const RejectApprovalInput = builder.inputType('RejectApprovalInput', {
  fields: (t) => ({
    reason: t.string({
      required: false,
      description: 'Kept as the comment.',
      validate: words,
      extensions: { example: 'Agreed with Ada.' },
    }),
  }),
});
const CancelApprovalInput = builder.inputType('CancelApprovalInput', {
  fields: (t) => ({ reason: t.string({ required: false, description: 'Kept as the comment.', validate: words }) }),
});

builder.objectField(Me, 'pendingApprovals', (t) =>
  t.int({
    description: 'How many spends wait for an approval: an agent’s own, or all.',
    resolve: (_me, _args, ctx) => pendingApprovals(ctx),
  }),
);

builder.queryFields((t) => ({
  approval: t.prismaField({
    route: rest('GET /v1/approvals/{id}', 'Read an approval.'),
    type: ApprovalType,
    args: { id: t.arg({ type: 'ApprovalId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id }, ctx) => approval(ctx, id),
  }),
  approvals: t.field({
    route: rest('GET /v1/approvals', 'List approvals.'),
    type: ApprovalPage,
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
    description: 'Say yes. What was asked for is carried out now.',
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'ApprovalId' }), input: t.arg({ type: ApproveApprovalInput }) },
    ...facts({ errors: [NotFound, StateConflict, OwnRequest] }),
    resolve: once(
      async (ctx, { id, input }) => payloadOf(await approveApproval(ctx, id, input.comment ?? null)),
      async (ctx, id) => payloadOf(await approval(ctx, id)),
    ),
  }),
  rejectApproval: t.field({
    route: rest('POST /v1/approvals/{id}/reject', 'Say no: what was asked for is cancelled.'),
    type: ApprovalType,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'ApprovalId' }), input: t.arg({ type: RejectApprovalInput }) },
    ...facts({ errors: [NotFound, StateConflict, OwnRequest] }),
    resolve: once((ctx, { id, input }) => rejectApproval(ctx, id, input.reason ?? null), approval),
  }),
  cancelApproval: t.field({
    route: rest('POST /v1/approvals/{id}/cancel', 'Withdraw a request for an approval.'),
    type: ApprovalType,
    description: 'Withdraw a request.',
    args: { id: t.arg({ type: 'ApprovalId' }), input: t.arg({ type: CancelApprovalInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id, input }) => cancelApproval(ctx, id, input.reason ?? null), approval),
  }),
}));
