// The GraphQL face of disputes.

import { sha256 } from '../../platform/crypto.js';
import { AlreadyExists, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
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
import {
  createDispute,
  disputeById,
  disputes,
  escalateDispute,
  ResolvedByTenant,
  resolveDispute,
  respondToDispute,
  visibleDisputes,
} from './dispute.js';
import { NotYourSide, RefundExceedsOriginal } from './errors.js';
import { packType } from './evidence-piece.js';
import type { FilingEvidence } from './filing.js';
import { rest } from './rest.js';

const EvidenceType = builder.objectRef<FilingEvidence>('DisputeEvidence').implement({
  description: 'Something that one side of a dispute submitted.',
  fields: (t) => ({
    party: t.expose('party', { type: DisputePartyEnum, description: 'The side that submitted it.' }),
    type: t.exposeString('type', { description: 'A word for its kind, such as `receipt` or `screenshot`.' }),
    description: t.exposeString('description', { description: 'What it shows.' }),
    url: t.exposeString('url', { nullable: true, description: 'Where it can be seen; null where none was given.' }),
    content: t.exposeString('content', { nullable: true, description: 'Its content as text; null where none was given.' }),
    sha256: t.string({
      nullable: true,
      description: 'SHA-256 of the content of a pack of evidence, in hex; null for anything else.',
      resolve: ({ type, content }) => (type === packType && content != null ? sha256(content).toString('hex') : null),
    }),
    at: t.field({ type: 'DateTime', description: 'When it was submitted.', resolve: ({ at }) => new Date(at) }),
  }),
});

export const Dispute = builder.prismaObject('Dispute', {
  ...byId(rowsOf('dispute', visibleDisputes)),
  description: "A claim of the payer's side that a completed transfer was not right.",
  fields: (t) => ({
    id: t.expose('id', { type: 'DisputeId' }),
    transferId: t.expose('transferId', { type: 'TransferId', description: 'The transfer that is disputed.' }),
    status: t.expose('status', { type: DisputeStatusEnum }),
    reason: t.expose('reason', { type: DisputeReasonEnum }),
    description: t.exposeString('description', { description: "What was wrong, in the payer's words." }),
    amountDisputed: t.field({
      type: 'Amount',
      description: 'How much is disputed, in the currency that was sent.',
      resolve: (row) => formatMinor(row.amountDisputed, row.currency),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    requestedResolution: t.expose('requestedResolution', {
      type: DisputeResolutionEnum,
      nullable: true,
      description: 'How the payer wants it to end; null where nothing was said.',
    }),
    evidence: t.field({
      type: [EvidenceType],
      description: 'What both sides submitted, oldest first.',
      ...facts({ most: mostEvidence }),
      resolve: (row) => row.evidence as unknown as FilingEvidence[],
    }),
    response: t.exposeString('response', { nullable: true, description: 'What the payee answered; null while it has not.' }),
    respondBy: t.expose('respondBy', {
      type: 'DateTime',
      description: 'Without an answer by then the dispute is escalated: 30 days after it was filed.',
    }),
    resolution: t.expose('resolution', {
      type: DisputeResolutionEnum,
      nullable: true,
      description: 'How it ended; null while it is not resolved.',
    }),
    notes: t.exposeString('notes', { nullable: true, description: 'Notes of whoever resolved it; null where there are none.' }),
    refundId: t.expose('refundId', { type: 'RefundId', nullable: true, description: 'The refund that it ended with; null without one.' }),
    filedBy: t.field({
      type: Initiator,
      description: 'Who filed it.',
      resolve: (row) => ({ type: row.filedByType, id: row.filedById }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    respondedAt: t.expose('respondedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the payee answered; null while it has not.',
    }),
    escalatedAt: t.expose('escalatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was escalated; null where it was not.',
    }),
    resolvedAt: t.expose('resolvedAt', { type: 'DateTime', nullable: true, description: 'When it was resolved; null while it is not.' }),
  }),
});
const DisputePage = pageOf(Dispute, 'Dispute');

builder.queryFields((t) => ({
  dispute: t.prismaField({
    route: rest(
      'GET /v1/disputes/{id}',
      'Read a dispute with the evidence of both sides. Either side of the transfer reads it; for others it is 404.',
    ),
    type: Dispute,
    authScopes: { audience: 'any', scope: 'refunds:read' },
    args: { id: t.arg({ type: 'DisputeId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id }, ctx) => disputeById(ctx, id),
  }),
  disputes: t.field({
    route: rest(
      'GET /v1/disputes',
      'List disputes, newest first. Filter by status or transfer; an agent sees those of transfers that it took part in.',
    ),
    type: DisputePage,
    authScopes: { audience: 'any', scope: 'refunds:read' },
    ...listed(t, disputes, {
      status: t.arg({ type: DisputeStatusEnum, required: false }),
      transferId: t.arg({ type: 'TransferId', required: false }),
    }),
  }),
}));

builder.mutationFields((t) => ({
  createDispute: t.field({
    route: rest(
      'POST /v1/disputes',
      'File a dispute about a completed transfer, as the side that paid. It can be filed for 120 days, and the payee then has 30 days to answer. A transfer that cannot be refunded, or that has an open dispute, is 409.',
      { status: 201 },
    ),
    type: Dispute,
    authScopes: { audience: 'any', scope: 'refunds:write' },
    args: { input: t.arg({ type: CreateDisputeInput }) },
    ...facts({ errors: [NotFound, StateConflict, AlreadyExists, RefundExceedsOriginal, NotYourSide] }),
    resolve: once((ctx, { input }) => createDispute(ctx, input), disputeById),
  }),
  respondToDispute: t.field({
    route: rest(
      'POST /v1/disputes/{id}/respond',
      'Answer a dispute, as the side that was paid. It can be answered once, while it is open, and is `under_review` then.',
    ),
    type: Dispute,
    authScopes: { audience: 'any', scope: 'refunds:write' },
    args: { id: t.arg({ type: 'DisputeId' }), input: t.arg({ type: RespondToDisputeInput }) },
    ...facts({ errors: [NotFound, StateConflict, NotYourSide] }),
    resolve: once((ctx, { id, input }) => respondToDispute(ctx, { ...input, id }), disputeById),
  }),
  escalateDispute: t.field({
    route: rest(
      'POST /v1/disputes/{id}/escalate',
      'Escalate a dispute to the tenant. Either side may, while it is not resolved; an unanswered dispute is escalated by itself after 30 days.',
    ),
    type: Dispute,
    authScopes: { audience: 'any', scope: 'refunds:write' },
    args: { id: t.arg({ type: 'DisputeId' }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id }) => escalateDispute(ctx, id), disputeById),
  }),
  resolveDispute: t.field({
    route: rest(
      'POST /v1/disputes/{id}/resolve',
      "End a dispute, with a refund or without one. A refund takes the money from the payee's wallet; if that is refused, for example for lack of balance, the dispute stays open. The dispute of a task divides its escrow instead.",
    ),
    type: Dispute,
    authScopes: { audience: 'any', scope: 'refunds:write' },
    args: { id: t.arg({ type: 'DisputeId' }), input: t.arg({ type: ResolveDisputeInput }) },
    ...facts({ errors: [NotFound, StateConflict, ResolvedByTenant, NotYourSide, RefundExceedsOriginal, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => resolveDispute(ctx, { ...input, id }), disputeById),
  }),
}));
