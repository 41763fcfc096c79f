// The inputs of transfers.
import type { InputShapeFromFields } from '@pothos/core';
import { z } from 'zod';
import { CaptureBy, CaptureMode, TransferStatus, TransferType } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';
import { mostJwtLength } from '../spending/pipeline/mandate.js';
import { ProtocolEnum } from '../spending/protocol.input.js';
import { DestinationInput } from './destination.input.js';

export const CaptureModeEnum = builder.enumType(CaptureMode, {
  name: 'CaptureMode',
  description: '`automatic`: paid at once. `manual`: held until it is captured, cancelled or expires.',
});
export const CaptureByEnum = builder.enumType(CaptureBy, {
  name: 'CaptureBy',
  description: 'The side that captures held money: `payer` or `payee`.',
});

const NewTransferType = builder.enumType('NewTransferType', {
  description:
    '`internal`: between wallets in one currency. `cross_border`: to another currency or out of the platform. `wrap` and `unwrap`: within a wallet.',
  values: ['internal', 'cross_border', 'wrap', 'unwrap'] as const,
});
export const TransferTypeEnum = builder.enumType(TransferType, {
  name: 'TransferType',
  description:
    '`internal`: in one currency. `cross_border`: to another currency or out of the platform. `wrap`, `unwrap`: within a wallet. `stream_...`: money of a stream.',
});
export const TransferStatusEnum = builder.enumType(TransferStatus, {
  name: 'TransferStatus',
  description:
    '`pending`: held, scheduled or waiting for an approval. `processing`: on its way over a rail. `completed`, `failed`, `cancelled`: final.',
});

export const CreateTransferInput = builder.inputType('CreateTransferInput', {
  description: 'A new transfer: who pays, who is paid, how much, and when.',
  fields: (t) => ({
    type: t.field({
      type: NewTransferType,
      description: 'What kind of movement it is: between wallets, to another currency or out of the platform, or within a wallet.',
    }),
    fromWalletId: t.field({
      type: 'WalletId',
      required: false,
      description: 'The wallet that pays. Give this or `from_account_id`.',
      extensions: { shown: true },
    }),
    fromAccountId: t.field({
      type: 'AccountId',
      required: false,
      description: 'The account that pays, from its oldest active wallet in the currency. Instead of `from_wallet_id`.',
    }),
    toWalletId: t.field({
      type: 'WalletId',
      required: false,
      description: 'The wallet that is paid. Give this, `to_account_id` or `destination`.',
      extensions: { shown: true },
    }),
    toAccountId: t.field({
      type: 'AccountId',
      required: false,
      description: 'The account that is paid, into its oldest active wallet in the currency. Instead of `to_wallet_id`.',
    }),
    destination: t.field({
      type: DestinationInput,
      required: false,
      description: 'A payee outside of the platform, instead of a wallet or an account; it makes a payout.',
    }),
    amount: t.field({
      type: 'Amount',
      required: false,
      description: 'What leaves the payer, in `currency`. Left out with a quote, which fixes it.',
      extensions: { shown: true },
    }),
    currency: t.field({
      type: 'Currency',
      required: false,
      description: 'The currency of `amount`. Left out with a quote.',
      extensions: { shown: true },
    }),
    quoteId: t.field({
      type: 'QuoteId',
      required: false,
      description: 'A quote that is still open; required when the payee receives another currency.',
    }),
    destinationCurrency: t.field({
      type: 'Currency',
      required: false,
      description: 'The currency that the payee receives; another one than `currency` needs a quote.',
    }),
    capture: t.field({
      type: CaptureModeEnum,
      required: false,
      description: '`automatic`, the default, pays at once. `manual` holds the money until it is captured.',
    }),
    captureBy: t.field({
      type: CaptureByEnum,
      required: false,
      description: 'Which side captures a manual hold: `payer` by default, `payee` for an execution of a mandate.',
      extensions: { example: null },
    }),
    holdExpiresIn: t.int({
      required: false,
      description: 'Seconds after which a manual hold ends and the money goes back, 60 to 604800; 86400 by default.',
      validate: z.int().min(60).max(604_800),
    }),
    description: t.string({
      required: false,
      description: 'Text for people, at most 500 characters; payer and payee see it.',
      validate: z.string().max(500),
    }),
    reference: t.string({
      required: false,
      description: 'Your own reference, unique for the account that pays; the payee does not see it.',
      validate: z.string().min(1).max(128),
    }),
    metadata: t.field({ type: 'JSONObject', required: false, description: 'Your own JSON object; the payee does not see it.' }),
    sharedMetadata: t.field({ type: 'JSONObject', required: false, description: 'Your own JSON object that the payee sees too.' }),
    agentId: t.field({
      type: 'AgentUuid',
      required: false,
      description: 'The agent for which an API key acts; its limits then bind the spend.',
    }),
    scheduledFor: t.field({
      type: 'DateTime',
      required: false,
      description: 'When to carry it out; until then it is `pending`, and everything is checked at that time.',
    }),
    mandateId: t.field({
      type: 'MandateId',
      required: false,
      description: 'The mandate that authorizes the spend; needs `mandate_jwt` too.',
      extensions: { example: null },
    }),
    mandateJwt: t.string({
      required: false,
      description: 'The current JWT of the mandate; needs `mandate_id` too.',
      validate: z.string().min(1).max(mostJwtLength),
      extensions: { example: null },
    }),
    requestApproval: t.boolean({
      required: false,
      description: 'True asks a person for an approval (202) where a policy or a budget would refuse the spend.',
    }),
  }),
});
export type CreateTransferInput = typeof CreateTransferInput.$inferInput;

