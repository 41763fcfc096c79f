// The GraphQL face of usage: operations, their sums, and traces.
import type { Account, Operation } from '../../generated/prisma/client.js';
import { operationCategories } from '../../manifest/operation-category.js';
import { NotFound } from '../../platform/errors.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, openToPortal, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { actorId } from '../agents/me.js';
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
  description: 'Who was paid.',
  fields: (t) => ({ accountId: t.expose('id', { type: 'AccountId' }), name: t.exposeString('name') }),
});

export const UsageOperation = builder.objectRef<Operation>('UsageOperation').implement({
  description: 'One thing that happened and is final: completed, failed, expired or cancelled.',
  fields: (t) => ({
    id: t.expose('id', { type: 'OperationId' }),
    time: t.expose('at', { type: 'DateTime', description: 'When it became final, in workspace time.' }),
    category: t.field({ type: OperationCategoryEnum, resolve: ({ category }) => category as (typeof operationCategories)[number] }),
    operation: t.exposeString('operation', { description: 'A dotted name, such as transfer.internal.' }),
    protocol: t.expose('protocol', { type: ProtocolEnum }),
    success: t.exposeBoolean('success'),
    amount: t.field({
      type: 'Amount',
      description: 'What really moved.',
      resolve: ({ amount, currency }) => formatMinor(amount, currency),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    amountUsd: t.field({
      type: 'Amount',
      nullable: true,
      description: 'The same in USD by the rate of the day; null without a rate.',
      resolve: ({ amountUsd }) => (amountUsd === null ? null : formatUsd(amountUsd)),
    }),
    externalCostUsd: t.field({
      type: 'Amount',
      description: 'What somebody else took for it, in USD.',
      resolve: ({ externalCostUsd }) => formatUsd(externalCostUsd),
    }),
    provider: t.exposeString('provider', { nullable: true, description: 'Who took it, such as a rail.' }),
    actorType: t.expose('actorType', { type: InitiatorTypeEnum }),
    actorId: t.string({
      description: 'Who asked for it.',
      resolve: ({ actorType, actorId: id }) => actorId({ type: actorType, id }),
    }),
    agentId: t.expose('agentId', { type: 'AgentUuid', nullable: true, description: 'The agent that spent, or asked for it.' }),
    accountId: t.expose('accountId', { type: 'AccountId', nullable: true, description: 'The account that paid.' }),
    counterpartyId: t.expose('counterpartyId', { type: 'AccountId', nullable: true, description: 'The account that was paid.' }),
    subjectId: t.exposeString('subjectId', { description: 'UUID of the thing: of the transfer, the payout, the checkout.' }),
    traceId: t.expose('traceId', { type: 'TraceId', nullable: true, description: 'Trace of the request behind it.' }),
    description: t.string({ wire: { shown: false }, description: 'One line for people.', resolve: describe }),
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
  description: 'What a report is about: from start until before end.',
  fields: (t) => ({
    start: t.expose('start', { type: 'DateTime' }),
    end: t.expose('end', { type: 'DateTime' }),
  }),
});

export const UsageSummary = builder.objectRef<Usage>('UsageSummary').implement({
  description: 'How much happened in a period.',
  fields: (t) => ({
    period: t.field({ type: UsagePeriod, resolve: ({ period }) => period }),
    totalOperations: t.int({ resolve: ({ sums }) => operationsOf(sums) }),
    byCategory: t.field({
      type: 'Counts',
      description: 'Every category, with 0 where there is none.',
      resolve: ({ sums }) => countsBy(sums, 'category'),
    }),
    byProtocol: t.field({
      type: 'Counts',
      description: 'Every protocol, with 0 where there is none.',
      resolve: ({ sums }) => countsBy(sums, 'protocol'),
    }),
    totalExternalCostUsd: t.field({
      type: 'Amount',
      description: 'What rails and networks took, in USD.',
      resolve: ({ sums }) => formatUsd(externalCost(sums)),
    }),
    successRate: t.float({ description: 'From 0 to 1; 0 where nothing happened.', resolve: ({ sums }) => successRate(sums) }),
  }),
});

export const UsageCosts = builder.objectRef<Usage>('UsageCosts').implement({
  description: 'What rails and networks took in a period.',
  fields: (t) => ({
    period: t.field({ type: UsagePeriod, resolve: ({ period }) => period }),
    totalUsd: t.field({ type: 'Amount', resolve: ({ sums }) => formatUsd(externalCost(sums)) }),
    byProvider: t.field({ type: 'Amounts', description: 'In USD, by the name of the rail.', resolve: ({ sums }) => costsByProvider(sums) }),
  }),
});

const TraceTotal = builder.objectRef<Trace['totals'][number]>('TraceTotal').implement({
  description: 'What moved in one currency.',
  fields: (t) => ({
    currency: t.expose('currency', { type: 'Currency' }),
    amount: t.field({ type: 'Amount', resolve: ({ amount, currency }) => formatMinor(amount, currency) }),
  }),
});

const UsageTrace = builder.objectRef<Trace>('UsageTrace').implement({
  description: 'Everything that one trace did and spent, across agents.',
  fields: (t) => ({
    traceId: t.expose('traceId', { type: 'TraceId' }),
    operations: t.field({
      type: [UsageOperation],
      description: `The oldest first, at most ${mostTraced}.`,
      ...facts({ most: mostTraced }),
      resolve: ({ operations: rows }) => rows,
    }),
    hasMore: t.exposeBoolean('hasMore', { description: 'True when there are more than are shown; the totals count all.' }),
    totals: t.field({ type: [TraceTotal], ...facts({ most: 10 }), resolve: ({ totals }) => totals }),
    agents: t.field({ type: ['AgentUuid'], description: 'The agents that took part.', resolve: ({ agentIds }) => agentIds }),
  }),
});

export const since = { type: 'Moment', required: false, description: 'Begins here; 30 days before the end without it.' } as const;
export const until = { type: 'Moment', required: false, description: 'Ends before this, or with this day; now without it.' } as const;

builder.queryFields((t) => ({
  usageSummary: t.field({
    route: rest('GET /v1/usage/summary', 'How much happened in a period, by category and protocol.', { body: true }),
    type: UsageSummary,
    ...openToPortal('usage:read'),
    description: 'How much happened. An agent is told of its own operations.',
    args: { start: t.arg(since), end: t.arg(until) },
    resolve: (_root, period, ctx) => usage(ctx, period),
  }),
  usageCosts: t.field({
    route: rest('GET /v1/usage/costs', 'What rails and networks took in a period.', { body: true }),
    type: UsageCosts,
    ...openToPortal('usage:read'),
    description: 'What rails and networks took. An agent is told of its own operations.',
    args: { start: t.arg(since), end: t.arg(until) },
    resolve: (_root, period, ctx) => usage(ctx, period),
  }),
  usageOperations: t.field({
    type: UsageOperationPage,
    ...openToPortal('usage:read'),
    description: 'What happened, one row for each thing. An agent sees its own.',
    args: {
      start: t.arg(since),
      end: t.arg(until),
      category: t.arg({ type: OperationCategoryEnum, required: false }),
      protocol: t.arg({ type: ProtocolEnum, required: false }),
      success: t.arg.boolean({ required: false }),
      actorId: t.arg.string({ required: false, description: 'Who asked: an agent, or an API key.' }),
      traceId: t.arg({ type: 'TraceId', required: false }),
      ...(({ page, limit, after }) => ({ page, limit, after }))(pageArgs(t)),
    },
    resolve: (_root, filter, ctx) => operations(ctx, filter),
  }),
  usageTrace: t.field({
    route: rest('GET /v1/usage/traces/{trace_id}', 'Everything that one trace did and spent, across agents.'),
    type: UsageTrace,
    ...openToPortal('usage:read'),
    description: 'Everything that one trace did and spent. An agent sees its own part.',
    args: { traceId: t.arg({ type: 'TraceId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { traceId }, ctx) => trace(ctx, traceId),
  }),
}));
