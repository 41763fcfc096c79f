// The committed documents: openapi.json lints clean, says what the code says, and every example in it is valid.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isInputObjectType, isInterfaceType, isObjectType, parse, validate } from 'graphql';
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

/** What is wrong with a document. A challenge has no good answer: it is a 402 by contract; and a browser that signs in elsewhere is led on by a 303. */
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
    .filter(
      (problem) => !(problem.startsWith('operation-2xx-response') && /(?:challenge|oidc~1\{slug\}(?:~1callback)?)\/get/.test(problem)),
    );
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
    expect(statuses.filter((status) => status.startsWith('2') || status === '402' || status === '303').length).toBeGreaterThan(0);
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

/** A place and its text, as both documents have it. */
interface Said {
  place: string;
  text: string;
}

describe('descriptions', () => {
  const sentences = (text: string) => text.split(/(?<=[.?!])\s+(?=[A-Z`])/).filter((one) => /[.?!]$/.test(one));
  const roots = ['Query', 'Mutation', 'Subscription'];
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const fields = types.flatMap((type) => {
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return [];
    return Object.values(type.getFields()).map((field) => ({ type: type.name, name: field.name, text: field.description ?? '' }));
  });
  const said = (isRoot: boolean): Said[] =>
    fields.filter(({ type }) => roots.includes(type) === isRoot).map(({ type, name, text }) => ({ place: `${type}.${name}`, text }));

  /** Members of the schemas that operations send and take; `$ref` leads to one that is looked at by itself. */
  function* membersIn(value: Json, at: string): Generator<Said> {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries<Json>(value)) {
      if (name === 'examples' || name === 'example') continue;
      if (name === 'properties' && at.endsWith('properties') === false)
        for (const [key, { description = '' }] of Object.entries<Json>(member)) yield { place: `${at}.${key}`, text: description };
      yield* membersIn(member, `${at}/${name}`);
    }
  }
  const ofRoutes = operations.filter(([, operation]) => operation['x-graphql'] !== undefined);
  /** Those of other protocols too. A member that is a whole schema is described there. */
  const inDocument = () => [
    ...operations.flatMap(([place, { requestBody, responses }]) => [...membersIn({ requestBody, responses }, place)]),
    ...membersIn(document.components.schemas, 'schemas'),
  ];

  it('have two sentences or more for each operation', () => {
    const short = [
      ...said(true),
      ...ofRoutes.map(([place, { summary, description = '' }]): Said => ({ place, text: `${summary}. ${description}` })),
    ].filter(({ text }) => sentences(text).length < 2);
    expect(short.map(({ place }) => place)).toEqual([]);
  });

  it('say of every type and every member what it is', () => {
    const untold = [...said(false), ...inDocument()].filter(({ text }) => sentences(text).length === 0);
    expect(untold.map(({ place }) => place)).toEqual([]);
    expect(types.filter(({ name, description }) => !description && !roots.includes(name)).map(({ name }) => name)).toEqual([]);
  });

  it('say the unit of every amount and the form of every time', () => {
    const unitless = types.flatMap((type) => {
      if (!isObjectType(type) || roots.includes(type.name)) return [];
      const measured = Object.values(type.getFields()).filter((field) =>
        /^(Amount|SignedAmount|DateTime|Cents)!?$/.test(String(field.type)),
      );
      return measured
        .filter(({ description }) => !/decimal string|RFC 3339|whole number/i.test(description ?? ''))
        .map(({ name }) => `${type.name}.${name}`);
    });
    expect(unitless).toEqual([]);
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
