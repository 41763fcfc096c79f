// The GraphQL face of the trial balance.
import { type TrialBalanceLine, trialBalance } from '../../ledger/trial-balance.js';
import { currencies, formatMinor } from '../../platform/money.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { rest } from './rest.js';
import { treeHead } from './snapshot.js';

const TrialBalanceLineType = builder.objectRef<TrialBalanceLine>('TrialBalanceLine').implement({
  description: 'The trial balance of one currency.',
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
    difference: t.field({
      type: 'SignedAmount',
      description: 'Credits less debits; always 0.00 in correct books.',
      resolve: (line) => formatMinor(line.difference, line.currency),
    }),
    accounts: t.exposeInt('accounts', { description: 'Number of ledger accounts in this currency.' }),
  }),
});

const TrialBalance = builder.objectRef<{ data: TrialBalanceLine[]; treeHead: string | null }>('TrialBalance').implement({
  description: 'Debits and credits in each currency, which prove that the books are right.',
  fields: (t) => ({
    data: t.field({
      type: [TrialBalanceLineType],
      description: 'One line per currency.',
      ...facts({ most: currencies.length }),
      resolve: ({ data }) => data,
    }),
    treeHead: t.exposeString('treeHead', {
      wire: { orNull: true },
      nullable: true,
      description: 'Root of the audit log now, in hex; null while there is none.',
    }),
  }),
});

builder.queryField('trialBalance', (t) =>
  t.field({
    route: rest(
      'GET /v1/ledger/trial-balance',
      'Show the trial balance of the workspace: debits and credits per currency, now or at a time in the past. The difference is 0.00 in correct books.',
      { body: true },
    ),
    type: TrialBalance,
    authScopes: { audience: 'operator', scope: 'treasury:read' },
    args: { at: t.arg({ type: 'DateTime', required: false, description: 'The time to read the balances at; now by default.' }) },
    // Gap G-375: `tree_head` of an earlier time is the head of the audit log now.
    resolve: async (_root, { at }, ctx) => {
      const [data, head] = await Promise.all([trialBalance(ctx, at ?? undefined), treeHead(ctx)]);
      return { data, treeHead: head?.root ?? null };
    },
  }),
);
