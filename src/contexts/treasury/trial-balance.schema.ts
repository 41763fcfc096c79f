// The GraphQL face of the trial balance.
import { type TrialBalanceLine, trialBalance } from '../../ledger/trial-balance.js';
import { currencies, formatMinor } from '../../platform/money.js';
import { builder, facts } from '../../platform/schema/builder.js';

const TrialBalance = builder.objectRef<TrialBalanceLine>('TrialBalance').implement({
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

builder.queryField('trialBalance', (t) =>
  t.field({
    type: [TrialBalance],
    ...facts({ most: currencies.length }),
    authScopes: { audience: 'operator' },
    args: { at: t.arg({ type: 'DateTime', required: false }) },
    resolve: (_root, { at }, ctx) => trialBalance(ctx, at ?? undefined),
  }),
);
