// Whatever is sent, through REST and GraphQL: no 5xx, no 200 that is no JSON, and always the error shape (CONTRACT.md 0 "Errors").
// Driven by openapi.json and the schema, so that a new operation is covered the day it is there. Each attack is tried on a 192nd of the
// operations and of their members, always the same ones; SLOW=1 tries all on all.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { madeSeeds } from './example.js';
import { fieldsOf, graphqlCases } from './graphql-attack.js';
import { type Json, useHarness } from './harness.js';
import { bodies, eachOf, headers, jsonValues, type RawAnswer, type RawRequest, sampleOf, sendRaw, spellings, texts } from './hostile.js';
import { checkAnswer } from './openapi.js';
import { exampleOf, membersOf, type Operation, operations, pathOf, type Seeds, withMember } from './operation.js';
import { saveWorld } from './saved-world.js';

vi.setConfig({ testTimeout: 60_000 });
const h = useHarness();

interface Case extends Partial<RawRequest> {
  /** What is attacked, and with what. */
  attack: string;
  path: string;
  /** The status where only one is right. */
  status?: number;
}

const hole = '"<here>"';
const kilobytes = 1024;
const big = JSON.stringify({ a: 'x'.repeat(10_000 * kilobytes) });

function* pathCases({ template, path }: Operation, seeds: Seeds, query: string, body: string | undefined): Generator<Case> {
  for (const name of path) {
    const spelled = (text: string) => pathOf(template, seeds, (at, seed) => (at === name ? text : seed)) + query;
    for (const [what, text] of Object.entries(texts)) {
      yield { attack: `${name} in the path: ${what}`, path: spelled(encodeURIComponent(text)), body };
    }
    for (const [what, text] of Object.entries(spellings)) yield { attack: `${name} in the path: ${what}`, path: spelled(text), body };
  }
}

function* queryCases({ query }: Operation, path: string, body: string | undefined): Generator<Case> {
  for (const name of query) {
    for (const [what, text] of Object.entries(texts)) {
      yield { attack: `?${name}: ${what}`, path: `${path}?${name}=${encodeURIComponent(text)}`, body };
    }
    for (const [what, text] of Object.entries(spellings)) yield { attack: `?${name}: ${what}`, path: `${path}?${name}=${text}`, body };
    yield { attack: `?${name} twice`, path: `${path}?${name}=1&${name}=1`, body, status: 400 };
    yield { attack: `?${name}[]`, path: `${path}?${name}[]=1&${name}[a]=2`, body, status: 400 };
  }
  for (const name of ['no_such', '__proto__', 'constructor', 'toString', '%00', '%ff', '']) {
    yield { attack: `unknown ?${name}`, path: `${path}?${name}=1`, body, ...(name === '' ? {} : { status: 400 }) };
  }
  yield { attack: 'a thousand parameters', path: `${path}?${'a=1&'.repeat(1_000)}`, body, status: 400 };
  yield { attack: 'odd ends of a query', path: `${path}?&&==&?&%`, body };
}

function* bodyCases(operation: Operation, path: string, seeds: Seeds): Generator<Case> {
  const { body: schema, method } = operation;
  if (method === 'GET') return;
  for (const [what, body] of Object.entries(bodies))
    yield { attack: `body: ${what}`, path, body, ...(what === 'broken JSON' && { status: 400 }) };
  yield { attack: 'body: 10 MB', path, body: big, status: 413 };
  yield { attack: 'body: 10 MB in chunks', path, body: big, chunked: true, status: 413 };
  if (schema === undefined) return;
  const valid = exampleOf(schema, '', seeds);
  for (const { route } of membersOf(schema)) {
    const text = JSON.stringify(withMember(valid, schema, route, JSON.parse(hole), seeds));
    for (const [what, value] of Object.entries(jsonValues))
      yield { attack: `${route.join('.')}: ${what}`, path, body: text.replace(hole, value) };
  }
}

