// The GraphQL face of erasures.
import { Forbidden, NotFound, PersonRequired, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { StepUpRequired } from '../../platform/step-up.js';
import { EraseInput, ErasureStatusEnum } from './erasure.input.js';
import { eraseAccount, eraseMember, erasure, erasures, visibleErasures } from './erasure.js';
import { rest } from './rest.js';

const Erasure = builder.prismaObject('Erasure', {
  ...byId(rowsOf('erasure', visibleErasures)),
  description: 'The erasing of an account or a member: it is carried out step by step, and cannot be undone.',
  fields: (t) => ({
    id: t.expose('id', { type: 'ErasureId' }),
    accountId: t.expose('accountId', { type: 'AccountId', nullable: true, description: 'The account; null where a member is erased.' }),
    memberId: t.expose('memberId', { type: 'MemberId', nullable: true, description: 'The member; null where an account is erased.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why; null where nothing was said.' }),
    status: t.expose('status', { type: ErasureStatusEnum }),
    fields: t.field({ type: 'Cents', description: 'Number of values that were erased so far.', resolve: ({ fields }) => Number(fields) }),
    rows: t.field({ type: 'Cents', description: 'Number of records that they stood in.', resolve: ({ rows }) => Number(rows) }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true, description: 'When all was erased; null while it is not.' }),
  }),
});
const ErasurePage = pageOf(Erasure, 'Erasure');

builder.queryFields((t) => ({
  erasure: t.prismaField({
    route: rest('GET /v1/erasures/{id}', 'Read an erasure: how far it is. What it has erased is counted, never shown.'),
    type: Erasure,
    authScopes: { audience: 'operator', scope: 'accounts:read' },
    args: { id: t.arg({ type: 'ErasureId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => erasure(ctx, id, query),
  }),
  erasures: t.field({
    route: rest('GET /v1/erasures', 'List erasures of accounts and members, newest first. Filter by status, account or member.'),
    type: ErasurePage,
    authScopes: { audience: 'operator', scope: 'accounts:read' },
    ...listed(t, erasures, {
      status: t.arg({ type: ErasureStatusEnum, required: false }),
      accountId: t.arg({ type: 'AccountId', required: false, description: 'Only the erasure of this account.' }),
      memberId: t.arg({ type: 'MemberId', required: false, description: 'Only the erasure of this member.' }),
    }),
  }),
}));

builder.mutationFields((t) => ({
  eraseAccount: t.field({
    route: rest(
      'POST /v1/accounts/{id}/erase',
      'Erase what says who a closed account and its agents were, for good: names, e-mail, addresses, bank and card details, metadata and all that people have written, in records, events, deliveries, answers and the audit log. Ids, amounts, times and postings stay. An account that is not closed is 409, and so is one with an open dispute. People must have signed in within five minutes, else 403 `step_up_required`. Again it answers with the same erasure. It emits `account.erased` when it is done.',
      { status: 202 },
    ),
    type: Erasure,
    authScopes: { audience: 'operator', scope: 'accounts:write' },
    args: { id: t.arg({ type: 'AccountId' }), input: t.arg({ type: EraseInput }) },
    ...facts({ errors: [NotFound, StateConflict, StepUpRequired] }),
    resolve: once((ctx, { id, input }) => eraseAccount(ctx, { ...input, id }), erasure),
  }),
  eraseMember: t.field({
    route: rest(
      'POST /v1/members/{id}/erase',
      'Erase who a removed member was, for good and in both environments: name, e-mail, what the member signed in with, and what the audit log says of addresses and requests. Invitations to the same e-mail that nobody has taken end. The id stays. A member who was not removed is 409. Who may is as for removing a member. Again it answers with the same erasure.',
      { status: 202 },
    ),
    type: Erasure,
    authScopes: { audience: 'operator', scope: 'members:write' },
    args: { id: t.arg({ type: 'MemberId' }), input: t.arg({ type: EraseInput }) },
    ...facts({ errors: [NotFound, StateConflict, Forbidden, PersonRequired, StepUpRequired] }),
    resolve: once((ctx, { id, input }) => eraseMember(ctx, { ...input, id }), erasure),
  }),
}));
