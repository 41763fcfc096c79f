// Doors in openapi.json: what they take and answer by the zod schemas of their protocol. A schema with an id becomes a component.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Door } from '../platform/door.js';
import type { Admission } from '../platform/schema/audience.js';
import { commonHeaders, commonResponse } from './openapi-error.js';
import { scopeOf, securityOf } from './security.js';

type Json = Record<string, unknown>;

/** What all doors of a document say. */
export interface DoorDocument {
  paths: Record<string, Json>;
  /** The schemas that have an id. */
  schemas: Record<string, Json>;
  /** What the tags are about, where a door says it. */
  tags: Map<string, string>;
}

/** The operations of doors, as openapi.json has them. Throws when one id names two schemas. */
export function describeDoors(doors: readonly Door[]): DoorDocument {
  const document: DoorDocument = { paths: {}, schemas: {}, tags: new Map() };
  for (const door of doors) {
    document.paths[door.path] = { ...document.paths[door.path], [door.method.toLowerCase()]: describeDoor(door, document) };
    if (door.tag.about !== undefined) document.tags.set(door.tag.name, door.tag.about);
  }
  return document;
}

/** The schema of a type; those with an id, wherever they stand in it, go to the components. */
function schemaOf(type: z.ZodType, io: 'input' | 'output', { schemas }: DoorDocument): Json {
  const { $schema: _, $defs = {}, ...schema } = atComponents(z.toJSONSchema(type, { io })) as Json;
  for (const [id, { id: _id, ...own }] of Object.entries($defs as Record<string, Json>)) {
    if (schemas[id] !== undefined && !isDeepStrictEqual(schemas[id], own)) throw new Error(`${id} names two schemas`);
    schemas[id] = own;
  }
  return schema;
}

/** `value` with its references pointed at the components of the document. */
function atComponents(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(atComponents);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === '$ref' ? String(member).replace('#/$defs/', '#/components/schemas/') : atComponents(member),
    ]),
  );
}

function describeDoor(door: Door, document: DoorDocument): Json {
  const { id, path, tag, summary, description, request } = door;
  const admission: Admission = door.audience === undefined ? { audience: 'public', scope: 'self' } : door;
  return {
    operationId: id,
    summary,
    description,
    tags: [tag.name],
    parameters: parametersOf(path, door),
    ...(request && {
      requestBody: {
        required: request.optional !== true,
        content: { 'application/json': { schema: schemaOf(request.schema, 'input', document), example: request.example } },
      },
    }),
    responses: { ...answersOf(door, document), ...failuresOf(door, document) },
    security: securityOf(admission, door),
    ...scopeOf(admission),
  };
}

/** Of the segments of paths that doors share. */
const pathTexts: Readonly<Record<string, string>> = {
  agent_id: 'The agent: `agt_` and a UUID.',
  merchant_id: 'The merchant: `mer_` and a UUID.',
  endpoint_id: 'The paid endpoint: `epd_` and a UUID.',
  checkout_session_id: 'The checkout session, by the id that creating it answered.',
  id: 'The checkout session, by the id that creating it answered.',
  handler: 'Name of the payment handler.',
  slug: 'What the tenant is called in the addresses of its sign-in.',
  rail: 'The rail, such as `ach`.',
};

function parametersOf(path: string, door: Door): Json[] {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: pathTexts[name ?? ''],
    schema: { type: 'string' },
  }));
  const headers = (door.headers ?? []).map(({ name, description, required = false }) => ({
    name,
    in: 'header',
    description,
    ...(required && { required }),
    schema: { type: 'string' },
  }));
  const query = (door.query ?? []).map(({ name, description }) => ({ name, in: 'query', description, schema: { type: 'string' } }));
  return [...named, ...query, ...headers, ...keyParameters(door), { $ref: '#/components/parameters/RequestId' }];
}

function keyParameters(door: Door): Json[] {
  if (door.audience === undefined || door.key === undefined) return [];
  if (door.key === 'optional') return [{ $ref: '#/components/parameters/IdempotencyKey' }];
  const description = 'A new one for each new request: the same key has one effect within 24 hours.';
  const schema = { type: 'string', minLength: 1, maxLength: 255 };
  return [{ name: 'Idempotency-Key', in: 'header', description, required: true, schema }];
}

function answersOf(door: Door, document: DoorDocument): Record<string, Json> {
  const isKeyed = door.audience !== undefined && door.key !== undefined;
  const replayed = isKeyed ? { 'Idempotent-Replayed': { $ref: '#/components/headers/Idempotent-Replayed' } } : {};
  const echoed = Object.fromEntries((door.echoes ?? []).map((name) => [name, { description: 'As sent.', schema: { type: 'string' } }]));
  return Object.fromEntries(
    Object.entries(door.answers).map(([status, { schema, media = 'application/json', description = 'Done.' }]) => {
      const content = schema && { content: { [media]: { schema: schemaOf(schema, 'output', document) } } };
      return [status, { description, headers: { ...commonHeaders, ...replayed, ...echoed }, ...content }];
    }),
  );
}

/** Refusals: in the platform's shape, or in the protocol's own. A status that is an answer as well is described there. */
function failuresOf({ method, failures, refusal, answers, audience }: Door, document: DoorDocument): Record<string, object> {
  const shared = [...(audience === undefined ? [] : [400, 401, 403, 503]), ...(method === 'GET' ? [] : [413, 415]), 429, 500];
  const statuses = [...new Set([...failures, ...shared])].filter((status) => answers[status] === undefined);
  if (refusal === undefined) return Object.fromEntries(statuses.map((status) => [status, commonResponse(status)]));
  const content = { 'application/json': { schema: schemaOf(refusal.schema, 'output', document) } };
  return Object.fromEntries(statuses.map((status) => [status, { description: 'Refused.', headers: commonHeaders, content }]));
}
