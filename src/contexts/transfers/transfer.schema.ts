// The GraphQL face of transfers.
import { z } from 'zod';
import type { Transfer as TransferRow } from '../../generated/prisma/client.js';
import { CaptureMode, InitiatorType, Protocol, TransferStatus, TransferType } from '../../generated/prisma/enums.js';
import { postingErrors, WalletFrozen } from '../../ledger/errors.js';
import { builder, facts, nodesQuery, pageArgs, pageOf } from '../../platform/builder.js';
import { CurrencyMismatch, NotFound, StateConflict, TestModeOnly } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { printId } from '../../platform/ids.js';
import { formatMinor } from '../../platform/money.js';
import { Entry } from '../accounts/entry.schema.js';
import { HoldExpired, SameWallet } from './errors.js';
import { fundWallet } from './funding.js';
import { cancelTransfer, captureTransfer } from './hold.js';
import { createTransfer, moveWithinWallet } from './transfer.js';
import { entriesOfTransfer, transfer, transfers } from './transfer-list.js';

const TransferTypeEnum = builder.enumType(TransferType, { name: 'TransferType' });
const TransferStatusEnum = builder.enumType(TransferStatus, { name: 'TransferStatus' });
const ProtocolEnum = builder.enumType(Protocol, { name: 'Protocol' });
const CaptureModeEnum = builder.enumType(CaptureMode, { name: 'CaptureMode' });
const InitiatorTypeEnum = builder.enumType(InitiatorType, { name: 'InitiatorType' });

const TransferHold = builder.objectRef<TransferRow>('TransferHold').implement({
  description: 'Money set aside for a transfer until it is captured.',
  fields: (t) => ({
    amount: t.field({ type: 'Amount', resolve: (row) => formatMinor(row.amount, row.currency) }),
    capturedAmount: t.field({ type: 'Amount', resolve: (row) => formatMinor(row.capturedAmount ?? 0n, row.currency) }),
    expiresAt: t.field({ type: 'DateTime', nullable: true, resolve: (row) => row.holdExpiresAt }),
  }),
});

const Initiator = builder.objectRef<TransferRow>('Initiator').implement({
  description: 'Who asked for it.',
  fields: (t) => ({
    type: t.field({ type: InitiatorTypeEnum, resolve: (row) => row.initiatedByType }),
    id: t.string({ resolve: (row) => printId(row.initiatedByType === 'agent' ? 'agent' : 'apiKey', row.initiatedById) }),
  }),
});

const Failure = builder.objectRef<TransferRow>('TransferFailure').implement({
  description: 'Why it failed or was called off.',
  fields: (t) => ({
    code: t.string({ resolve: (row) => row.failureCode ?? '' }),
    message: t.string({ resolve: (row) => row.failureMessage ?? '' }),
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
    fromAccountId: t.expose('fromAccountId', { type: 'AccountId', nullable: true }),
    toAccountId: t.expose('toAccountId', { type: 'AccountId', nullable: true }),
    fromWalletId: t.expose('fromWalletId', { type: 'WalletId', nullable: true }),
    toWalletId: t.expose('toWalletId', { type: 'WalletId', nullable: true }),
    protocol: t.expose('protocol', { type: ProtocolEnum }),
    description: t.exposeString('description', { nullable: true }),
    reference: t.exposeString('reference', { nullable: true }),
    capture: t.expose('capture', { type: CaptureModeEnum }),
    hold: t.field({ type: TransferHold, nullable: true, resolve: (row) => (row.holdId === null ? null : row) }),
    scheduledFor: t.expose('scheduledFor', { type: 'DateTime', nullable: true }),
    refundedAmount: t.field({ type: 'Amount', resolve: (row) => formatMinor(row.refundedAmount, row.currency) }),
    initiatedBy: t.field({ type: Initiator, resolve: (row) => row }),
    agentId: t.expose('agentId', { type: 'AgentUuid', nullable: true }),
    failure: t.field({ type: Failure, nullable: true, resolve: (row) => (row.failureCode === null ? null : row) }),
    metadata: t.expose('metadata', { type: 'JSONObject' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true }),
  }),
});
const TransferPage = pageOf(Transfer, 'Transfer');

const NewTransferType = builder.enumType('NewTransferType', {
  description: 'The types that a transfer can be created with.',
  values: ['internal', 'wrap', 'unwrap'] as const,
});

// What belongs to contexts to come (quote_id, mandate_id, destination) is unknown here until then: Gap G-41.
export const CreateTransferInput = builder.inputType('CreateTransferInput', {
  fields: (t) => ({
    type: t.field({ type: NewTransferType }),
    fromWalletId: t.field({ type: 'WalletId', required: false, description: 'The wallet that pays.' }),
    fromAccountId: t.field({
      type: 'AccountId',
      required: false,
      description: 'Instead of a wallet: its oldest active one in the currency.',
    }),
    toWalletId: t.field({ type: 'WalletId', required: false }),
    toAccountId: t.field({ type: 'AccountId', required: false }),
    amount: t.field({ type: 'Amount' }),
    currency: t.field({ type: 'Currency' }),
    capture: t.field({ type: CaptureModeEnum, required: false, description: 'manual: hold the money until it is captured.' }),
    holdExpiresIn: t.int({ required: false, description: 'Seconds; 86400 by default.', validate: z.int().min(60).max(604_800) }),
    description: t.string({ required: false, validate: z.string().max(500) }),
    reference: t.string({ required: false, description: 'Yours; unique in the workspace.', validate: z.string().min(1).max(128) }),
    metadata: t.field({ type: 'JSONObject', required: false }),
    agentId: t.field({ type: 'AgentUuid', required: false, description: 'The agent that an API key acts for.' }),
    scheduledFor: t.field({ type: 'DateTime', required: false, description: 'Carried out then, with everything checked then.' }),
  }),
});

