// The GraphQL face of tasks: what they are, how they are read and given.

import type { Task as TaskRow } from '../../generated/prisma/client.js';
import { CurrencyMismatch, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { visibleRelation } from '../../platform/schema/visible-relation.js';
import { Visibility } from '../../platform/visibility.js';
import { visibleWallets } from '../accounts/wallet.js';
import { Wallet } from '../accounts/wallet.schema.js';
import { visibleAgents } from '../agents/agent.js';
import { Agent } from '../agents/agent.schema.js';
import { pendingApproval } from '../spending/approval/approval.schema.js';
import { mandateErrors } from '../spending/errors.js';
import { postingErrors } from '../spending/pipeline/refusal.js';
import { DryRunType } from '../transfers/dry-run.schema.js';
import { SameWallet } from '../transfers/errors.js';
import { PriceChanged } from './errors.js';
import { rest } from './rest.js';
import {
  CreateTaskInput,
  mostCandidates,
  PaymentStatusEnum,
  TaskPaymentMethodEnum,
  TaskRoleEnum,
  TaskSideEnum,
  TaskStatusEnum,
} from './task.input.js';
import { isDelivered, mostShownMessages, type TaskChange, task, tasks, visibleTasks } from './task.js';
import { taskMutation } from './task-request.js';

const TaskPayment = builder.objectRef<TaskRow>('TaskPayment').implement({
  description: 'What a task pays, and the state of the money.',
  fields: (t) => {
    const money = (description: string, of: (row: TaskRow) => bigint) =>
      t.field({ type: 'Amount', description, resolve: (row) => formatMinor(of(row), row.currency ?? '') });
    return {
      amount: money('What was agreed, in `currency`.', ({ amount }) => amount ?? 0n),
      currency: t.field({ type: 'Currency', resolve: ({ currency }) => currency ?? '' }),
      method: t.field({ type: TaskPaymentMethodEnum, resolve: ({ method }) => method ?? 'wallet' }),
      status: t.field({ type: PaymentStatusEnum, resolve: ({ paymentStatus }) => paymentStatus ?? 'reserved' }),
      released: money('What the worker was paid so far, in `currency`.', ({ released }) => released ?? 0n),
      transferId: t.field({ type: 'TransferId', description: 'The transfer that pays.', resolve: ({ transferId }) => transferId ?? '' }),
    };
  },
});

const TaskProgress = builder.objectRef<{ message: string | null; percent: number | null; at: string }>('TaskProgress').implement({
  description: 'What the worker last said about the work.',
  fields: (t) => ({
    message: t.exposeString('message', { nullable: true, description: 'How the work is going; null where nothing was said.' }),
    percent: t.exposeInt('percent', { nullable: true, description: 'How much of the work is done, in percent; null where it is unknown.' }),
    at: t.field({ type: 'DateTime', description: 'When the worker said so.', resolve: ({ at }) => new Date(at) }),
  }),
});

const TaskAcceptance = builder.objectRef<TaskRow>('TaskAcceptance').implement({
  description: 'What a deliverable has to match.',
  fields: (t) => ({
    jsonSchema: t.field({
      type: 'JSONObject',
      description: 'JSON Schema that the deliverable has to match.',
      resolve: ({ acceptanceSchema }) => acceptanceSchema,
    }),
  }),
});

const TaskMessage = builder.prismaObject('TaskMessage', {
  description: 'A message between the two sides of a task.',
  fields: (t) => ({
    id: t.expose('id', { type: 'TaskMessageId' }),
    author: t.expose('author', { type: TaskSideEnum, description: 'The side that wrote it.' }),
    parts: t.field({ type: 'JSON', description: 'Its parts, as in A2A.', resolve: ({ parts }) => parts }),
    schema: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'JSON Schema that the answer has to match; null without one.',
      resolve: ({ schema }) => schema,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
/** Whoever sees a task sees what was said in it: nothing is, before somebody works on it. */
const visibleMessages = new Visibility<object>({ scope: 'tasks:read', agent: () => ({}) });

export const TaskType = builder.prismaObject('Task', {
  ...byId(rowsOf('task', visibleTasks)),
  description: 'Work that one agent gives to another, with its payment in escrow.',
  fields: (t) => ({
    id: t.expose('id', { type: 'TaskId' }),
    fromAgentId: t.expose('fromAgentId', { type: 'AgentUuid', description: 'The agent that gave the task.' }),
    fromAgent: t.field({
      type: Agent,
      nullable: true,
      description: 'The agent that gave the task.',
      ...visibleRelation('fromAgent', visibleAgents),
    }),
    toAgentId: t.expose('toAgentId', {
      type: 'AgentUuid',
      nullable: true,
      description: 'The agent that does it; null while nobody has claimed it.',
    }),
    toAgent: t.field({
      type: Agent,
      nullable: true,
      description: 'The agent that does it; null while nobody has claimed it.',
      ...visibleRelation('toAgent', visibleAgents),
    }),
    skillId: t.exposeString('skillId', { description: 'The skill that is needed.' }),
    status: t.expose('status', { type: TaskStatusEnum }),
    statusReason: t.exposeString('statusReason', {
      nullable: true,
      description: 'Why it has ended; null while it has not, or where no reason was given.',
    }),
    open: t.boolean({
      description: 'True for a task that was offered to whoever claims it first, until it is delivered or has ended.',
      resolve: (row) => row.open && !isDelivered(row),
    }),
    candidateAgentIds: t.field({
      type: ['AgentUuid'],
      ...facts({ most: mostCandidates, embedded: true }),
      description: 'Agents that may claim it; empty for every agent.',
      resolve: ({ candidateAgentIds }) => candidateAgentIds,
    }),
    payload: t.field({ type: 'JSONObject', description: 'What the skill is given.', resolve: ({ payload }) => payload }),
    contextId: t.exposeString('contextId', { description: 'Id of what the task belongs to, as the sender said; its own id by default.' }),
    acceptance: t.field({
      type: TaskAcceptance,
      nullable: true,
      description: 'What the deliverable has to match; null for anything.',
      resolve: (row) => (row.acceptanceSchema === null ? null : row),
    }),
    payment: t.field({
      type: TaskPayment,
      nullable: true,
      description: 'What it pays; null for an unpaid task.',
      resolve: (row) => (row.amount === null ? null : row),
    }),
    wallet: t.field({ type: Wallet, nullable: true, description: 'The wallet that pays.', ...visibleRelation('wallet', visibleWallets) }),
    payeeWallet: t.field({
      type: Wallet,
      nullable: true,
      description: 'The wallet that is paid.',
      ...visibleRelation('payeeWallet', visibleWallets),
    }),
    deadline: t.expose('deadline', {
      type: 'DateTime',
      nullable: true,
      description: 'What is not delivered by then has expired; null for no deadline.',
    }),
    claimTimeoutSeconds: t.exposeInt('claimTimeoutSeconds', { description: 'Seconds that whoever claims it has to begin.' }),
    claimedAt: t.expose('claimedAt', { type: 'DateTime', nullable: true, description: 'When it was claimed or accepted; null before.' }),
    claimDeadline: t.expose('claimDeadline', {
      type: 'DateTime',
      nullable: true,
      description: 'A worker that has not begun by then loses an open task; null for others.',
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true, description: 'When the work began; null before.' }),
    progress: t.field({
      type: TaskProgress,
      nullable: true,
      description: 'What the worker last said about the work; null where nothing was said.',
      resolve: ({ progress }) => progress as never,
    }),
    messages: t.field({
      type: [TaskMessage],
      description: 'Questions of the worker and their answers, the last ones.',
      ...visibleRelation('messages', visibleMessages, {
        most: mostShownMessages,
        query: { orderBy: { id: 'desc' }, take: mostShownMessages },
      }),
    }),
    deliverable: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'What was delivered; null before.',
      resolve: ({ deliverable }) => deliverable,
    }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true, description: 'When it was delivered; null before.' }),
    reviewWindowSeconds: t.exposeInt('reviewWindowSeconds', { description: 'Seconds in which the sender may dispute what was delivered.' }),
    reviewDeadline: t.expose('reviewDeadline', {
      type: 'DateTime',
      nullable: true,
      description: 'Until then the delivery can be disputed; then the worker is paid. Null before delivery.',
    }),
    disputeId: t.expose('disputeId', {
      type: 'DisputeId',
      nullable: true,
      description: 'The dispute about what was delivered; null without one.',
    }),
    rating: t.exposeInt('rating', { nullable: true, description: 'Rating of the worker by the sender, 1 to 5; null where there is none.' }),
    feedback: t.exposeString('feedback', {
      nullable: true,
      description: 'What the sender said about the work; null where there is nothing.',
    }),
    senderRating: t.exposeInt('senderRating', {
      nullable: true,
      description: 'Rating of the sender by the worker, 1 to 5; null where there is none.',
    }),
    senderFeedback: t.exposeString('senderFeedback', {
      nullable: true,
      description: 'What the worker said about the sender; null where there is nothing.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const TaskPage = pageOf(TaskType, 'Task');

const TaskPayload = builder.objectRef<TaskChange>('TaskPayload').implement({
  description: 'A task, and the approval that its money waits for, if any.',
  fields: (t) => ({
    task: t.field({ type: TaskType, description: 'The task as it was created.', resolve: (made) => made.task }),
    approval: t.expose('approval', pendingApproval),
  }),
});

builder.queryFields((t) => ({
  task: t.prismaField({
    route: rest(
      'GET /v1/a2a/tasks/{id}',
      'Read a task with its payment and its last messages. Either side reads it, and so does an agent that may claim it; for others it is 404.',
      { also: ['messages'] },
    ),
    type: TaskType,
    authScopes: { audience: 'any', scope: 'tasks:read' },
    args: { id: t.arg({ type: 'TaskId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => task(ctx, id, query),
  }),
  tasks: t.field({
    route: rest(
      'GET /v1/a2a/tasks',
      'List tasks, newest first. Filter by role, agent, status or skill; `open=true` lists those that can be claimed. An agent sees those that it gave, works on or may claim.',
    ),
    type: TaskPage,
    authScopes: { audience: 'any', scope: 'tasks:read' },
    ...listed(t, tasks, {
      role: t.arg({ type: TaskRoleEnum, required: false, description: 'Only tasks in which the agent has this role.' }),
      agentId: t.arg({ type: 'AgentUuid', required: false, description: 'Only tasks of this agent, on either side or on that of `role`.' }),
      status: t.arg({ type: TaskStatusEnum, required: false }),
      open: t.arg.boolean({ required: false, description: 'True: only tasks that can be claimed.' }),
      skillId: t.arg.string({ required: false }),
      contextId: t.arg.string({ required: false }),
    }),
  }),
}));

/** What a task may be refused with before the ledger is asked. */
const requestErrors = [PriceChanged, NotFound, StateConflict, CurrencyMismatch, SameWallet, ...mandateErrors];

builder.mutationFields((t) => ({
  createTask: t.field({
    route: rest(
      'POST /v1/a2a/tasks',
      'Give a task to an agent, or offer it to whoever claims it first. Its payment goes into escrow and uses limits like any spend; it may need an approval (202). A payload that the skill does not take is 400.',
      {
        status: 201,
        body: 'task',
        accepted: 'approval',
      },
    ),
    type: TaskPayload,
    authScopes: { audience: 'any', scope: 'tasks:write' },
    args: { input: t.arg({ type: CreateTaskInput }) },
    ...facts({ errors: [...requestErrors, ...postingErrors] }),
    resolve: once((ctx, { input }) => taskMutation.create(ctx, input), taskMutation.replay),
  }),
  dryRunTask: t.field({
    route: rest(
      'POST /v1/a2a/tasks',
      'Show what `POST /v1/a2a/tasks` would do, without doing it. A refusal by the spend pipeline is part of the answer; a faulty request is an error.',
      { when: 'dry_run' },
    ),
    type: DryRunType,
    authScopes: { audience: 'any', scope: 'tasks:write' },
    args: { input: t.arg({ type: CreateTaskInput }) },
    ...facts({ effect: 'none', errors: requestErrors }),
    resolve: (_root, { input }, ctx) => taskMutation.dryRun(ctx, input),
  }),
}));
