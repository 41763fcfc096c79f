// The schema as it is told over /graphql: the standard query to everybody, small looks at one type too, the rest to who has a credential
// and within the bounds of every document (CONTRACT.md 21).
import fc from 'fast-check';
import {
  buildClientSchema,
  buildSchema,
  executeSync,
  getIntrospectionQuery,
  type IntrospectionOptions,
  lexicographicSortSchema,
  parse,
  print,
  printSchema,
} from 'graphql';
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { standardIntrospection } from '../../src/http/introspection.js';
import { schema } from './note.js';
import { asAda, type RunningServer, send, startServer } from './notes.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const flags = [
  'descriptions',
  'specifiedByUrl',
  'directiveIsRepeatable',
  'schemaDescription',
  'inputValueDeprecation',
  'experimentalDirectiveDeprecation',
  'oneOf',
] as const;
const everyOption: IntrospectionOptions[] = Array.from({ length: 2 ** flags.length }, (_, bits) =>
  Object.fromEntries(flags.map((flag, at) => [flag, (bits & (1 << at)) !== 0])),
);
const options = fc
  .tuple(fc.constantFrom(...everyOption), fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }))
  .map(([given, typeDepth]) => ({
    ...given,
    ...(typeDepth === undefined ? {} : { typeDepth }),
  }));
/** As versions print it that do not ask for the kind of the root types. */
const older = (query: string) => query.replaceAll('Type { name kind }', 'Type { name }');
const attack = `{__schema{types{fields{type{ofType{${Array.from({ length: 28 }, (_, n) => `x${n}:fields{name description}`).join(' ')}}}}}}}`;

describe('the standard query', () => {
  it('is told for every option, in whatever way it is laid out', () => {
    for (const given of everyOption) {
      for (const typeDepth of [0, 1, 7, 9, 100]) {
        const query = getIntrospectionQuery({ ...given, typeDepth });
        for (const text of [query, older(query), query.replace(/\s+/g, ' '), `# Hello.\n${query}`]) {
          expect(standardIntrospection(parse(text)), text).toBeDefined();
        }
      }
    }
  });

  it('is no other document', () => {
    const query = getIntrospectionQuery();
    const others = [
      query.replace('types {', 'types { a: name '),
      query.replace('kind\n', 'kind a: name\n'),
      query.replace('IntrospectionQuery', 'Other'),
      query.replace('IntrospectionQuery', 'IntrospectionQuery($a: Int)'),
      query.replace('__schema', 'a: __schema'),
      query.replace('...FullType', '...FullType ...FullType'),
      query.replace('includeDeprecated: true', 'includeDeprecated: false'),
      `${query} query More { __typename }`,
      print(parse(query)).replaceAll('name\n', 'name description\n'),
    ];
    for (const text of others) expect(standardIntrospection(parse(text)), text).toBeUndefined();
  });
});

