// The inputs of connections.
import { z } from 'zod';
import { agentScopes } from '../../platform/agent-scope.js';
import { builder } from '../../platform/schema/builder.js';
import { PeriodEnum } from '../spending/budget/budget.input.js';

const ConnectedAgentInput = builder.inputType('ConnectedAgentInput', {
  description: 'A new agent for a program, with a wallet of its own.',
  fields: (t) => ({
    name: t.string({
      description: 'Name of the agent, as other agents and approvers see it.',
      validate: z.string().trim().min(1).max(200),
      extensions: { example: 'Claude of Ada' },
    }),
    parentAccountId: t.field({ type: 'AccountId', description: 'The account that the agent acts and pays for.' }),
    currency: t.field({ type: 'Currency', description: 'The currency of its wallet.' }),
  }),
});

const ConnectionBudgetInput = builder.inputType('ConnectionBudgetInput', {
  description: 'The most that a program may spend by its connection.',
  fields: (t) => ({
    amount: t.field({ type: 'Amount', description: 'The most that may be spent per period, in `currency`; more than zero.' }),
    currency: t.field({ type: 'Currency' }),
    period: t.field({ type: PeriodEnum, description: 'How often it begins anew.', extensions: { example: 'month' } }),
  }),
});

const shortestSeconds = 3_600;
const longestSeconds = 7_776_000;

export const GrantConnectionInput = builder.inputType('GrantConnectionInput', {
  description: 'What a person allows a program. Either `agent_id` or `agent` is given.',
  fields: (t) => ({
    agentId: t.field({ type: 'AgentId', required: false, description: 'The agent that the program acts as.' }),
    agent: t.field({ type: ConnectedAgentInput, required: false, description: 'A new agent that the program acts as.' }),
    scopes: t.stringList({
      description: 'What the program may do, of what it asks for: `agent:read`, and `agent:act` to pay.',
      validate: z
        .array(z.enum(agentScopes))
        .min(1)
        .max(2)
        .refine((given) => new Set(given).size === given.length, 'must name each scope once'),
      extensions: { example: ['agent:read', 'agent:act'] },
    }),
    budget: t.field({
      type: ConnectionBudgetInput,
      required: false,
      description: 'The most that it may spend; required with `agent:act`.',
    }),
    expiresIn: t.int({
      required: false,
      description: 'Seconds until the connection ends by itself, from an hour to 90 days; 30 days by default.',
      validate: z.int().min(shortestSeconds).max(longestSeconds),
    }),
  }),
});
export type GrantConnectionInput = typeof GrantConnectionInput.$inferInput;

export const UpdateConnectionInput = builder.inputType('UpdateConnectionInput', {
  description: 'Changes of a connection.',
  fields: (t) => ({
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When it ends by itself, by real time: earlier than it does now.',
      extensions: { example: '2026-11-28T10:00:00.000Z' },
    }),
  }),
});
