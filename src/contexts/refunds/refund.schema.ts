// The GraphQL face of refunds.
import { RefundStatus } from '../../generated/prisma/enums.js';
import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { Initiator } from '../spending/initiator.schema.js';
import { postingErrors } from '../spending/pipeline/refusal.js';
import { NotYourSide, RefundExceedsOriginal } from './errors.js';
import { CreateRefundInput, RefundReasonEnum } from './refund.input.js';
import { cancelRefund, createRefund, refundById, refunds } from './refund.js';
import { rest } from './rest.js';

const RefundStatusEnum = builder.enumType(RefundStatus, { name: 'RefundStatus' });

export const Refund = builder.prismaObject('Refund', {
  description: 'Money of a completed transfer that goes back to who paid it.',
  fields: (t) => ({
    id: t.expose('id', { type: 'RefundId' }),
    originalTransferId: t.expose('originalTransferId', { type: 'TransferId' }),
    amount: t.field({
      type: 'Amount',
      description: 'In the currency that the original was sent in.',
      resolve: (row) => formatMinor(row.amount, row.currency),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    reason: t.expose('reason', { type: RefundReasonEnum }),
    reasonDetails: t.exposeString('reasonDetails', { nullable: true }),
    status: t.expose('status', { type: RefundStatusEnum }),
    refundTransferId: t.expose('refundTransferId', { type: 'TransferId', nullable: true, description: 'The transfer that moves it.' }),
    disputeId: t.expose('disputeId', { type: 'DisputeId', nullable: true, description: 'The dispute that it resolves.' }),
    initiatedBy: t.field({ type: Initiator, resolve: (row) => ({ type: row.initiatedByType, id: row.initiatedById }) }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true }),
  }),
});
const RefundPage = pageOf(Refund, 'Refund');

builder.queryFields((t) => ({
  refund: t.prismaField({
    route: rest('GET /v1/refunds/{id}', 'Read a refund.'),
    type: Refund,
    args: { id: t.arg({ type: 'RefundId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id }, ctx) => refundById(ctx, id),
  }),
  refunds: t.field({
    route: rest('GET /v1/refunds', 'List refunds.'),
    type: RefundPage,
    ...listed(t, refunds, {
      status: t.arg({ type: RefundStatusEnum, required: false }),
      originalTransferId: t.arg({ type: 'TransferId', required: false }),
    }),
  }),
}));

builder.mutationFields((t) => ({
  createRefund: t.field({
    route: rest('POST /v1/refunds', 'Send money of a completed transfer back, all of it or a part.', { status: 201 }),
    type: Refund,
    args: { input: t.arg({ type: CreateRefundInput }) },
    ...facts({ errors: [NotFound, StateConflict, RefundExceedsOriginal, NotYourSide, ...postingErrors] }),
    resolve: once((ctx, { input }) => createRefund(ctx, input), refundById),
  }),
  cancelRefund: t.field({
    route: rest('POST /v1/refunds/{id}/cancel', 'Call a refund off that has not begun.'),
    type: Refund,
    args: { id: t.arg({ type: 'RefundId' }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id }) => cancelRefund(ctx, id), refundById),
  }),
}));
