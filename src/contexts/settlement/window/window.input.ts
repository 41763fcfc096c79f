// The inputs of settlement windows.
import { z } from 'zod';
import { WindowFrequency } from '../../../generated/prisma/enums.js';
import { builder } from '../../../platform/schema/builder.js';

export const WindowFrequencyEnum = builder.enumType(WindowFrequency, {
  name: 'SettlementWindowFrequency',
  description: 'How often a window closes; `realtime` never holds anything up, `custom` has a cron expression.',
});
export const mostWindowTimes = 24;
const name = z.string().trim().min(1).max(200);

const optional = {
  scheduleUtc: {
    required: false,
    description: 'For `daily`: entries HH:MM, 00:00 by default. For `weekly`: entries MON HH:MM, MON 00:00 by default. In UTC.',
    validate: z.array(z.string().max(16)).min(1).max(mostWindowTimes),
  },
  cronExpression: {
    required: false,
    description: 'For `custom`: five fields of cron in UTC, at least 15 minutes apart.',
    validate: z.string().min(1).max(128),
  },
  minBatchAmountCents: {
    required: false,
    description: 'With less, the window waits for its next closing: a whole number of hundredths of the currency; 0 by default.',
    validate: z.int().min(0),
  },
  maxBatchSize: {
    required: false,
    description: 'Most payouts submitted together; more are split. 1000 by default.',
    validate: z.int().min(1).max(10_000),
  },
  enabled: {
    required: false,
    description:
      'False: payouts do not wait for it, and those that wait are submitted at once. A rail and currency have one enabled window.',
  },
} as const;

export const CreateSettlementWindowInput = builder.inputType('CreateSettlementWindowInput', {
  description: 'A new settlement window.',
  fields: (t) => ({
    name: t.string({ description: 'Your own name for the window.', validate: name, extensions: { example: 'Daily ACH' } }),
    rail: t.string({
      description: 'The rail whose payouts it groups.',
      validate: z.string().min(1).max(64),
      extensions: { example: 'ach' },
    }),
    currency: t.field({ type: 'Currency' }),
    frequency: t.field({ type: WindowFrequencyEnum }),
    scheduleUtc: t.stringList(optional.scheduleUtc),
    cronExpression: t.string(optional.cronExpression),
    minBatchAmountCents: t.field({
      type: 'Cents',
      ...optional.minBatchAmountCents,
    }),
    maxBatchSize: t.int(optional.maxBatchSize),
    enabled: t.boolean({
      ...optional.enabled,
      description: 'False creates it without effect; true by default. A rail and currency have one enabled window.',
    }),
  }),
});
export type CreateSettlementWindowInput = typeof CreateSettlementWindowInput.$inferInput;

export const UpdateSettlementWindowInput = builder.inputType('UpdateSettlementWindowInput', {
  description: 'Changes of a settlement window. A member that is left out stays as it is.',
  fields: (t) => ({
    name: t.string({ required: false, description: 'New name.', validate: name, extensions: { example: 'ACH at noon' } }),
    frequency: t.field({ type: WindowFrequencyEnum, required: false }),
    scheduleUtc: t.stringList(optional.scheduleUtc),
    cronExpression: t.string(optional.cronExpression),
    minBatchAmountCents: t.field({
      type: 'Cents',
      ...optional.minBatchAmountCents,
    }),
    maxBatchSize: t.int(optional.maxBatchSize),
    enabled: t.boolean(optional.enabled),
  }),
});
export type UpdateSettlementWindowInput = typeof UpdateSettlementWindowInput.$inferInput;