function* headerCases(path: string, body: string | undefined): Generator<Case> {
  for (const [what, sent] of Object.entries(headers)) yield { attack: `headers: ${what}`, path, body: body ?? '{}', headers: sent };
  yield { attack: 'headers: 20 KiB', path, body, headers: { 'x-long': 'x'.repeat(20 * kilobytes) }, status: 431 };
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is wrong with an answer; undefined when nothing is. */
function faultOf(
  { template, method }: Operation,
  { attack, status: only }: Case,
  { status, headers: got, text }: RawAnswer,
): string | undefined {
  const body = parse(text);
  if (status >= 500) return `${status} ${text.slice(0, 300)}`;
  if (only !== undefined && status !== only) return `${status} instead of ${only}: ${text.slice(0, 300)}`;
  if (typeof body !== 'object' || body === null) return `${status} without a JSON object: ${text.slice(0, 100)}`;
  if (status >= 400) {
    const shape = {
      error: expect.stringMatching(/./),
      code: expect.stringMatching(/^[a-z][a-z0-9_]*$/),
      details: expect.any(Object),
      request_id: got['x-request-id'],
    };
    try {
      expect(body).toEqual(shape);
    } catch {
      return `${status} in another shape: ${text.slice(0, 300)}`;
    }
  }
  if (attack.includes('in the path') || status === 431) return undefined;
  try {
    checkAnswer(method, template, { status, body });
  } catch (error) {
    return (error as Error).message.slice(0, 400);
  }
  return undefined;
}

let sent = 0;

let seeds: Seeds;
let restore: () => Promise<void>;
beforeAll(async () => {
  seeds = await madeSeeds(h);
  restore = await saveWorld(h.platform);
});

/** So many operations that write attack the same objects: some are gone by then, but what is sent is judged before they are sought. */
const sharing = 24;
let written = 0;
/** Brings the objects back now and then, where an operation may have ended them. */
async function bringBack(isRead: boolean): Promise<void> {
  if (isRead) return;
  if (written % sharing === 0) await restore();
  written += 1;
}

const reading = ({ method }: Operation) => method === 'GET';
const readsFirst = [...operations().filter(reading), ...operations().filter((operation) => !reading(operation))];

describe('REST', () => {
  it.each(readsFirst.map((operation) => [operation.id, operation] as const))('%s', async (_, operation) => {
    await bringBack(reading(operation));
    const path = pathOf(operation.template, seeds);
    const body = operation.body === undefined ? undefined : JSON.stringify(exampleOf(operation.body, '', seeds));
    const cases = sampleOf(operation.id, [
      ...pathCases(operation, seeds, '', body),
      ...queryCases(operation, path, body),
      ...bodyCases(operation, path, seeds),
      ...headerCases(path, body),
    ]);
    const faults: string[] = [];
    await eachOf(cases, async (one) => {
      const request: RawRequest = {
        method: operation.method,
        path: one.path,
        headers: { authorization: `Bearer ${h.test.key}`, 'content-type': 'application/json', ...one.headers },
        body: one.body,
        chunked: one.chunked ?? false,
      };
      sent += 1;
      const fault = await sendRaw(h.test.url, request).then(
        (answer) => faultOf(operation, one, answer),
        (error: Error) => `no answer: ${error.message}`,
      );
      if (fault !== undefined) faults.push(`${one.attack} -> ${fault}`);
    });
    expect(faults).toEqual([]);
  });
});

/** The same of a GraphQL answer. */
function graphqlFaultOf({ status, headers: got, text }: RawAnswer): string | undefined {
  const body = parse(text);
  if (status >= 500) return `${status} ${text.slice(0, 300)}`;
  if (typeof body !== 'object' || body === null) return `${status} without a JSON object: ${text.slice(0, 100)}`;
  if (status < 400 && body.errors === undefined) return undefined;
  for (const error of body.errors ?? []) {
    if (error.extensions?.http?.status >= 500) return text.slice(0, 300);
  }
  try {
    expect(body.errors).toSatisfy((errors: unknown) => Array.isArray(errors) && errors.length > 0);
    for (const error of body.errors) {
      expect(error.message).toMatch(/./);
      expect(error.extensions).toEqual({
        code: expect.stringMatching(/^[a-z][a-z0-9_]*$/),
        details: expect.any(Object),
        requestId: got['x-request-id'],
        http: { status: expect.any(Number) },
      });
    }
  } catch {
    return `${status} in another shape: ${text.slice(0, 300)}`;
  }
  return undefined;
}

describe('a path of the pages', () => {
  it('that leads to no page is 404, whatever is asked of it; a page takes GET and HEAD alone', async () => {
    const paths = ['/docs/', '/docs/no-such', '/docs/%zz', '/docs/assets/__proto__', '/graphql/no-such', '/v1/openapi.json', '/docs'];
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      for (const path of paths) {
        sent += 1;
        const { status, text } = await sendRaw(h.test.url, { method, path, headers: {} });
        const isPage = /^\/(docs\/?|v1\/openapi\.json)$/.test(path);
        const isRead = ['GET', 'HEAD'].includes(method);
        // A path with a parameter is a known path whatever stands in it, so another method is 405 there too.
        const expected = isRead ? (isPage ? [200] : [404]) : isPage ? [405] : [404, 405];
        expect(expected, `${method} ${path}`).toContain(status);
        const code = status === 404 ? 'not_found' : 'method_not_allowed';
        if (status !== 200 && method !== 'HEAD') expect(JSON.parse(text)).toMatchObject({ code, details: {} });
      }
    }
  });
});

