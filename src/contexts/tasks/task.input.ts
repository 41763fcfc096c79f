// The inputs of tasks.
import { z } from 'zod';
import { TaskPaymentMethod, TaskPaymentStatus, TaskSide, TaskStatus } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';
import { skillId } from '../agents/skill-input.js';
import { mostJwtLength } from '../spending/pipeline/mandate.js';

export const TaskStatusEnum = builder.enumType(TaskStatus, { name: 'TaskStatus' });
export const PaymentStatusEnum = builder.enumType(TaskPaymentStatus, { name: 'TaskPaymentStatus' });
export const TaskPaymentMethodEnum = builder.enumType(TaskPaymentMethod, { name: 'TaskPaymentMethod' });
export const TaskSideEnum = builder.enumType(TaskSide, { name: 'TaskSide' });
export const TaskRoleEnum = builder.enumType('TaskRole', { values: ['sender', 'target'] as const });

/** Agents to which one task is offered by name. */
export const mostCandidates = 50;

export const TaskPaymentInput = builder.inputType('TaskPaymentInput', {
  fields: (t) => ({
    amount: t.field({ type: 'Amount', required: false, description: 'The price of the skill by default.' }),
    currency: t.field({ type: 'Currency', required: false, description: 'That of the price by default.' }),
    maxPrice: t.field({
      type: 'Amount',
      required: false,
      description:
        'The most that the price of the skill may be, in `currency`, or in that of the price. Without it a price that was raised in the last ten minutes is 409.',
    }),
    method: t.field({ type: TaskPaymentMethodEnum }),
    fromWalletId: t.field({ type: 'WalletId', required: false, description: 'By default the oldest of the agent, else of its account.' }),
    mandateId: t.field({ type: 'MandateId', required: false, description: 'Goes with the method ap2, and with `mandate_jwt`.' }),
    mandateJwt: t.string({ required: false, validate: z.string().min(1).max(mostJwtLength) }),
  }),
});
export type TaskPaymentInput = typeof TaskPaymentInput.$inferInput;

const TaskAcceptanceInput = builder.inputType('TaskAcceptanceInput', {
  fields: (t) => ({
    jsonSchema: t.field({
      type: 'JSONObject',
      required: false,
      description: 'JSON Schema (draft 2020-12 or draft-07, without references to elsewhere) that what is delivered has to fit.',
    }),
  }),
});

export const CreateTaskInput = builder.inputType('CreateTaskInput', {
  fields: (t) => ({
    fromAgentId: t.field({
      type: 'AgentUuid',
      required: false,
      description: 'The agent that gives it: an agent itself by default.',
      extensions: { shown: true },
    }),
    toAgentId: t.field({ type: 'AgentUuid', required: false, description: 'The worker; without one it can be claimed.' }),
    candidateAgentIds: t.field({
      type: ['AgentUuid'],
      required: false,
      validate: z.array(z.unknown()).max(mostCandidates),
      description: 'Those who may claim it; every agent by default.',
    }),
    skillId: t.string({ validate: skillId, extensions: { example: 'translate' } }),
    payload: t.field({ type: 'JSONObject', extensions: { example: { text: 'Guten Morgen', to: 'en' } } }),
    payment: t.field({ type: TaskPaymentInput, required: false }),
    deadline: t.field({ type: 'DateTime', required: false, description: 'What is not delivered by then has expired.' }),
    claimTimeoutSeconds: t.int({
      required: false,
      validate: z.number().int().min(10).max(604_800),
      description: 'How long whoever claims it has to begin; 600 by default.',
    }),
    reviewWindowSeconds: t.int({
      required: false,
      validate: z.number().int().min(0).max(2_592_000),
      description: 'How long the sender may dispute what was delivered; 1800 by default.',
    }),
    acceptance: t.field({ type: TaskAcceptanceInput, required: false }),
    contextId: t.string({ required: false, validate: z.string().min(1).max(255) }),
    requestApproval: t.boolean({ required: false, description: 'Ask for an approval where a policy or a budget would refuse.' }),
  }),
});
export type CreateTaskInput = typeof CreateTaskInput.$inferInput;
