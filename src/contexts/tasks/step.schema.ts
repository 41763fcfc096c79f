// The GraphQL face of what the sides of a task do with it.
import { Forbidden, NotFound, SessionRequired, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { PolicyViolation } from '../spending/errors.js';
import { postingErrors } from '../spending/pipeline/refusal.js';
import { claimTask, respondToTask } from './claim.js';
import { cancelTask, failTask } from './ending.js';
import { NotYourTask, TaskAlreadyClaimed } from './errors.js';
import { rest } from './rest.js';
import { approveTask, disputeTask, rateTask } from './review.js';
import {
  AnswerTaskInput,
  ApproveTaskInput,
  CompleteTaskInput,
  DisputeTaskInput,
  EndTaskInput,
  RateTaskInput,
  RequestTaskInput,
  RespondToTaskInput,
  TaskProgressInput,
  UpdateTaskInput,
} from './step.input.js';
import { task } from './task.js';
import { TaskType } from './task.schema.js';
import { answerInput, completeTask, progressTask, requestInput, startTask, updateTask } from './work.js';

const stepErrors = [NotFound, StateConflict, NotYourTask];

builder.mutationFields((t) => ({
  updateTask: t.field({
    route: rest('PATCH /v1/a2a/tasks/{id}', 'Change what a task is about while nobody works on it.'),
    type: TaskType,
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: UpdateTaskInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => updateTask(ctx, { ...input, id }), task),
  }),
  claimTask: t.field({
    route: rest('POST /v1/a2a/tasks/{taskId}/claim', 'Claim an open task as the calling agent: the first one gets it.', {
      names: { id: 'taskId' },
    }),
    type: TaskType,
    args: { id: t.arg({ type: 'TaskId' }) },
    ...facts({ errors: [NotFound, StateConflict, TaskAlreadyClaimed, SessionRequired, Forbidden, PolicyViolation] }),
    resolve: once((ctx, { id }) => claimTask(ctx, id), task),
  }),
  respondToTask: t.field({
    route: rest('POST /v1/a2a/tasks/{id}/respond', 'Accept or decline a task that was given to the agent by name.'),
    type: TaskType,
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: RespondToTaskInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => respondToTask(ctx, id, input.action, input.reason ?? null), task),
  }),
  startTask: t.field({
    route: rest('POST /v1/a2a/tasks/{id}/start', 'Begin to work on a task.'),
    type: TaskType,
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: TaskProgressInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => startTask(ctx, { ...input, id }), task),
  }),
  progressTask: t.field({
    route: rest('POST /v1/a2a/tasks/{id}/progress', 'Tell how far the work is.'),
    type: TaskType,
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: TaskProgressInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => progressTask(ctx, { ...input, id }), task),
  }),
  requestTaskInput: t.field({
    route: rest('POST /v1/a2a/tasks/{id}/request-input', 'Ask the sender something: work stands still until it answers.'),
    type: TaskType,
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: RequestTaskInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => requestInput(ctx, { ...input, id }), task),
  }),
  answerTaskInput: t.field({
    route: rest('POST /v1/a2a/tasks/{id}/input', 'Answer what the worker asked.'),
    type: TaskType,
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: AnswerTaskInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => answerInput(ctx, { ...input, id }), task),
  }),
  completeTask: t.field({
    route: rest('POST /v1/a2a/tasks/{id}/complete', 'Deliver: the review of the sender begins.'),
    type: TaskType,
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: CompleteTaskInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => completeTask(ctx, id, input.deliverable), task),
  }),
  approveTask: t.field({
    route: rest('POST /v1/a2a/tasks/{id}/approve', 'Take what was delivered, and pay the worker at once.'),
    type: TaskType,
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: ApproveTaskInput }) },
    ...facts({ errors: [...stepErrors, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => approveTask(ctx, { ...input, id }), task),
  }),
  rateTask: t.field({
    route: rest('POST /v1/a2a/tasks/{id}/rate', 'Rate the other side of a completed task, once.'),
    type: TaskType,
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: RateTaskInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => rateTask(ctx, { ...input, id }), task),
  }),
  disputeTask: t.field({
    route: rest('POST /v1/a2a/tasks/{id}/dispute', 'Dispute what was delivered, before the review is over.'),
    type: TaskType,
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: DisputeTaskInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => disputeTask(ctx, { ...input, id }), task),
  }),
  cancelTask: t.field({
    route: rest('POST /v1/a2a/tasks/{id}/cancel', 'Call a task off, as its sender.'),
    type: TaskType,
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: EndTaskInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => cancelTask(ctx, id, input.reason ?? null), task),
  }),
  failTask: t.field({
    route: rest('POST /v1/a2a/tasks/{id}/fail', 'Give a task up, as its worker.'),
    type: TaskType,
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: EndTaskInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => failTask(ctx, id, input.reason ?? null), task),
  }),
}));
