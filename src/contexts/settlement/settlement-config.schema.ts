// The GraphQL face of the settlement config.
import { z } from 'zod';
import { SettlementSchedule } from '../../generated/prisma/enums.js';
import { once } from '../../platform/idempotency.js';
import { builder } from '../../platform/schema/builder.js';
import { rest } from './rest.js';
import { reserveAmount, type SettlementConfig, settlementConfig, updateConfig } from './settlement-config.js';

const SettlementScheduleEnum = builder.enumType(SettlementSchedule, { name: 'SettlementSchedule' });

const Config = builder.objectRef<SettlementConfig>('SettlementConfig').implement({
  description: 'What is taken and kept back of what protocols pay, and when wallets are settled without being asked.',
  fields: (t) => ({
    x402FeePercentage: t.float({ resolve: ({ x402Fee }) => x402Fee / 100 }),
    autoSettlementEnabled: t.exposeBoolean('autoSettlementEnabled'),
    settlementSchedule: t.expose('settlementSchedule', {
      type: SettlementScheduleEnum,
      description: 'Of wallets that no enabled settlement rule covers.',
    }),
    holdbackPercentage: t.float({ resolve: ({ holdback }) => holdback / 100 }),
    holdbackReleaseDays: t.exposeInt('holdbackReleaseDays'),
    reserveAmount: t.field({
      type: 'Amount',
      description: 'What is kept back now, in US dollars.',
      resolve: (_, __, ctx) => reserveAmount(ctx),
    }),
  }),
});

const percentage = (description: string) =>
  ({
    required: false,
    description: `${description} In percent, of two decimals.`,
    validate: z.number().min(0).max(100).multipleOf(0.01),
  }) as const;

const UpdateConfigInput = builder.inputType('UpdateSettlementConfigInput', {
  fields: (t) => ({
    x402FeePercentage: t.float(percentage('Of what x402 pays: goes to fees.')),
    autoSettlementEnabled: t.boolean({ required: false }),
    settlementSchedule: t.field({ type: SettlementScheduleEnum, required: false }),
    holdbackPercentage: t.float(percentage('Of what x402, ACP, UCP, AP2 and MPP pay, less the fee: kept back for a time.')),
    holdbackReleaseDays: t.int({ required: false, validate: z.int().min(1).max(365) }),
  }),
});

builder.queryField('settlementConfig', (t) =>
  t.field({
    route: rest('GET /v1/settlement/config', 'Read the settlement config.'),
    type: Config,
    authScopes: { audience: 'operator' },
    resolve: (_root, _args, ctx) => settlementConfig(ctx),
  }),
);

builder.mutationField('updateSettlementConfig', (t) =>
  t.field({
    route: rest('PATCH /v1/settlement/config', 'Change the settlement config. What is left out stays.'),
    type: Config,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: UpdateConfigInput }) },
    resolve: once((ctx, { input }) => updateConfig(ctx, input), settlementConfig),
  }),
);
