// The GraphQL face of transfers.

import type { Transfer as TransferRow } from '../../generated/prisma/client.js';
import { NotFound } from '../../platform/errors.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, listed, openToPortal, pageOf } from '../../platform/schema/builder.js';
import { parseId } from '../../platform/schema/id.js';
import { byId, relation, rowsOf } from '../../platform/schema/relation.js';
import { Entry } from '../accounts/entry.schema.js';
import { Merchant } from '../accounts/merchant.schema.js';
import { ProtocolEnum } from '../spending/protocol.input.js';
import type { ShownDestination } from './destination.js';
import { TransferDestination } from './destination.schema.js';
import { merchantOf } from './events.js';
import { rest } from './rest.js';
import { originIdOf, subjectIdOf } from './subject.js';
import { CaptureByEnum, CaptureModeEnum, TransferStatusEnum, TransferTypeEnum, transferFilters } from './transfer.input.js';
import { entriesOfTransfer, mostTransferEntries, transfer, transfers, visibleTransfers } from './transfer-list.js';
import { ofPayer, TransferFailure, TransferHold, TransferInitiator } from './transfer-part.schema.js';

export const TransferFee = builder.objectRef<{ amount: bigint; currency: string }>('TransferFee').implement({
  extensions: { component: false },
  description: 'The fee that is part of what is sent.',
  fields: (t) => ({
    amount: t.field({
      type: 'Amount',
      description: 'In the currency of the fee; 0.00 where there is none.',
      resolve: ({ amount, currency }) => formatMinor(amount, currency),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
  }),
});

export const Transfer = builder.prismaObject('Transfer', {
  ...byId(rowsOf('transfer', (ctx) => visibleTransfers(ctx))),
  description: 'A movement of money. Its amount and parties never change.',
  fields: (t) => ({
    id: t.expose('id', { type: 'TransferId' }),
    type: t.expose('type', { type: TransferTypeEnum }),
    status: t.expose('status', { type: TransferStatusEnum }),
    amount: t.field({
      type: 'Amount',
      description: 'What leaves the payer in `currency`, fee included where there is a quote.',
      resolve: (row) => formatMinor(row.amount, row.currency),
    }),
    currency: t.expose('currency', { type: 'Currency', description: 'The currency that the payer sends.' }),
    destinationAmount: t.field({
      type: 'Amount',
      nullable: true,
      description: 'What reaches the payee in `destination_currency`; null where the currency is the same.',
      resolve: ({ destinationAmount, destinationCurrency }) =>
        destinationAmount === null || destinationCurrency === null ? null : formatMinor(destinationAmount, destinationCurrency),
    }),
    destinationCurrency: t.expose('destinationCurrency', {
      type: 'Currency',
      nullable: true,
      description: 'The currency that the payee receives, where it is another one; else null.',
    }),
    quoteId: t.expose('quoteId', {
      type: 'QuoteId',
      nullable: true,
      description: 'The quote whose rate it used; null where no currency was changed.',
    }),
    fee: t.field({
      type: TransferFee,
      description: "The platform's fee, part of what is sent.",
      resolve: ({ feeAmount: amount, currency }) => ({ amount, currency }),
    }),
    fromAccountId: t.expose('fromAccountId', {
      type: 'AccountId',
      nullable: true,
      description: 'The account that pays; null for money that comes from outside.',
    }),
    toAccountId: t.expose('toAccountId', {
      type: 'AccountId',
      nullable: true,
      description: 'The account that is paid; null for money that leaves the platform.',
    }),
    fromWalletId: t.expose('fromWalletId', {
      type: 'WalletId',
      nullable: true,
      description: 'The wallet that pays; null for money that comes from outside.',
    }),
    toWalletId: t.expose('toWalletId', {
      type: 'WalletId',
      nullable: true,
      description: 'The wallet that is paid; null for money that leaves the platform or waits in an escrow.',
    }),
    destination: t.field({
      type: TransferDestination,
      nullable: true,
      description: 'Where the money goes outside of the platform; null where it stays inside.',
      resolve: ({ destination }) => destination as ShownDestination | null,
    }),
    payoutId: t.field({
      type: 'PayoutId',
      nullable: true,
      description: 'The payout that it belongs to; null for others.',
      resolve: (row) => subjectIdOf(row, 'payout'),
    }),
    fundingTransactionId: t.field({
      type: 'FundingTransactionId',
      nullable: true,
      description: 'The funding transaction that it belongs to; null for others.',
      resolve: (row) => subjectIdOf(row, 'funding_transaction'),
    }),
    protocol: t.expose('protocol', { type: ProtocolEnum }),
    description: t.exposeString('description', { nullable: true, description: 'Text of the payer for people; null where none was given.' }),
    reference: t.string({
      nullable: true,
      description:
        "Your own reference, unique for the account that pays. Null where none was given, and for those who see only the payee's side.",
      resolve: ofPayer((row) => row.reference),
    }),
    capture: t.expose('capture', { type: CaptureModeEnum }),
    captureBy: t.expose('captureBy', {
      type: CaptureByEnum,
      nullable: true,
      description:
        'The side that captures the hold, `payer` or `payee`; null where neither does, and for holds created before this existed.',
    }),
    hold: t.field({
      type: TransferHold,
      nullable: true,
      description: 'The money set aside until it is captured; null where nothing is or was held.',
      resolve: (row) => (row.holdId === null ? null : row),
    }),
    scheduledFor: t.expose('scheduledFor', {
      type: 'DateTime',
      nullable: true,
      description: 'When a scheduled transfer is carried out; null for others.',
    }),
    merchant: t.field({
      type: Merchant,
      description: 'The merchant that was paid, where a checkout, a card or a mandate names one.',
      ...relation((row: TransferRow) => parseId('merchant', merchantOf(row))),
    }),
    refundedAmount: t.field({
      type: 'Amount',
      description: 'What refunds have given back so far, in `currency`; 0.00 where nothing was.',
      resolve: (row) => formatMinor(row.refundedAmount, row.currency),
    }),
    initiatedBy: t.field({ type: TransferInitiator, description: 'Who requested it.', resolve: (row) => row }),
    agentId: t.expose('agentId', {
      type: 'AgentUuid',
      nullable: true,
      description: 'The agent that spends, or for which an API key acted; null where none did.',
    }),
    decisionId: t.field({
      type: 'DecisionId',
      nullable: true,
      description: "The stored decision that allowed it; null where no limit took part, and for those who see only the payee's side.",
      resolve: ofPayer((row) => row.decisionId),
    }),
    approvalId: t.field({
      type: 'ApprovalId',
      nullable: true,
      description: "The approval that it waits or waited for. Null without one, and for those who see only the payee's side.",
      resolve: ofPayer((row) => row.approvalId),
    }),
    batchId: t.field({
      type: 'BatchId',
      nullable: true,
      description: 'The batch that it is an item of; null for others.',
      resolve: (row) => originIdOf(row, 'batch'),
    }),
    streamId: t.field({
      type: 'StreamId',
      nullable: true,
      description: 'The stream whose money it moves; null for others.',
      resolve: (row) => subjectIdOf(row, 'stream'),
    }),
    mandateId: t.field({
      type: 'MandateId',
      nullable: true,
      description: "The mandate that it was executed under. Null without one, and for those who see only the payee's side.",
      resolve: ofPayer((row) => row.mandateId),
    }),
    taskId: t.field({
      type: 'TaskId',
      nullable: true,
      description: 'The task that it pays for; null for others.',
      resolve: (row) => subjectIdOf(row, 'task'),
    }),
    refundId: t.field({
      type: 'RefundId',
      nullable: true,
      description: 'The refund that it carries out; null for others.',
      resolve: (row) => subjectIdOf(row, 'refund'),
    }),
    traceId: t.string({
      nullable: true,
      description: "Trace id of the `traceparent` of the request behind it. Null without one, and for those who see only the payee's side.",
      resolve: ofPayer((row) => row.traceId),
    }),
    protocolMetadata: t.expose('protocolMetadata', {
      type: 'JSONObject',
      nullable: true,
      description: 'Details of the protocol by which it was paid; null where there are none.',
    }),
    failure: t.field({
      type: TransferFailure,
      nullable: true,
      description: "Why it failed or was cancelled. Null for others, and for those who see only the payee's side.",
      resolve: ofPayer((row) => (row.failureCode === null ? null : row)),
    }),
    metadata: t.field({
      type: 'JSONObject',
      nullable: true,
      description: "JSON object of the payer, stored and answered as it is. Null for those who see only the payee's side.",
      resolve: ofPayer((row) => row.metadata),
    }),
    sharedMetadata: t.expose('sharedMetadata', {
      type: 'JSONObject',
      nullable: true,
      description: 'JSON object of the payer that the payee reads too; null where none was given.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was completed; null before, and for one that failed or was cancelled.',
    }),
  }),
});
/** A page of transfers, for lists of what something is made of. */
export const TransferPage = pageOf(Transfer, 'Transfer');

builder.queryFields((t) => ({
  transfer: t.prismaField({
    route: rest(
      'GET /v1/transfers/{id}',
      "Read a transfer with its status, hold and failure. An agent reads transfers that it took part in; the payee's side does not see the payer's private members.",
    ),
    type: Transfer,
    ...openToPortal('transfers:read'),
    args: { id: t.arg({ type: 'TransferId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id }, ctx) => transfer(ctx, id),
  }),
  transfers: t.field({
    route: rest(
      'GET /v1/transfers',
      'List transfers, newest first. Filter by status, parties, agent, protocol, amount or reference; amounts are compared in one currency, so they need `currency`. An agent sees those that it took part in.',
    ),
    type: TransferPage,
    ...openToPortal('transfers:read'),
    ...listed(t, transfers, { ...transferFilters }),
  }),
}));

builder.queryField('transferEntries', (t) =>
  t.field({
    route: rest(
      'GET /v1/transfers/{id}/entries',
      'Read the ledger entries of a transfer, oldest first. Every posting that it made is included: setting money aside, paying, giving back. Entries of wallets that you may not read are left out.',
    ),
    type: [Entry],
    ...openToPortal('transfers:read'),
    args: { id: t.arg({ type: 'TransferId' }) },
    ...facts({ errors: [NotFound], most: mostTransferEntries }),
    resolve: (_root, { id }, ctx) => entriesOfTransfer(ctx, id),
  }),
);
