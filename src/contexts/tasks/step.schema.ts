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
    route: rest(
      'PATCH /v1/a2a/tasks/{id}',
      'Change the payload or the deadline of a task, as its sender. It can be changed while nobody works on it; later it is 409.',
    ),
    type: TaskType,
    authScopes: { audience: 'any', scope: 'tasks:write' },
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: UpdateTaskInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => updateTask(ctx, { ...input, id }), task),
  }),
  claimTask: t.field({
    route: rest(
      'POST /v1/a2a/tasks/{taskId}/claim',
      "Claim an open task as the calling agent: the first one gets it. All others get 409 `task_already_claimed` with who claimed it; claiming one's own task again changes nothing. Needs an agent's credential, else 403 `session_required`.",
      {
        names: { id: 'taskId' },
      },
    ),
    type: TaskType,
    authScopes: { audience: 'any', scope: 'tasks:write' },
    args: { id: t.arg({ type: 'TaskId' }) },
    ...facts({ errors: [NotFound, StateConflict, TaskAlreadyClaimed, SessionRequired, Forbidden, PolicyViolation] }),
    resolve: once((ctx, { id }) => claimTask(ctx, id), task),
  }),
  respondToTask: t.field({
    route: rest(
      'POST /v1/a2a/tasks/{id}/respond',
      'Accept or decline a task that was given to the agent by name. Declining ends it and gives its payment back; after the deadline it is 409.',
    ),
    type: TaskType,
    authScopes: { audience: 'any', scope: 'tasks:write' },
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: RespondToTaskInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => respondToTask(ctx, id, input.action, input.reason ?? null), task),
  }),
  startTask: t.field({
    route: rest(
      'POST /v1/a2a/tasks/{id}/start',
      'Begin to work on a task, as its worker. It must be claimed or accepted, else 409; an open task that is not begun in time goes back to be claimed.',
    ),
    type: TaskType,
    authScopes: { audience: 'any', scope: 'tasks:write' },
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: TaskProgressInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => startTask(ctx, { ...input, id }), task),
  }),
  progressTask: t.field({
    route: rest(
      'POST /v1/a2a/tasks/{id}/progress',
      'Report how far the work is, as the worker. The first report begins the work; the sender sees the last one.',
    ),
    type: TaskType,
    authScopes: { audience: 'any', scope: 'tasks:write' },
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: TaskProgressInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => progressTask(ctx, { ...input, id }), task),
  }),
  requestTaskInput: t.field({
    route: rest(
      'POST /v1/a2a/tasks/{id}/request-input',
      'Ask the sender a question, as the worker. The task is `input_required` until the sender answers.',
    ),
    type: TaskType,
    authScopes: { audience: 'any', scope: 'tasks:write' },
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: RequestTaskInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => requestInput(ctx, { ...input, id }), task),
  }),
  answerTaskInput: t.field({
    route: rest(
      'POST /v1/a2a/tasks/{id}/input',
      'Answer a question of the worker, as the sender. An answer that does not match the schema of the question is 400; the work then goes on.',
    ),
    type: TaskType,
    authScopes: { audience: 'any', scope: 'tasks:write' },
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: AnswerTaskInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => answerInput(ctx, { ...input, id }), task),
  }),
  completeTask: t.field({
    route: rest(
      'POST /v1/a2a/tasks/{id}/complete',
      'Deliver a task, as its worker. A deliverable that does not match the agreed schema is 400. The sender then has its review window, at whose end the worker is paid.',
    ),
    type: TaskType,
    authScopes: { audience: 'any', scope: 'tasks:write' },
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: CompleteTaskInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => completeTask(ctx, id, input.deliverable), task),
  }),
  approveTask: t.field({
    route: rest(
      'POST /v1/a2a/tasks/{id}/approve',
      'Accept what was delivered, as the sender, and pay the worker at once. The sender may rate the work with it. A task whose money is no longer in escrow is 409.',
    ),
    type: TaskType,
    authScopes: { audience: 'any', scope: 'tasks:write' },
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: ApproveTaskInput }) },
    ...facts({ errors: [...stepErrors, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => approveTask(ctx, { ...input, id }), task),
  }),
  rateTask: t.field({
    route: rest(
      'POST /v1/a2a/tasks/{id}/rate',
      'Rate the other side of a completed task. Each side rates once, from 1 to 5; a second rating is 409.',
    ),
    type: TaskType,
    authScopes: { audience: 'any', scope: 'tasks:write' },
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: RateTaskInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => rateTask(ctx, { ...input, id }), task),
  }),
  disputeTask: t.field({
    route: rest(
      'POST /v1/a2a/tasks/{id}/dispute',
      'Dispute what was delivered, as the sender, within the review window. The money stays in escrow until the dispute is resolved, which divides it.',
    ),
    type: TaskType,
    authScopes: { audience: 'any', scope: 'tasks:write' },
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: DisputeTaskInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => disputeTask(ctx, { ...input, id }), task),
  }),
  cancelTask: t.field({
    route: rest(
      'POST /v1/a2a/tasks/{id}/cancel',
      'Cancel a task that is not delivered, as its sender. Its payment goes back; a task that was delivered or has ended is 409.',
    ),
    type: TaskType,
    authScopes: { audience: 'any', scope: 'tasks:write' },
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: EndTaskInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => cancelTask(ctx, id, input.reason ?? null), task),
  }),
  failTask: t.field({
    route: rest(
      'POST /v1/a2a/tasks/{id}/fail',
      'Give a task up, as its worker. Its payment goes back to the sender; a task that was delivered or has ended is 409.',
    ),
    type: TaskType,
    authScopes: { audience: 'any', scope: 'tasks:write' },
    args: { id: t.arg({ type: 'TaskId' }), input: t.arg({ type: EndTaskInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => failTask(ctx, id, input.reason ?? null), task),
  }),
}));
