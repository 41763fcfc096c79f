// The inputs of the statements of rails.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { StatementDirectionEnum } from './discrepancy.input.js';
import { mostLines } from './statement-csv.js';

const RailEntryInput = builder.inputType('RailEntryInput', {
  description: "A line of a rail's statement.",
  fields: (t) => ({
    reference: t.string({ description: 'Our reference, under which the money went.', validate: z.string().min(1).max(128) }),
    amount: t.field({ type: 'Amount', description: 'Amount of the line, always positive.' }),
    currency: t.field({ type: 'Currency' }),
    direction: t.field({ type: StatementDirectionEnum }),
    date: t.field({ type: 'Date', description: 'Day of the line in UTC, such as 2026-03-01.' }),
    description: t.string({ required: false, description: 'Text of the line.', validate: z.string().max(500) }),
  }),
});

export const RailEntriesInput = builder.inputType('RailEntriesInput', {
  description: 'Lines of a statement: either `entries` or `csv`.',
  extensions: {
    example: {
      rail: 'ach',
      entries: [{ reference: 'ACH-20260301-17', amount: '42.00', currency: 'USD', direction: 'debit', date: '2026-03-01' }],
    },
  },
  fields: (t) => ({
    rail: t.string({ description: 'The rail, such as `ach` or `usdc-base`.', validate: z.string().min(1).max(32) }),
    entries: t.field({
      type: [RailEntryInput],
      required: false,
      description: 'The lines, at most 10,000. Instead of `csv`.',
      validate: z.array(z.unknown()).min(1).max(mostLines),
    }),
    csv: t.string({
      required: false,
      description:
        'The lines as CSV with the header `reference,amount,currency,direction,date,description`; the last column may be left out.',
      validate: z.string().min(1),
    }),
  }),
});
export type RailEntriesInput = typeof RailEntriesInput.$inferInput;
