// The GraphQL face of transfers.
import type { Approval, Transfer as TransferRow } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { CurrencyMismatch, Forbidden, NotFound, StateConflict, TestModeOnly } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, listed, openToPortal, pageOf } from '../../platform/schema/builder.js';
import { Entry } from '../accounts/entry.schema.js';
import { WalletFrozen } from '../accounts/errors.js';
import { approval } from '../spending/approval/approval.js';
import { pendingApproval } from '../spending/approval/approval.schema.js';
import { mandateErrors, QuoteUsed } from '../spending/errors.js';
import { postingErrors } from '../spending/pipeline/refusal.js';
import { ProtocolEnum } from '../spending/protocol.input.js';
import { asMade, isRemade } from './as-made.js';
import type { ShownDestination } from './destination.js';
import { TransferDestination } from './destination.schema.js';
import { HoldExpired, SameWallet } from './errors.js';
import { fundWallet } from './funding.js';
import { cancelTransfer, captureTransfer } from './hold.js';
import { QuoteExpired } from './quote.js';
import { RailUnavailable, UnsupportedRail } from './rail.js';
import { rest } from './rest.js';
import { originIdOf, subjectIdOf } from './subject.js';
import {
  CancelTransferInput,
  CaptureByEnum,
  CaptureModeEnum,
  CaptureTransferInput,
  CreateTransferInput,
  FundWalletInput,
  MoveWithinWalletInput,
  TransferStatusEnum,
  TransferTypeEnum,
  transferFilters,
} from './transfer.input.js';
import { entriesOfTransfer, mostTransferEntries, transfer, transfers } from './transfer-list.js';
import { ofPayer, TransferFailure, TransferHold, TransferInitiator, toPayee } from './transfer-part.schema.js';
import { createTransfer, moveWithinWallet } from './transfer-request.js';

export const TransferFee = builder.objectRef<{ amount: bigint; currency: string }>('TransferFee').implement({
  extensions: { component: false },
  description: 'The part of what is sent that is our fee.',
  fields: (t) => ({
    amount: t.field({ type: 'Amount', resolve: ({ amount, currency }) => formatMinor(amount, currency) }),
    currency: t.expose('currency', { type: 'Currency' }),
  }),
});

