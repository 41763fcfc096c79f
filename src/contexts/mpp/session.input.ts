// The inputs of MPP sessions and their vouchers.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { mostTokenLength } from './voucher-token.js';

/** The address of a service, in inputs. */
export const serviceUrl = {
  description: 'Address of the service that is paid.',
  validate: z.url({ protocol: /^https?$/ }).max(2_048),
  extensions: { example: 'https://api.example.com/data' },
} as const;

export const CreateMppSessionInput = builder.inputType('CreateMppSessionInput', {
  description: 'A new payment session.',
  fields: (t) => ({
    serviceUrl: t.string(serviceUrl),
    payeeWalletId: t.field({
      type: 'WalletId',
      required: false,
      description: 'The wallet that is paid; by default that of the service.',
      extensions: { shown: true },
    }),
    depositAmount: t.field({ type: 'Amount', description: 'What is put in escrow, in `currency`; vouchers promise at most so much.' }),
    currency: t.field({ type: 'Currency', required: false, description: 'The currency of both wallets.' }),
    agentId: t.field({ type: 'AgentUuid', description: 'The agent that spends.' }),
    walletId: t.field({ type: 'WalletId', description: 'The wallet that pays.' }),
    expiresIn: t.int({
      required: false,
      validate: z.number().int().min(60).max(2_592_000),
      description: 'Seconds until the session is settled by itself; 86400 by default.',
    }),
    maxVoucherAmount: t.field({ type: 'Amount', required: false, description: 'The most that one voucher may add; no limit by default.' }),
    requestApproval: t.boolean({
      required: false,
      description: 'True asks a person for an approval (202) where a policy or a budget would refuse the deposit.',
    }),
  }),
});
export type CreateMppSessionInput = typeof CreateMppSessionInput.$inferInput;

export const TopUpMppSessionInput = builder.inputType('TopUpMppSessionInput', {
  description: 'Money to add to a session.',
  fields: (t) => ({
    amount: t.field({ type: 'Amount', description: 'What is added, in the currency of the session.' }),
    requestApproval: t.boolean({
      required: false,
      description: 'True asks a person for an approval (202) where a policy or a budget would refuse it.',
    }),
  }),
});
export type TopUpMppSessionInput = typeof TopUpMppSessionInput.$inferInput;

export const CloseMppSessionInput = builder.inputType('CloseMppSessionInput', {
  description: 'How a session is settled.',
  fields: (t) => ({
    cumulativeAmount: t.field({
      type: 'Amount',
      required: false,
      description: 'A last promise of the payer, where it is more than vouchers have promised.',
      extensions: { example: null },
    }),
  }),
});
export type CloseMppSessionInput = typeof CloseMppSessionInput.$inferInput;

export const CreateMppVoucherInput = builder.inputType('CreateMppVoucherInput', {
  description: 'What a voucher promises: either `amount` or `cumulative_amount`.',
  fields: (t) => ({
    amount: t.field({
      type: 'Amount',
      required: false,
      description: 'What it adds, in the currency of the session.',
      extensions: { example: '1.00' },
    }),
    cumulativeAmount: t.field({
      type: 'Amount',
      required: false,
      description: 'What all vouchers promise together, in the currency of the session.',
      extensions: { example: null },
    }),
    description: t.string({ required: false, description: 'Text for people.', validate: z.string().min(1).max(500) }),
    requestId: t.string({
      required: false,
      validate: z.string().min(1).max(255),
      description: 'Your own id of it, unique in the session: sent again with the same amount it is the same voucher.',
    }),
  }),
});
export type CreateMppVoucherInput = typeof CreateMppVoucherInput.$inferInput;

export const VerifyMppVoucherInput = builder.inputType('VerifyMppVoucherInput', {
  description: 'A voucher or receipt: either `voucher_id` or `signed_voucher`.',
  fields: (t) => ({
    voucherId: t.field({
      type: 'MppVoucherId',
      required: false,
      description: 'A voucher of a session that you may read.',
      extensions: { shown: true },
    }),
    signedVoucher: t.string({
      required: false,
      validate: z.string().min(1).max(mostTokenLength),
      description: 'A signed voucher, or the receipt of a one-off payment.',
    }),
  }),
});
export type VerifyMppVoucherInput = typeof VerifyMppVoucherInput.$inferInput;
