// The inputs of the settlement settings of a workspace.
import { z } from 'zod';
import { SettlementSchedule } from '../../../generated/prisma/enums.js';
import { builder } from '../../../platform/schema/builder.js';

export const SettlementScheduleEnum = builder.enumType(SettlementSchedule, { name: 'SettlementSchedule' });

const percentage = (description: string) =>
  ({
    required: false,
    description: `${description} In percent, of two decimals.`,
    validate: z.number().min(0).max(100).multipleOf(0.01),
  }) as const;

export const UpdateSettlementConfigInput = builder.inputType('UpdateSettlementConfigInput', {
  fields: (t) => ({
    x402FeePercentage: t.float(percentage('Of what x402 pays: goes to fees.')),
    autoSettlementEnabled: t.boolean({ required: false }),
    settlementSchedule: t.field({ type: SettlementScheduleEnum, required: false }),
    holdbackPercentage: t.float(percentage('Of what x402, ACP, UCP, AP2 and MPP pay, less the fee: kept back for a time.')),
    holdbackReleaseDays: t.int({ required: false, validate: z.int().min(1).max(365) }),
  }),
});
export type UpdateSettlementConfigInput = typeof UpdateSettlementConfigInput.$inferInput;
