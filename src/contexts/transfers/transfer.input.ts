// The inputs of transfers.
import type { InputShapeFromFields } from '@pothos/core';
import { z } from 'zod';
import { CaptureBy, CaptureMode, TransferStatus, TransferType } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';
import { mostJwtLength } from '../spending/pipeline/mandate.js';
import { ProtocolEnum } from '../spending/protocol.input.js';
import { DestinationInput } from './destination.input.js';

export const CaptureModeEnum = builder.enumType(CaptureMode, { name: 'CaptureMode' });
export const CaptureByEnum = builder.enumType(CaptureBy, { name: 'CaptureBy' });

const NewTransferType = builder.enumType('NewTransferType', {
  description: 'The types that a transfer can be created with.',
  values: ['internal', 'cross_border', 'wrap', 'unwrap'] as const,
});
export const TransferTypeEnum = builder.enumType(TransferType, { name: 'TransferType' });
export const TransferStatusEnum = builder.enumType(TransferStatus, { name: 'TransferStatus' });

export const CreateTransferInput = builder.inputType('CreateTransferInput', {
  fields: (t) => ({
    type: t.field({ type: NewTransferType }),
    fromWalletId: t.field({ type: 'WalletId', required: false, description: 'The wallet that pays.', extensions: { shown: true } }),
    fromAccountId: t.field({
      type: 'AccountId',
      required: false,
      description: 'Instead of a wallet: its oldest active one in the currency.',
    }),
    toWalletId: t.field({ type: 'WalletId', required: false, description: 'The wallet that is paid.', extensions: { shown: true } }),
    toAccountId: t.field({
      type: 'AccountId',
      required: false,
      description: 'Instead of a wallet: its oldest active one in the currency.',
    }),
    destination: t.field({ type: DestinationInput, required: false, description: 'Instead of a wallet or an account.' }),
    amount: t.field({
      type: 'Amount',
      required: false,
      description: 'What leaves the payer. With a quote it is left out: the quote says it.',
      extensions: { shown: true },
    }),
    currency: t.field({ type: 'Currency', required: false, description: 'That of `amount`.', extensions: { shown: true } }),
    quoteId: t.field({ type: 'QuoteId', required: false, description: 'The rate for a payee in another currency.' }),
    destinationCurrency: t.field({ type: 'Currency', required: false, description: 'That of the payee; another one takes a quote.' }),
    capture: t.field({ type: CaptureModeEnum, required: false, description: 'manual: hold the money until it is captured.' }),
    captureBy: t.field({
      type: CaptureByEnum,
      required: false,
      description: 'Which side captures what is held; payer by default, payee for an execution of a mandate. With capture: manual.',
      extensions: { example: null },
    }),
    holdExpiresIn: t.int({ required: false, description: 'Seconds; 86400 by default.', validate: z.int().min(60).max(604_800) }),
    description: t.string({ required: false, validate: z.string().max(500) }),
    reference: t.string({
      required: false,
      description: 'Yours; unique for the account that pays. The payee does not see it.',
      validate: z.string().min(1).max(128),
    }),
    metadata: t.field({ type: 'JSONObject', required: false, description: 'Yours. The payee does not see it.' }),
    sharedMetadata: t.field({ type: 'JSONObject', required: false, description: 'For you and the payee.' }),
    agentId: t.field({ type: 'AgentUuid', required: false, description: 'The agent that an API key acts for.' }),
    scheduledFor: t.field({ type: 'DateTime', required: false, description: 'Carried out then, with everything checked then.' }),
    mandateId: t.field({
      type: 'MandateId',
      required: false,
      description: 'The mandate that it is an execution of.',
      extensions: { example: null },
    }),
    mandateJwt: t.string({
      required: false,
      description: 'The JWT of the mandate.',
      validate: z.string().min(1).max(mostJwtLength),
      extensions: { example: null },
    }),
    requestApproval: t.boolean({ required: false, description: 'Ask for an approval where a policy or a budget would refuse.' }),
  }),
});
export type CreateTransferInput = typeof CreateTransferInput.$inferInput;

export const CaptureTransferInput = builder.inputType('CaptureTransferInput', {
  fields: (t) => ({ amount: t.field({ type: 'Amount', required: false, description: 'At most what is held; the rest goes back.' }) }),
});

export const CancelTransferInput = builder.inputType('CancelTransferInput', {
  fields: (t) => ({
    reason: t.string({ required: false, validate: z.string().min(1).max(500), extensions: { example: 'Ordered twice.' } }),
  }),
});

export const FundWalletInput = builder.inputType('FundWalletInput', {
  fields: (t) => ({ amount: t.field({ type: 'Amount' }), currency: t.field({ type: 'Currency', required: false }) }),
});
export type FundWalletInput = typeof FundWalletInput.$inferInput;

export const MoveWithinWalletInput = builder.inputType('MoveWithinWalletInput', {
  fields: (t) => ({ amount: t.field({ type: 'Amount' }), metadata: t.field({ type: 'JSONObject', required: false }) }),
});
export type MoveWithinWalletInput = typeof MoveWithinWalletInput.$inferInput;

export const transferFilters = builder.args((t) => ({
  status: t.field({ type: TransferStatusEnum, required: false }),
  type: t.field({ type: TransferTypeEnum, required: false }),
  protocol: t.field({ type: ProtocolEnum, required: false }),
  fromAccountId: t.field({ type: 'AccountId', required: false }),
  toAccountId: t.field({ type: 'AccountId', required: false }),
  walletId: t.field({ type: 'WalletId', required: false }),
  agentId: t.field({ type: 'AgentUuid', required: false }),
  batchId: t.field({ type: 'BatchId', required: false }),
  streamId: t.field({ type: 'StreamId', required: false }),
  quoteId: t.field({ type: 'QuoteId', required: false }),
  mandateId: t.field({ type: 'MandateId', required: false }),
  currency: t.field({ type: 'Currency', required: false }),
  minAmount: t.field({ type: 'Amount', required: false }),
  maxAmount: t.field({ type: 'Amount', required: false }),
  reference: t.string({ required: false }),
}));
export type TransferFilters = InputShapeFromFields<typeof transferFilters>;
