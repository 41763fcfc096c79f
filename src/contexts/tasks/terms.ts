// What a task may be about, and what fits it: its skill, its payload, its acceptance, and what is delivered (CONTRACT.md 11).
import { z } from 'zod';
import type { Skill } from '../../generated/prisma/client.js';
import { ValidationFailed } from '../../platform/errors.js';
import { misfits, schemaIssues } from '../../platform/json-schema.js';
import type { Currency } from '../../platform/money.js';
import { maxJsonLength } from '../../platform/schema/scalar.js';
import { readBy } from '../../platform/zod-issue.js';
import type { Price } from './payment.js';

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
export type Part = z.infer<typeof partShape>;

/** Parts of one message or artifact; together they are as long as a payload may be (Gap G-394). */
export const mostParts = 50;
export const partsShape = z
  .array(partShape)
  .min(1)
  .max(mostParts)
  .refine((parts) => JSON.stringify(parts).length <= maxJsonLength, { message: `are longer than ${maxJsonLength} characters of JSON` });
const artifactsShape = z.looseObject({
  artifacts: z
    .array(z.looseObject({ name: z.string().max(255).optional(), parts: partsShape }))
    .min(1)
    .max(50),
});

/** The price that a skill asks for; null for none. */
export function askedPrice(skill: Skill | null): Price | null {
  return skill === null || skill.price === null || skill.currency === null
    ? null
    : { amount: skill.price, currency: skill.currency as Currency };
}

/** Throws 400 for a payload that the schema of the skill does not take, where it has one that can be used. */
export function checkPayload(skill: Skill | null, payload: Json): void {
  const schema = (skill?.inputSchema ?? null) as Json | null;
  if (schema === null || schemaIssues(schema, []).length > 0) return;
  const issues = misfits(schema, payload, ['payload']);
  if (issues.length > 0) throw new ValidationFailed(issues);
}

/**
 * The schema that a deliverable has to fit: the request's, else that of the skill, where it can be used (Gap G-329). 400 for one that
 * cannot.
 */
export function acceptanceOf(given: Json | null | undefined, skill: Skill | null): Json | null {
  if (given != null) {
    const issues = schemaIssues(given, ['acceptance', 'jsonSchema']);
    if (issues.length > 0) throw new ValidationFailed(issues);
    return given;
  }
  const own = (skill?.outputSchema ?? null) as Json | null;
  return own === null || schemaIssues(own, []).length > 0 ? null : own;
}

/** Throws 400 for a deliverable that does not fit. Of artifacts the data of every data part has to, and there has to be one (Gap G-330). */
export function checkDeliverable(schema: Json | null, deliverable: Json): void {
  const artifacts = 'artifacts' in deliverable ? readBy(artifactsShape, deliverable, ['deliverable']).artifacts : null;
  if (schema === null) return;
  const issues = artifacts === null ? misfits(schema, deliverable, ['deliverable']) : partMisfits(schema, artifacts);
  if (issues.length > 0) throw new ValidationFailed(issues);
}

function partMisfits(schema: Json, artifacts: readonly { parts: readonly Part[] }[]) {
  const found = artifacts.flatMap(({ parts }, artifact) =>
    parts.flatMap(({ data }, part) =>
      data === undefined ? [] : [{ data, path: ['deliverable', 'artifacts', artifact, 'parts', part, 'data'] }],
    ),
  );
  if (found.length === 0) {
    return [{ path: ['deliverable', 'artifacts'], message: 'must have a data part that fits the acceptance of the task', rule: 'schema' }];
  }
  return found.flatMap(({ data, path }) => misfits(schema, data, path)).slice(0, 1);
}

/** Throws 400 for an answer whose data parts do not fit what was asked. */
export function checkAnswer(schema: Json | null, parts: readonly Part[]): void {
  if (schema === null) return;
  const issues = parts.flatMap(({ data }, part) => (data === undefined ? [] : misfits(schema, data, ['parts', part, 'data'])));
  if (parts.every(({ data }) => data === undefined)) {
    issues.push({ path: ['parts'], message: 'must have a data part that fits what was asked', rule: 'schema' });
  }
  if (issues.length > 0) throw new ValidationFailed(issues.slice(0, 1));
}