export const Transfer = builder.prismaObject('Transfer', {
  description: 'A movement of money. Its amount and parties never change.',
  fields: (t) => ({
    id: t.expose('id', { type: 'TransferId' }),
    type: t.expose('type', { type: TransferTypeEnum }),
    status: t.expose('status', { type: TransferStatusEnum }),
    amount: t.field({ type: 'Amount', resolve: (row) => formatMinor(row.amount, row.currency) }),
    currency: t.expose('currency', { type: 'Currency' }),
    destinationAmount: t.field({
      type: 'Amount',
      nullable: true,
      description: 'What the payee gets, where it is another currency.',
      resolve: ({ destinationAmount, destinationCurrency }) =>
        destinationAmount === null || destinationCurrency === null ? null : formatMinor(destinationAmount, destinationCurrency),
    }),
    destinationCurrency: t.expose('destinationCurrency', { type: 'Currency', nullable: true }),
    quoteId: t.expose('quoteId', { type: 'QuoteId', nullable: true }),
    fee: t.field({ type: TransferFee, resolve: ({ feeAmount: amount, currency }) => ({ amount, currency }) }),
    fromAccountId: t.expose('fromAccountId', { type: 'AccountId', nullable: true }),
    toAccountId: t.expose('toAccountId', { type: 'AccountId', nullable: true }),
    fromWalletId: t.expose('fromWalletId', { type: 'WalletId', nullable: true }),
    toWalletId: t.expose('toWalletId', { type: 'WalletId', nullable: true }),
    destination: t.field({
      type: TransferDestination,
      nullable: true,
      description: 'The place out of the platform that it goes to.',
      resolve: ({ destination }) => destination as ShownDestination | null,
    }),
    payoutId: t.field({
      type: 'PayoutId',
      nullable: true,
      description: 'The payout whose money it is.',
      resolve: (row) => subjectIdOf(row, 'payout'),
    }),
    fundingTransactionId: t.field({
      type: 'FundingTransactionId',
      nullable: true,
      description: 'The funding transaction whose money it is.',
      resolve: (row) => subjectIdOf(row, 'funding_transaction'),
    }),
    protocol: t.expose('protocol', { type: ProtocolEnum }),
    description: t.exposeString('description', { nullable: true }),
    reference: t.string({ nullable: true, description: `Null ${toPayee}.`, resolve: ofPayer((row) => row.reference) }),
    capture: t.expose('capture', { type: CaptureModeEnum }),
    captureBy: t.expose('captureBy', {
      type: CaptureByEnum,
      nullable: true,
      description: 'The side that captures what is held; null where neither does, and for holds of before.',
    }),
    hold: t.field({ type: TransferHold, nullable: true, resolve: (row) => (row.holdId === null ? null : row) }),
    scheduledFor: t.expose('scheduledFor', { type: 'DateTime', nullable: true }),
    refundedAmount: t.field({ type: 'Amount', resolve: (row) => formatMinor(row.refundedAmount, row.currency) }),
    initiatedBy: t.field({ type: TransferInitiator, resolve: (row) => row }),
    agentId: t.expose('agentId', { type: 'AgentUuid', nullable: true }),
    decisionId: t.field({
      type: 'DecisionId',
      nullable: true,
      description: `The stored decision that allowed it. Null ${toPayee}.`,
      resolve: ofPayer((row) => row.decisionId),
    }),
    approvalId: t.field({
      type: 'ApprovalId',
      nullable: true,
      description: `The approval that it waits or waited for. Null ${toPayee}.`,
      resolve: ofPayer((row) => row.approvalId),
    }),
    batchId: t.field({
      type: 'BatchId',
      nullable: true,
      description: 'The batch that it is an item of.',
      resolve: (row) => originIdOf(row, 'batch'),
    }),
    streamId: t.field({
      type: 'StreamId',
      nullable: true,
      description: 'The stream whose money it moves.',
      resolve: (row) => subjectIdOf(row, 'stream'),
    }),
    mandateId: t.field({
      type: 'MandateId',
      nullable: true,
      description: `The mandate that it is an execution of. Null ${toPayee}.`,
      resolve: ofPayer((row) => row.mandateId),
    }),
    taskId: t.field({
      type: 'TaskId',
      nullable: true,
      description: 'The task that it pays for.',
      resolve: (row) => subjectIdOf(row, 'task'),
    }),
    refundId: t.field({
      type: 'RefundId',
      nullable: true,
      description: 'The refund whose money it moves.',
      resolve: (row) => subjectIdOf(row, 'refund'),
    }),
    traceId: t.string({
      nullable: true,
      description: `Of the traceparent of the request that made it. Null ${toPayee}.`,
      resolve: ofPayer((row) => row.traceId),
    }),
    protocolMetadata: t.expose('protocolMetadata', { type: 'JSONObject', nullable: true }),
    failure: t.field({
      type: TransferFailure,
      nullable: true,
      description: `Why it failed or was called off. Null ${toPayee}.`,
      resolve: ofPayer((row) => (row.failureCode === null ? null : row)),
    }),
    metadata: t.field({
      type: 'JSONObject',
      nullable: true,
      description: `The payer's own. Null ${toPayee}.`,
      resolve: ofPayer((row) => row.metadata),
    }),
    sharedMetadata: t.expose('sharedMetadata', {
      type: 'JSONObject',
      nullable: true,
      description: 'What the payer says to the payee too.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true }),
  }),
});
/** A page of transfers, for lists of what something is made of. */
export const TransferPage = pageOf(Transfer, 'Transfer');

/** What a request for a transfer may be refused with before the ledger is asked. */
export const requestErrors = [
  NotFound,
  SameWallet,
  CurrencyMismatch,
  QuoteExpired,
  QuoteUsed,
  UnsupportedRail,
  RailUnavailable,
  ...mandateErrors,
] as const;

/** A transfer that a spend made, and the approval that it waits for. */
interface TransferPayload {
  transfer: TransferRow;
  approval: Approval | null;
}
const TransferPayloadType = builder.objectRef<TransferPayload>('TransferPayload').implement({
  description: 'What a spend made, and the approval that it waits for, if it does.',
  fields: (t) => ({
    transfer: t.field({ type: Transfer, resolve: ({ transfer: row }) => row }),
    approval: t.expose('approval', pendingApproval),
  }),
});

/** The payload of a keyed request that is repeated. */
async function transferPayload(ctx: Ctx, id: string): Promise<TransferPayload> {
  const made = await transfer(ctx, id);
  return { transfer: asMade(made), approval: made.approvalId === null ? null : await approval(ctx, made.approvalId) };
}

const transferAsMade = async (ctx: Ctx, id: string): Promise<TransferRow> => asMade(await transfer(ctx, id));

builder.queryFields((t) => ({
  transfer: t.prismaField({
    route: rest('GET /v1/transfers/{id}', 'Read a transfer.'),
    type: Transfer,
    ...openToPortal('transfers:read'),
    args: { id: t.arg({ type: 'TransferId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id }, ctx) => transfer(ctx, id),
  }),
  transfers: t.field({
    route: rest('GET /v1/transfers', 'List transfers.'),
    type: TransferPage,
    ...openToPortal('transfers:read'),
    ...listed(t, transfers, { ...transferFilters }),
  }),
}));

builder.queryField('transferEntries', (t) =>
  t.field({
    route: rest('GET /v1/transfers/{id}/entries', 'The ledger entries of a transfer, oldest first.'),
    type: [Entry],
    ...openToPortal('transfers:read'),
    description: 'The ledger entries of a transfer, oldest first: those of wallets that you may read.',
    args: { id: t.arg({ type: 'TransferId' }) },
    ...facts({ errors: [NotFound], most: mostTransferEntries }),
    resolve: (_root, { id }, ctx) => entriesOfTransfer(ctx, id),
  }),
);

// A transfer has no relations, so its mutations need no selection of rows: a plain field is the faster way.
builder.mutationFields((t) => ({
  createTransfer: t.field({
    route: rest('POST /v1/transfers', 'Move money from one wallet to another.', { status: 201, body: 'transfer', accepted: 'approval' }),
    type: TransferPayloadType,
    args: { input: t.arg({ type: CreateTransferInput }) },
    ...facts({ errors: [...requestErrors, ...postingErrors] }),
    resolve: once(
      (ctx, { input }) => createTransfer(ctx, input),
      transferPayload,
      (made) => isRemade(made.transfer),
    ),
  }),
  captureTransfer: t.field({
    route: rest('POST /v1/transfers/{id}/capture', 'Pay out what a transfer holds, all of it or a part; the rest goes back.'),
    type: Transfer,
    args: { id: t.arg({ type: 'TransferId' }), input: t.arg({ type: CaptureTransferInput }) },
    ...facts({ errors: [NotFound, Forbidden, StateConflict, HoldExpired, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => captureTransfer(ctx, id, input.amount ?? null), transfer),
  }),
  cancelTransfer: t.field({
    route: rest('POST /v1/transfers/{id}/cancel', 'Call a pending transfer off.'),
    type: Transfer,
    args: { id: t.arg({ type: 'TransferId' }), input: t.arg({ type: CancelTransferInput }) },
    ...facts({ errors: [NotFound, Forbidden, StateConflict] }),
    resolve: once((ctx, { id, input }) => cancelTransfer(ctx, id, input.reason ?? null), transfer),
  }),
  fundWallet: t.field({
    route: rest('POST /v1/wallets/{id}/fund', 'Put test money into a wallet. Sandbox only.', { status: 201 }),
    type: Transfer,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'WalletId' }), input: t.arg({ type: FundWalletInput }) },
    ...facts({ errors: [NotFound, CurrencyMismatch, TestModeOnly, WalletFrozen] }),
    resolve: once((ctx, { id, input }) => fundWallet(ctx, { ...input, id }), transferAsMade, isRemade),
  }),
  wrapWallet: t.field({
    route: rest('POST /v1/wallets/{id}/wrap', 'Make money of a wallet ready to stream.', { status: 201 }),
    type: Transfer,
    args: { id: t.arg({ type: 'WalletId' }), input: t.arg({ type: MoveWithinWalletInput }) },
    ...facts({ errors: [NotFound, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => moveWithinWallet(ctx, { ...input, id, type: 'wrap' }), transferAsMade, isRemade),
  }),
  unwrapWallet: t.field({
    route: rest('POST /v1/wallets/{id}/unwrap', 'Make stream-ready money of a wallet spendable again.', { status: 201 }),
    type: Transfer,
    args: { id: t.arg({ type: 'WalletId' }), input: t.arg({ type: MoveWithinWalletInput }) },
    ...facts({ errors: [NotFound, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => moveWithinWallet(ctx, { ...input, id, type: 'unwrap' }), transferAsMade, isRemade),
  }),
}));
