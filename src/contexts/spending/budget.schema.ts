// The GraphQL face of budgets. Agents see what is left of those that bind them, among their limits.
import { z } from 'zod';
import { BudgetPeriod, BudgetScope } from '../../generated/prisma/enums.js';
import { NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, nodesQuery, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { isTimeZone } from '../../platform/time-zone.js';
import { type AgentBudget, agentBudgets, mostAgentBudgets } from './agent-budget.js';
import { budget, budgets, createBudget, deleteBudget, updateBudget } from './budget.js';
import { budgetUse } from './budget-use.js';
import { BudgetInUse, TooManyBudgets } from './errors.js';
import { AgentLimitsType } from './kya-limit.schema.js';
import { rest } from './rest.js';

const ScopeTypeEnum = builder.enumType(BudgetScope, { name: 'BudgetScopeType' });
const PeriodEnum = builder.enumType(BudgetPeriod, { name: 'BudgetPeriod' });

type Scope = { scopeType: BudgetScope; scopeId: string | null };
const Scope = builder.objectRef<Scope>('BudgetScope').implement({
  description: 'Whose spends a budget counts.',
  fields: (t) => ({
    type: t.expose('scopeType', { type: ScopeTypeEnum }),
    id: t.exposeString('scopeId', { nullable: true, description: 'A UUID, or a trace id; null for the tenant.' }),
  }),
});

const Budget = builder.prismaObject('Budget', {
  description: 'An amount that may be spent in a scope and period. What is spent under it counts for all budgets above it as well.',
  fields: (t) => ({
    id: t.expose('id', { type: 'BudgetId' }),
    name: t.exposeString('name'),
    scope: t.field({ type: Scope, resolve: (row) => row }),
    parentId: t.expose('parentId', { type: 'BudgetId', nullable: true, description: 'The budget above it.' }),
    amount: t.field({
      type: 'Amount',
      resolve: (row) => formatMinor(row.amount, row.currency),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    period: t.expose('period', { type: PeriodEnum }),
    timezone: t.exposeString('timezone', { description: 'At whose midnight a period begins.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'From then on nothing is spent under it.' }),
    alertsAt: t.expose('alertsAt', { type: ['Fraction'], description: 'Parts of the amount at which a warning is told.' }),
    version: t.exposeInt('version', { description: 'Raised by every change. Decisions name the version that they applied.' }),
    spent: t.field({
      type: 'Amount',
      description: 'Paid in the period of now.',
      resolve: async (row, _args, ctx) => formatMinor((await budgetUse(ctx, row)).spent, row.currency),
    }),
    reserved: t.field({
      type: 'Amount',
      description: 'Held in the period of now, for what may still be paid.',
      resolve: async (row, _args, ctx) => formatMinor((await budgetUse(ctx, row)).reserved, row.currency),
    }),
    remaining: t.field({
      type: 'Amount',
      description: 'What may still be spent: nothing once the budget has expired.',
      resolve: async (row, _args, ctx) => formatMinor((await budgetUse(ctx, row)).remaining, row.currency),
    }),
    resetsAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the next period begins.',
      resolve: async (row, _args, ctx) => (await budgetUse(ctx, row)).resetsAt,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const BudgetPage = pageOf(Budget, 'Budget');

const DeletedBudget = builder.objectRef<{ id: string }>('DeletedBudget').implement({
  fields: (t) => ({ id: t.expose('id', { type: 'BudgetId' }), deleted: t.boolean({ resolve: () => true }) }),
});

const print = (minor: bigint | null, currency: string) => (minor === null ? null : formatMinor(minor, currency));

const AgentBudgetType = builder.objectRef<AgentBudget>('AgentBudget').implement({
  description: 'A budget that binds an agent, and what is left of it.',
  fields: (t) => ({
    budgetId: t.expose('budgetId', { type: 'BudgetId' }),
    name: t.exposeString('name'),
    scopeType: t.expose('scopeType', { type: ScopeTypeEnum }),
    period: t.expose('period', { type: PeriodEnum }),
    currency: t.expose('currency', { type: 'Currency' }),
    amount: t.field({
      type: 'Amount',
      nullable: true,
      description: 'Null for an agent that asks about a budget which is not its own.',
      resolve: ({ amount, currency }) => print(amount, currency),
    }),
    spent: t.field({
      type: 'Amount',
      nullable: true,
      description: 'Paid or held in the period of now. Null like the amount.',
      resolve: ({ spent, currency }) => print(spent, currency),
    }),
    remaining: t.field({ type: 'Amount', resolve: ({ remaining, currency }) => formatMinor(remaining, currency) }),
    resetsAt: t.expose('resetsAt', { type: 'DateTime', nullable: true }),
  }),
});

builder.objectField(AgentLimitsType, 'budgets', (t) =>
  t.field({
    type: [AgentBudgetType],
    description: 'Those that bind the agent, then those above them.',
    ...facts({ most: mostAgentBudgets }),
    resolve: ({ agentId }, _args, ctx) => agentBudgets(ctx, agentId),
  }),
);

const budgetName = z.string().trim().min(1).max(200);
const timezone = z.string().max(64).refine(isTimeZone, 'must be a time zone such as Europe/Berlin');
const alertsAt = z
  .array(z.string())
  .max(10)
  .superRefine((fractions, check) => {
    for (const [index, fraction] of fractions.entries())
      if (fractions.indexOf(fraction) < index) check.addIssue({ code: 'custom', path: [index], message: `is the second ${fraction}` });
  });

const ScopeInput = builder.inputType('BudgetScopeInput', {
  fields: (t) => ({
    type: t.field({ type: ScopeTypeEnum }),
    id: t.string({
      required: false,
      description: 'The account, the agent, or the trace id; none for the tenant.',
      validate: z.string().min(1).max(100),
    }),
  }),
});

const CreateBudgetInput = builder.inputType('CreateBudgetInput', {
  fields: (t) => ({
    name: t.string({ validate: budgetName }),
    scope: t.field({ type: ScopeInput }),
    parentId: t.field({ type: 'BudgetId', required: false, description: 'The budget that it counts within: at most four above it.' }),
    amount: t.field({ type: 'Amount', description: 'At most that of its parent.' }),
    currency: t.field({ type: 'Currency' }),
    period: t.field({ type: PeriodEnum }),
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

const UpdateBudgetInput = builder.inputType('UpdateBudgetInput', {
  fields: (t) => ({
    name: t.string({ required: false, validate: budgetName }),
    amount: t.field({ type: 'Amount', required: false }),
    expiresAt: t.field({ type: 'DateTime', required: false, description: 'Null: it does not expire.' }),
    alertsAt: t.field({ type: ['Fraction'], required: false, description: 'They replace the ones before.', validate: alertsAt }),
  }),
});

builder.queryFields((t) => ({
  budget: t.prismaField({
    route: rest('GET /v1/budgets/{id}', 'Read a budget, with what was spent and what is left.'),
    type: Budget,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'BudgetId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => budget(ctx, id, query),
  }),
  budgets: t.field({
    route: rest('GET /v1/budgets', 'List budgets, each with what was spent and what is left.'),
    type: BudgetPage,
    authScopes: { audience: 'operator' },
    args: {
      ...pageArgs(t),
      scopeType: t.arg({ type: ScopeTypeEnum, required: false }),
      scopeId: t.arg.string({ required: false, description: 'An account, an agent or a trace.' }),
      parentId: t.arg({ type: 'BudgetId', required: false }),
    },
    resolve: (_root, filter, ctx, info) => budgets(ctx, filter, nodesQuery(ctx, info)),
  }),
}));

builder.mutationFields((t) => ({
  createBudget: t.field({
    route: rest('POST /v1/budgets', 'Make a budget: what may be spent in a scope and period.', { status: 201 }),
    type: Budget,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: CreateBudgetInput }) },
    ...facts({ errors: [NotFound, TooManyBudgets] }),
    resolve: once((ctx, { input }) => createBudget(ctx, input), budget),
  }),
  updateBudget: t.field({
    route: rest('PATCH /v1/budgets/{id}', 'Change a budget: its name, its amount, its end or its alerts.'),
    type: Budget,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'BudgetId' }), input: t.arg({ type: UpdateBudgetInput }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id, input }) => updateBudget(ctx, { ...input, id }), budget),
  }),
  deleteBudget: t.field({
    route: rest('DELETE /v1/budgets/{id}', 'End a budget that has no children: it binds no spend any more.'),
    type: DeletedBudget,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'BudgetId' }) },
    ...facts({ errors: [NotFound, BudgetInUse] }),
    resolve: once(
      (ctx, { id }): Promise<{ id: string }> => deleteBudget(ctx, id),
      async (_ctx, id) => ({ id }),
    ),
  }),
}));
