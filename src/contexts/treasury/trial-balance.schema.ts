// The GraphQL face of the trial balance.
import { type TrialBalanceLine, trialBalance } from '../../ledger/trial-balance.js';
import { currencies, formatMinor } from '../../platform/money.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { rest } from './rest.js';
import { treeHead } from './snapshot.js';

const TrialBalanceLineType = builder.objectRef<TrialBalanceLine>('TrialBalanceLine').implement({
  description: 'One currency of the trial balance. The difference is always 0.',
  fields: (t) => ({
    currency: t.expose('currency', { type: 'Currency' }),
    debits: t.field({
      type: 'Amount',
      description: 'Sum of the balances below zero.',
      resolve: (line) => formatMinor(line.debits, line.currency),
    }),
    credits: t.field({
      type: 'Amount',
      description: 'Sum of the balances above zero.',
      resolve: (line) => formatMinor(line.credits, line.currency),
    }),
    difference: t.field({ type: 'SignedAmount', resolve: (line) => formatMinor(line.difference, line.currency) }),
    accounts: t.exposeInt('accounts', { description: 'Ledger accounts in this currency.' }),
  }),
});

const TrialBalance = builder.objectRef<{ data: TrialBalanceLine[]; treeHead: string | null }>('TrialBalance').implement({
  description: 'The proof that the books are right: debits and credits in each currency.',
  fields: (t) => ({
    data: t.field({ type: [TrialBalanceLineType], ...facts({ most: currencies.length }), resolve: ({ data }) => data }),
    treeHead: t.exposeString('treeHead', {
      wire: { orNull: true },
      nullable: true,
      description: 'Head of the audit log now; null while there is none.',
    }),
  }),
});

builder.queryField('trialBalance', (t) =>
  t.field({
    route: rest(
      'GET /v1/ledger/trial-balance',
      'The trial balance of the workspace: debits and credits per currency, now or at a point in time.',
      { body: true },
    ),
    type: TrialBalance,
    authScopes: { audience: 'operator' },
    args: { at: t.arg({ type: 'DateTime', required: false }) },
    // Gap G-375
    resolve: async (_root, { at }, ctx) => {
      const [data, head] = await Promise.all([trialBalance(ctx, at ?? undefined), treeHead(ctx)]);
      return { data, treeHead: head?.root ?? null };
    },
  }),
);
