// The GraphQL face of uploaded statements.
import { once } from '../../platform/idempotency.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { RailEntriesInput } from './rail-entry.input.js';
import { type Upload, upload, uploadEntries } from './rail-entry.js';
import { rest } from './rest.js';

const RailImport = builder.objectRef<Upload>('RailImport').implement({
  description: 'Lines that were added to the statement of a rail together.',
  fields: (t) => ({
    importId: t.expose('id', { type: 'RailImportId', description: 'The id of this upload.' }),
    count: t.exposeInt('count', { description: 'Number of lines that were added.' }),
  }),
});

builder.mutationField('uploadRailEntries', (t) =>
  t.field({
    route: rest(
      'POST /v1/reconciliation/rail-entries',
      "Upload up to 10,000 lines of a rail's statement, as JSON or CSV. All of them are added, or none: 400 names each faulty line. Run a reconciliation afterwards.",
      { status: 201 },
    ),
    type: RailImport,
    authScopes: { audience: 'operator', scope: 'settlement:write' },
    args: { input: t.arg({ type: RailEntriesInput }) },
    ...facts({ batch: true }),
    resolve: once((ctx, { input }) => uploadEntries(ctx, input), upload),
  }),
);
