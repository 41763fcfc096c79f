// The inputs of settlement windows.
import { z } from 'zod';
import { WindowFrequency } from '../../../generated/prisma/enums.js';
import { builder } from '../../../platform/schema/builder.js';

export const WindowFrequencyEnum = builder.enumType(WindowFrequency, { name: 'SettlementWindowFrequency' });
export const mostWindowTimes = 24;
const name = z.string().trim().min(1).max(200);

const optional = {
  scheduleUtc: {
    required: false,
    description: 'daily: entries HH:MM, by default 00:00. weekly: MON HH:MM, by default MON 00:00. Of no other frequency.',
    validate: z.array(z.string().max(16)).min(1).max(mostWindowTimes),
  },
  cronExpression: {
    required: false,
    description: 'Of custom alone: five fields, in UTC; fires at least 15 minutes apart.',
    validate: z.string().min(1).max(128),
  },
  minBatchAmountCents: {
    required: false,
    description: 'Hundredths of the currency. With less the window waits for its next closing; 0 by default.',
    validate: z.int().min(0),
  },
  maxBatchSize: {
    required: false,
    description: 'Payouts of one batch at most; more are submitted in several. 1000 by default.',
    validate: z.int().min(1).max(10_000),
  },
  enabled: { required: false, description: 'One window of a rail and a currency may be.' },
} as const;

export const CreateSettlementWindowInput = builder.inputType('CreateSettlementWindowInput', {
  fields: (t) => ({
    name: t.string({ validate: name, extensions: { example: 'Daily ACH' } }),
    rail: t.string({ validate: z.string().min(1).max(64), extensions: { example: 'ach' } }),
    currency: t.field({ type: 'Currency' }),
    frequency: t.field({ type: WindowFrequencyEnum }),
    scheduleUtc: t.stringList(optional.scheduleUtc),
    cronExpression: t.string(optional.cronExpression),
    minBatchAmountCents: t.field({ type: 'Cents', ...optional.minBatchAmountCents }),
    maxBatchSize: t.int(optional.maxBatchSize),
    enabled: t.boolean({ ...optional.enabled, description: `${optional.enabled.description} True by default.` }),
  }),
});
export type CreateSettlementWindowInput = typeof CreateSettlementWindowInput.$inferInput;

export const UpdateSettlementWindowInput = builder.inputType('UpdateSettlementWindowInput', {
  fields: (t) => ({
    name: t.string({ required: false, validate: name, extensions: { example: 'ACH at noon' } }),
    frequency: t.field({ type: WindowFrequencyEnum, required: false }),
    scheduleUtc: t.stringList(optional.scheduleUtc),
    cronExpression: t.string(optional.cronExpression),
    minBatchAmountCents: t.field({ type: 'Cents', ...optional.minBatchAmountCents }),
    maxBatchSize: t.int(optional.maxBatchSize),
    enabled: t.boolean(optional.enabled),
  }),
});
export type UpdateSettlementWindowInput = typeof UpdateSettlementWindowInput.$inferInput;
