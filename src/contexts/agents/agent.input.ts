// The inputs of agents.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { mostSkills, skillId } from './skill-input.js';

const name = z.string().trim().min(1).max(200);
const description = z.string().max(2_000);
export const kyaTier = z.int().min(0).max(3);
const skills = z.array(z.union([skillId, z.record(z.string(), z.unknown())], 'must be the id of a skill, or an object')).max(mostSkills);
const whatSkillsAre = 'Ids, or objects with the members of `POST /v1/agents/{id}/skills`.';
const AgentWalletInput = builder.inputType('AgentWalletInput', { fields: (t) => ({ currency: t.field({ type: 'Currency' }) }) });

export const CreateAgentInput = builder.inputType('CreateAgentInput', {
  fields: (t) => ({
    parentAccountId: t.field({ type: 'AccountId' }),
    name: t.string({ validate: name, extensions: { example: 'Buyer' } }),
    kyaTier: t.int({ required: false, description: '0 to 3; 0 by default.', validate: kyaTier }),
    generateKeypair: t.boolean({ required: false, description: 'Make an Ed25519 key pair; the private key is answered once.' }),
    description: t.string({ required: false, validate: description }),
    skills: t.field({ type: ['JSON'], required: false, description: whatSkillsAre, validate: skills }),
    wallet: t.field({ type: AgentWalletInput, required: false, description: 'Open a wallet of its own.' }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type CreateAgentInput = typeof CreateAgentInput.$inferInput;

export const UpdateAgentInput = builder.inputType('UpdateAgentInput', {
  fields: (t) => ({
    name: t.string({ required: false, validate: name, extensions: { example: 'Buyer of paper' } }),
    description: t.string({ required: false, validate: description }),
    kyaTier: t.int({ required: false, description: 'Not by the agent itself.', validate: kyaTier }),
    skills: t.field({
      type: ['JSON'],
      required: false,
      description: `${whatSkillsAre} They take the place of those before.`,
      validate: skills,
    }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type UpdateAgentInput = typeof UpdateAgentInput.$inferInput;

export const AgentStepInput = builder.inputType('AgentStepInput', {
  fields: (t) => ({ reason: t.string({ required: false, validate: z.string().max(500) }) }),
});
