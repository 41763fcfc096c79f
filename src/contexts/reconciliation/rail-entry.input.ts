// The inputs of the statements of rails.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { StatementDirectionEnum } from './discrepancy.input.js';
import { mostLines } from './statement-csv.js';

const RailEntryInput = builder.inputType('RailEntryInput', {
  description: 'A line of a statement.',
  fields: (t) => ({
    reference: t.string({ description: 'Ours, under which the money went.', validate: z.string().min(1).max(128) }),
    amount: t.field({ type: 'Amount' }),
    currency: t.field({ type: 'Currency' }),
    direction: t.field({ type: StatementDirectionEnum }),
    date: t.field({ type: 'Date' }),
    description: t.string({ required: false, validate: z.string().max(500) }),
  }),
});

export const RailEntriesInput = builder.inputType('RailEntriesInput', {
  description: 'Either `entries` or `csv`.',
  extensions: {
    example: {
      rail: 'ach',
      entries: [{ reference: 'ACH-20260301-17', amount: '42.00', currency: 'USD', direction: 'debit', date: '2026-03-01' }],
    },
  },
  fields: (t) => ({
    rail: t.string({ description: 'Such as ach or usdc-base.', validate: z.string().min(1).max(32) }),
    entries: t.field({ type: [RailEntryInput], required: false, validate: z.array(z.unknown()).min(1).max(mostLines) }),
    csv: t.string({
      required: false,
      description: 'With the header `reference,amount,currency,direction,date,description`; the last column may be left out.',
      validate: z.string().min(1),
    }),
  }),
});
export type RailEntriesInput = typeof RailEntriesInput.$inferInput;
