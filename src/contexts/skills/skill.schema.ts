// The GraphQL face of skills.
import { z } from 'zod';
import type { Skill as SkillRow } from '../../generated/prisma/client.js';
import { AlreadyExists, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { type Currency, formatMinor } from '../../platform/money.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { visibleRelation } from '../../platform/schema/visible-relation.js';
import { Agent } from '../agents/agent.schema.js';
import { mostSkills, type SkillPrice } from '../agents/skill-input.js';
import { rest } from './rest.js';
import { CreateSkillInput, UpdateSkillInput } from './skill.input.js';
import { createSkill, type DeletedSkill, deleteSkill, skill, skillByReference, skills, updateSkill, visibleSkills } from './skill.js';

const Price = builder.objectRef<SkillPrice>('SkillPrice').implement({
  description: 'What an agent charges for a task.',
  fields: (t) => ({
    amount: t.expose('amount', { type: 'Amount', description: 'What a task costs, in `currency`.' }),
    currency: t.expose('currency', { type: 'Currency' }),
  }),
});

/** The price of a skill, printed; null where nothing is asked for. */
export function printedPrice({ price, currency }: Pick<SkillRow, 'price' | 'currency'>): SkillPrice | null {
  return price === null || currency === null ? null : { amount: formatMinor(price, currency), currency: currency as Currency };
}

export const Skill = builder.prismaObject('Skill', {
  description: 'What an agent does for others, and for what price.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Id within its agent, which tasks name as `skill_id`.' }),
    name: t.exposeString('name', { description: 'Name of the skill.' }),
    description: t.exposeString('description', { description: 'What the skill does.' }),
    tags: t.exposeStringList('tags', { description: 'Words by which it can be found.' }),
    inputSchema: t.expose('inputSchema', {
      type: 'JSONObject',
      nullable: true,
      description: 'JSON Schema that the payload of a task has to match; null for anything.',
    }),
    outputSchema: t.expose('outputSchema', {
      type: 'JSONObject',
      nullable: true,
      description: 'JSON Schema that the deliverable of a task has to match; null for anything.',
    }),
    price: t.field({
      type: Price,
      nullable: true,
      description: 'What a task costs that names no other price; null where nothing is charged.',
      resolve: printedPrice,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

builder.prismaObjectFields(Agent, (t) => ({
  skills: t.field({
    wire: { shown: true, after: 'kyaTier' },
    type: [Skill],
    description: 'What the agent does for others, in its own order.',
    ...visibleRelation('skills', visibleSkills, { most: mostSkills, query: { orderBy: { place: 'asc' } } }),
  }),
}));

const Deleted = builder.objectRef<DeletedSkill>('DeletedSkill').implement({
  description: 'A skill that was removed.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The id of the skill within its agent.' }),
    deleted: t.boolean({ resolve: () => true }),
  }),
});

/** Text of a path: one that no skill can have is 404. */
const anyId = z.string().max(200);

builder.queryFields((t) => ({
  skill: t.prismaField({
    route: rest(
      'GET /v1/agents/{id}/skills/{skill_id}',
      'Read a skill of an agent. Every actor may, because skills are what agents hire one another for.',
      { names: { agentId: 'id' } },
    ),
    type: Skill,
    authScopes: { audience: 'any', scope: 'agents:read' },
    args: {
      agentId: t.arg({ type: 'AgentId' }),
      skillId: t.arg.string({ description: 'The id of the skill within its agent.', validate: anyId }),
    },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { agentId, skillId }, ctx) => skill(ctx, agentId, skillId, query),
  }),
  skills: t.prismaField({
    route: rest('GET /v1/agents/{id}/skills', 'List the skills of an agent, in its own order. Every actor may read them.', {
      names: { agentId: 'id' },
    }),
    type: [Skill],
    authScopes: { audience: 'any', scope: 'agents:read' },
    args: { agentId: t.arg({ type: 'AgentId' }) },
    ...facts({ errors: [NotFound], most: mostSkills }),
    resolve: (query, _root, { agentId }, ctx) => skills(ctx, agentId, query),
  }),
}));

builder.mutationFields((t) => ({
  createSkill: t.field({
    route: rest(
      'POST /v1/agents/{id}/skills',
      'Add a skill to an agent: something that it does for others. An id that the agent has already is 409 `already_exists`. An agent may add its own skills.',
      {
        status: 201,
        names: { agentId: 'id' },
      },
    ),
    type: Skill,
    authScopes: { audience: 'any', scope: 'agents:write' },
    args: { agentId: t.arg({ type: 'AgentId' }), input: t.arg({ type: CreateSkillInput }) },
    ...facts({ errors: [NotFound, AlreadyExists, StateConflict] }),
    resolve: once((ctx, { agentId, input }) => createSkill(ctx, agentId, input), skillByReference),
  }),
  updateSkill: t.field({
    route: rest(
      'PATCH /v1/agents/{id}/skills/{skill_id}',
      'Change a skill. Tasks that were given before keep the price that they agreed; members that may be null are removed by null.',
      {
        names: { agentId: 'id' },
      },
    ),
    type: Skill,
    authScopes: { audience: 'any', scope: 'agents:write' },
    args: {
      agentId: t.arg({ type: 'AgentId' }),
      skillId: t.arg.string({ description: 'The id of the skill within its agent.', validate: anyId }),
      input: t.arg({ type: UpdateSkillInput }),
    },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { agentId, skillId, input }) => updateSkill(ctx, { ...input, agentId, id: skillId }), skillByReference),
  }),
  deleteSkill: t.field({
    route: rest('DELETE /v1/agents/{id}/skills/{skill_id}', 'Remove a skill from an agent. Tasks that name it go on.', {
      names: { agentId: 'id' },
    }),
    type: Deleted,
    authScopes: { audience: 'any', scope: 'agents:write' },
    args: {
      agentId: t.arg({ type: 'AgentId' }),
      skillId: t.arg.string({ description: 'The id of the skill within its agent.', validate: anyId }),
    },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once(
      (ctx, { agentId, skillId }) => deleteSkill(ctx, agentId, skillId),
      async (_ctx, reference) => {
        const [agentId = '', id = ''] = reference.split(' ');
        return { agentId, id };
      },
    ),
  }),
}));
