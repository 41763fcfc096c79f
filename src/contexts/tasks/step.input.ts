// The inputs of the steps of a task.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { DisputeEvidenceInput, DisputeReasonEnum, fewPieces } from '../refunds/dispute.input.js';
import { TaskSideEnum } from './task.input.js';
import { mostParts } from './terms.js';

const TaskActionEnum = builder.enumType('TaskAction', { values: ['accept', 'decline'] as const });
const longText = z.string().min(1).max(2_000);
const stars = z.number().int().min(1).max(5);

export const UpdateTaskInput = builder.inputType('UpdateTaskInput', {
  fields: (t) => ({
    payload: t.field({ type: 'JSONObject', required: false }),
    deadline: t.field({ type: 'DateTime', required: false, description: 'Null takes it away.' }),
  }),
});
export type UpdateTaskInput = typeof UpdateTaskInput.$inferInput;

export const RespondToTaskInput = builder.inputType('RespondToTaskInput', {
  fields: (t) => ({ action: t.field({ type: TaskActionEnum }), reason: t.string({ required: false, validate: longText }) }),
});

export const TaskProgressInput = builder.inputType('TaskProgressInput', {
  fields: (t) => ({
    message: t.string({ required: false, validate: longText }),
    percent: t.int({ required: false, validate: z.number().int().min(0).max(100) }),
  }),
});
export type TaskProgressInput = typeof TaskProgressInput.$inferInput;

export const RequestTaskInput = builder.inputType('RequestTaskInput', {
  fields: (t) => ({
    message: t.string({ validate: longText, extensions: { example: 'Which tense do you want?' } }),
    schema: t.field({ type: 'JSONObject', required: false, description: 'JSON Schema that the data of the answer has to fit.' }),
  }),
});
export type RequestTaskInput = typeof RequestTaskInput.$inferInput;

export const TaskPartInput = builder.inputType('TaskPartInput', {
  description: 'Exactly one of text, data, url and raw.',
  fields: (t) => ({
    text: t.string({ required: false, validate: z.string().min(1).max(16_384), extensions: { example: 'In the present tense, please.' } }),
    data: t.field({ type: 'JSON', required: false, extensions: { example: null } }),
    url: t.string({ required: false, validate: z.url({ protocol: /^https?$/ }).max(2_048), extensions: { example: null } }),
    raw: t.string({ required: false, validate: z.base64().max(16_384), description: 'Base64.', extensions: { example: null } }),
    mediaType: t.string({ required: false, validate: z.string().min(1).max(255) }),
  }),
});
export type TaskPartInput = typeof TaskPartInput.$inferInput;

export const AnswerTaskInput = builder.inputType('AnswerTaskInput', {
  fields: (t) => ({ parts: t.field({ type: [TaskPartInput], validate: z.array(z.unknown()).min(1).max(mostParts) }) }),
});
export type AnswerTaskInput = typeof AnswerTaskInput.$inferInput;

export const CompleteTaskInput = builder.inputType('CompleteTaskInput', {
  fields: (t) => ({
    deliverable: t.field({
      type: 'JSONObject',
      description: 'Any object, or `artifacts` as A2A has them: `[{name?, parts: [{text | data | url | raw, media_type?}]}]`.',
      extensions: { example: { text: 'Good morning' } },
    }),
  }),
});

export const ApproveTaskInput = builder.inputType('ApproveTaskInput', {
  fields: (t) => ({
    rating: t.int({ required: false, validate: stars, extensions: { example: 5 } }),
    feedback: t.string({ required: false, validate: longText }),
  }),
});
export type ApproveTaskInput = typeof ApproveTaskInput.$inferInput;

export const RateTaskInput = builder.inputType('RateTaskInput', {
  fields: (t) => ({
    rating: t.int({ validate: stars, extensions: { example: 5 } }),
    feedback: t.string({ required: false, validate: longText }),
    // Gap G-334
    side: t.field({
      type: TaskSideEnum,
      required: false,
      description: 'Who rates: an agent its own side, an operator the sender by default.',
    }),
  }),
});
export type RateTaskInput = typeof RateTaskInput.$inferInput;

export const DisputeTaskInput = builder.inputType('DisputeTaskInput', {
  fields: (t) => ({
    reason: t.field({ type: DisputeReasonEnum }),
    description: t.string({ required: false, validate: longText }),
    evidence: t.field({ type: [DisputeEvidenceInput], required: false, validate: fewPieces }),
  }),
});
export type DisputeTaskInput = typeof DisputeTaskInput.$inferInput;

export const EndTaskInput = builder.inputType('EndTaskInput', {
  fields: (t) => ({ reason: t.string({ required: false, validate: longText }) }),
});
