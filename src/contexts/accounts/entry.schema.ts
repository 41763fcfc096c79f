// The GraphQL face of ledger entries.
import type { Entry as LedgerEntry } from '../../ledger/entry.js';
import { NotFound } from '../../platform/errors.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { defaultLimit } from '../../platform/schema/page.js';
import { entries, newestOfWallet } from './entry.js';
import { rest } from './rest.js';
import { Wallet } from './wallet.schema.js';

const Direction = builder.enumType('EntryDirection', {
  description: '`debit`: the entry lowers the balance of its ledger account. `credit`: it raises it.',
  values: ['debit', 'credit'] as const,
});

export const Entry = builder.objectRef<LedgerEntry>('Entry').implement({
  description: 'One posting to one ledger account. It is never changed.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Its identifier: `ent_`, the ledger account and the number of the entry in it.' }),
    transactionId: t.expose('transactionId', {
      type: 'LedgerTransactionId',
      description: 'The ledger transaction that it is part of; the entries of a transaction sum to zero in each currency.',
    }),
    transferId: t.expose('transferId', {
      type: 'TransferId',
      nullable: true,
      description: 'The transfer that caused it; null for postings that are no transfer.',
    }),
    walletId: t.expose('walletId', {
      type: 'WalletId',
      nullable: true,
      description: 'The wallet that it belongs to; null for accounts of the platform.',
    }),
    account: t.exposeString('kind', { description: 'Kind of the ledger account, such as `wallet.available`, `fees` or `world`.' }),
    bucket: t.exposeString('bucket', {
      nullable: true,
      description: 'Part of the wallet: `available`, `held` or `wrapped`; null for other ledger accounts.',
    }),
    direction: t.field({ wire: { after: 'account' }, type: Direction, resolve: ({ amount }) => (amount < 0n ? 'debit' : 'credit') }),
    amount: t.field({
      type: 'Amount',
      description: 'Always positive, in the currency of the entry; `direction` says which way.',
      resolve: ({ amount, currency }) => formatMinor(amount < 0n ? -amount : amount, currency),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    balanceAfter: t.field({
      type: 'SignedAmount',
      description: 'Balance of the ledger account after this entry. Only accounts of the platform can be negative.',
      resolve: ({ balanceAfter, currency }) => formatMinor(balanceAfter, currency),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
const EntryPage = pageOf(Entry, 'Entry');

builder.queryField('walletEntries', (t) =>
  t.field({
    route: rest(
      'GET /v1/wallets/{id}/entries',
      'Read the statement of a wallet: its ledger entries, newest first. Every bucket of the wallet is included; each entry shows the balance of its ledger account after it.',
    ),
    type: EntryPage,
    authScopes: { audience: 'any', scope: 'wallets:read' },
    args: { id: t.arg({ type: 'WalletId', description: 'The wallet.' }), ...pageArgs(t) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id, ...input }, ctx) => entries(ctx, id, input),
  }),
);

builder.objectField(Wallet, 'entries', (t) =>
  t.field({
    type: EntryPage,
    description: 'The newest entries of the wallet; `walletEntries` pages through all of them.',
    args: { limit: t.arg({ type: 'Limit', required: false, defaultValue: defaultLimit }) },
    resolve: ({ id }, { limit }, ctx) => newestOfWallet(ctx, id, limit ?? defaultLimit),
  }),
);
