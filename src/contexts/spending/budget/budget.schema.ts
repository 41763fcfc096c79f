// The GraphQL face of budgets. Agents see what is left of those that bind them, among their limits.
import type { BudgetScope } from '../../../generated/prisma/enums.js';
import { NotFound } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { formatMinor } from '../../../platform/money.js';
import { builder, facts, listed, pageOf } from '../../../platform/schema/builder.js';
import { BudgetInUse, TooManyBudgets } from '../errors.js';
import { AgentLimitsType } from '../policy/kya-limit.schema.js';
import { rest } from '../rest.js';
import { type AgentBudget, agentBudgets, mostAgentBudgets } from './agent-budget.js';
import { CreateBudgetInput, PeriodEnum, ScopeTypeEnum, UpdateBudgetInput } from './budget.input.js';
import { budget, budgets, createBudget, deleteBudget, updateBudget } from './budget.js';
import { budgetUse } from './budget-use.js';

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
    ...listed(t, budgets, {
      scopeType: t.arg({ type: ScopeTypeEnum, required: false }),
      scopeId: t.arg.string({ required: false, description: 'An account, an agent or a trace.' }),
      parentId: t.arg({ type: 'BudgetId', required: false }),
    }),
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
