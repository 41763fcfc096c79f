// The inputs of budgets.
import { z } from 'zod';
import { BudgetPeriod, BudgetScope } from '../../../generated/prisma/enums.js';
import { builder } from '../../../platform/schema/builder.js';
import { isTimeZone } from '../../../platform/time-zone.js';

export const ScopeTypeEnum = builder.enumType(BudgetScope, {
  name: 'BudgetScopeType',
  description:
    'Whose spends are counted: of the whole `tenant`, an `account` with its agents, an `agent`, a `mandate`, a `connection` or a `trace`.',
});
export const PeriodEnum = builder.enumType(BudgetPeriod, {
  name: 'BudgetPeriod',
  description: "`once`: never begins anew. `day`, `week` and `month` begin at midnight in the budget's time zone.",
});
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
  description: 'Whose spends a budget counts.',
  fields: (t) => ({
    type: t.field({ type: ScopeTypeEnum, description: 'Kind of the scope.' }),
    id: t.string({
      required: false,
      description: 'The account, agent, mandate or connection, or the trace id; left out for the tenant.',
      validate: z.string().min(1).max(100),
    }),
  }),
});
export type BudgetScopeInput = typeof BudgetScopeInput.$inferInput;

export const CreateBudgetInput = builder.inputType('CreateBudgetInput', {
  description: 'A new budget.',
  fields: (t) => ({
    name: t.string({ description: 'Your own name for the budget.', validate: budgetName, extensions: { example: 'Marketing' } }),
    scope: t.field({ type: BudgetScopeInput, description: 'Whose spends it counts.' }),
    parentId: t.field({
      type: 'BudgetId',
      required: false,
      description: 'The budget above it, which counts its spends too; at most four levels above.',
    }),
    amount: t.field({ type: 'Amount', description: 'The most that may be spent per period, in `currency`; at most that of its parent.' }),
    currency: t.field({ type: 'Currency' }),
    period: t.field({ type: PeriodEnum, description: 'How often it begins anew.', extensions: { example: 'month' } }),
    timezone: t.string({
      required: false,
      description: 'Time zone such as Europe/Berlin, at whose midnight a period begins; UTC by default.',
      validate: timezone,
    }),
    expiresAt: t.field({ type: 'DateTime', required: false, description: 'From then on nothing can be spent under it; never by default.' }),
    alertsAt: t.field({
      type: ['Fraction'],
      required: false,
      description: 'Fractions of the amount, such as 0.8, at which a warning is sent; at most ten.',
      validate: alertsAt,
    }),
  }),
});
export type CreateBudgetInput = typeof CreateBudgetInput.$inferInput;

export const UpdateBudgetInput = builder.inputType('UpdateBudgetInput', {
  description: 'Changes of a budget. A member that is left out stays as it is.',
  fields: (t) => ({
    name: t.string({ required: false, description: 'New name.', validate: budgetName }),
    amount: t.field({
      type: 'Amount',
      required: false,
      description: 'New amount per period, at most that of its parent and at least that of its children.',
      extensions: { example: '500.00' },
    }),
    expiresAt: t.field({ type: 'DateTime', required: false, description: 'New expiry; null: it does not expire.' }),
    alertsAt: t.field({
      type: ['Fraction'],
      required: false,
      description: 'New fractions at which a warning is sent; they replace those before.',
      validate: alertsAt,
    }),
  }),
});
export type UpdateBudgetInput = typeof UpdateBudgetInput.$inferInput;
