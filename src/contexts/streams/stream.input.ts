// The inputs of streams.
import { z } from 'zod';
import { RatePeriod, StreamStatus } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';
import { severities } from './accrual.js';

export const StreamStatusEnum = builder.enumType(StreamStatus, { name: 'StreamStatus' });
export const RatePeriodEnum = builder.enumType(RatePeriod, { name: 'RatePeriod', description: 'A span of time; `month30` is 30 days.' });
export const StreamHealthEnum = builder.enumType('StreamHealth', {
  description: 'How long the money lasts: less than 24 hours is `warning`, less than one `critical`.',
  values: severities,
});

const StreamRateInput = builder.inputType('StreamRateInput', {
  fields: (t) => ({ amount: t.field({ type: 'FlowRate' }), per: t.field({ type: RatePeriodEnum }) }),
});

export const CreateStreamInput = builder.inputType('CreateStreamInput', {
  fields: (t) => ({
    fromWalletId: t.field({ type: 'WalletId' }),
    toWalletId: t.field({ type: 'WalletId' }),
    currency: t.field({ type: 'Currency', description: 'That of both wallets.' }),
    flowRate: t.field({
      type: 'FlowRate',
      required: false,
      description: 'Major units per second; either this or `rate`.',
      extensions: { example: '0.0001' },
    }),
    rate: t.field({ type: StreamRateInput, required: false, extensions: { example: null } }),
    initialDeposit: t.field({ type: 'Amount', description: 'Comes out of what is wrapped, then out of what is available.' }),
    buffer: t.field({
      type: 'Amount',
      required: false,
      description: 'The part of the deposit that never flows.',
      extensions: { example: '1.00' },
    }),
    maxTotal: t.field({ type: 'Amount', required: false, description: 'The stream is complete when so much has flowed.' }),
    endsAt: t.field({ type: 'DateTime', required: false, extensions: { example: '2026-12-21T10:00:00.000Z' } }),
    metadata: t.field({ type: 'JSONObject', required: false }),
    agentId: t.field({ type: 'AgentUuid', required: false, description: 'The agent that an API key acts for.' }),
    requestApproval: t.boolean({ required: false, description: 'Ask for an approval where a policy or a budget would refuse.' }),
  }),
});
export type CreateStreamInput = typeof CreateStreamInput.$inferInput;

export const UpdateStreamInput = builder.inputType('UpdateStreamInput', {
  fields: (t) => ({
    flowRate: t.field({
      type: 'FlowRate',
      required: false,
      description: 'Major units per second; either this or `rate`.',
      extensions: { example: '0.0002' },
    }),
    rate: t.field({ type: StreamRateInput, required: false, extensions: { example: null } }),
    maxTotal: t.field({ type: 'Amount', required: false, description: 'Null: there is none any more.' }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type UpdateStreamInput = typeof UpdateStreamInput.$inferInput;

export const TopUpStreamInput = builder.inputType('TopUpStreamInput', {
  fields: (t) => ({
    amount: t.field({ type: 'Amount' }),
    agentId: t.field({
      type: 'AgentUuid',
      required: false,
      description: 'The agent that an API key acts for; that of the stream by default.',
    }),
    requestApproval: t.boolean({ required: false, description: 'Ask for an approval where a policy or a budget would refuse.' }),
  }),
});
export type TopUpStreamInput = typeof TopUpStreamInput.$inferInput;

export const WithdrawStreamInput = builder.inputType('WithdrawStreamInput', {
  fields: (t) => ({ amount: t.field({ type: 'Amount', required: false, description: 'All that has flowed by default.' }) }),
});

export const CancelStreamInput = builder.inputType('CancelStreamInput', {
  fields: (t) => ({
    reason: t.string({ required: false, validate: z.string().min(1).max(500), extensions: { example: 'The work is done.' } }),
  }),
});
