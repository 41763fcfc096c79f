// The GraphQL face of usage: operations, their sums, and traces.
import type { Account, Operation } from '../../generated/prisma/client.js';
import { operationCategories } from '../../manifest/operation-category.js';
import { printActor, wireActorType } from '../../platform/actor.js';
import { NotFound } from '../../platform/errors.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, openToPortal, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { InitiatorTypeEnum } from '../spending/initiator.schema.js';
import { ProtocolEnum } from '../spending/protocol.input.js';
import { counterparty, describe } from './description.js';
import { mostTraced, operations, type Trace, trace } from './operation-list.js';
import type { Period } from './period.js';
import { rest } from './rest.js';
import { costsByProvider, countsBy, externalCost, formatUsd, operationsOf, successRate, type Usage, usage } from './summary.js';

const OperationCategoryEnum = builder.enumType('OperationCategory', {
  description: 'What kind of thing became final.',
  values: operationCategories,
});

const Counterparty = builder.objectRef<Pick<Account, 'id' | 'name'>>('Counterparty').implement({
  description: 'The account that was paid.',
  fields: (t) => ({
    accountId: t.expose('id', { type: 'AccountId', description: 'The account.' }),
    name: t.exposeString('name', { description: 'Name of the account.' }),
  }),
});

export const UsageOperation = builder.objectRef<Operation>('UsageOperation').implement({
  description: 'One thing that happened and is final: completed, failed, expired or cancelled.',
  fields: (t) => ({
    id: t.expose('id', { type: 'OperationId' }),
    time: t.expose('at', { type: 'DateTime', description: 'When it became final, in workspace time.' }),
    category: t.field({ type: OperationCategoryEnum, resolve: ({ category }) => category as (typeof operationCategories)[number] }),
    operation: t.exposeString('operation', { description: 'A dotted name, such as `transfer.internal`.' }),
    protocol: t.expose('protocol', { type: ProtocolEnum }),
    success: t.exposeBoolean('success', { description: 'True where it was completed.' }),
    amount: t.field({
      type: 'Amount',
      description: 'What really moved, in `currency`.',
      resolve: ({ amount, currency }) => formatMinor(amount, currency),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    amountUsd: t.field({
      type: 'Amount',
      nullable: true,
      description: 'The same in USD, by the rate of the day; null without a rate.',
      resolve: ({ amountUsd }) => (amountUsd === null ? null : formatUsd(amountUsd)),
    }),
    externalCostUsd: t.field({
      type: 'Amount',
      description: 'What a rail or network charged for it, in USD.',
      resolve: ({ externalCostUsd }) => formatUsd(externalCostUsd),
    }),
    provider: t.exposeString('provider', { nullable: true, description: 'Who charged it, such as a rail; null where nobody did.' }),
    actorType: t.field({ type: InitiatorTypeEnum, resolve: ({ actorType }) => wireActorType(actorType) }),
    actorId: t.string({
      description: 'The identifier of who requested it.',
      resolve: ({ actorType, actorId: id }) => printActor(actorType, id),
    }),
    agentId: t.expose('agentId', {
      type: 'AgentUuid',
      nullable: true,
      description: 'The agent that spent or requested it; null where none did.',
    }),
    accountId: t.expose('accountId', { type: 'AccountId', nullable: true, description: 'The account that paid; null where none did.' }),
    counterpartyId: t.expose('counterpartyId', {
      type: 'AccountId',
      nullable: true,
      description: 'The account that was paid; null where none was.',
    }),
    subjectId: t.exposeString('subjectId', { description: 'UUID of the transfer, payout, checkout or other thing that became final.' }),
    traceId: t.expose('traceId', { type: 'TraceId', nullable: true, description: 'Trace id of the request behind it; null without one.' }),
    description: t.string({ wire: { shown: false }, description: 'One line of text for people.', resolve: describe }),
    counterparty: t.field({
      type: Counterparty,
      nullable: true,
      description: 'The account that was paid; null for those who may not read it.',
      extensions: { visible: true },
      resolve: (row, _args, ctx) => counterparty(ctx, row),
    }),
  }),
});
export const UsageOperationPage = pageOf(UsageOperation, 'UsageOperation');

export const UsagePeriod = builder.objectRef<Period>('UsagePeriod').implement({
  description: 'The period of a report: from `start`, until before `end`.',
  fields: (t) => ({
    start: t.expose('start', { type: 'DateTime', description: 'First instant of the period.' }),
    end: t.expose('end', { type: 'DateTime', description: 'End of the period; this instant is not included.' }),
  }),
});

export const UsageSummary = builder.objectRef<Usage>('UsageSummary').implement({
  description: 'Number of operations in a period.',
  fields: (t) => ({
    period: t.field({ type: UsagePeriod, description: 'The period that is covered.', resolve: ({ period }) => period }),
    totalOperations: t.int({ description: 'Number of operations.', resolve: ({ sums }) => operationsOf(sums) }),
    byCategory: t.field({
      type: 'Counts',
      description: 'Number of operations by category; every category is listed.',
      resolve: ({ sums }) => countsBy(sums, 'category'),
    }),
    byProtocol: t.field({
      type: 'Counts',
      description: 'Number of operations by protocol; every protocol is listed.',
      resolve: ({ sums }) => countsBy(sums, 'protocol'),
    }),
    totalExternalCostUsd: t.field({
      type: 'Amount',
      description: 'What rails and networks charged, in USD.',
      resolve: ({ sums }) => formatUsd(externalCost(sums)),
    }),
    successRate: t.float({
      description: 'Operations that succeeded divided by all, both without fundings: from 0 to 1, 0 where nothing happened.',
      resolve: ({ sums }) => successRate(sums),
    }),
  }),
});

export const UsageCosts = builder.objectRef<Usage>('UsageCosts').implement({
  description: 'Costs of rails and networks in a period.',
  fields: (t) => ({
    period: t.field({ type: UsagePeriod, description: 'The period that is covered.', resolve: ({ period }) => period }),
    totalUsd: t.field({
      type: 'Amount',
      description: 'What rails and networks charged, in USD.',
      resolve: ({ sums }) => formatUsd(externalCost(sums)),
    }),
    byProvider: t.field({
      type: 'Amounts',
      description: 'The same by name of the rail or network, in USD.',
      resolve: ({ sums }) => costsByProvider(sums),
    }),
  }),
});

const TraceTotal = builder.objectRef<Trace['totals'][number]>('TraceTotal').implement({
  description: 'What moved in one currency.',
  fields: (t) => ({
    currency: t.expose('currency', { type: 'Currency' }),
    amount: t.field({
      type: 'Amount',
      description: 'What moved in this currency.',
      resolve: ({ amount, currency }) => formatMinor(amount, currency),
    }),
  }),
});

const UsageTrace = builder.objectRef<Trace>('UsageTrace').implement({
  description: 'Everything that one trace did and spent, across agents.',
  fields: (t) => ({
    traceId: t.expose('traceId', { type: 'TraceId', description: 'The trace.' }),
    operations: t.field({
      type: [UsageOperation],
      description: 'Its operations, oldest first, at most 500.',
      ...facts({ most: mostTraced }),
      resolve: ({ operations: rows }) => rows,
    }),
    hasMore: t.exposeBoolean('hasMore', { description: 'True where there are more than are shown; the totals count all.' }),
    totals: t.field({
      type: [TraceTotal],
      description: 'What moved, by currency.',
      ...facts({ most: 10 }),
      resolve: ({ totals }) => totals,
    }),
    agents: t.field({ type: ['AgentUuid'], description: 'Agents that took part.', resolve: ({ agentIds }) => agentIds }),
  }),
});

export const since = { type: 'Moment', required: false, description: 'Start of the period; by default 30 days before its end.' } as const;
export const until = {
  type: 'Moment',
  required: false,
  description: 'End of the period, not included; a bare day is included whole. Now by default.',
} as const;

builder.queryFields((t) => ({
  usageSummary: t.field({
    route: rest(
      'GET /v1/usage/summary',
      'Count the operations of a period, by category and protocol, with their success rate and costs. The last 30 days by default; an agent sees its own operations.',
      { body: true },
    ),
    type: UsageSummary,
    ...openToPortal('usage:read'),
    args: { start: t.arg(since), end: t.arg(until) },
    resolve: (_root, period, ctx) => usage(ctx, period),
  }),
  usageCosts: t.field({
    route: rest(
      'GET /v1/usage/costs',
      'Show what rails and networks charged in a period, in USD and by provider. The last 30 days by default; an agent sees the costs of its own operations.',
      { body: true },
    ),
    type: UsageCosts,
    ...openToPortal('usage:read'),
    args: { start: t.arg(since), end: t.arg(until) },
    resolve: (_root, period, ctx) => usage(ctx, period),
  }),
  usageOperations: t.field({
    type: UsageOperationPage,
    ...openToPortal('usage:read'),
    description:
      'List operations, newest first: one row for each thing that is final. The last 30 days by default; an agent sees its own. Refused requests are no operations.',
    args: {
      start: t.arg(since),
      end: t.arg(until),
      category: t.arg({ type: OperationCategoryEnum, required: false }),
      protocol: t.arg({ type: ProtocolEnum, required: false }),
      success: t.arg.boolean({ required: false }),
      actorId: t.arg.string({ required: false, description: 'Only operations requested by this agent or API key.' }),
      traceId: t.arg({ type: 'TraceId', required: false }),
      ...(({ page, limit, after }) => ({ page, limit, after }))(pageArgs(t)),
    },
    resolve: (_root, filter, ctx) => operations(ctx, filter),
  }),
  usageTrace: t.field({
    route: rest(
      'GET /v1/usage/traces/{trace_id}',
      'Show everything that one trace did and spent, across agents. A trace is the `traceparent` that your requests carry; an agent sees its own part.',
    ),
    type: UsageTrace,
    ...openToPortal('usage:read'),
    args: { traceId: t.arg({ type: 'TraceId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { traceId }, ctx) => trace(ctx, traceId),
  }),
}));
