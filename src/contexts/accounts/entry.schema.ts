// The GraphQL face of ledger entries.
import type { Entry as LedgerEntry } from '../../ledger/entry.js';
import { NotFound } from '../../platform/errors.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { defaultLimit } from '../../platform/schema/page.js';
import { entries, newestOfWallet } from './entry.js';
import { rest } from './rest.js';
import { Wallet } from './wallet.schema.js';

const Direction = builder.enumType('EntryDirection', { values: ['debit', 'credit'] as const });

export const Entry = builder.objectRef<LedgerEntry>('Entry').implement({
  description: 'One movement on one ledger account. Never changed once written.',
  fields: (t) => ({
    id: t.exposeString('id'),
    transactionId: t.expose('transactionId', { type: 'LedgerTransactionId' }),
    transferId: t.expose('transferId', { type: 'TransferId', nullable: true }),
    walletId: t.expose('walletId', { type: 'WalletId', nullable: true }),
    account: t.exposeString('kind', { description: 'Kind of the ledger account, such as wallet.available or world.' }),
    bucket: t.exposeString('bucket', { nullable: true }),
    direction: t.field({ wire: { after: 'account' }, type: Direction, resolve: ({ amount }) => (amount < 0n ? 'debit' : 'credit') }),
    amount: t.field({ type: 'Amount', resolve: ({ amount, currency }) => formatMinor(amount < 0n ? -amount : amount, currency) }),
    currency: t.expose('currency', { type: 'Currency' }),
    balanceAfter: t.field({
      type: 'SignedAmount',
      description: 'Balance of that ledger account after this entry; negative only on accounts of the platform.',
      resolve: ({ balanceAfter, currency }) => formatMinor(balanceAfter, currency),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
const EntryPage = pageOf(Entry, 'Entry');

builder.queryField('walletEntries', (t) =>
  t.field({
    route: rest('GET /v1/wallets/{id}/entries', 'The statement of a wallet: its ledger entries, newest first.'),
    type: EntryPage,
    args: { id: t.arg({ type: 'WalletId' }), ...pageArgs(t) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id, ...input }, ctx) => entries(ctx, id, input),
  }),
);

builder.objectField(Wallet, 'entries', (t) =>
  t.field({
    type: EntryPage,
    description: 'Its newest entries; `walletEntries` reads on from there.',
    args: { limit: t.arg({ type: 'Limit', required: false, defaultValue: defaultLimit }) },
    resolve: ({ id }, { limit }, ctx) => newestOfWallet(ctx, id, limit ?? defaultLimit),
  }),
);
