// The GraphQL face of funding transactions.

import type { FundingTransaction as Row } from '../../generated/prisma/client.js';
import { FundingStatus } from '../../generated/prisma/enums.js';
import { CurrencyMismatch, NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { WalletFrozen } from '../accounts/errors.js';
import { detailsOf } from '../settlement/rail/rail-details.js';
import { RailDetailsType } from '../settlement/rail/rail-details.schema.js';
import { RailUnavailable } from '../transfers/rail.js';
import { FundedByDeposit, FundingUnsupported } from './errors.js';
import { CreateFundingTransactionInput, FundingTypeEnum, provider } from './funding.input.js';
import { createFundingTransaction } from './funding-request.js';
import { fundingTransaction, fundingTransactions, visibleFunding } from './funding-transaction.js';
import { rest } from './rest.js';

const FundingStatusEnum = builder.enumType(FundingStatus, {
  name: 'FundingStatus',
  description: '`pending`: not arrived yet. `completed`: the wallet was credited. `failed`: it did not arrive.',
});

const FundingReturn = builder.objectRef<Row>('FundingReturn').implement({
  description: 'Why the rail rejected it, or why the source took it back.',
  fields: (t) => ({
    reason: t.string({ description: 'Why, as a sentence for people.', resolve: (row) => row.returnReason ?? '' }),
    code: t.string({ description: 'Code of the rail.', resolve: (row) => row.returnCode ?? '' }),
  }),
});

export const FundingTransaction = builder.prismaObject('FundingTransaction', {
  ...byId(rowsOf('fundingTransaction', visibleFunding)),
  description: 'Money that a provider brings into a wallet.',
  fields: (t) => ({
    id: t.expose('id', { type: 'FundingTransactionId' }),
    transferId: t.expose('transferId', { type: 'TransferId', description: 'The transfer that credits the wallet.' }),
    provider: t.exposeString('provider', { description: 'The provider that brings it.' }),
    type: t.expose('type', { type: FundingTypeEnum }),
    walletId: t.expose('walletId', { type: 'WalletId', description: 'The wallet that is credited.' }),
    amount: t.field({
      type: 'Amount',
      description: 'What is collected, in `currency`.',
      resolve: (row) => formatMinor(row.amount, row.currency),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    fee: t.field({
      type: 'Amount',
      description: 'What the rail takes of it, in `currency`; the wallet gets the rest.',
      resolve: (row) => formatMinor(row.fee, row.currency),
    }),
    rail: t.exposeString('rail', { description: 'The rail that collects it.' }),
    sourceRef: t.exposeString('sourceRef', {
      nullable: true,
      description: 'What the provider calls the source; null where none was given.',
    }),
    status: t.expose('status', { type: FundingStatusEnum }),
    railReference: t.exposeString('railReference', {
      nullable: true,
      description: 'Its reference at the rail; null before it was submitted.',
    }),
    railDetails: t.field({
      type: RailDetailsType,
      nullable: true,
      description: 'Where a deposit is on its chain; null for others.',
      resolve: (row, _args, ctx) => detailsOf(ctx, 'fundingTransaction', row),
    }),
    return: t.field({
      type: FundingReturn,
      nullable: true,
      description: 'Why it was rejected or taken back; null for others.',
      resolve: (row) => (row.returnCode === null ? null : row),
    }),
    errorCode: t.exposeString('errorCode', {
      nullable: true,
      description: 'Why it failed or was taken back, as a word for programs; null for others.',
    }),
    shortfall: t.field({
      type: 'Amount',
      nullable: true,
      description: 'What the wallet no longer had when the source took the money back, in `currency`; null for others.',
      resolve: (row) => (row.returnedAt === null ? null : formatMinor(row.shortfall, row.currency)),
    }),
    expectedAt: t.expose('expectedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it should arrive, as the rail says; null where unknown.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true, description: 'When the wallet was credited; null before.' }),
    returnedAt: t.expose('returnedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the source took it back; null where it did not.',
    }),
  }),
});
const FundingTransactionPage = pageOf(FundingTransaction, 'FundingTransaction');

builder.queryFields((t) => ({
  fundingTransaction: t.prismaField({
    route: rest(
      'GET /v1/funding/transactions/{id}',
      'Read a funding transaction with its status at the rail. An agent reads those of wallets that it may read.',
    ),
    type: FundingTransaction,
    authScopes: { audience: 'any', scope: 'settlement:read' },
    args: { id: t.arg({ type: 'FundingTransactionId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id }, ctx) => fundingTransaction(ctx, id),
  }),
  fundingTransactions: t.field({
    route: rest('GET /v1/funding/transactions', 'List funding transactions, newest first. Filter by status, type, provider or wallet.'),
    type: FundingTransactionPage,
    authScopes: { audience: 'any', scope: 'settlement:read' },
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
      "Bring money into a wallet through a provider. The wallet is credited, less the rail's fee, when the money has arrived; in the sandbox that may be at once.",
      { status: 201 },
    ),
    type: FundingTransaction,
    authScopes: { audience: 'operator', scope: 'settlement:write' },
    args: { input: t.arg({ type: CreateFundingTransactionInput }) },
    ...facts({ errors: [NotFound, CurrencyMismatch, WalletFrozen, FundingUnsupported, FundedByDeposit, RailUnavailable] }),
    resolve: once((ctx, { input }) => createFundingTransaction(ctx, input), fundingTransaction),
  }),
);