describe('GraphQL', () => {
  beforeAll(() => restore());

  // Queries come before mutations.
  it.each(fieldsOf().map((field) => [`${field.kind} ${field.name}`, field] as const))('%s', async (_, field) => {
    await bringBack(field.kind === 'query');
    const faults: string[] = [];
    await eachOf(sampleOf(`${field.kind} ${field.name}`, graphqlCases(field, seeds)), async ({ attack, body }) => {
      sent += 1;
      const request = {
        method: 'POST',
        path: '/graphql',
        headers: { authorization: `Bearer ${h.test.key}`, 'content-type': 'application/json' },
        body,
      };
      const fault = await sendRaw(h.test.url, request).then(graphqlFaultOf, (error: Error) => `no answer: ${error.message}`);
      if (fault !== undefined) faults.push(`${attack} -> ${fault}`);
    });
    expect(faults).toEqual([]);
  });
});

describe('GraphQL as a whole', () => {
  const deepSelection = `{ me ${'{ a '.repeat(900)}${'} '.repeat(900)} }`;
  const query = JSON.stringify('query ($a: String) { __typename }');
  const requests: Record<string, RawRequest['body']> = {
    ...bodies,
    'deep selection': JSON.stringify({ query: deepSelection }),
    'many fragments': JSON.stringify({
      query: `{ ...f0 } ${Array.from({ length: 150 }, (_, n) => `fragment f${n} on Query { ...f${n + 1} }`).join(' ')}`,
    }),
    'a cycle of fragments': JSON.stringify({ query: '{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }' }),
    'many directives': JSON.stringify({ query: `{ __typename ${'@skip(if: false) '.repeat(250)} }` }),
    'the same field often': JSON.stringify({ query: `{ ${'__typename '.repeat(1_900)} }` }),
    'two operations': JSON.stringify({ query: 'query a { __typename } query b { __typename }', operationName: 'c' }),
    'deep types of variables': JSON.stringify({ query: `query ($a: ${'['.repeat(900)}Int${']'.repeat(900)}) { __typename }` }),
    'odd names of variables': `{"query":${query},"variables":{"__proto__":{"polluted":true},"constructor":1,"":2}}`,
    ...Object.fromEntries(
      ['query', 'variables', 'operationName', 'extensions'].flatMap((member) =>
        Object.entries(jsonValues).map(([what, value]) => [`${member}: ${what}`, `{"query":${query},"${member}":${value}}`]),
      ),
    ),
  };
  const good = `{"query":${query}}`;
  const cases: Partial<RawRequest>[] = [
    ...Object.values(requests).map((body) => ({ body })),
    ...Object.values(headers).map((own) => ({ headers: own, body: good })),
    ...[...Object.values(texts).map(encodeURIComponent), ...Object.values(spellings)].flatMap((text) =>
      ['query', 'variables', 'operationName', 'extensions', 'op', '__proto__'].map((name) => ({
        method: 'GET',
        path: `/graphql?query={__typename}&${name}=${text}`,
      })),
    ),
  ];

  it.each(['/graphql', '/graphql/stream'])('%s', async (path) => {
    const faults: string[] = [];
    const authorization = `Bearer ${h.test.key}`;
    await eachOf(cases, async ({ method = 'POST', path: own, headers: sentHeaders = {}, body }) => {
      sent += 1;
      const at = own?.replace('/graphql', path) ?? path;
      const request = { method, path: at, headers: { authorization, 'content-type': 'application/json', ...sentHeaders }, body };
      const answer = await sendRaw(h.test.url, request);
      const isStream = String(answer.headers['content-type']).startsWith('text/event-stream');
      const fault = isStream ? undefined : graphqlFaultOf(answer);
      if (fault !== undefined) faults.push(`${at} ${JSON.stringify(sentHeaders)} ${String(body).slice(0, 200)} -> ${fault}`);
    });
    expect(faults).toEqual([]);
    const big = JSON.stringify({ query: '{ __typename }', variables: { a: 'x'.repeat(10_000 * kilobytes) } });
    for (const chunked of [false, true]) {
      const answer = await sendRaw(h.test.url, {
        method: 'POST',
        path,
        headers: { authorization, 'content-type': 'application/json' },
        body: big,
        chunked,
      });
      expect(answer.status).toBe(413);
      expect(graphqlFaultOf(answer)).toBeUndefined();
    }
  });
});

afterAll(() => {
  expect(sent).toBeGreaterThan(1_000);
  expect(({} as Json).polluted).toBeUndefined();
});
