// The GraphQL face of refunds.

import { RefundStatus } from '../../generated/prisma/enums.js';
import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { Initiator } from '../spending/initiator.schema.js';
import { postingErrors } from '../spending/pipeline/refusal.js';
import { NotYourSide, RefundExceedsOriginal } from './errors.js';
import { CreateRefundInput, RefundReasonEnum } from './refund.input.js';
import { cancelRefund, createRefund, refundById, refunds, visibleRefunds } from './refund.js';
import { rest } from './rest.js';

const RefundStatusEnum = builder.enumType(RefundStatus, {
  name: 'RefundStatus',
  description: '`pending`: waits for its rail. `processing`: on its way over it. `completed`, `failed`, `cancelled`: final.',
});

export const Refund = builder.prismaObject('Refund', {
  ...byId(rowsOf('refund', visibleRefunds)),
  description: 'Money of a completed transfer that goes back to the payer.',
  fields: (t) => ({
    id: t.expose('id', { type: 'RefundId' }),
    originalTransferId: t.expose('originalTransferId', { type: 'TransferId', description: 'The transfer whose money goes back.' }),
    amount: t.field({
      type: 'Amount',
      description: 'How much goes back, in the currency that the original was sent in.',
      resolve: (row) => formatMinor(row.amount, row.currency),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    reason: t.expose('reason', { type: RefundReasonEnum }),
    reasonDetails: t.exposeString('reasonDetails', { nullable: true, description: 'More about the reason; null where nothing was said.' }),
    status: t.expose('status', { type: RefundStatusEnum }),
    refundTransferId: t.expose('refundTransferId', {
      type: 'TransferId',
      nullable: true,
      description: 'The transfer that carries it out; null while there is none.',
    }),
    disputeId: t.expose('disputeId', { type: 'DisputeId', nullable: true, description: 'The dispute that it resolves; null for others.' }),
    initiatedBy: t.field({
      type: Initiator,
      description: 'Who requested it.',
      resolve: (row) => ({ type: row.initiatedByType, id: row.initiatedById }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the payer had the money back; null before, and for one that failed or was cancelled.',
    }),
  }),
});
const RefundPage = pageOf(Refund, 'Refund');

builder.queryFields((t) => ({
  refund: t.prismaField({
    route: rest(
      'GET /v1/refunds/{id}',
      'Read a refund with its status. Either side of the original transfer reads it; for others it is 404.',
    ),
    type: Refund,
    authScopes: { audience: 'any', scope: 'refunds:read' },
    args: { id: t.arg({ type: 'RefundId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id }, ctx) => refundById(ctx, id),
  }),
  refunds: t.field({
    route: rest(
      'GET /v1/refunds',
      'List refunds, newest first. Filter by status or original transfer; an agent sees those of transfers that it took part in.',
    ),
    type: RefundPage,
    authScopes: { audience: 'any', scope: 'refunds:read' },
    ...listed(t, refunds, {
      status: t.arg({ type: RefundStatusEnum, required: false }),
      originalTransferId: t.arg({ type: 'TransferId', required: false }),
    }),
  }),
}));

builder.mutationFields((t) => ({
  createRefund: t.field({
    route: rest(
      'POST /v1/refunds',
      'Send money of a completed transfer back, all of it or a part. It comes from the wallet that was paid and uses no limit; more than is left is 422 `refund_exceeds_original`. An agent refunds only what its own wallet received (403). Emits `transfer.refunded` when it has paid.',
      { status: 201 },
    ),
    type: Refund,
    authScopes: { audience: 'any', scope: 'refunds:write' },
    args: { input: t.arg({ type: CreateRefundInput }) },
    ...facts({ errors: [NotFound, StateConflict, RefundExceedsOriginal, NotYourSide, ...postingErrors] }),
    resolve: once((ctx, { input }) => createRefund(ctx, input), refundById),
  }),
  cancelRefund: t.field({
    route: rest(
      'POST /v1/refunds/{id}/cancel',
      'Cancel a refund that has not begun. Refunds between wallets complete at once, so only one that waits for a rail can be cancelled; any other is 409 `state_conflict`.',
    ),
    type: Refund,
    authScopes: { audience: 'any', scope: 'refunds:write' },
    args: { id: t.arg({ type: 'RefundId' }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id }) => cancelRefund(ctx, id), refundById),
  }),
}));
