// The inputs of the settlement settings of a workspace.
import { z } from 'zod';
import { SettlementSchedule } from '../../../generated/prisma/enums.js';
import { builder } from '../../../platform/schema/builder.js';

export const SettlementScheduleEnum = builder.enumType(SettlementSchedule, {
  name: 'SettlementSchedule',
  description: 'How often wallets without a settlement rule are paid out: `immediate` when money arrives, `manual` never by itself.',
});

const percentage = (description: string) =>
  ({
    required: false,
    description: `${description}: in percent, 0 to 100 with two decimals.`,
    validate: z.number().min(0).max(100).multipleOf(0.01),
  }) as const;

export const UpdateSettlementConfigInput = builder.inputType('UpdateSettlementConfigInput', {
  description: 'Changes of the settlement config. A member that is left out stays as it is.',
  fields: (t) => ({
    x402FeePercentage: t.float(percentage('Fee on what x402 pays')),
    autoSettlementEnabled: t.boolean({ required: false, description: 'True pays wallets out by themselves, by `settlement_schedule`.' }),
    settlementSchedule: t.field({ type: SettlementScheduleEnum, required: false }),
    holdbackPercentage: t.float(percentage('Part of what x402, ACP, UCP, AP2 and MPP pay, less the fee, that is held back')),
    holdbackReleaseDays: t.int({
      required: false,
      description: 'Days after which what was held back is released.',
      validate: z.int().min(1).max(365),
    }),
  }),
});
export type UpdateSettlementConfigInput = typeof UpdateSettlementConfigInput.$inferInput;
