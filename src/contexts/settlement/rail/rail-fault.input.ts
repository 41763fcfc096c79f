// The inputs of rail faults.
import { z } from 'zod';
import { RailFaultKind } from '../../../generated/prisma/enums.js';
import { builder } from '../../../platform/schema/builder.js';

export const RailFaultKindEnum = builder.enumType(RailFaultKind, { name: 'RailFaultKind' });
const ForcedOutcome = builder.enumType('ForcedOutcome', { values: ['settled', 'rejected'] as const });

const RailFaultMatchInput = builder.inputType('RailFaultMatchInput', {
  description: 'Orders that have all of it.',
  fields: (t) => ({
    amount: t.field({ type: 'Amount', required: false }),
    destinationRef: t.string({ required: false, description: 'As the payout shows it.', validate: z.string().min(1).max(128) }),
  }),
});

export const CreateRailFaultInput = builder.inputType('CreateRailFaultInput', {
  fields: (t) => ({
    kind: t.field({ type: RailFaultKindEnum }),
    probability: t.field({ type: 'Fraction', required: false, description: 'Of each order that matches; 1 by default.' }),
    nextN: t.int({
      required: false,
      description: 'So many orders; by default all until it is deleted.',
      validate: z.int().min(1).max(1_000_000),
    }),
    match: t.field({ type: RailFaultMatchInput, required: false }),
  }),
});
export type CreateRailFaultInput = typeof CreateRailFaultInput.$inferInput;

const code = z.string().min(1).max(32);

export const SettleTransferInput = builder.inputType('SettleTransferInput', {
  fields: (t) => ({
    outcome: t.field({ type: ForcedOutcome }),
    code: t.string({ required: false, description: 'Why it is rejected, such as R02.', validate: code }),
  }),
});

export const ReturnPayoutInput = builder.inputType('ReturnPayoutInput', {
  fields: (t) => ({ code: t.string({ required: false, description: 'Why it comes back, such as R03.', validate: code }) }),
});
