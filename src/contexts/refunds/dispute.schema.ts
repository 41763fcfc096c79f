// The GraphQL face of disputes.
import { AlreadyExists, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { Initiator } from '../spending/initiator.schema.js';
import { postingErrors } from '../spending/pipeline/refusal.js';
import {
  CreateDisputeInput,
  DisputePartyEnum,
  DisputeReasonEnum,
  DisputeResolutionEnum,
  DisputeStatusEnum,
  mostEvidence,
  ResolveDisputeInput,
  RespondToDisputeInput,
} from './dispute.input.js';
import { createDispute, disputeById, disputes, escalateDispute, ResolvedByTenant, resolveDispute, respondToDispute } from './dispute.js';
import { NotYourSide, RefundExceedsOriginal } from './errors.js';
import type { FilingEvidence } from './filing.js';
import { rest } from './rest.js';

const EvidenceType = builder.objectRef<FilingEvidence>('DisputeEvidence').implement({
  description: 'What a side of a dispute has shown.',
  fields: (t) => ({
    party: t.expose('party', { type: DisputePartyEnum }),
    type: t.exposeString('type'),
    description: t.exposeString('description'),
    url: t.exposeString('url', { nullable: true }),
    content: t.exposeString('content', { nullable: true }),
    at: t.field({ type: 'DateTime', resolve: ({ at }) => new Date(at) }),
  }),
});

export const Dispute = builder.prismaObject('Dispute', {
  description: 'Somebody says that a completed transfer was not right.',
  fields: (t) => ({
    id: t.expose('id', { type: 'DisputeId' }),
    transferId: t.expose('transferId', { type: 'TransferId' }),
    status: t.expose('status', { type: DisputeStatusEnum }),
    reason: t.expose('reason', { type: DisputeReasonEnum }),
    description: t.exposeString('description'),
    amountDisputed: t.field({
      type: 'Amount',
      resolve: (row) => formatMinor(row.amountDisputed, row.currency),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    requestedResolution: t.expose('requestedResolution', { type: DisputeResolutionEnum, nullable: true }),
    evidence: t.field({
      type: [EvidenceType],
      description: 'Oldest first.',
      ...facts({ most: mostEvidence }),
      resolve: (row) => row.evidence as unknown as FilingEvidence[],
    }),
    response: t.exposeString('response', { nullable: true, description: 'Of the side that was paid.' }),
    respondBy: t.expose('respondBy', { type: 'DateTime', description: 'Without an answer by then it is escalated.' }),
    resolution: t.expose('resolution', { type: DisputeResolutionEnum, nullable: true }),
    notes: t.exposeString('notes', { nullable: true }),
    refundId: t.expose('refundId', { type: 'RefundId', nullable: true }),
    filedBy: t.field({
      type: Initiator,
      resolve: (row) => ({ type: row.filedByType, id: row.filedById }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    respondedAt: t.expose('respondedAt', { type: 'DateTime', nullable: true }),
    escalatedAt: t.expose('escalatedAt', { type: 'DateTime', nullable: true }),
    resolvedAt: t.expose('resolvedAt', { type: 'DateTime', nullable: true }),
  }),
});
const DisputePage = pageOf(Dispute, 'Dispute');

builder.queryFields((t) => ({
  dispute: t.prismaField({
    route: rest('GET /v1/disputes/{id}', 'Read a dispute.'),
    type: Dispute,
    args: { id: t.arg({ type: 'DisputeId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id }, ctx) => disputeById(ctx, id),
  }),
  disputes: t.field({
    route: rest('GET /v1/disputes', 'List disputes.'),
    type: DisputePage,
    ...listed(t, disputes, {
      status: t.arg({ type: DisputeStatusEnum, required: false }),
      transferId: t.arg({ type: 'TransferId', required: false }),
    }),
  }),
}));

builder.mutationFields((t) => ({
  createDispute: t.field({
    route: rest('POST /v1/disputes', 'Say that a completed transfer was not right.', { status: 201 }),
    type: Dispute,
    args: { input: t.arg({ type: CreateDisputeInput }) },
    ...facts({ errors: [NotFound, StateConflict, AlreadyExists, RefundExceedsOriginal, NotYourSide] }),
    resolve: once((ctx, { input }) => createDispute(ctx, input), disputeById),
  }),
  respondToDispute: t.field({
    route: rest('POST /v1/disputes/{id}/respond', 'Answer a dispute, for the side that was paid.'),
    type: Dispute,
    args: { id: t.arg({ type: 'DisputeId' }), input: t.arg({ type: RespondToDisputeInput }) },
    ...facts({ errors: [NotFound, StateConflict, NotYourSide] }),
    resolve: once((ctx, { id, input }) => respondToDispute(ctx, { ...input, id }), disputeById),
  }),
  escalateDispute: t.field({
    route: rest('POST /v1/disputes/{id}/escalate', 'Ask the tenant to look at a dispute.'),
    type: Dispute,
    args: { id: t.arg({ type: 'DisputeId' }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id }) => escalateDispute(ctx, id), disputeById),
  }),
  resolveDispute: t.field({
    route: rest('POST /v1/disputes/{id}/resolve', 'End a dispute, with a refund or without one.'),
    type: Dispute,
    args: { id: t.arg({ type: 'DisputeId' }), input: t.arg({ type: ResolveDisputeInput }) },
    ...facts({ errors: [NotFound, StateConflict, ResolvedByTenant, NotYourSide, RefundExceedsOriginal, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => resolveDispute(ctx, { ...input, id }), disputeById),
  }),
}));
