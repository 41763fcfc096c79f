// The GraphQL face of dry runs.

import { builder, facts } from '../../platform/schema/builder.js';
import { DecisionType } from '../spending/pipeline/decision.schema.js';
import type { DryRun } from '../spending/pipeline/dry-run.js';
import { rest } from './rest.js';
import { CreateTransferInput } from './transfer.input.js';
import { mostTransferEntries } from './transfer-list.js';
import { requestErrors } from './transfer-request.schema.js';
import { dryRunTransfer } from './transfer-trial.js';

const WouldPost = builder.objectRef<DryRun['wouldPost'][number]>('WouldPost').implement({
  description: 'An entry that a request would post.',
  fields: (t) => ({
    account: t.exposeString('account', { description: 'Kind of the ledger account, such as `wallet.available`.' }),
    direction: t.exposeString('direction', { description: '`debit` lowers the balance of the account, `credit` raises it.' }),
    amount: t.expose('amount', { type: 'Amount', description: 'Always positive; `direction` says which way.' }),
    currency: t.expose('currency', { type: 'Currency' }),
  }),
});
/** What every dry run answers. */
export const DryRunType = builder.objectRef<DryRun>('DryRun').implement({
  description: 'What a request would do. Nothing was changed.',
  fields: (t) => ({
    decision: t.field({
      type: DecisionType,
      description: 'What the spend pipeline would decide, check by check.',
      resolve: ({ decision }) => decision,
    }),
    wouldPost: t.field({
      type: [WouldPost],
      description: 'Ledger entries that would be posted; empty where the spend would be refused.',
      ...facts({ most: mostTransferEntries }),
      resolve: ({ wouldPost }) => wouldPost,
    }),
    wouldEmit: t.exposeStringList('wouldEmit', { description: 'Types of the events that would be emitted.' }),
  }),
});

builder.mutationField('dryRunTransfer', (t) =>
  t.field({
    route: rest(
      'POST /v1/transfers',
      'Show what `POST /v1/transfers` would do, without doing it. A refusal by the spend pipeline is part of the answer; a faulty request is an error.',
      { when: 'dry_run' },
    ),
    type: DryRunType,
    authScopes: { audience: 'any', scope: 'transfers:write' },
    args: { input: t.arg({ type: CreateTransferInput }) },
    ...facts({ effect: 'none', errors: requestErrors }),
    resolve: (_root, { input }, ctx) => dryRunTransfer(ctx, input),
  }),
);
