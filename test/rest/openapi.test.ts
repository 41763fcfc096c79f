// The API document: it lints clean, its examples are true, and it says what the routes do.
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { compileExecutor } from '../../src/rest/execute.js';
import { openApi } from '../../src/rest/openapi.js';
import { nullDropper } from '../../src/rest/output.js';
import { compileRoutes } from '../../src/rest/routes.js';
import { schema, shop, shopCtx } from './shop.js';

const routes = compileRoutes(schema, [shop]);
// biome-ignore lint/suspicious/noExplicitAny: a JSON document is read freely here
const document = JSON.parse(JSON.stringify(openApi(routes))) as any;

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ ...document, $id: 'api' });
const errorsOf = (pointer: string, value: unknown) => {
  const check = ajv.getSchema(`api#${pointer}`);
  if (check === undefined) throw new Error(`no schema at ${pointer}`);
  return check(value) ? [] : check.errors;
};
const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');

describe('the document', () => {
  it('lints clean', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${message} ${location[0]?.pointer}`)).toEqual([]);
  });
  it('lints clean with given servers', async () => {
    const given = openApi(routes, { urls: { production: 'https://api.test', sandbox: 'https://sandbox.test' } });
    expect(given['servers']).toMatchObject([{ url: 'https://api.test' }, { url: 'https://sandbox.test' }]);
    expect(await lintFromString({ source: JSON.stringify(given), config: await createConfig({ extends: ['recommended'] }) })).toEqual([]);
  });
  it('is the same each time', () => {
    expect(JSON.stringify(openApi(compileRoutes(schema, [shop])))).toBe(JSON.stringify(openApi(routes)));
  });
  it('shows a GraphQL document that is valid for each operation', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path as object)) as { 'x-graphql': string }[];
    expect(operations).toHaveLength(routes.length - 1);
    for (const operation of operations) expect(validate(schema, parse(operation['x-graphql']))).toEqual([]);
  });
});

describe('examples', () => {
  const examples: [string, string, unknown][] = [];
  const walk = (node: unknown, pointer: string): void => {
    if (typeof node !== 'object' || node === null) return;
    const { schema: described, example, examples: many, ...rest } = node as Record<string, unknown>;
    if (described !== undefined && example !== undefined) examples.push([pointer, `${pointer}/schema`, example]);
    if (Array.isArray(many)) for (const one of many) examples.push([pointer, pointer, one]);
    if (described !== undefined) walk(described, `${pointer}/schema`);
    for (const [key, child] of Object.entries(rest)) walk(child, `${pointer}/${escaped(key)}`);
  };
  walk(document, '');

  it('are there for bodies', () => {
    expect(document.paths['/v1/orders'].post.requestBody.content['application/json'].example).toEqual({
      max_total: '42.00',
      items: [{ sku: 'sku', quantity: 1 }],
      metadata: { colour: 'red' },
    });
  });
  it.each(examples)('%s fits its schema', (_, pointer, value) => expect(errorsOf(pointer, value)).toEqual([]));
});

describe('an operation', () => {
  const { get: list, post: place } = document.paths['/v1/orders'];
  it('has its parameters, with bounds and defaults', () => {
    const byName = Object.fromEntries(
      list.parameters.filter((it: { name?: string }) => it.name).map((it: { name: string }) => [it.name, it]),
    );
    expect(byName).toMatchObject({
      status: { in: 'query', description: 'Only those.', schema: { type: 'string', enum: ['open', 'in_progress', 'shipped'] } },
      timeRange: { schema: { type: 'string', maxLength: 3 } },
      limit: { schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 } },
      sku: { schema: { type: 'array', items: { type: 'string' } } },
      'Last-Event-ID': { in: 'header' },
    });
    expect(document.paths['/v1/orders/{id}'].get.parameters[0]).toMatchObject({ name: 'id', in: 'path', required: true });
    expect(place.parameters.map((it: { name?: string; $ref?: string }) => it.name ?? it.$ref)).toEqual([
      'dry_run',
      '#/components/parameters/IdempotencyKey',
      '#/components/parameters/RequestId',
    ]);
  });
  it('has a body with bounds, closed to members that it does not know', () => {
    expect(document.components.schemas.PlaceOrderInput).toMatchObject({
      additionalProperties: false,
      required: ['max_total', 'items'],
      properties: {
        items: { type: 'array', minItems: 1, maxItems: 100 },
        priority: { default: 3 },
        max_total: { description: 'The most it may cost.' },
      },
    });
    expect(document.components.schemas.ItemInput.properties.quantity).toEqual({
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: 1000,
    });
  });
  it('has its answers, those of its flag and those that wait', () => {
    expect(place.responses['201'].content['application/json'].schema).toEqual({
      type: 'object',
      properties: { data: { $ref: '#/components/schemas/Order', description: 'What the operation answers.' } },
      required: ['data'],
    });
    expect(Object.keys(place.responses)).toEqual(
      expect.arrayContaining(['200', '201', '400', '401', '403', '409', '413', '415', '422', '429', '500', '503']),
    );
    expect(place['x-graphql-variants'].dry_run).toContain('mutation quoteOrder');
    expect(Object.keys(document.paths['/v1/orders/{id}/cancel'].post.responses)).toContain('202');
  });
  it('names the codes that are its own', () => {
    const codes = place.responses['422'].content['application/json'].schema.allOf[1].properties.code.enum;
    expect(codes).toEqual(['currency_mismatch', 'idempotency_key_reused']);
    expect(list.responses['400']).toEqual({ $ref: '#/components/responses/BadRequest' });
  });
  it('says who may call', () => {
    expect(document.paths['/v1/knock'].post.security).toEqual([]);
    expect(document.paths['/v1/orders/{id}/cancel'].post.security).toEqual([{ apiKey: [] }, { jwt: [] }]);
    expect(list.security).toHaveLength(4);
  });
});

it('a null is only where the document says so', () => {
  const { Order } = document.components.schemas;
  expect(Order.required).toEqual(['id', 'status', 'total', 'address', 'items', 'metadata', 'pickup_code', 'created_at']);
  expect(Order.properties.address.type).toEqual(['object', 'null']);
  expect(Order.properties.note.type).toBe('string');
});

it('answers fit their schema', async () => {
  const route = routes.find(({ name }) => name === 'listOrders');
  if (route === undefined) throw new Error('no listOrders');
  const { data } = await compileExecutor(schema, route)(shopCtx(), {});
  nullDropper(route.shape)?.(data?.['body']);
  const answer = JSON.parse(JSON.stringify(data?.['body'])) as unknown;
  expect(errorsOf(`/paths/${escaped('/v1/orders')}/get/responses/200/content/${escaped('application/json')}/schema`, answer)).toEqual([]);
  expect(
    errorsOf(`/paths/${escaped('/v1/orders')}/get/responses/200/content/${escaped('application/json')}/schema`, { data: [{}] }),
  ).not.toEqual([]);
});