export const CaptureTransferInput = builder.inputType('CaptureTransferInput', {
  description: 'How much of a hold is captured.',
  fields: (t) => ({
    amount: t.field({
      type: 'Amount',
      required: false,
      description: 'What to capture, at most what is held; the rest goes back. All of it by default.',
    }),
  }),
});

export const CancelTransferInput = builder.inputType('CancelTransferInput', {
  description: 'Why a transfer is cancelled.',
  fields: (t) => ({
    reason: t.string({
      required: false,
      description: 'Why, at most 500 characters; kept with the transfer.',
      validate: z.string().min(1).max(500),
      extensions: { example: 'Ordered twice.' },
    }),
  }),
});

export const FundWalletInput = builder.inputType('FundWalletInput', {
  description: 'Test money for a wallet.',
  fields: (t) => ({
    amount: t.field({ type: 'Amount', description: 'Test money to add, in the currency of the wallet.' }),
    currency: t.field({
      type: 'Currency',
      required: false,
      description: 'The currency of the wallet, if you want it checked; another one is 422.',
    }),
  }),
});
export type FundWalletInput = typeof FundWalletInput.$inferInput;

export const MoveWithinWalletInput = builder.inputType('MoveWithinWalletInput', {
  description: 'Money that moves between the buckets of one wallet.',
  fields: (t) => ({
    amount: t.field({ type: 'Amount', description: 'How much to move, in the currency of the wallet.' }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type MoveWithinWalletInput = typeof MoveWithinWalletInput.$inferInput;

export const transferFilters = builder.args((t) => ({
  status: t.field({ type: TransferStatusEnum, required: false }),
  type: t.field({ type: TransferTypeEnum, required: false }),
  protocol: t.field({ type: ProtocolEnum, required: false }),
  fromAccountId: t.field({ type: 'AccountId', required: false, description: 'Only transfers that this account pays.' }),
  toAccountId: t.field({ type: 'AccountId', required: false, description: 'Only transfers that this account receives.' }),
  accountId: t.field({ type: 'AccountId', required: false, description: 'The payer or the payee.' }),
  walletId: t.field({ type: 'WalletId', required: false, description: 'Only transfers that this wallet pays or receives.' }),
  agentId: t.field({ type: 'AgentUuid', required: false, description: 'Only transfers of this agent.' }),
  batchId: t.field({ type: 'BatchId', required: false }),
  streamId: t.field({ type: 'StreamId', required: false }),
  quoteId: t.field({ type: 'QuoteId', required: false }),
  mandateId: t.field({ type: 'MandateId', required: false }),
  currency: t.field({ type: 'Currency', required: false }),
  minAmount: t.field({ type: 'Amount', required: false, description: 'Only transfers of at least this amount; needs `currency`.' }),
  maxAmount: t.field({ type: 'Amount', required: false, description: 'Only transfers of at most this amount; needs `currency`.' }),
  reference: t.string({ required: false }),
}));
export type TransferFilters = InputShapeFromFields<typeof transferFilters>;
