// The GraphQL face of uploaded statements.
import { once } from '../../platform/idempotency.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { RailEntriesInput } from './rail-entry.input.js';
import { type Upload, upload, uploadEntries } from './rail-entry.js';
import { rest } from './rest.js';

const RailImport = builder.objectRef<Upload>('RailImport').implement({
  description: 'Lines that were added to the statement of a rail together.',
  fields: (t) => ({
    importId: t.expose('id', { type: 'RailImportId' }),
    count: t.exposeInt('count', { description: 'Lines.' }),
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
