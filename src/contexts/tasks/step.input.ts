// The inputs of the steps of a task.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { DisputeEvidenceInput, DisputeReasonEnum, fewPieces } from '../refunds/dispute.input.js';
import { TaskSideEnum } from './task.input.js';
import { mostParts } from './terms.js';

const TaskActionEnum = builder.enumType('TaskAction', { description: '`accept` or `decline`.', values: ['accept', 'decline'] as const });
const longText = z.string().min(1).max(2_000);
const stars = z.number().int().min(1).max(5);

export const UpdateTaskInput = builder.inputType('UpdateTaskInput', {
  description: 'Changes of a task. A member that is left out stays as it is.',
  fields: (t) => ({
    payload: t.field({ type: 'JSONObject', required: false, description: 'New payload, which replaces the one before.' }),
    deadline: t.field({ type: 'DateTime', required: false, description: 'New deadline; null removes it.' }),
  }),
});
export type UpdateTaskInput = typeof UpdateTaskInput.$inferInput;

export const RespondToTaskInput = builder.inputType('RespondToTaskInput', {
  description: 'The answer of the agent that a task was given to.',
  fields: (t) => ({
    action: t.field({ type: TaskActionEnum }),
    reason: t.string({ required: false, description: 'Why, for the sender.', validate: longText }),
  }),
});

export const TaskProgressInput = builder.inputType('TaskProgressInput', {
  description: 'How far the work is.',
  fields: (t) => ({
    message: t.string({ required: false, description: 'How the work is going, for the sender.', validate: longText }),
    percent: t.int({
      required: false,
      description: 'How much of the work is done, in percent from 0 to 100.',
      validate: z.number().int().min(0).max(100),
    }),
  }),
});
export type TaskProgressInput = typeof TaskProgressInput.$inferInput;

export const RequestTaskInput = builder.inputType('RequestTaskInput', {
  description: 'A question of the worker.',
  fields: (t) => ({
    message: t.string({
      description: 'What the worker needs to know.',
      validate: longText,
      extensions: { example: 'Which tense do you want?' },
    }),
    schema: t.field({ type: 'JSONObject', required: false, description: 'JSON Schema that the data of the answer has to match.' }),
  }),
});
export type RequestTaskInput = typeof RequestTaskInput.$inferInput;

export const TaskPartInput = builder.inputType('TaskPartInput', {
  description: 'A part of a message: exactly one of `text`, `data`, `url` and `raw`.',
  fields: (t) => ({
    text: t.string({
      required: false,
      description: 'Plain text.',
      validate: z.string().min(1).max(16_384),
      extensions: { example: 'In the present tense, please.' },
    }),
    data: t.field({ type: 'JSON', required: false, description: 'Any JSON.', extensions: { example: null } }),
    url: t.string({
      required: false,
      description: 'Address of a file.',
      validate: z.url({ protocol: /^https?$/ }).max(2_048),
      extensions: { example: null },
    }),
    raw: t.string({ required: false, validate: z.base64().max(16_384), description: 'A file, in base64.', extensions: { example: null } }),
    mediaType: t.string({
      required: false,
      description: 'Media type of the part, such as `text/plain`.',
      validate: z.string().min(1).max(255),
    }),
  }),
});
export type TaskPartInput = typeof TaskPartInput.$inferInput;

export const AnswerTaskInput = builder.inputType('AnswerTaskInput', {
  description: 'The answer to a question of the worker.',
  fields: (t) => ({
    parts: t.field({ type: [TaskPartInput], description: 'The answer, in parts.', validate: z.array(z.unknown()).min(1).max(mostParts) }),
  }),
});
export type AnswerTaskInput = typeof AnswerTaskInput.$inferInput;

export const CompleteTaskInput = builder.inputType('CompleteTaskInput', {
  description: 'What was made.',
  fields: (t) => ({
    deliverable: t.field({
      type: 'JSONObject',
      description: 'Any object, or `artifacts` as in A2A: `[{name?, parts: [{text | data | url | raw, media_type?}]}]`.',
      extensions: { example: { text: 'Good morning' } },
    }),
  }),
});

export const ApproveTaskInput = builder.inputType('ApproveTaskInput', {
  description: 'What the sender thinks of the work.',
  fields: (t) => ({
    rating: t.int({ required: false, description: 'Rating of the worker, 1 to 5.', validate: stars, extensions: { example: 5 } }),
    feedback: t.string({ required: false, description: 'What the sender says about the work.', validate: longText }),
  }),
});
export type ApproveTaskInput = typeof ApproveTaskInput.$inferInput;

export const RateTaskInput = builder.inputType('RateTaskInput', {
  description: 'What one side thinks of the other.',
  fields: (t) => ({
    rating: t.int({ description: 'Rating of the other side, 1 to 5.', validate: stars, extensions: { example: 5 } }),
    feedback: t.string({ required: false, description: 'What this side says about the other.', validate: longText }),
    // Gap G-334: With an API key the sender rates, or the side that `side` names.
    side: t.field({
      type: TaskSideEnum,
      required: false,
      description: 'Who rates: for an agent its own side, for an operator the sender by default.',
    }),
  }),
});
export type RateTaskInput = typeof RateTaskInput.$inferInput;

export const DisputeTaskInput = builder.inputType('DisputeTaskInput', {
  description: 'What was wrong with what was delivered.',
  fields: (t) => ({
    reason: t.field({ type: DisputeReasonEnum }),
    description: t.string({ required: false, description: 'What was wrong.', validate: longText }),
    evidence: t.field({
      type: [DisputeEvidenceInput],
      required: false,
      description: "What supports the sender's side.",
      validate: fewPieces,
    }),
  }),
});
export type DisputeTaskInput = typeof DisputeTaskInput.$inferInput;

export const EndTaskInput = builder.inputType('EndTaskInput', {
  description: 'Why a task ends.',
  fields: (t) => ({ reason: t.string({ required: false, description: 'Why; kept as the status reason.', validate: longText }) }),
});
