// The GraphQL face of budgets. Agents see what is left of those that bind them, among their limits.

import type { BudgetScope } from '../../../generated/prisma/enums.js';
import { NotFound } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { formatMinor } from '../../../platform/money.js';
import { builder, facts, listed, pageOf } from '../../../platform/schema/builder.js';
import { byId, rowsOf } from '../../../platform/schema/relation.js';
import { operatorsOnly } from '../../../platform/visibility.js';
import { BudgetInUse, BudgetOfConnection, TooManyBudgets } from '../errors.js';
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
    type: t.expose('scopeType', { type: ScopeTypeEnum, description: 'Kind of the scope.' }),
    id: t.exposeString('scopeId', {
      nullable: true,
      description: 'The UUID of the account, agent, mandate or connection, or the trace id; null for the tenant.',
    }),
  }),
});

const Budget = builder.prismaObject('Budget', {
  ...byId(rowsOf('budget', operatorsOnly('policies:read'), { where: { deletedAt: null } })),
  description: 'An amount that may be spent in a scope and period. Its spends count for all budgets above it too.',
  fields: (t) => ({
    id: t.expose('id', { type: 'BudgetId' }),
    name: t.exposeString('name', { description: 'Your own name for the budget.' }),
    scope: t.field({ type: Scope, description: 'Whose spends it counts.', resolve: (row) => row }),
    parentId: t.expose('parentId', { type: 'BudgetId', nullable: true, description: 'The budget above it; null without one.' }),
    amount: t.field({
      type: 'Amount',
      description: 'The most that may be spent per period, in `currency`.',
      resolve: (row) => formatMinor(row.amount, row.currency),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    period: t.expose('period', { type: PeriodEnum }),
    timezone: t.exposeString('timezone', { description: 'Time zone at whose midnight a period begins.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'From then on nothing can be spent under it; null: it does not expire.',
    }),
    alertsAt: t.expose('alertsAt', { type: ['Fraction'], description: 'Fractions of the amount at which a warning is sent.' }),
    version: t.exposeInt('version', { description: 'Raised by every change; decisions name the version that they applied.' }),
    spent: t.field({
      type: 'Amount',
      description: 'Paid in the present period, in `currency`.',
      resolve: async (row, _args, ctx) => formatMinor((await budgetUse(ctx, row)).spent, row.currency),
    }),
    reserved: t.field({
      type: 'Amount',
      description: 'Held in the present period for what may still be paid, in `currency`.',
      resolve: async (row, _args, ctx) => formatMinor((await budgetUse(ctx, row)).reserved, row.currency),
    }),
    remaining: t.field({
      type: 'Amount',
      description: 'What may still be spent in the present period; 0.00 once the budget has expired.',
      resolve: async (row, _args, ctx) => formatMinor((await budgetUse(ctx, row)).remaining, row.currency),
    }),
    resetsAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the next period begins; null for `once`.',
      resolve: async (row, _args, ctx) => (await budgetUse(ctx, row)).resetsAt,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const BudgetPage = pageOf(Budget, 'Budget');

const DeletedBudget = builder.objectRef<{ id: string }>('DeletedBudget').implement({
  description: 'A budget that was ended.',
  fields: (t) => ({ id: t.expose('id', { type: 'BudgetId' }), deleted: t.boolean({ resolve: () => true }) }),
});

const print = (minor: bigint | null, currency: string) => (minor === null ? null : formatMinor(minor, currency));

const AgentBudgetType = builder.objectRef<AgentBudget>('AgentBudget').implement({
  description: 'A budget that binds an agent, and what is left of it.',
  fields: (t) => ({
    budgetId: t.expose('budgetId', { type: 'BudgetId', description: 'The budget.' }),
    name: t.exposeString('name', { description: 'Your own name for the budget.' }),
    scopeType: t.expose('scopeType', { type: ScopeTypeEnum }),
    period: t.expose('period', { type: PeriodEnum }),
    currency: t.expose('currency', { type: 'Currency' }),
    amount: t.field({
      type: 'Amount',
      nullable: true,
      description: 'The most per period; null for an agent that asks about a budget which is not its own.',
      resolve: ({ amount, currency }) => print(amount, currency),
    }),
    spent: t.field({
      type: 'Amount',
      nullable: true,
      description: 'Paid or held in the present period; null like the amount.',
      resolve: ({ spent, currency }) => print(spent, currency),
    }),
    remaining: t.field({
      type: 'Amount',
      description: 'What may still be spent in the present period.',
      resolve: ({ remaining, currency }) => formatMinor(remaining, currency),
    }),
    resetsAt: t.expose('resetsAt', { type: 'DateTime', nullable: true, description: 'When the next period begins; null for `once`.' }),
  }),
});

builder.objectField(AgentLimitsType, 'budgets', (t) =>
  t.field({
    type: [AgentBudgetType],
    description: 'Budgets that bind the agent, then those above them.',
    ...facts({ most: mostAgentBudgets }),
    resolve: ({ agentId }, _args, ctx) => agentBudgets(ctx, agentId),
  }),
);

builder.queryFields((t) => ({
  budget: t.prismaField({
    route: rest('GET /v1/budgets/{id}', 'Read a budget with what was spent and what is left. Its figures are those of the present period.'),
    type: Budget,
    authScopes: { audience: 'operator', scope: 'policies:read' },
    args: { id: t.arg({ type: 'BudgetId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => budget(ctx, id, query),
  }),
  budgets: t.field({
    route: rest('GET /v1/budgets', 'List budgets, newest first, each with what was spent and what is left. Filter by scope or parent.'),
    type: BudgetPage,
    authScopes: { audience: 'operator', scope: 'policies:read' },
    ...listed(t, budgets, {
      scopeType: t.arg({ type: ScopeTypeEnum, required: false }),
      scopeId: t.arg.string({ required: false, description: 'Only budgets of this account, agent, mandate, connection or trace.' }),
      parentId: t.arg({ type: 'BudgetId', required: false }),
    }),
  }),
}));

builder.mutationFields((t) => ({
  createBudget: t.field({
    route: rest(
      'POST /v1/budgets',
      'Create a budget: the most that may be spent in a scope and period. It binds from the next spend on, at once for every protocol, and counts for the budgets above it too. A budget larger than its parent is 400.',
      { status: 201 },
    ),
    type: Budget,
    authScopes: { audience: 'operator', scope: 'policies:write' },
    args: { input: t.arg({ type: CreateBudgetInput }) },
    ...facts({ errors: [NotFound, TooManyBudgets] }),
    resolve: once((ctx, { input }) => createBudget(ctx, input), budget),
  }),
  updateBudget: t.field({
    route: rest(
      'PATCH /v1/budgets/{id}',
      'Change the name, amount, expiry or alerts of a budget. It binds from the next spend on, for what the period has counted so far. An amount beyond that of its parent, or below that of a child, is 400. That of an active connection takes no expiry (409 `state_conflict`).',
    ),
    type: Budget,
    authScopes: { audience: 'operator', scope: 'policies:write' },
    args: { id: t.arg({ type: 'BudgetId' }), input: t.arg({ type: UpdateBudgetInput }) },
    ...facts({ errors: [NotFound, BudgetOfConnection] }),
    resolve: once((ctx, { id, input }) => updateBudget(ctx, { ...input, id }), budget),
  }),
  deleteBudget: t.field({
    route: rest(
      'DELETE /v1/budgets/{id}',
      'End a budget, which then binds no spend. A budget with children, or of an active connection, is 409 `state_conflict`: end those first.',
    ),
    type: DeletedBudget,
    authScopes: { audience: 'operator', scope: 'policies:write' },
    args: { id: t.arg({ type: 'BudgetId' }) },
    ...facts({ errors: [NotFound, BudgetInUse, BudgetOfConnection] }),
    resolve: once(
      (ctx, { id }): Promise<{ id: string }> => deleteBudget(ctx, id),
      async (_ctx, id) => ({ id }),
    ),
  }),
}));
