// The GraphQL face of funding transactions.
import type { FundingTransaction as Row } from '../../generated/prisma/client.js';
import { FundingStatus } from '../../generated/prisma/enums.js';
import { CurrencyMismatch, NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { WalletFrozen } from '../accounts/errors.js';
import { RailUnavailable } from '../transfers/rail.js';
import { FundingUnsupported } from './errors.js';
import { CreateFundingTransactionInput, FundingTypeEnum, provider } from './funding.input.js';
import { createFundingTransaction } from './funding-request.js';
import { fundingTransaction, fundingTransactions } from './funding-transaction.js';
import { rest } from './rest.js';

const FundingStatusEnum = builder.enumType(FundingStatus, { name: 'FundingStatus' });

const FundingReturn = builder.objectRef<Row>('FundingReturn').implement({
  description: 'Why the rail rejected it, or why the source took it back.',
  fields: (t) => ({
    reason: t.string({ resolve: (row) => row.returnReason ?? '' }),
    code: t.string({ resolve: (row) => row.returnCode ?? '' }),
  }),
});

export const FundingTransaction = builder.prismaObject('FundingTransaction', {
  description: 'Money that a provider brings into a wallet.',
  fields: (t) => ({
    id: t.expose('id', { type: 'FundingTransactionId' }),
    transferId: t.expose('transferId', { type: 'TransferId', description: 'The transfer that credits the wallet.' }),
    provider: t.exposeString('provider'),
    type: t.expose('type', { type: FundingTypeEnum }),
    walletId: t.expose('walletId', { type: 'WalletId' }),
    amount: t.field({ type: 'Amount', description: 'What is collected.', resolve: (row) => formatMinor(row.amount, row.currency) }),
    currency: t.expose('currency', { type: 'Currency' }),
    fee: t.field({
      type: 'Amount',
      description: 'What the rail takes of it; the wallet gets the rest.',
      resolve: (row) => formatMinor(row.fee, row.currency),
    }),
    rail: t.exposeString('rail'),
    sourceRef: t.exposeString('sourceRef', { nullable: true }),
    status: t.expose('status', { type: FundingStatusEnum }),
    railReference: t.exposeString('railReference', { nullable: true, description: 'Its name at the rail, once it was submitted.' }),
    return: t.field({ type: FundingReturn, nullable: true, resolve: (row) => (row.returnCode === null ? null : row) }),
    errorCode: t.exposeString('errorCode', { nullable: true, description: 'Why it failed, or why the source took it back.' }),
    shortfall: t.field({
      type: 'Amount',
      nullable: true,
      description: 'What the wallet no longer had when the source took the money back.',
      resolve: (row) => (row.returnedAt === null ? null : formatMinor(row.shortfall, row.currency)),
    }),
    expectedAt: t.expose('expectedAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true }),
    returnedAt: t.expose('returnedAt', { type: 'DateTime', nullable: true, description: 'When the source took it back.' }),
  }),
});
const FundingTransactionPage = pageOf(FundingTransaction, 'FundingTransaction');

builder.queryFields((t) => ({
  fundingTransaction: t.prismaField({
    route: rest('GET /v1/funding/transactions/{id}', 'Read a funding transaction.'),
    type: FundingTransaction,
    args: { id: t.arg({ type: 'FundingTransactionId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id }, ctx) => fundingTransaction(ctx, id),
  }),
  fundingTransactions: t.field({
    route: rest('GET /v1/funding/transactions', 'List funding transactions.'),
    type: FundingTransactionPage,
    ...listed(t, fundingTransactions, {
      status: t.arg({ type: FundingStatusEnum, required: false }),
      type: t.arg({ type: FundingTypeEnum, required: false }),
      provider: t.arg.string({ required: false, validate: provider }),
      walletId: t.arg({ type: 'WalletId', required: false }),
    }),
  }),
}));

builder.mutationField('createFundingTransaction', (t) =>
  t.field({
    route: rest(
      'POST /v1/funding/transactions',
      'Bring money into a wallet. It is credited when it has arrived; that of the sandbox arrives at once.',
      { status: 201 },
    ),
    type: FundingTransaction,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: CreateFundingTransactionInput }) },
    ...facts({ errors: [NotFound, CurrencyMismatch, WalletFrozen, FundingUnsupported, RailUnavailable] }),
    resolve: once((ctx, { input }) => createFundingTransaction(ctx, input), fundingTransaction),
  }),
);
