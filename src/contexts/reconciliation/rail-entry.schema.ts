// The GraphQL face of uploaded statements.
import { z } from 'zod';
import { once } from '../../platform/idempotency.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { StatementDirectionEnum } from './discrepancy.schema.js';
import { mostLines, type Upload, upload, uploadEntries } from './rail-entry.js';
import { rest } from './rest.js';

const RailImport = builder.objectRef<Upload>('RailImport').implement({
  description: 'Lines that were added to the statement of a rail together.',
  fields: (t) => ({
    importId: t.expose('id', { type: 'RailImportId' }),
    count: t.exposeInt('count', { description: 'Lines.' }),
  }),
});

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

const RailEntriesInput = builder.inputType('RailEntriesInput', {
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

builder.mutationField('uploadRailEntries', (t) =>
  t.field({
    route: rest('POST /v1/reconciliation/rail-entries', "Upload lines of a rail's statement.", { status: 201 }),
    type: RailImport,
    description: 'Adds up to 10,000 lines to the statement of a rail: all of them, or none.',
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: RailEntriesInput }) },
    ...facts({ batch: true }),
    resolve: once((ctx, { input }) => uploadEntries(ctx, input), upload),
  }),
);
