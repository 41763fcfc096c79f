// The inputs of tasks.
import { z } from 'zod';
import { TaskPaymentMethod, TaskPaymentStatus, TaskSide, TaskStatus } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';
import { skillId } from '../agents/skill-input.js';
import { mostJwtLength } from '../spending/pipeline/mandate.js';

export const TaskStatusEnum = builder.enumType(TaskStatus, {
  name: 'TaskStatus',
  description:
    '`pending`: nobody has accepted it. `accepted`, `in_progress`: being worked on. `input_required`: the worker has asked something. `completed`: delivered. `disputed`: the sender objects. `declined`, `failed`, `cancelled`, `expired`: ended without delivery.',
});
export const PaymentStatusEnum = builder.enumType(TaskPaymentStatus, {
  name: 'TaskPaymentStatus',
  description:
    '`awaiting_approval`: the money waits for an approval. `reserved`: in escrow. `released`: paid to the worker. `refunded`: given back. `disputed`: kept until the dispute is resolved.',
});
export const TaskPaymentMethodEnum = builder.enumType(TaskPaymentMethod, {
  name: 'TaskPaymentMethod',
  description: 'How the task is paid: from a wallet, by x402, under an AP2 mandate, or by MPP.',
});
export const TaskSideEnum = builder.enumType(TaskSide, {
  name: 'TaskSide',
  description: '`sender`: who gave the task. `worker`: who does it.',
});
export const TaskRoleEnum = builder.enumType('TaskRole', {
  description: 'What the agent is to the tasks: their `sender`, or the `target` that works on them.',
  values: ['sender', 'target'] as const,
});

/** Agents to which one task is offered by name. */
export const mostCandidates = 50;

export const TaskPaymentInput = builder.inputType('TaskPaymentInput', {
  description: 'What a task pays.',
  fields: (t) => ({
    amount: t.field({ type: 'Amount', required: false, description: 'What the worker gets; by default the price of the skill.' }),
    currency: t.field({ type: 'Currency', required: false, description: 'The currency of the amount; by default that of the price.' }),
    maxPrice: t.field({
      type: 'Amount',
      required: false,
      description: 'The most that the price of the skill may be. Without it a price raised in the last ten minutes is 409.',
    }),
    method: t.field({ type: TaskPaymentMethodEnum, description: 'How it is paid.' }),
    fromWalletId: t.field({
      type: 'WalletId',
      required: false,
      description: "The wallet that pays: by default the agent's oldest in the currency, else its account's.",
    }),
    mandateId: t.field({
      type: 'MandateId',
      required: false,
      description: 'With the method `ap2`: the mandate that authorizes the spend.',
    }),
    mandateJwt: t.string({
      required: false,
      description: 'With the method `ap2`: the current JWT of the mandate.',
      validate: z.string().min(1).max(mostJwtLength),
    }),
  }),
});
export type TaskPaymentInput = typeof TaskPaymentInput.$inferInput;

const TaskAcceptanceInput = builder.inputType('TaskAcceptanceInput', {
  description: 'What a deliverable has to match.',
  fields: (t) => ({
    jsonSchema: t.field({
      type: 'JSONObject',
      required: false,
      description: 'JSON Schema (draft 2020-12 or draft-07, without remote references) that the deliverable has to match.',
    }),
  }),
});

export const CreateTaskInput = builder.inputType('CreateTaskInput', {
  description: 'A new task.',
  fields: (t) => ({
    fromAgentId: t.field({
      type: 'AgentUuid',
      required: false,
      description: 'The agent that gives the task; an agent itself by default.',
      extensions: { shown: true },
    }),
    toAgentId: t.field({
      type: 'AgentUuid',
      required: false,
      description: 'The agent that should do it; without one the task is open and can be claimed.',
    }),
    candidateAgentIds: t.field({
      type: ['AgentUuid'],
      required: false,
      validate: z.array(z.unknown()).max(mostCandidates),
      description: 'Agents that may claim an open task; every agent by default.',
    }),
    skillId: t.string({ description: 'The skill of the worker that is needed.', validate: skillId, extensions: { example: 'translate' } }),
    payload: t.field({
      type: 'JSONObject',
      description: "What the skill is given; it has to match the skill's input schema, where it has one.",
      extensions: { example: { text: 'Guten Morgen', to: 'en' } },
    }),
    payment: t.field({ type: TaskPaymentInput, required: false, description: 'What the worker is paid; nothing by default.' }),
    deadline: t.field({
      type: 'DateTime',
      required: false,
      description: 'What is not delivered by then has expired; no deadline by default.',
    }),
    claimTimeoutSeconds: t.int({
      required: false,
      validate: z.number().int().min(10).max(604_800),
      description: 'Seconds that whoever claims it has to begin; 600 by default.',
    }),
    reviewWindowSeconds: t.int({
      required: false,
      validate: z.number().int().min(0).max(2_592_000),
      description: 'Seconds in which the sender may dispute what was delivered; 1800 by default.',
    }),
    acceptance: t.field({
      type: TaskAcceptanceInput,
      required: false,
      description: 'What the deliverable has to match; by default the output schema of the skill.',
    }),
    contextId: t.string({
      required: false,
      description: 'Your own id of what the task belongs to; its own id by default.',
      validate: z.string().min(1).max(255),
    }),
    requestApproval: t.boolean({
      required: false,
      description: 'True asks a person for an approval (202) where a policy or a budget would refuse the payment.',
    }),
  }),
});
export type CreateTaskInput = typeof CreateTaskInput.$inferInput;
