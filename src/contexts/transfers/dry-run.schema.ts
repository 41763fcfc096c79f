// The GraphQL face of dry runs.
import { builder, facts } from '../../platform/builder.js';
import { CurrencyMismatch, NotFound } from '../../platform/errors.js';
import { type Check, type Decision, type DryRun, dryRunTransfer } from './dry-run.js';
import { SameWallet } from './errors.js';
import { CreateTransferInput } from './transfer.schema.js';

const CheckType = builder.objectRef<Check>('DecisionCheck').implement({
  fields: (t) => ({
    layer: t.exposeString('layer', { description: 'agent, wallet, kya or balance.' }),
    outcome: t.exposeString('outcome', { description: 'pass, fail, or skipped after a failure.' }),
    limit: t.expose('limit', { type: 'JSONObject', nullable: true }),
  }),
});
const DecisionType = builder.objectRef<Decision>('Decision').implement({
  description: 'What the spend pipeline says, step by step.',
  fields: (t) => ({
    outcome: t.exposeString('outcome', { description: 'allow or deny.' }),
    code: t.exposeString('code', { nullable: true }),
    message: t.exposeString('message', { nullable: true }),
    checks: t.field({ type: [CheckType], resolve: ({ checks }) => checks }),
    evaluatedAt: t.expose('evaluatedAt', { type: 'DateTime' }),
  }),
});
const WouldPost = builder.objectRef<DryRun['wouldPost'][number]>('WouldPost').implement({
  fields: (t) => ({
    account: t.exposeString('account'),
    direction: t.exposeString('direction'),
    amount: t.expose('amount', { type: 'Amount' }),
    currency: t.expose('currency', { type: 'Currency' }),
  }),
});
const DryRunType = builder.objectRef<DryRun>('DryRun').implement({
  description: 'What a request would do. Nothing was changed.',
  fields: (t) => ({
    decision: t.field({ type: DecisionType, resolve: ({ decision }) => decision }),
    wouldPost: t.field({ type: [WouldPost], resolve: ({ wouldPost }) => wouldPost }),
    wouldEmit: t.exposeStringList('wouldEmit'),
  }),
});

builder.mutationField('dryRunTransfer', (t) =>
  t.field({
    type: DryRunType,
    args: { input: t.arg({ type: CreateTransferInput }) },
    ...facts({ errors: [NotFound, SameWallet, CurrencyMismatch] }),
    resolve: (_root, { input }, ctx) => dryRunTransfer(ctx, input),
  }),
);
