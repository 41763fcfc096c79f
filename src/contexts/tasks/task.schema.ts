// The GraphQL face of tasks: what they are, how they are read and given.
import type { Task as TaskRow } from '../../generated/prisma/client.js';
import { CurrencyMismatch, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
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
import { mostShownMessages, type TaskChange, task, tasks } from './task.js';
import { taskMutation } from './task-request.js';

const TaskPayment = builder.objectRef<TaskRow>('TaskPayment').implement({
  description: 'What a task pays, and what has become of it.',
  fields: (t) => {
    const money = (description: string, of: (row: TaskRow) => bigint) =>
      t.field({ type: 'Amount', description, resolve: (row) => formatMinor(of(row), row.currency ?? '') });
    return {
      amount: money('What is agreed.', ({ amount }) => amount ?? 0n),
      currency: t.field({ type: 'Currency', resolve: ({ currency }) => currency ?? '' }),
      method: t.field({ type: TaskPaymentMethodEnum, resolve: ({ method }) => method ?? 'wallet' }),
      status: t.field({ type: PaymentStatusEnum, resolve: ({ paymentStatus }) => paymentStatus ?? 'reserved' }),
      released: money('What the worker was paid.', ({ released }) => released ?? 0n),
      transferId: t.field({ type: 'TransferId', resolve: ({ transferId }) => transferId ?? '' }),
    };
  },
});

const TaskProgress = builder.objectRef<{ message: string | null; percent: number | null; at: string }>('TaskProgress').implement({
  description: 'The last word of a worker about how far it is.',
  fields: (t) => ({
    message: t.exposeString('message', { nullable: true }),
    percent: t.exposeInt('percent', { nullable: true }),
    at: t.field({ type: 'DateTime', resolve: ({ at }) => new Date(at) }),
  }),
});

const TaskAcceptance = builder.objectRef<TaskRow>('TaskAcceptance').implement({
  description: 'What has to hold of what is delivered.',
  fields: (t) => ({ jsonSchema: t.field({ type: 'JSONObject', resolve: ({ acceptanceSchema }) => acceptanceSchema }) }),
});

const TaskMessage = builder.prismaObject('TaskMessage', {
  description: 'What one side of a task has told the other.',
  fields: (t) => ({
    id: t.expose('id', { type: 'TaskMessageId' }),
    author: t.expose('author', { type: TaskSideEnum }),
    parts: t.field({ type: 'JSON', description: 'Parts as A2A has them.', resolve: ({ parts }) => parts }),
    schema: t.field({ type: 'JSONObject', nullable: true, description: 'What the answer has to fit.', resolve: ({ schema }) => schema }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
/** Whoever sees a task sees what was said in it: nothing is, before somebody works on it. */
const visibleMessages = new Visibility<object>({ agent: () => ({}) });

export const TaskType = builder.prismaObject('Task', {
  description: 'Work that one agent gives to another, with its money in escrow.',
  fields: (t) => ({
    id: t.expose('id', { type: 'TaskId' }),
    fromAgentId: t.expose('fromAgentId', { type: 'AgentUuid' }),
    fromAgent: t.field({ type: Agent, nullable: true, ...visibleRelation('fromAgent', visibleAgents) }),
    toAgentId: t.expose('toAgentId', { type: 'AgentUuid', nullable: true, description: 'The worker; null while nobody has claimed it.' }),
    toAgent: t.field({ type: Agent, nullable: true, ...visibleRelation('toAgent', visibleAgents) }),
    skillId: t.exposeString('skillId'),
    status: t.expose('status', { type: TaskStatusEnum }),
    statusReason: t.exposeString('statusReason', { nullable: true, description: 'Why it has ended.' }),
    open: t.exposeBoolean('open', { description: 'It was offered to whoever claims it first.' }),
    candidateAgentIds: t.field({
      type: ['AgentUuid'],
      ...facts({ most: mostCandidates, embedded: true }),
      description: 'Those who may claim it; empty: every agent.',
      resolve: ({ candidateAgentIds }) => candidateAgentIds,
    }),
    payload: t.field({ type: 'JSONObject', resolve: ({ payload }) => payload }),
    contextId: t.exposeString('contextId', { description: 'What it belongs to, as its sender says; its own id by default.' }),
    acceptance: t.field({ type: TaskAcceptance, nullable: true, resolve: (row) => (row.acceptanceSchema === null ? null : row) }),
    payment: t.field({ type: TaskPayment, nullable: true, resolve: (row) => (row.amount === null ? null : row) }),
    wallet: t.field({ type: Wallet, nullable: true, description: 'What pays.', ...visibleRelation('wallet', visibleWallets) }),
    payeeWallet: t.field({ type: Wallet, nullable: true, description: 'What is paid.', ...visibleRelation('payeeWallet', visibleWallets) }),
    deadline: t.expose('deadline', { type: 'DateTime', nullable: true }),
    claimTimeoutSeconds: t.exposeInt('claimTimeoutSeconds'),
    claimedAt: t.expose('claimedAt', { type: 'DateTime', nullable: true }),
    claimDeadline: t.expose('claimDeadline', {
      type: 'DateTime',
      nullable: true,
      description: 'A worker that has not begun by then loses it.',
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true }),
    progress: t.field({ type: TaskProgress, nullable: true, resolve: ({ progress }) => progress as never }),
    messages: t.field({
      type: [TaskMessage],
      description: 'Questions of the worker and their answers, the last ones first.',
      ...visibleRelation('messages', visibleMessages, {
        most: mostShownMessages,
        query: { orderBy: { id: 'desc' }, take: mostShownMessages },
      }),
    }),
    deliverable: t.field({ type: 'JSONObject', nullable: true, resolve: ({ deliverable }) => deliverable }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true }),
    reviewWindowSeconds: t.exposeInt('reviewWindowSeconds'),
    reviewDeadline: t.expose('reviewDeadline', {
      type: 'DateTime',
      nullable: true,
      description: 'Until then what was delivered can be disputed; then the worker is paid.',
    }),
    disputeId: t.expose('disputeId', { type: 'DisputeId', nullable: true }),
    rating: t.exposeInt('rating', { nullable: true, description: 'The sender’s of the worker, 1 to 5.' }),
    feedback: t.exposeString('feedback', { nullable: true }),
    senderRating: t.exposeInt('senderRating', { nullable: true, description: 'The worker’s of the sender, 1 to 5.' }),
    senderFeedback: t.exposeString('senderFeedback', { nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const TaskPage = pageOf(TaskType, 'Task');

const TaskPayload = builder.objectRef<TaskChange>('TaskPayload').implement({
  description: 'A task, and the approval that its money waits for, if it does.',
  fields: (t) => ({
    task: t.field({ type: TaskType, resolve: (made) => made.task }),
    approval: t.expose('approval', pendingApproval),
  }),
});

builder.queryFields((t) => ({
  task: t.prismaField({
    route: rest('GET /v1/a2a/tasks/{id}', 'Read a task with its last messages.', { also: ['messages'] }),
    type: TaskType,
    args: { id: t.arg({ type: 'TaskId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => task(ctx, id, query),
  }),
  tasks: t.field({
    route: rest('GET /v1/a2a/tasks', 'List tasks.'),
    type: TaskPage,
    ...listed(t, tasks, {
      role: t.arg({ type: TaskRoleEnum, required: false, description: 'What the agent is to them.' }),
      agentId: t.arg({ type: 'AgentUuid', required: false, description: 'On either side, or on that of `role`.' }),
      status: t.arg({ type: TaskStatusEnum, required: false }),
      open: t.arg.boolean({ required: false, description: 'True: those that can be claimed.' }),
      skillId: t.arg.string({ required: false }),
      contextId: t.arg.string({ required: false }),
    }),
  }),
}));

/** What a task may be refused with before the ledger is asked. */
const requestErrors = [PriceChanged, NotFound, StateConflict, CurrencyMismatch, SameWallet, ...mandateErrors];

builder.mutationFields((t) => ({
  createTask: t.field({
    route: rest('POST /v1/a2a/tasks', 'Give a task to an agent, or offer it to whoever claims it first.', {
      status: 201,
      body: 'task',
      accepted: 'approval',
    }),
    type: TaskPayload,
    args: { input: t.arg({ type: CreateTaskInput }) },
    ...facts({ errors: [...requestErrors, ...postingErrors] }),
    resolve: once((ctx, { input }) => taskMutation.create(ctx, input), taskMutation.replay),
  }),
  dryRunTask: t.field({
    route: rest('POST /v1/a2a/tasks', 'Say what the payment of a task would do, and change nothing.', { when: 'dry_run' }),
    type: DryRunType,
    args: { input: t.arg({ type: CreateTaskInput }) },
    ...facts({ effect: 'none', errors: requestErrors }),
    resolve: (_root, { input }, ctx) => taskMutation.dryRun(ctx, input),
  }),
}));
