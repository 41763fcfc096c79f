// What is said of a skill: its id, what it is, the schemas of what goes in and out, and its price (CONTRACT.md 11). Creating or
// changing an agent may name all of its skills at once.
import { z } from 'zod';
import type { Prisma } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import type { SchemaCheck } from '../../platform/json-schema.js';
import { amountPattern, type Currency, currencies, parseMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { maxJsonLength } from '../../platform/schema/scalar.js';
import { readBy } from '../../platform/zod-issue.js';

/** Gap G-337: An agent has 32 skills, with ids of letters, digits and `._:-`, at most 64 characters. */
export const mostSkills = 32;

export const skillId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/,
    'must have 1 to 64 letters, digits, dots, colons, dashes or underscores, and begin with one of the first two',
  );
export const skillName = z.string().trim().min(1).max(200);
export const skillDescription = z.string().trim().min(1).max(2_000);
export const skillTags = z.array(z.string().trim().min(1).max(50)).max(20);

const schema = z.record(z.string(), z.unknown()).refine((value) => JSON.stringify(value).length <= maxJsonLength, {
  message: `is longer than ${maxJsonLength} characters of JSON`,
});
const price = z.strictObject({
  amount: z.string().regex(amountPattern, 'must be a decimal string such as "42.00"'),
  currency: z.enum(currencies),
});

const skillShape = z.strictObject({
  id: skillId,
  name: skillName.optional(),
  description: skillDescription.optional(),
  tags: skillTags.optional(),
  input_schema: schema.optional(),
  output_schema: schema.optional(),
  price: price.optional(),
});

export interface SkillPrice {
  amount: string;
  currency: Currency;
}

/** A skill as it was asked for. The name stands for a description, and the id for a name, that is left out. */
export interface SkillInput {
  id: string;
  name?: string | null | undefined;
  description?: string | null | undefined;
  tags?: readonly string[] | null | undefined;
  inputSchema?: Record<string, unknown> | null | undefined;
  outputSchema?: Record<string, unknown> | null | undefined;
  price?: SkillPrice | null | undefined;
}

/**
 * Reads a list of skills, each the id alone or an object. 400 for one that cannot be, for a schema that cannot be used, or an id that comes
 * twice. Comes before the transaction that writes them.
 */
export async function readSkills(ctx: Ctx, list: readonly unknown[]): Promise<SkillInput[]> {
  const named = list.map((one) => (typeof one === 'string' ? { id: one } : one));
  const read = readBy(z.array(skillShape), named, ['skills']);
  const ids = read.map(({ id }) => id);
  const twice = ids.findIndex((id, index) => ids.indexOf(id) < index);
  if (twice !== -1)
    throw new ValidationFailed([{ path: ['skills', twice, 'id'], message: 'is the id of a skill before it', rule: 'unique' }]);
  const skills = read.map(({ input_schema: inputSchema, output_schema: outputSchema, ...skill }) => ({
    ...skill,
    inputSchema,
    outputSchema,
  }));
  const members = { input: 'input_schema', output: 'output_schema' };
  await ctx.platform.schemas.check(
    ctx,
    skills.flatMap((skill, place) => schemaChecks(skill, ['skills', place], members)),
  );
  return skills;
}

/** The price in minor units. 400 below `path`. */
export function skillPriceOf(
  given: SkillPrice | null | undefined,
  path: readonly (string | number)[],
): { price: bigint | null; currency: string | null } {
  if (given == null) return { price: null, currency: null };
  return { price: parseMinor(given.amount, given.currency, [...path, 'amount']), currency: given.currency };
}

/** Throws 400 for a schema of a skill that cannot be used. */
export async function checkSkill(ctx: Ctx, skill: Pick<SkillInput, 'inputSchema' | 'outputSchema'>): Promise<void> {
  await ctx.platform.schemas.check(ctx, schemaChecks(skill, [], { input: 'inputSchema', output: 'outputSchema' }));
}

/** `at` is where the skill stands in the input. */
function schemaChecks(
  { inputSchema, outputSchema }: Pick<SkillInput, 'inputSchema' | 'outputSchema'>,
  at: readonly (string | number)[],
  members: { input: string; output: string },
): SchemaCheck[] {
  const given = [
    { schema: inputSchema, path: [...at, members.input] },
    { schema: outputSchema, path: [...at, members.output] },
  ];
  return given.flatMap(({ schema, path }) => (schema == null ? [] : [{ schema, path, isGiven: true }]));
}

/** The row of a new skill. `path` is where its price stands in the input. */
export function skillRow(
  agentId: string,
  place: number,
  { id, name, description, tags, inputSchema, outputSchema, price: given }: SkillInput,
  at: Date,
  path: readonly (string | number)[] = ['price'],
) {
  return {
    agentId,
    id,
    place,
    name: name ?? id,
    description: description ?? name ?? id,
    tags: [...(tags ?? [])],
    ...(inputSchema != null && { inputSchema: inputSchema as Prisma.InputJsonObject }),
    ...(outputSchema != null && { outputSchema: outputSchema as Prisma.InputJsonObject }),
    ...skillPriceOf(given, path),
    createdAt: at,
    updatedAt: at,
  };
}

/** Gives an agent skills that were read, in place of those that it had. Comes under the lock of the agent, or with it. */
export async function replaceSkills(ctx: Ctx, tx: Tx, agentId: string, skills: readonly SkillInput[]): Promise<void> {
  const at = ctx.clock.now();
  const data = skills.map((skill, place) => skillRow(agentId, place, skill, at, ['skills', place, 'price']));
  await tx.skill.deleteMany({ where: { agentId } });
  await tx.skill.createMany({ data });
}
