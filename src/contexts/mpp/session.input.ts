// The inputs of MPP sessions and their vouchers.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { mostTokenLength } from './voucher-token.js';

/** The address of a service, in inputs. */
export const serviceUrl = {
  validate: z.url({ protocol: /^https?$/ }).max(2_048),
  extensions: { example: 'https://api.example.com/data' },
} as const;

export const CreateMppSessionInput = builder.inputType('CreateMppSessionInput', {
  fields: (t) => ({
    serviceUrl: t.string(serviceUrl),
    payeeWalletId: t.field({
      type: 'WalletId',
      required: false,
      description: 'The wallet that is paid; by default that of the service.',
      extensions: { shown: true },
    }),
    depositAmount: t.field({ type: 'Amount' }),
    currency: t.field({ type: 'Currency', required: false, description: 'That of both wallets.' }),
    agentId: t.field({ type: 'AgentUuid', description: 'The agent that spends.' }),
    walletId: t.field({ type: 'WalletId', description: 'The wallet that pays.' }),
    expiresIn: t.int({
      required: false,
      validate: z.number().int().min(60).max(2_592_000),
      description: 'Seconds for which it is open; a day by default.',
    }),
    maxVoucherAmount: t.field({ type: 'Amount', required: false, description: 'The most that one voucher adds.' }),
    requestApproval: t.boolean({ required: false, description: 'Ask for an approval where a policy or a budget would refuse.' }),
  }),
});
export type CreateMppSessionInput = typeof CreateMppSessionInput.$inferInput;

export const TopUpMppSessionInput = builder.inputType('TopUpMppSessionInput', {
  fields: (t) => ({
    amount: t.field({ type: 'Amount' }),
    requestApproval: t.boolean({ required: false, description: 'Ask for an approval where a policy or a budget would refuse.' }),
  }),
});
export type TopUpMppSessionInput = typeof TopUpMppSessionInput.$inferInput;

export const CloseMppSessionInput = builder.inputType('CloseMppSessionInput', {
  fields: (t) => ({
    cumulativeAmount: t.field({
      type: 'Amount',
      required: false,
      description: "The payer's last promise, where it is more than was accepted.",
      extensions: { example: null },
    }),
  }),
});
export type CloseMppSessionInput = typeof CloseMppSessionInput.$inferInput;

export const CreateMppVoucherInput = builder.inputType('CreateMppVoucherInput', {
  fields: (t) => ({
    amount: t.field({
      type: 'Amount',
      required: false,
      description: 'What it adds; either this or `cumulative_amount`.',
      extensions: { example: '1.00' },
    }),
    cumulativeAmount: t.field({
      type: 'Amount',
      required: false,
      description: 'What the vouchers promise in all.',
      extensions: { example: null },
    }),
    description: t.string({ required: false, validate: z.string().min(1).max(500) }),
    requestId: t.string({
      required: false,
      validate: z.string().min(1).max(255),
      description: 'Your own name for it, unique in the session.',
    }),
  }),
});
export type CreateMppVoucherInput = typeof CreateMppVoucherInput.$inferInput;

export const VerifyMppVoucherInput = builder.inputType('VerifyMppVoucherInput', {
  fields: (t) => ({
    voucherId: t.field({
      type: 'MppVoucherId',
      required: false,
      description: 'Of a session that you may read.',
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
