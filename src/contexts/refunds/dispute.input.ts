// The inputs of disputes.
import { z } from 'zod';
import { DisputeReason, DisputeResolution, DisputeStatus } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';

export const DisputeReasonEnum = builder.enumType(DisputeReason, { name: 'DisputeReason' });
export const DisputeStatusEnum = builder.enumType(DisputeStatus, { name: 'DisputeStatus' });
export const DisputeResolutionEnum = builder.enumType(DisputeResolution, { name: 'DisputeResolution' });
export const DisputePartyEnum = builder.enumType('DisputeParty', { values: ['payer', 'payee'] as const });

/** Pieces of evidence of a dispute, at most. */
export const mostEvidence = 40;

export const DisputeEvidenceInput = builder.inputType('DisputeEvidenceInput', {
  fields: (t) => ({
    type: t.string({ description: 'A word such as receipt or screenshot.', validate: z.string().min(1).max(64) }),
    description: t.string({ validate: z.string().min(1).max(2000) }),
    url: t.string({ required: false, validate: z.url({ protocol: /^https?$/ }).max(2048) }),
    content: t.string({ required: false, validate: z.string().max(10_000) }),
  }),
});
export type DisputeEvidenceInput = typeof DisputeEvidenceInput.$inferInput;

/** Characters of what one side shows at once, as JSON (Gap G-198): a page of disputes stays one that can be answered. */
const mostCharacters = 32_768;

export const fewPieces = z
  .array(z.unknown())
  .max(mostEvidence / 2)
  .refine((pieces) => JSON.stringify(pieces).length <= mostCharacters, {
    error: `is longer than ${mostCharacters} characters in all`,
    params: { rule: 'max' },
  });

export const CreateDisputeInput = builder.inputType('CreateDisputeInput', {
  fields: (t) => ({
    transferId: t.field({ type: 'TransferId' }),
    reason: t.field({ type: DisputeReasonEnum }),
    description: t.string({
      validate: z.string().min(1).max(2000),
      extensions: { example: 'Paid on Monday, and nothing was delivered.' },
    }),
    amountDisputed: t.field({ type: 'Amount', required: false, description: 'All that can be refunded by default.' }),
    evidence: t.field({ type: [DisputeEvidenceInput], required: false, validate: fewPieces }),
    requestedResolution: t.field({ type: DisputeResolutionEnum, required: false }),
  }),
});
export type CreateDisputeInput = typeof CreateDisputeInput.$inferInput;

export const RespondToDisputeInput = builder.inputType('RespondToDisputeInput', {
  fields: (t) => ({
    response: t.string({ validate: z.string().min(1).max(2000), extensions: { example: 'It was delivered on Tuesday, see the receipt.' } }),
    evidence: t.field({ type: [DisputeEvidenceInput], required: false, validate: fewPieces }),
  }),
});
export type RespondToDisputeInput = typeof RespondToDisputeInput.$inferInput;

export const ResolveDisputeInput = builder.inputType('ResolveDisputeInput', {
  fields: (t) => ({
    resolution: t.field({ type: DisputeResolutionEnum }),
    refundAmount: t.field({ type: 'Amount', required: false, description: 'With refund_partial: at most what is disputed.' }),
    notes: t.string({ required: false, validate: z.string().min(1).max(2000) }),
  }),
});
export type ResolveDisputeInput = typeof ResolveDisputeInput.$inferInput;