const CaptureTransferInput = builder.inputType('CaptureTransferInput', {
  fields: (t) => ({ amount: t.field({ type: 'Amount', required: false, description: 'At most what is held; the rest goes back.' }) }),
});
const CancelTransferInput = builder.inputType('CancelTransferInput', {
  fields: (t) => ({ reason: t.string({ required: false, validate: z.string().min(1).max(500) }) }),
});
const FundWalletInput = builder.inputType('FundWalletInput', {
  fields: (t) => ({ amount: t.field({ type: 'Amount' }), currency: t.field({ type: 'Currency', required: false }) }),
});
const MoveWithinWalletInput = builder.inputType('MoveWithinWalletInput', {
  fields: (t) => ({ amount: t.field({ type: 'Amount' }), metadata: t.field({ type: 'JSONObject', required: false }) }),
});

builder.queryFields((t) => ({
  transfer: t.prismaField({
    type: Transfer,
    args: { id: t.arg({ type: 'TransferId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id }, ctx) => transfer(ctx, id),
  }),
  transfers: t.field({
    type: TransferPage,
    args: {
      ...pageArgs(t),
      status: t.arg({ type: TransferStatusEnum, required: false }),
      type: t.arg({ type: TransferTypeEnum, required: false }),
      protocol: t.arg({ type: ProtocolEnum, required: false }),
      fromAccountId: t.arg({ type: 'AccountId', required: false }),
      toAccountId: t.arg({ type: 'AccountId', required: false }),
      walletId: t.arg({ type: 'WalletId', required: false }),
      agentId: t.arg({ type: 'AgentUuid', required: false }),
      currency: t.arg({ type: 'Currency', required: false }),
      minAmount: t.arg({ type: 'Amount', required: false }),
      maxAmount: t.arg({ type: 'Amount', required: false }),
      reference: t.arg.string({ required: false }),
      after: t.arg({ type: 'TransferId', required: false }),
    },
    resolve: (_root, filter, ctx, info) => transfers(ctx, filter, nodesQuery(ctx, info)),
  }),
}));

builder.queryField('transferEntries', (t) =>
  t.field({
    type: [Entry],
    args: { id: t.arg({ type: 'TransferId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => entriesOfTransfer(ctx, id),
  }),
);

// A transfer has no relations, so its mutations need no selection of rows: a plain field is the faster way.
builder.mutationFields((t) => ({
  createTransfer: t.field({
    type: Transfer,
    args: { input: t.arg({ type: CreateTransferInput }) },
    ...facts({ errors: [NotFound, SameWallet, CurrencyMismatch, ...postingErrors] }),
    resolve: (_root, { input }, ctx) =>
      once(
        ctx,
        () => createTransfer(ctx, input),
        (id) => transfer(ctx, id),
      ),
  }),
  captureTransfer: t.field({
    type: Transfer,
    args: { id: t.arg({ type: 'TransferId' }), input: t.arg({ type: CaptureTransferInput }) },
    ...facts({ errors: [NotFound, StateConflict, HoldExpired, ...postingErrors] }),
    resolve: (_root, { id, input }, ctx) =>
      once(
        ctx,
        () => captureTransfer(ctx, id, input.amount ?? null),
        (reference) => transfer(ctx, reference),
      ),
  }),
  cancelTransfer: t.field({
    type: Transfer,
    args: { id: t.arg({ type: 'TransferId' }), input: t.arg({ type: CancelTransferInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: (_root, { id, input }, ctx) =>
      once(
        ctx,
        () => cancelTransfer(ctx, id, input.reason ?? null),
        (reference) => transfer(ctx, reference),
      ),
  }),
  fundWallet: t.field({
    type: Transfer,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'WalletId' }), input: t.arg({ type: FundWalletInput }) },
    ...facts({ errors: [NotFound, CurrencyMismatch, TestModeOnly, WalletFrozen] }),
    resolve: (_root, { id, input }, ctx) =>
      once(
        ctx,
        () => fundWallet(ctx, { ...input, id }),
        (reference) => transfer(ctx, reference),
      ),
  }),
  wrapWallet: t.field({
    type: Transfer,
    args: { id: t.arg({ type: 'WalletId' }), input: t.arg({ type: MoveWithinWalletInput }) },
    ...facts({ errors: [NotFound, ...postingErrors] }),
    resolve: (_root, { id, input }, ctx) =>
      once(
        ctx,
        () => moveWithinWallet(ctx, { ...input, id, type: 'wrap' }),
        (reference) => transfer(ctx, reference),
      ),
  }),
  unwrapWallet: t.field({
    type: Transfer,
    args: { id: t.arg({ type: 'WalletId' }), input: t.arg({ type: MoveWithinWalletInput }) },
    ...facts({ errors: [NotFound, ...postingErrors] }),
    resolve: (_root, { id, input }, ctx) =>
      once(
        ctx,
        () => moveWithinWallet(ctx, { ...input, id, type: 'unwrap' }),
        (reference) => transfer(ctx, reference),
      ),
  }),
}));
