// The inputs of disputes.
import { z } from 'zod';
import { DisputeReason, DisputeResolution, DisputeStatus } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';

export const DisputeReasonEnum = builder.enumType(DisputeReason, {
  name: 'DisputeReason',
  description: 'Why the payer disputes: not received, charged twice, not authorized, wrong amount, bad quality, or other.',
});
export const DisputeStatusEnum = builder.enumType(DisputeStatus, {
  name: 'DisputeStatus',
  description:
    '`open`: waits for the payee. `under_review`: the payee has answered. `escalated`: the tenant looks at it. `resolved`: final.',
});
export const DisputeResolutionEnum = builder.enumType(DisputeResolution, {
  name: 'DisputeResolution',
  description: '`refund_full` and `refund_partial`: money goes back. `rejected`: none does. `withdrawn`: the payer gave it up.',
});
export const DisputePartyEnum = builder.enumType('DisputeParty', {
  description: 'The side of a dispute: `payer` or `payee`.',
  values: ['payer', 'payee'] as const,
});

/** Pieces of evidence of a dispute, at most. */
export const mostEvidence = 40;

export const DisputeEvidenceInput = builder.inputType('DisputeEvidenceInput', {
  description: 'Something that supports one side of a dispute.',
  fields: (t) => ({
    type: t.string({
      description:
        'A word for its kind, such as `receipt` or `screenshot`. `pack` without `content` attaches what proves the transfer, as your side may see it; of these one is enough.',
      validate: z.string().min(1).max(64),
    }),
    description: t.string({
      required: false,
      description: 'What it shows; a pack of the transfer can do without.',
      validate: z.string().min(1).max(2000),
    }),
    url: t.string({ required: false, description: 'Where it can be seen.', validate: z.url({ protocol: /^https?$/ }).max(2048) }),
    content: t.string({ required: false, description: 'Its content as text.', validate: z.string().max(10_000) }),
  }),
});
export type DisputeEvidenceInput = typeof DisputeEvidenceInput.$inferInput;

// Gap G-198: Each side of a dispute shows at most 20 pieces of evidence, of 32,768 characters of JSON together.
/** Characters of what one side shows at once, as JSON: a page of disputes stays one that can be answered. */
const mostCharacters = 32_768;

export const fewPieces = z
  .array(z.unknown())
  .max(mostEvidence / 2)
  .refine((pieces) => JSON.stringify(pieces).length <= mostCharacters, {
    error: `is longer than ${mostCharacters} characters in all`,
    params: { rule: 'max' },
  });

export const CreateDisputeInput = builder.inputType('CreateDisputeInput', {
  description: 'A new dispute about a completed transfer.',
  fields: (t) => ({
    transferId: t.field({ type: 'TransferId', description: 'The completed transfer that is disputed.' }),
    reason: t.field({ type: DisputeReasonEnum }),
    description: t.string({
      description: 'What was wrong, at most 2,000 characters.',
      validate: z.string().min(1).max(2000),
      extensions: { example: 'Paid on Monday, and nothing was delivered.' },
    }),
    amountDisputed: t.field({
      type: 'Amount',
      required: false,
      description: 'How much is disputed, in the currency that was sent; all that can still be refunded by default.',
    }),
    evidence: t.field({
      type: [DisputeEvidenceInput],
      required: false,
      description: "What supports the payer's side.",
      validate: fewPieces,
    }),
    requestedResolution: t.field({ type: DisputeResolutionEnum, required: false, description: 'How the payer wants it to end.' }),
  }),
});
export type CreateDisputeInput = typeof CreateDisputeInput.$inferInput;

export const RespondToDisputeInput = builder.inputType('RespondToDisputeInput', {
  description: 'The answer of the side that was paid.',
  fields: (t) => ({
    response: t.string({
      description: 'What the payee says.',
      validate: z.string().min(1).max(2000),
      extensions: { example: 'It was delivered on Tuesday, see the receipt.' },
    }),
    evidence: t.field({
      type: [DisputeEvidenceInput],
      required: false,
      description: "What supports the payee's side.",
      validate: fewPieces,
    }),
  }),
});
export type RespondToDisputeInput = typeof RespondToDisputeInput.$inferInput;

export const ResolveDisputeInput = builder.inputType('ResolveDisputeInput', {
  description: 'How a dispute ends.',
  fields: (t) => ({
    resolution: t.field({ type: DisputeResolutionEnum, description: 'How it ends.' }),
    refundAmount: t.field({
      type: 'Amount',
      required: false,
      description: 'With `refund_partial`: what goes back, at most what is disputed.',
    }),
    notes: t.string({ required: false, description: 'Why, for both sides.', validate: z.string().min(1).max(2000) }),
  }),
});
export type ResolveDisputeInput = typeof ResolveDisputeInput.$inferInput;
