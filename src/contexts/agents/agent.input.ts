// The inputs of agents.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { mostSkills, skillId } from './skill-input.js';

const name = z.string().trim().min(1).max(200);
const description = z.string().max(2_000);
export const kyaTier = z.int().min(0).max(3);
const skills = z.array(z.union([skillId, z.record(z.string(), z.unknown())], 'must be the id of a skill, or an object')).max(mostSkills);
const AgentWalletInput = builder.inputType('AgentWalletInput', {
  description: 'The wallet that a new agent gets.',
  fields: (t) => ({ currency: t.field({ type: 'Currency', description: 'The currency of the wallet.' }) }),
});

export const CreateAgentInput = builder.inputType('CreateAgentInput', {
  description: 'A new agent.',
  fields: (t) => ({
    parentAccountId: t.field({ type: 'AccountId', description: 'The account that the agent acts and pays for.' }),
    name: t.string({
      description: 'Name of the agent, as other agents and approvers see it.',
      validate: name,
      extensions: { example: 'Buyer' },
    }),
    kyaTier: t.int({
      required: false,
      description: "Tier of the agent's identity check, 0 to 3; 0 by default. It selects the caps of `/v1/kya-limits`.",
      validate: kyaTier,
    }),
    generateKeypair: t.boolean({
      required: false,
      description: 'True makes an Ed25519 key pair; the private key is shown once, in the response.',
    }),
    description: t.string({ required: false, description: 'What the agent does, in a sentence or two.', validate: description }),
    skills: t.field({
      type: ['JSON'],
      required: false,
      description: 'Skills that the agent begins with: ids, or objects with the members of `POST /v1/agents/{id}/skills`.',
      validate: skills,
    }),
    wallet: t.field({ type: AgentWalletInput, required: false, description: "Opens a wallet of the agent's own in this currency." }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type CreateAgentInput = typeof CreateAgentInput.$inferInput;

export const UpdateAgentInput = builder.inputType('UpdateAgentInput', {
  description: 'Changes of an agent. A member that is left out stays as it is.',
  fields: (t) => ({
    name: t.string({ required: false, description: 'New name of the agent.', validate: name, extensions: { example: 'Buyer of paper' } }),
    description: t.string({ required: false, description: 'New description; null removes it.', validate: description }),
    kyaTier: t.int({
      required: false,
      description: 'New tier of the identity check, 0 to 3. The agent itself may not change it.',
      validate: kyaTier,
    }),
    skills: t.field({
      type: ['JSON'],
      required: false,
      description: 'New skills, which replace those before: ids, or objects with the members of `POST /v1/agents/{id}/skills`.',
      validate: skills,
    }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type UpdateAgentInput = typeof UpdateAgentInput.$inferInput;

export const AgentStepInput = builder.inputType('AgentStepInput', {
  description: 'Why the status of an agent is changed.',
  fields: (t) => ({
    reason: t.string({
      required: false,
      description: 'Why, shown as the status reason and in the audit log.',
      validate: z.string().max(500),
    }),
  }),
});
