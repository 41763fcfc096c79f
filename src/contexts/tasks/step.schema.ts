// The GraphQL face of what the sides of a task do with it.
import { z } from 'zod';
import { Forbidden, NotFound, SessionRequired, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { DisputeReasonEnum, EvidenceInput, fewPieces } from '../refunds/dispute.schema.js';
import { PolicyViolation } from '../spending/errors.js';
import { postingErrors } from '../spending/refusal.js';
import { claimTask, respondToTask } from './claim.js';
import { cancelTask, failTask } from './ending.js';
import { NotYourTask, TaskAlreadyClaimed } from './errors.js';
import { rest } from './rest.js';
import { approveTask, disputeTask, rateTask } from './review.js';
import { task } from './task.js';
import { TaskSideEnum, TaskType } from './task.schema.js';
import { mostParts } from './terms.js';
import { answerInput, completeTask, progressTask, requestInput, startTask, updateTask } from './work.js';

const TaskActionEnum = builder.enumType('TaskAction', { values: ['accept', 'decline'] as const });

const longText = z.string().min(1).max(2_000);
const stars = z.number().int().min(1).max(5);

const UpdateTaskInput = builder.inputType('UpdateTaskInput', {
  fields: (t) => ({
    payload: t.field({ type: 'JSONObject', required: false }),
    deadline: t.field({ type: 'DateTime', required: false, description: 'Null takes it away.' }),
  }),
});
const RespondToTaskInput = builder.inputType('RespondToTaskInput', {
  fields: (t) => ({ action: t.field({ type: TaskActionEnum }), reason: t.string({ required: false, validate: longText }) }),
});
const TaskProgressInput = builder.inputType('TaskProgressInput', {
  fields: (t) => ({
    message: t.string({ required: false, validate: longText }),
    percent: t.int({ required: false, validate: z.number().int().min(0).max(100) }),
  }),
});
const RequestTaskInput = builder.inputType('RequestTaskInput', {
  fields: (t) => ({
    message: t.string({ validate: longText }),
    schema: t.field({ type: 'JSONObject', required: false, description: 'JSON Schema that the data of the answer has to fit.' }),
  }),
});
const TaskPartInput = builder.inputType('TaskPartInput', {
  description: 'Exactly one of text, data, url and raw.',
  fields: (t) => ({
    text: t.string({ required: false, validate: z.string().min(1).max(16_384), extensions: { example: 'In the present tense, please.' } }),
    data: t.field({ type: 'JSON', required: false, extensions: { example: null } }),
    url: t.string({ required: false, validate: z.url({ protocol: /^https?$/ }).max(2_048), extensions: { example: null } }),
    raw: t.string({ required: false, validate: z.base64().max(16_384), description: 'Base64.', extensions: { example: null } }),
    mediaType: t.string({ required: false, validate: z.string().min(1).max(255) }),
  }),
});
const AnswerTaskInput = builder.inputType('AnswerTaskInput', {
  fields: (t) => ({ parts: t.field({ type: [TaskPartInput], validate: z.array(z.unknown()).min(1).max(mostParts) }) }),
});
const CompleteTaskInput = builder.inputType('CompleteTaskInput', {
  fields: (t) => ({
    deliverable: t.field({
      type: 'JSONObject',
      description: 'Any object, or `artifacts` as A2A has them: `[{name?, parts: [{text | data | url | raw, media_type?}]}]`.',
    }),
  }),
});
const ApproveTaskInput = builder.inputType('ApproveTaskInput', {
  fields: (t) => ({ rating: t.int({ required: false, validate: stars }), feedback: t.string({ required: false, validate: longText }) }),
});
const RateTaskInput = builder.inputType('RateTaskInput', {
  fields: (t) => ({
    rating: t.int({ validate: stars }),
    feedback: t.string({ required: false, validate: longText }),
    side: t.field({
      type: TaskSideEnum,
      required: false,
      description: 'Who rates: an agent its own side, an operator the sender by default.',
    }),
  }),
});
const DisputeTaskInput = builder.inputType('DisputeTaskInput', {
  fields: (t) => ({
    reason: t.field({ type: DisputeReasonEnum }),
    description: t.string({ required: false, validate: longText }),
    evidence: t.field({ type: [EvidenceInput], required: false, validate: fewPieces }),
  }),
});
const EndTaskInput = builder.inputType('EndTaskInput', {
  fields: (t) => ({ reason: t.string({ required: false, validate: longText }) }),
});

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
