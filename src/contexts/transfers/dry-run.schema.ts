// The GraphQL face of dry runs.

import { builder, facts } from '../../platform/schema/builder.js';
import { DecisionType } from '../spending/pipeline/decision.schema.js';
import type { DryRun } from '../spending/pipeline/dry-run.js';
import { rest } from './rest.js';
import { CreateTransferInput } from './transfer.input.js';
import { requestErrors } from './transfer.schema.js';
import { mostTransferEntries } from './transfer-list.js';
import { dryRunTransfer } from './transfer-trial.js';

const WouldPost = builder.objectRef<DryRun['wouldPost'][number]>('WouldPost').implement({
  fields: (t) => ({
    account: t.exposeString('account'),
    direction: t.exposeString('direction'),
    amount: t.expose('amount', { type: 'Amount' }),
    currency: t.expose('currency', { type: 'Currency' }),
  }),
});
/** What every dry run answers. */
export const DryRunType = builder.objectRef<DryRun>('DryRun').implement({
  description: 'What a request would do. Nothing was changed.',
  fields: (t) => ({
    decision: t.field({ type: DecisionType, resolve: ({ decision }) => decision }),
    wouldPost: t.field({ type: [WouldPost], ...facts({ most: mostTransferEntries }), resolve: ({ wouldPost }) => wouldPost }),
    wouldEmit: t.exposeStringList('wouldEmit'),
  }),
});

builder.mutationField('dryRunTransfer', (t) =>
  t.field({
    route: rest('POST /v1/transfers', 'Say what a transfer would do, and change nothing.', { when: 'dry_run' }),
    type: DryRunType,
    args: { input: t.arg({ type: CreateTransferInput }) },
    ...facts({ effect: 'none', errors: requestErrors }),
    resolve: (_root, { input }, ctx) => dryRunTransfer(ctx, input),
  }),
);
