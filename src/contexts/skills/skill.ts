// Skills: what agents do for others, each under an id of its agent, with schemas and a price (CONTRACT.md 11). Everybody in the
// workspace reads them; the agent itself and operators write them.
import { Prisma, type Skill } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { AlreadyExists, invalidRequest, NotFound } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow } from '../../platform/postgres/row.js';
import { printId } from '../../platform/schema/id.js';
import { Visibility } from '../../platform/visibility.js';
import { agentRevoked, canSeeAgent } from '../agents/agent.js';
import { checkSkill, mostSkills, type SkillInput, skillPriceOf, skillRow } from '../agents/skill-input.js';
import { keepingPrices } from '../agents/skill-price.js';
import type { UpdateSkillInput } from './skill.input.js';

// Gap G-338: Everybody in the workspace reads skills; the agent itself and operators write them.
export const visibleSkills = new Visibility<Prisma.SkillWhereInput>({ scope: 'agents:read', agent: () => ({}) });

/** A skill of an agent, or null. */
export function findSkill(db: Pick<Tx, 'skill'>, agentId: string, id: string): Promise<Skill | null> {
  return db.skill.findFirst({ where: { agentId, id } });
}

/** The skill that a message means which names none: the first of its agent. Null for an agent without skills. */
export function firstSkill(db: Pick<Tx, 'skill'>, agentId: string): Promise<Skill | null> {
  return db.skill.findFirst({ where: { agentId }, orderBy: { place: 'asc' } });
}

/** The skill, or 404. `query` is the caller's selection. */
export async function skill(ctx: Ctx, agentId: string, id: string, query: object = {}): Promise<Skill> {
  const found = await ctx.db.skill.findFirst({ ...query, where: { AND: [{ agentId, id }, visibleSkills.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** The skills of an agent in their order. 404 for an agent that is not there. */
export async function skills(ctx: Ctx, agentId: string, query: object = {}): Promise<Skill[]> {
  const found = await ctx.db.skill.findMany({
    ...query,
    where: { AND: [{ agentId }, visibleSkills.where(ctx)] },
    orderBy: { place: 'asc' },
  });
  if (found.length === 0 && (await ctx.db.agent.findFirst({ where: { id: agentId }, select: { id: true } })) === null) throw new NotFound();
  return found;
}

/** A skill by the reference of the request that made or changed it. */
export function skillByReference(ctx: Ctx, reference: string): Promise<Skill> {
  const [agentId = '', id = ''] = reference.split(' ');
  return skill(ctx, agentId, id);
}

const referenceOf = ({ agentId, id }: Pick<Skill, 'agentId' | 'id'>): string => `${agentId} ${id}`;
const keyOf = ({ workspace }: Ctx, agentId: string, id: string) => ({
  workspaceId_agentId_id: { workspaceId: workspace.id, agentId, id },
});

/** Locks the agent, so that its skills are changed one after the other. 404 for one that the actor may not change, 409 for a revoked one. */
async function lockAgent(ctx: Ctx, tx: Tx, agentId: string): Promise<void> {
  canSeeAgent(ctx, agentId);
  const { status } = await lockRow(tx.agent, agentId);
  if (status === 'revoked') throw agentRevoked({ id: agentId, status });
}

/** Adds a skill after those that the agent has. 409 for an id that it has already, 400 for one more than it may have. */
export async function createSkill(ctx: Ctx, agentId: string, input: SkillInput): Promise<Skill> {
  canSeeAgent(ctx, agentId);
  await checkSkill(ctx, input);
  return transact(
    ctx,
    async (tx) => {
      await lockAgent(ctx, tx, agentId);
      const present = await tx.skill.findMany({ where: { agentId }, select: { id: true, place: true }, orderBy: { place: 'asc' } });
      if (present.some(({ id }) => id === input.id)) throw alreadyThere(agentId, input.id);
      if (present.length >= mostSkills) throw invalidRequest(`An agent has at most ${mostSkills} skills: remove one first.`, 'max');
      return tx.skill.create({ data: skillRow(agentId, (present.at(-1)?.place ?? -1) + 1, input, ctx.clock.now()) });
    },
    referenceOf,
  );
}

function alreadyThere(agentId: string, id: string): AlreadyExists {
  return new AlreadyExists(`The agent already has a skill ${id}.`, {
    details: { next_actions: [{ rel: 'read', actor: 'any', method: 'GET', path: `/v1/agents/${printId('agent', agentId)}/skills/${id}` }] },
  });
}

/** Changes a skill; what is null is taken away, but for name and description. Tasks keep what they agreed. */
export async function updateSkill(ctx: Ctx, { agentId, id, ...input }: UpdateSkillInput & { agentId: string; id: string }): Promise<Skill> {
  canSeeAgent(ctx, agentId);
  await checkSkill(ctx, input);
  return transact(
    ctx,
    async (tx) => {
      await lockAgent(ctx, tx, agentId);
      if ((await findSkill(tx, agentId, id)) === null) throw new NotFound();
      const data = { ...changesOf(input), updatedAt: ctx.clock.now() };
      return keepingPrices(ctx, tx, agentId, async () => tx.skill.update({ where: keyOf(ctx, agentId, id), data }));
    },
    referenceOf,
  );
}

function changesOf({ name, description, tags, inputSchema, outputSchema, price }: UpdateSkillInput): Prisma.SkillUpdateInput {
  const schemaOf = (given: Record<string, unknown> | null) => (given === null ? Prisma.DbNull : (given as Prisma.InputJsonObject));
  return {
    ...(name != null && { name }),
    ...(description != null && { description }),
    ...(tags !== undefined && { tags: [...(tags ?? [])] }),
    ...(inputSchema !== undefined && { inputSchema: schemaOf(inputSchema) }),
    ...(outputSchema !== undefined && { outputSchema: schemaOf(outputSchema) }),
    ...(price !== undefined && skillPriceOf(price, ['price'])),
  };
}

export interface DeletedSkill {
  agentId: string;
  id: string;
}

/** Takes a skill away. Tasks that name it go on. */
export function deleteSkill(ctx: Ctx, agentId: string, id: string): Promise<DeletedSkill> {
  return transact(
    ctx,
    async (tx) => {
      await lockAgent(ctx, tx, agentId);
      const { count } = await keepingPrices(ctx, tx, agentId, async () => tx.skill.deleteMany({ where: { agentId, id } }));
      if (count === 0) throw new NotFound();
      return { agentId, id };
    },
    referenceOf,
  );
}
