// The inputs of streams.
import { z } from 'zod';
import { RatePeriod, StreamStatus } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';
import { severities } from './accrual.js';

export const StreamStatusEnum = builder.enumType(StreamStatus, {
  name: 'StreamStatus',
  description:
    '`pending`: waits for an approval. `active`: flows. `paused`: stands still. `exhausted`: its money is used up. `completed` and `cancelled`: final.',
});
export const RatePeriodEnum = builder.enumType(RatePeriod, {
  name: 'RatePeriod',
  description: 'The time that a rate is per; `month30` is 30 days.',
});
export const StreamHealthEnum = builder.enumType('StreamHealth', {
  description: 'How long the money lasts. `warning`: less than 24 hours. `critical`: less than one hour. `exhausted`: used up.',
  values: severities,
});

const StreamRateInput = builder.inputType('StreamRateInput', {
  description: 'An amount per period.',
  fields: (t) => ({
    amount: t.field({
      type: 'FlowRate',
      description: 'How much flows per period, in major units: a decimal string of at most 18 decimals.',
    }),
    per: t.field({ type: RatePeriodEnum, description: 'The period.' }),
  }),
});

export const CreateStreamInput = builder.inputType('CreateStreamInput', {
  description: 'A new stream.',
  fields: (t) => ({
    fromWalletId: t.field({ type: 'WalletId', description: 'The wallet that pays.' }),
    toWalletId: t.field({ type: 'WalletId', description: 'The wallet that is paid.' }),
    currency: t.field({ type: 'Currency', description: 'The currency of both wallets.' }),
    flowRate: t.field({
      type: 'FlowRate',
      required: false,
      description: 'How much flows per second, in major units: a decimal string of at most 18 decimals. Give this or `rate`.',
      extensions: { example: '0.0001' },
    }),
    rate: t.field({
      type: StreamRateInput,
      required: false,
      description: 'How much flows per period. Give this or `flow_rate`.',
      extensions: { example: null },
    }),
    initialDeposit: t.field({ type: 'Amount', description: 'What is put in; it comes out of `wrapped` first, then out of `available`.' }),
    buffer: t.field({
      type: 'Amount',
      required: false,
      description: 'The part of the deposit that never flows and goes back at the end; none by default.',
      extensions: { example: '1.00' },
    }),
    maxTotal: t.field({
      type: 'Amount',
      required: false,
      description: 'The stream completes when so much has flowed; no limit by default.',
    }),
    endsAt: t.field({
      type: 'DateTime',
      required: false,
      description: 'When the stream completes by itself; it does not by default.',
      extensions: { example: '2026-12-21T10:00:00.000Z' },
    }),
    metadata: t.field({ type: 'JSONObject', required: false }),
    agentId: t.field({
      type: 'AgentUuid',
      required: false,
      description: 'The agent for which an API key acts; its limits then bind the stream.',
    }),
    requestApproval: t.boolean({
      required: false,
      description: 'True asks a person for an approval (202) where a policy or a budget would refuse the deposit.',
    }),
  }),
});
export type CreateStreamInput = typeof CreateStreamInput.$inferInput;

export const UpdateStreamInput = builder.inputType('UpdateStreamInput', {
  description: 'Changes of a stream. A member that is left out stays as it is.',
  fields: (t) => ({
    flowRate: t.field({
      type: 'FlowRate',
      required: false,
      description: 'New rate per second, in major units: a decimal string of at most 18 decimals. Give this or `rate`.',
      extensions: { example: '0.0002' },
    }),
    rate: t.field({
      type: StreamRateInput,
      required: false,
      description: 'New rate per period. Give this or `flow_rate`.',
      extensions: { example: null },
    }),
    maxTotal: t.field({ type: 'Amount', required: false, description: 'New limit of what may flow; null removes it.' }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type UpdateStreamInput = typeof UpdateStreamInput.$inferInput;

export const TopUpStreamInput = builder.inputType('TopUpStreamInput', {
  description: 'Money to add to a stream.',
  fields: (t) => ({
    amount: t.field({ type: 'Amount', description: 'What is added, in the currency of the stream.' }),
    agentId: t.field({
      type: 'AgentUuid',
      required: false,
      description: 'The agent for which an API key acts; by default the agent of the stream.',
    }),
    requestApproval: t.boolean({
      required: false,
      description: 'True asks a person for an approval (202) where a policy or a budget would refuse it.',
    }),
  }),
});
export type TopUpStreamInput = typeof TopUpStreamInput.$inferInput;

export const WithdrawStreamInput = builder.inputType('WithdrawStreamInput', {
  description: 'Money to pay out of a stream.',
  fields: (t) => ({
    amount: t.field({
      type: 'Amount',
      required: false,
      description: 'How much to pay out, at most what has flowed; all of it by default.',
    }),
  }),
});

export const CancelStreamInput = builder.inputType('CancelStreamInput', {
  description: 'Why a stream is ended.',
  fields: (t) => ({
    reason: t.string({
      required: false,
      description: 'Why; kept as the status reason.',
      validate: z.string().min(1).max(500),
      extensions: { example: 'The work is done.' },
    }),
  }),
});
