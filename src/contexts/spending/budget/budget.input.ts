// The inputs of budgets.
import { z } from 'zod';
import { BudgetPeriod, BudgetScope } from '../../../generated/prisma/enums.js';
import { builder } from '../../../platform/schema/builder.js';
import { isTimeZone } from '../../../platform/time-zone.js';

export const ScopeTypeEnum = builder.enumType(BudgetScope, { name: 'BudgetScopeType' });
export const PeriodEnum = builder.enumType(BudgetPeriod, { name: 'BudgetPeriod' });
const budgetName = z.string().trim().min(1).max(200);
const timezone = z.string().max(64).refine(isTimeZone, 'must be a time zone such as Europe/Berlin');

const alertsAt = z
  .array(z.string())
  .max(10)
  .superRefine((fractions, check) => {
    for (const [index, fraction] of fractions.entries())
      if (fractions.indexOf(fraction) < index) check.addIssue({ code: 'custom', path: [index], message: `is the second ${fraction}` });
  });

export const BudgetScopeInput = builder.inputType('BudgetScopeInput', {
  fields: (t) => ({
    type: t.field({ type: ScopeTypeEnum }),
    id: t.string({
      required: false,
      description: 'The account, the agent, or the trace id; none for the tenant.',
      validate: z.string().min(1).max(100),
    }),
  }),
});
export type BudgetScopeInput = typeof BudgetScopeInput.$inferInput;

export const CreateBudgetInput = builder.inputType('CreateBudgetInput', {
  fields: (t) => ({
    name: t.string({ validate: budgetName, extensions: { example: 'Marketing' } }),
    scope: t.field({ type: BudgetScopeInput }),
    parentId: t.field({ type: 'BudgetId', required: false, description: 'The budget that it counts within: at most four above it.' }),
    amount: t.field({ type: 'Amount', description: 'At most that of its parent.' }),
    currency: t.field({ type: 'Currency' }),
    period: t.field({ type: PeriodEnum, extensions: { example: 'month' } }),
    timezone: t.string({ required: false, description: 'A period begins at its midnight: UTC by default.', validate: timezone }),
    expiresAt: t.field({ type: 'DateTime', required: false, description: 'From then on nothing is spent under it.' }),
    alertsAt: t.field({
      type: ['Fraction'],
      required: false,
      description: 'Parts of the amount at which a warning is told, at most ten.',
      validate: alertsAt,
    }),
  }),
});
export type CreateBudgetInput = typeof CreateBudgetInput.$inferInput;

export const UpdateBudgetInput = builder.inputType('UpdateBudgetInput', {
  fields: (t) => ({
    name: t.string({ required: false, validate: budgetName }),
    amount: t.field({ type: 'Amount', required: false, extensions: { example: '500.00' } }),
    expiresAt: t.field({ type: 'DateTime', required: false, description: 'Null: it does not expire.' }),
    alertsAt: t.field({ type: ['Fraction'], required: false, description: 'They replace the ones before.', validate: alertsAt }),
  }),
});
export type UpdateBudgetInput = typeof UpdateBudgetInput.$inferInput;