describe('200', () => {
  it('answers every standard query to anybody as graphql-js does', async () => {
    await fc.assert(
      fc.asyncProperty(options, fc.boolean(), async (given, isOlder) => {
        const query = getIntrospectionQuery(given);
        const { status, body } = await send(server.url, isOlder ? older(query) : query);
        const expected = executeSync({ schema, document: parse(isOlder ? older(query) : query) });
        expect([status, JSON.stringify(body)]).toEqual([200, JSON.stringify(expected)]);
      }),
      { numRuns: 40 },
    );
  });

  it('leaves out what is deprecated where the query does', async () => {
    const own = buildSchema(
      'directive @d(a: Int, b: Int @deprecated) on FIELD  type Query { f(a: Int, b: Int @deprecated): [[Int!]!]! old: Int @deprecated } input I { a: Int b: Int @deprecated }',
    );
    const { introspectionOf } = await import('../../src/http/introspection.js');
    const sent = introspectionOf(own);
    for (const inputValueDeprecation of [true, false]) {
      const document = parse(getIntrospectionQuery({ inputValueDeprecation, typeDepth: 100 }));
      const http = { get: () => '', vary() {}, acceptsEncodings: () => 'identity', set() {}, body: undefined as never };
      await sent(http as never, standardIntrospection(document) as never, 'json');
      let text = '';
      for await (const chunk of http.body as AsyncIterable<Buffer>) text += chunk.toString();
      expect(text).toBe(JSON.stringify(executeSync({ schema: own, document })));
    }
  });

  it('answers it by GET, packed, as a stream and to graphql-sse', async () => {
    const query = getIntrospectionQuery();
    const expected = executeSync({ schema, document: parse(query) });
    const got = await fetch(`${server.url}/graphql?query=${encodeURIComponent(query)}&operationName=IntrospectionQuery`);
    expect([got.status, got.headers.get('content-encoding'), got.headers.get('content-type')]).toEqual([
      200,
      'gzip',
      'application/json; charset=utf-8',
    ]);
    expect(JSON.stringify(await got.json())).toBe(JSON.stringify(expected));

    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query }),
    };
    const stream = await fetch(`${server.url}/graphql`, init);
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    expect(await stream.text()).toBe(`event: next\ndata: ${JSON.stringify(expected)}\n\nevent: complete\ndata:\n\n`);

    const client = createClient({ url: `${server.url}/graphql/stream`, retryAttempts: 0 });
    const results: unknown[] = [];
    for await (const result of client.iterate({ query })) results.push(result);
    expect(JSON.stringify(results)).toBe(JSON.stringify([expected]));
    client.dispose();
  });

  it('packs the usual one well, and what few ask for in one way', async () => {
    for (const [given, encoding] of [
      [{}, 'br'],
      [{ typeDepth: 7 }, 'br'],
      [{ oneOf: true, typeDepth: 5 }, 'gzip'],
    ] as const) {
      const query = encodeURIComponent(getIntrospectionQuery(given));
      const got = await fetch(`${server.url}/graphql?query=${query}`, { headers: { 'accept-encoding': 'br, gzip' } });
      expect([got.status, got.headers.get('content-encoding')]).toEqual([200, encoding]);
      expect(await got.json()).toEqual(JSON.parse(JSON.stringify(executeSync({ schema, document: parse(getIntrospectionQuery(given)) }))));
    }
  });

  it('is what clients build a schema from', async () => {
    const { body } = await send(server.url, getIntrospectionQuery());
    expect(printSchema(lexicographicSortSchema(buildClientSchema(body.data as never)))).toBe(
      printSchema(
        lexicographicSortSchema(buildClientSchema(executeSync({ schema, document: parse(getIntrospectionQuery()) }).data as never)),
      ),
    );
  });

  it('answers __typename and small looks at one type to anybody', async () => {
    for (const query of [
      '{ __typename }',
      '{ __type(name: "Note") { name kind description } }',
      '{ weather a: __type(name: "Note") { fields { name } } }',
    ]) {
      const { status, body } = await send(server.url, query);
      expect([status, body.errors], query).toEqual([200, undefined]);
    }
  });

  it('answers other looks to who has a credential', async () => {
    const query = '{ __schema { queryType { name } types { name } } }';
    expect((await send(server.url, query, asAda)).body).toEqual(
      JSON.parse(JSON.stringify(executeSync({ schema, document: parse(query) }))),
    );
  });
});

describe('401', () => {
  const looks = [
    '{ __schema { queryType { name } } }',
    '{ weather __schema { description } }',
    '{ ...a } fragment a on Query { b: __schema { types { name } } }',
    '{ __type(name: "Query") { fields { name type { name } } } }',
    'query ($n: String = "Query") { __type(name: $n) { fields { name type { name } } } }',
    'query ($n: String! = "Query") { __type(name: $n) { fields { name type { name } } } }',
    '{ a: __type(name: "Note") { fields { name } } b: __type(name: "Note") { fields { name } } c: __type(name: "Note") { fields { name } } }',
    getIntrospectionQuery().replace('types {', 'types { a: name '),
    attack,
  ];
  it.each(looks)('without a credential: %s', async (query) => {
    for (const path of ['/graphql', '/graphql/stream']) {
      const headers = { 'content-type': 'application/json', accept: path === '/graphql' ? '*/*' : 'text/event-stream' };
      const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify({ query }) });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'missing_credential' } }] });
    }
  });

  it('and by GET', async () => {
    expect((await fetch(`${server.url}/graphql?query=${encodeURIComponent('{ __schema { types { name } } }')}`)).status).toBe(401);
  });
});
