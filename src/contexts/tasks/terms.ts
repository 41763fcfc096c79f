// What a task may be about, and what fits it: its skill, its payload, its acceptance, and what is delivered (CONTRACT.md 11).
import { z } from 'zod';
import type { Skill } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import type { SchemaCheck } from '../../platform/json-schema.js';
import type { Currency } from '../../platform/money.js';
import { maxJsonLength } from '../../platform/schema/scalar.js';
import { readBy } from '../../platform/zod-issue.js';
import type { TaskPrice } from './payment.js';

export type Json = Record<string, unknown>;

/** A part of a message or an artifact, as A2A has it: exactly one of text, data, url and raw. */
export const partShape = z
  .strictObject({
    text: z.string().max(16_384).optional(),
    data: z.unknown().optional(),
    url: z.url().max(2_048).optional(),
    /** Base64. */
    raw: z.base64().max(16_384).optional(),
    media_type: z.string().min(1).max(255).optional(),
  })
  .refine(({ text, data, url, raw }) => [text, data, url, raw].filter((given) => given !== undefined).length === 1, {
    message: 'must have exactly one of text, data, url and raw',
  });
export type TaskPart = z.infer<typeof partShape>;

/** Gap G-394: The parts of an answer to a worker have 16,384 characters of JSON at most. */
export const mostParts = 50;
export const taskPartsShape = z
  .array(partShape)
  .min(1)
  .max(mostParts)
  .refine((parts) => JSON.stringify(parts).length <= maxJsonLength, { message: `are longer than ${maxJsonLength} characters of JSON` });
const artifactsShape = z.looseObject({
  artifacts: z
    .array(z.looseObject({ name: z.string().max(255).optional(), parts: taskPartsShape }))
    .min(1)
    .max(50),
});

/** The price that a skill asks for; null for none. */
export function requestedPrice(skill: Skill | null): TaskPrice | null {
  return skill === null || skill.price === null || skill.currency === null
    ? null
    : { amount: skill.price, currency: skill.currency as Currency };
}

/** Throws 400 for a payload that the schema of the skill does not take, where it has one that can be used. */
export async function checkPayload(ctx: Ctx, skill: Skill | null, payload: Json): Promise<void> {
  await ctx.platform.schemas.check(ctx, payloadChecks(skill, payload));
}

function payloadChecks(skill: Skill | null, payload: Json): SchemaCheck[] {
  const schema = (skill?.inputSchema ?? null) as Json | null;
  return schema === null ? [] : [{ schema, path: ['payload'], values: [{ value: payload, path: ['payload'] }] }];
}

// Gap G-329: A named skill gives price and schemas that the request leaves out, where the named worker has it.
/**
 * Checks what a new task is about: its payload as above, and the schema that its deliverable has to fit, which is returned: the request's,
 * else that of the skill, where it can be used. 400 for one of the request that cannot.
 */
export async function readTerms(ctx: Ctx, skill: Skill | null, payload: Json, acceptance: Json | null | undefined): Promise<Json | null> {
  const payloads = payloadChecks(skill, payload);
  const schema = acceptance ?? ((skill?.outputSchema ?? null) as Json | null);
  if (schema === null) {
    await ctx.platform.schemas.check(ctx, payloads);
    return null;
  }
  const isGiven = acceptance != null;
  const path = isGiven ? ['acceptance', 'jsonSchema'] : ['skillId'];
  const usable = await ctx.platform.schemas.check(ctx, [...payloads, { schema, path, isGiven }]);
  return usable.at(-1) === true ? schema : null;
}

// Gap G-330: The deliverable must fit; of `artifacts` the data of every data part must, and there is at least one.
/** Throws 400 for a deliverable that does not fit. Of artifacts the data of every data part has to, and there has to be one. */
export async function checkDeliverable(ctx: Ctx, schema: Json | null, deliverable: Json): Promise<void> {
  const artifacts = 'artifacts' in deliverable ? readBy(artifactsShape, deliverable, ['deliverable']).artifacts : null;
  if (schema === null) return;
  const values =
    artifacts === null
      ? [{ value: deliverable, path: ['deliverable'] }]
      : artifacts.flatMap(({ parts }, place) => dataOf(parts, ['deliverable', 'artifacts', place, 'parts']));
  if (values.length === 0) {
    const message = 'must have a data part that fits the acceptance of the task';
    throw new ValidationFailed([{ path: ['deliverable', 'artifacts'], message, rule: 'schema' }]);
  }
  await ctx.platform.schemas.check(ctx, [{ schema, path: ['deliverable'], values }]);
}

/** Throws 400 for an answer whose data parts do not fit what was asked. */
export async function checkAnswer(ctx: Ctx, schema: Json | null, parts: readonly TaskPart[]): Promise<void> {
  if (schema === null) return;
  const values = dataOf(parts, ['parts']);
  if (values.length === 0) {
    throw new ValidationFailed([{ path: ['parts'], message: 'must have a data part that fits what was asked', rule: 'schema' }]);
  }
  await ctx.platform.schemas.check(ctx, [{ schema, path: ['parts'], values }]);
}

/** The data of the data parts of a list that stands at `at`. */
function dataOf(parts: readonly TaskPart[], at: readonly (string | number)[]) {
  return parts.flatMap(({ data }, place) => (data === undefined ? [] : [{ value: data, path: [...at, place, 'data'] }]));
}
