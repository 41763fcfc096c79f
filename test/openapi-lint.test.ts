// The committed documents: openapi.json lints clean, says what the code says, and every example in it is valid.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { printed } from '../scripts/printed.js';
import { schema } from '../src/schema.js';
import type { Json } from './harness.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const text = readFileSync(`${root}openapi.json`, 'utf8');
const document: Json = JSON.parse(text);
const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
  Object.entries<Json>(item).map(([method, operation]): [string, Json] => [`${method.toUpperCase()} ${path}`, operation]),
);

/** What is wrong with a document. A challenge has no good answer: it is a 402 by contract. */
async function lint(source: string): Promise<string[]> {
  const examples = {
    'no-invalid-media-type-examples': 'error',
    'no-invalid-parameter-examples': 'error',
    'no-invalid-schema-examples': 'error',
    // `/v1/webhooks/deliveries/{id}` beside `/v1/webhooks/{id}/deliveries`: CONTRACT's paths, and static segments win.
    'no-ambiguous-paths': 'off',
  } as const;
  const config = await createConfig({ extends: ['recommended'], rules: examples });
  const problems = await lintFromString({ source, absoluteRef: `${root}openapi.json`, config });
  return problems
    .map(({ ruleId, message, location: [at] }) => `${ruleId}: ${message} (${at?.pointer})`)
    .filter((problem) => !(problem.startsWith('operation-2xx-response') && problem.includes('challenge/get')));
}

describe('openapi.json', () => {
  it('lints clean', async () => {
    expect(await lint(text)).toEqual([]);
  });

  it('is really looked at by the linter', async () => {
    const path = '/v1/transfers';
    const broken = structuredClone({ ...document, paths: { [path]: document.paths[path] } });
    const operation = broken.paths[path].post;
    delete operation.operationId;
    operation.requestBody.content['application/json'].example = { amount: 42 };
    const found = (await lint(JSON.stringify(broken))).join('\n');
    expect(found).toContain('operation-operationId');
    expect(found).toContain('no-invalid-media-type-examples');
  });

  it.each(operations)('%s is described whole', (_, operation) => {
    expect(operation).toMatchObject({
      operationId: expect.stringMatching(/^[a-z]\w+$/),
      summary: expect.stringMatching(/^[A-Z]/),
      tags: [expect.any(String)],
    });
    expect(operation.security).toBeInstanceOf(Array);
    const statuses = Object.keys(operation.responses);
    expect(statuses.filter((status) => status.startsWith('2') || status === '402').length).toBeGreaterThan(0);
    for (const status of ['400', '429', '500', '503']) expect(statuses).toContain(status);
    if (operation.security.length > 0) expect(statuses).toContain('401');
    if (operation.requestBody !== undefined) {
      expect(statuses).toEqual(expect.arrayContaining(['413', '415']));
      expect(operation.requestBody.content['application/json'].example).toBeInstanceOf(Object);
    }
  });

  // A door has a wire of its own and no twin.
  const routed = operations.filter(([, operation]) => operation['x-graphql'] !== undefined);
  it.each(routed)('%s shows a GraphQL twin that runs', (_, operation) => {
    for (const twin of [operation['x-graphql'], ...Object.values<string>(operation['x-graphql-variants'] ?? {})]) {
      expect(validate(schema, parse(twin))).toEqual([]);
    }
  });
});

describe('examples', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'openapi.json');

  /** Every schema with examples, and every value that stands beside one, with its place. */
  function* examplesIn(value: Json, at: string): Generator<{ at: string; place: string; examples: Json[] }> {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value.examples)) yield { at, place: at, examples: value.examples };
    if (value.schema !== undefined && value.example !== undefined) yield { at, place: `${at}/schema`, examples: [value.example] };
    for (const [name, member] of Object.entries<Json>(value)) {
      if (name === 'examples' || name === 'example') continue;
      yield* examplesIn(member, `${at}/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`);
    }
  }

  it('fit the schemas that they stand beside', () => {
    const found = [...examplesIn(document, '#')];
    expect(found.length).toBeGreaterThan(operations.length);
    const faults = found.flatMap(({ at, place, examples }) => {
      const check = ajv.compile({ $ref: `openapi.json${place}` });
      return examples
        .filter((example) => !check(example))
        .map((example) => `${at}: ${JSON.stringify(example)} ${ajv.errorsText(check.errors)}`);
    });
    expect(faults).toEqual([]);
  });
});

describe('the committed documents', () => {
  // As `npm run schema` would write them.
  it.each(Object.keys(printed))('%s is what the code prints', (name) => {
    expect(readFileSync(root + name, 'utf8') === printed[name]).toBe(true);
  });
});
