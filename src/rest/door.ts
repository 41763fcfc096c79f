// Serves doors, and describes them for openapi.json: what they take and answer by the zod schemas of their protocol.
import { z } from 'zod';
import { bodyLimit } from '../platform/body-limit.js';
import type { Environment, Platform } from '../platform/ctx.js';
import type { Door } from '../platform/door.js';
import { readRaw } from './body.js';
import { commonHeaders, commonResponse } from './openapi-error.js';
import type { Exchange } from './serve.js';

type Json = Record<string, unknown>;

/** The handler of a door: reads the bytes of the body and hands them on. */
export function serveDoor(door: Door, platform: Platform, environment: Environment): (exchange: Exchange) => Promise<void> {
  return async (exchange) => {
    const raw = await readRaw(exchange.req, bodyLimit);
    const { params } = exchange;
    const answer = await door.take(platform, { environment, params, header: exchange.get(door.header.name), raw });
    exchange.status = 200;
    exchange.set('Content-Type', 'application/json; charset=utf-8');
    exchange.body = JSON.stringify(answer);
  };
}

const schemaOf = (type: z.ZodType): Json => {
  const { $schema: _, ...schema } = z.toJSONSchema(type) as Json;
  return schema;
};

/** The operation of a door, as openapi.json has it. */
export function describeDoor({ id, path, tag, summary, description, header, body, example, answer, failures }: Door): Json {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  const shared = [...failures, 413, 415, 429, 500].map((status): [string, Json] => [String(status), commonResponse(status)]);
  return {
    operationId: id,
    summary,
    description,
    tags: [tag],
    parameters: [
      ...named,
      { name: header.name, in: 'header', description: header.description, required: true, schema: { type: 'string' } },
      { $ref: '#/components/parameters/RequestId' },
    ],
    requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body), example } } },
    responses: {
      200: { description: 'Done.', headers: commonHeaders, content: { 'application/json': { schema: schemaOf(answer) } } },
      ...Object.fromEntries(shared),
    },
    security: [],
  };
}
