// The inputs of rail faults.
import { z } from 'zod';
import { RailFaultKind } from '../../../generated/prisma/enums.js';
import { builder } from '../../../platform/schema/builder.js';

export const RailFaultKindEnum = builder.enumType(RailFaultKind, {
  name: 'RailFaultKind',
  description:
    'What goes wrong: a delay, a lost answer, a rejection, a return, a callback sent twice, a wrong amount, or callbacks out of order.',
});
const ForcedOutcome = builder.enumType('ForcedOutcome', {
  description: '`settled`: the rail pays. `rejected`: the rail refuses.',
  values: ['settled', 'rejected'] as const,
});

const RailFaultMatchInput = builder.inputType('RailFaultMatchInput', {
  description: 'Which orders a fault affects: those that match every member.',
  fields: (t) => ({
    amount: t.field({ type: 'Amount', required: false, description: 'Only orders of this amount.' }),
    destinationRef: t.string({
      required: false,
      description: 'Only orders to this destination, as the payout shows it.',
      validate: z.string().min(1).max(128),
    }),
  }),
});

export const CreateRailFaultInput = builder.inputType('CreateRailFaultInput', {
  description: 'A fault of a simulated rail.',
  fields: (t) => ({
    kind: t.field({ type: RailFaultKindEnum }),
    probability: t.field({
      type: 'Fraction',
      required: false,
      description: 'Chance that an order which matches is affected; 1 by default.',
    }),
    nextN: t.int({
      required: false,
      description: 'How many orders it affects; without it all, until it is deleted.',
      validate: z.int().min(1).max(1_000_000),
    }),
    match: t.field({ type: RailFaultMatchInput, required: false, description: 'Which orders it affects; all by default.' }),
  }),
});
export type CreateRailFaultInput = typeof CreateRailFaultInput.$inferInput;

const code = z.string().min(1).max(32);

export const SettleTransferInput = builder.inputType('SettleTransferInput', {
  description: 'The result of the rail.',
  fields: (t) => ({
    outcome: t.field({ type: ForcedOutcome, description: 'Whether the rail pays or refuses.' }),
    code: t.string({ required: false, description: 'Code of a rejection, such as R02.', validate: code }),
  }),
});

export const ReturnPayoutInput = builder.inputType('ReturnPayoutInput', {
  description: 'Why a payout comes back.',
  fields: (t) => ({ code: t.string({ required: false, description: 'Code of the return, such as R03.', validate: code }) }),
});
