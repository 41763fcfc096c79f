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
  description: 'What an agent asks for a task.',
  fields: (t) => ({
    amount: t.expose('amount', { type: 'Amount' }),
    currency: t.expose('currency', { type: 'Currency' }),
  }),
});

/** The price of a skill, printed; null where nothing is asked for. */
export function printedPrice({ price, currency }: Pick<SkillRow, 'price' | 'currency'>): SkillPrice | null {
  return price === null || currency === null ? null : { amount: formatMinor(price, currency), currency: currency as Currency };
}

export const Skill = builder.prismaObject('Skill', {
  description: 'What an agent does for others, on what terms.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'An id of its agent: the `skill_id` of a task.' }),
    name: t.exposeString('name'),
    description: t.exposeString('description'),
    tags: t.exposeStringList('tags'),
    inputSchema: t.expose('inputSchema', { type: 'JSONObject', nullable: true, description: 'JSON Schema of the payload of a task.' }),
    outputSchema: t.expose('outputSchema', { type: 'JSONObject', nullable: true, description: 'JSON Schema of what a task delivers.' }),
    price: t.field({
      type: Price,
      nullable: true,
      description: 'What a task costs that names no other price; null where nothing is asked for.',
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
    description: 'What it does for others, in its own order.',
    ...visibleRelation('skills', visibleSkills, { most: mostSkills, query: { orderBy: { place: 'asc' } } }),
  }),
}));

const Deleted = builder.objectRef<DeletedSkill>('DeletedSkill').implement({
  fields: (t) => ({ id: t.exposeString('id'), deleted: t.boolean({ resolve: () => true }) }),
});

/** Text of a path: one that no skill can have is 404. */
const anyId = z.string().max(200);

builder.queryFields((t) => ({
  skill: t.prismaField({
    route: rest('GET /v1/agents/{id}/skills/{skill_id}', 'Read a skill.', { names: { agentId: 'id' } }),
    type: Skill,
    args: { agentId: t.arg({ type: 'AgentId' }), skillId: t.arg.string({ validate: anyId }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { agentId, skillId }, ctx) => skill(ctx, agentId, skillId, query),
  }),
  skills: t.prismaField({
    route: rest('GET /v1/agents/{id}/skills', 'List the skills of an agent.', { names: { agentId: 'id' } }),
    type: [Skill],
    args: { agentId: t.arg({ type: 'AgentId' }) },
    ...facts({ errors: [NotFound], most: mostSkills }),
    resolve: (query, _root, { agentId }, ctx) => skills(ctx, agentId, query),
  }),
}));

builder.mutationFields((t) => ({
  createSkill: t.field({
    route: rest('POST /v1/agents/{id}/skills', 'Give an agent a skill: something that it does for others.', {
      status: 201,
      names: { agentId: 'id' },
    }),
    type: Skill,
    args: { agentId: t.arg({ type: 'AgentId' }), input: t.arg({ type: CreateSkillInput }) },
    ...facts({ errors: [NotFound, AlreadyExists, StateConflict] }),
    resolve: once((ctx, { agentId, input }) => createSkill(ctx, agentId, input), skillByReference),
  }),
  updateSkill: t.field({
    route: rest('PATCH /v1/agents/{id}/skills/{skill_id}', 'Change a skill. Tasks that were given keep their price.', {
      names: { agentId: 'id' },
    }),
    type: Skill,
    args: { agentId: t.arg({ type: 'AgentId' }), skillId: t.arg.string({ validate: anyId }), input: t.arg({ type: UpdateSkillInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { agentId, skillId, input }) => updateSkill(ctx, { ...input, agentId, id: skillId }), skillByReference),
  }),
  deleteSkill: t.field({
    route: rest('DELETE /v1/agents/{id}/skills/{skill_id}', 'Take a skill from an agent. Tasks that were given go on.', {
      names: { agentId: 'id' },
    }),
    type: Deleted,
    args: { agentId: t.arg({ type: 'AgentId' }), skillId: t.arg.string({ validate: anyId }) },
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
