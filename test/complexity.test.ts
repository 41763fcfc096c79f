// How many nodes a document may ask for, and what they cost (CONTRACT.md 21 "Complexity").
import fc from 'fast-check';
import {
  type DocumentNode,
  executeSync,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  getArgumentValues,
  getIntrospectionQuery,
  getNamedType,
  getNullableType,
  getVariableValues,
  isCompositeType,
  isInputObjectType,
  isListType,
  isObjectType,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import type { FieldFacts } from '../src/platform/schema/builder.js';
import { countNodes } from '../src/platform/schema/complexity.js';
import { compileRoutes, loadOperations } from '../src/rest/routes.js';
import { schema } from '../src/schema.js';
import { type Answer, useHarness } from './harness.js';

function nodesOf(query: string, variables: Record<string, unknown> = {}): number {
  const document = parse(query);
  return countNodes(schema, document, document.definitions[0] as never, variables);
}

function fieldsOf() {
  const types = Object.values(schema.getTypeMap()).filter((type): type is GraphQLObjectType => isObjectType(type));
  return types
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type: type.name, field, path: `${type.name}.${field.name}` })));
}

describe('the nodes of a document', () => {
  const paged = 'query ($n: Limit = 7) { wallets(limit: $n) { nodes { id } } }';
  const cases: [string, string, Record<string, unknown>, number][] = [
    ['an object is none', '{ me { environment } }', {}, 0],
    ['a page is its limit', '{ wallets(limit: 3) { nodes { id } } }', {}, 3],
    ['a page without a limit is 50', '{ wallets { nodes { id } } }', {}, 50],
    ['null is no limit', '{ wallets(limit: null) { nodes { id } } }', {}, 50],
    ['a page of nothing but its total was read too', '{ wallets(limit: 3) { pagination { total } } }', {}, 3],
    ['the limits of a path are multiplied', '{ accounts(limit: 3) { nodes { wallets(limit: 5) { nodes { id } } } } }', {}, 18],
    ['those of two paths are added', '{ a: wallets(limit: 3) { nodes { id } } b: wallets(limit: 5) { nodes { id } } }', {}, 8],
    ['a bounded list is its maximum', '{ accounts(limit: 3) { nodes { balances { total } } } }', {}, 27],
    ['objects behind ids are one each', '{ transfers(limit: 3) { nodes { agent { id } toWallet { account { id } } } } }', {}, 12],
    ['a variable', paged, { n: 9 }, 9],
    ['a variable’s default', paged, {}, 7],
    ['a variable that no page takes', paged, { n: 1e9 }, 200],
    ['what is refused counts as the longest', '{ wallets(limit: -5) { nodes { id } } }', {}, 200],
    ['a literal with an exponent', '{ wallets(limit: 2e2) { nodes { id } } }', {}, 200],
    ['a literal with a point', '{ wallets(limit: 150.0) { nodes { id } } }', {}, 150],
    ['a literal beyond 64 bits', '{ wallets(limit: 123456789012345678901234567890) { nodes { id } } }', {}, 200],
    ['a text', '{ wallets(limit: "3") { nodes { id } } }', {}, 200],
    ['an enum', '{ wallets(limit: THREE) { nodes { id } } }', {}, 200],
    ['a default with an exponent', 'query ($n: Limit = 2e2) { wallets(limit: $n) { nodes { id } } }', {}, 200],
    ['a default behind the name of a method', 'query ($toString: Limit = 200) { wallets(limit: $toString) { nodes { id } } }', {}, 200],
    ['a variable without a value or a default', 'query ($n: Limit) { wallets(limit: $n) { nodes { id } } }', {}, 50],
    ['a variable that is null', paged, { n: null }, 50],
    ['a variable that is a text', paged, { n: '3' }, 200],
    ['a variable of another type', 'query ($n: Float) { wallets(limit: $n) { nodes { id } } }', { n: 3.5 }, 3.5],
    ['a variable that is not declared', '{ wallets(limit: $n) { nodes { id } } }', { n: 3 }, 200],
    ['a limit of its own type, and its default', '{ recentActivity(limit: 7) { id } other: recentActivity { id } }', {}, 27],
    ['fragments', '{ ...a ...a } fragment a on Query { ... on Query { wallets(limit: 3) { nodes { id } } } }', {}, 6],
    ['a cycle of fragments ends', '{ ...a } fragment a on Query { wallets(limit: 3) { nodes { id } } ...a }', {}, 3],
    ['what the schema does not have', '{ nonsense(limit: 9) { nodes { id } } }', {}, 0],
  ];
  it.each(cases)('%s', (_, query, variables, nodes) => expect(nodesOf(query, variables)).toBe(nodes));
});

describe('the length of a list', () => {
  const values = fc.oneof(
    fc.integer({ min: -3, max: 205 }),
    fc.double(),
    fc.bigInt().map(Number),
    fc.constantFrom(null, true, 'x', '7', {}, [], [7], Number.POSITIVE_INFINITY, '__absent'),
  );
  const literals = fc.oneof(
    fc.integer({ min: -3, max: 205 }).map(String),
    fc
      .tuple(fc.integer({ min: 0, max: 20 }), fc.constantFrom('e0', 'e1', 'E+1', '.0', '.5', 'e-1', '.5e1'))
      .map(([n, end]) => `${n}${end}`),
    fc.constantFrom('null', 'true', 'WORD', '"7"', '{}', '[]', '[7]', '1e400', '$n', '123456789012345678901234567890'),
  );
  const types = fc.constantFrom('Limit', 'Limit!', 'Int', 'Page', 'JSON');
  const wallets = schema.getQueryType()?.getFields()['wallets'] as GraphQLField<unknown, unknown>;

  /** The limit that graphql-js hands to the resolver; undefined where it refuses the request. */
  const executed = (document: DocumentNode, variables: Record<string, unknown>): number | undefined => {
    if (validate(schema, document).length > 0) return undefined;
    const operation = document.definitions[0] as OperationDefinitionNode;
    const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
    if (coerced === undefined) return undefined;
    try {
      return (getArgumentValues(wallets, operation.selectionSet.selections[0] as FieldNode, coerced)['limit'] as number | null) ?? 50;
    } catch {
      return undefined;
    }
  };

  it('is the one that is executed, whatever is given', () => {
    let ran = 0;
    fc.assert(
      fc.property(literals, types, fc.option(literals), values, (literal, type, fallback, value) => {
        const isUsed = literal === '$n';
        const head = isUsed ? `query ($n: ${type}${fallback === null || fallback === '$n' ? '' : ` = ${fallback}`})` : 'query';
        const query = `${head} { wallets(limit: ${literal}) { nodes { id } } }`;
        const variables = value === '__absent' ? {} : { n: value };
        const limit = executed(parse(query), variables);
        if (limit === undefined) return;
        ran += 1;
        expect(nodesOf(query, variables), query).toBe(limit);
      }),
      { numRuns: 2_000 },
    );
    expect(ran).toBeGreaterThan(100);
  });
});

describe('the nodes of the schema', () => {
  const field = schema.getQueryType()?.getFields() ?? {};
  const cases: [string, string, number][] = [
    ['its root is one', '{ __schema { description } }', 1],
    ['each type is one', '{ __schema { types { name } } }', 1 + Object.keys(schema.getTypeMap()).length],
    ['a named type is one', '{ __type(name: "Wallet") { name kind } }', 1],
    ['a variable names it too', 'query ($name: String!) { __type(name: $name) { fields { name } } }', 1 + Object.keys(field).length],
    ['a name that nobody has is one', '{ __type(name: "Nothing") { name fields { name } } }', 1],
    ['aliases multiply', '{ __type(name: "Query") { a: fields { name } b: fields { name } } }', 1 + 2 * Object.keys(field).length],
    [
      'fragments too',
      '{ __type(name: "Query") { ...a ...b } } fragment a on __Type { fields { name } } fragment b on __Type { x: fields { name } }',
      1 + 2 * Object.keys(field).length,
    ],
    ['a cycle of fragments ends', '{ __type(name: "ID") { ...a } } fragment a on __Type { name ofType { ...a } ...a }', 1],
    ['it stands at the root of queries alone', '{ me { __schema { types { name } } } }', 0],
    [
      'too many are not counted',
      '{ __schema { types { fields { type { ofType { a: fields { name } b: fields { name } } } } } } }',
      Number.POSITIVE_INFINITY,
    ],
    [
      'nor those of a cycle',
      '{ __schema { types { ...a } } } fragment a on __Type { fields { type { ...a ofType { ...a } } } }',
      Number.POSITIVE_INFINITY,
    ],
  ];
  it.each(cases)('%s', (_, query, nodes) => expect(nodesOf(query, { name: 'Query' })).toBe(nodes));
});

describe('the schema', () => {
  const fields = fieldsOf();

  it('has no list of objects but the nodes of pages and those that declare their maximum', () => {
    const lists = fields.filter(({ field }) => isListType(getNullableType(field.type)) && isCompositeType(getNamedType(field.type)));
    const open = lists.filter(({ type, field }) => {
      const { most } = (field.extensions['facts'] ?? {}) as FieldFacts;
      return most === undefined && !(type.endsWith('Page') && field.name === 'nodes');
    });
    expect(open.map(({ path }) => path)).toEqual([]);
    expect(lists.length).toBeGreaterThan(10);
  });

  it('has a limit on every page', () => {
    const pages = fields.filter(({ field }) => getNamedType(field.type).name.endsWith('Page'));
    const open = pages.filter(({ field }) => !field.args.some(({ name, type }) => name === 'limit' && getNamedType(type).name === 'Limit'));
    expect(open.map(({ path }) => path)).toEqual([]);
    expect(pages.map(({ path }) => path)).toEqual(expect.arrayContaining(['Account.wallets', 'Agent.wallets', 'Wallet.entries']));
  });
});

describe('the arguments of the schema', () => {
  it('have a length of a list by no other name than limit, and none inside an input', () => {
    const named = fieldsOf().flatMap(({ path, field }) =>
      field.args.filter(({ name, type }) => name !== 'limit' && getNamedType(type).name === 'Limit').map(({ name }) => `${path}(${name})`),
    );
    const inputs = Object.values(schema.getTypeMap()).filter((type) => isInputObjectType(type));
    const inside = inputs.flatMap((type) =>
      Object.values(type.getFields())
        .filter((member) => getNamedType(member.type).name === 'Limit')
        .map(({ name }) => `${type.name}.${name}`),
    );
    expect([...named, ...inside]).toEqual([]);
  });
});

describe('a routed operation', () => {
  const written = loadOperations(new URL('../src/contexts', import.meta.url).pathname);
  const compiled = (selection: string) => {
    const head = 'query listMany($limit: Limit = 50) @route(method: GET, path: "/v1/many")';
    const text = `${head} { body: accounts(limit: $limit) { data: nodes { ${selection} } } }`;
    return compileRoutes(schema, [...written, { file: 'accounts/rest.graphql', text }]);
  };
  it('is counted at boot, with the most that its limits can be', () => {
    expect(() => compiled('id')).not.toThrow();
    expect(() => compiled('wallets(limit: 50) { nodes { id } }')).toThrow('can ask for 10200 nodes; at most 10000');
  });
});

describe('/graphql', () => {
  const harness = useHarness({ limits: { sandbox: 1_000 } });
  const nested = 'query ($n: Limit, $m: Limit) { accounts(limit: $n) { nodes { wallets(limit: $m) { nodes { id } } } } }';
  const left = ({ headers }: Answer) => Number(headers.get('x-ratelimit-remaining'));

  it('takes 10,000 nodes and refuses one more before anything runs', async () => {
    expect((await harness.test.graphql(nested, { n: 200, m: 49 })).body.errors).toBeUndefined();
    const refused = await harness.test.graphql(nested, { n: 200, m: 50 });
    expect(refused.status).toBe(400);
    expect(refused.body).not.toHaveProperty('data');
    expect(refused.body.errors[0]).toMatchObject({
      message: expect.stringContaining('asks for 10200 nodes; at most 10000'),
      extensions: { code: 'validation_failed', details: { fields: [{ path: 'query', rule: 'complexity' }] } },
    });
  });

  it('refuses them by whatever spelling of a limit, and over each way', async () => {
    const documents: [string, object][] = [
      ['{ accounts(limit: 2e2) { nodes { wallets(limit: 2.0e2) { nodes { id } } } } }', {}],
      ['query ($n: Limit = 2e2) { accounts(limit: $n) { nodes { wallets(limit: $n) { nodes { id } } } } }', {}],
      ['query ($valueOf: Limit = 200) { accounts(limit: $valueOf) { nodes { wallets(limit: $valueOf) { nodes { id } } } } }', {}],
    ];
    for (const [query, variables] of documents) {
      for (const path of ['/graphql', '/graphql/stream']) {
        const accept = path === '/graphql' ? 'application/json' : 'text/event-stream';
        const { status, body } = await harness.test.post(path, { query, variables }, { headers: { accept } });
        expect({ status, rule: body.errors[0].extensions.details.fields[0].rule }, query).toEqual({ status: 400, rule: 'complexity' });
      }
    }
  });

  it('refuses lists that multiply without a limit of their own', async () => {
    const query = '{ wallets { nodes { account { wallets { nodes { account { wallets { nodes { id } } } } } } } } }';
    expect((await harness.test.graphql(query)).status).toBe(400);
  });

  it('refuses a look into the schema that reads more than 10,000 nodes', async () => {
    const aliases = Array.from({ length: 28 }, (_, n) => `x${n}: fields { name description }`).join(' ');
    const attack = `{ __schema { types { fields { type { ofType { ${aliases} } } } } } }`;
    const { status, body } = await harness.test.graphql(attack);
    expect(status).toBe(400);
    expect(body.errors[0]).toMatchObject({
      message: expect.stringContaining('more nodes of the schema than are counted; at most 10000'),
      extensions: { details: { fields: [{ path: 'query', rule: 'complexity' }] } },
    });
    expect((await harness.test.graphql(attack, {}, { as: null })).status).toBe(401);
    const before = left(await harness.test.graphql('{ me { environment } }'));
    expect(left(await harness.test.graphql('{ __schema { types { a: fields { name } } } }'))).toBeLessThan(before - 2);
  });

  it('refuses a look into the schema that reads its texts again and again', async () => {
    const aliases = (n: number, leaf: string) => Array.from({ length: n }, (_, at) => `d${at}: ${leaf}`).join(' ');
    const long = 'x'.repeat(120);
    for (const attack of [
      `{ __schema { types { fields { type { ${aliases(30, 'description')} } } } } }`,
      `{ __schema { types { ${aliases(29, 'description')} fields { ${long}: name args { name description } } } } }`,
    ]) {
      const { status, body } = await harness.test.graphql(attack);
      expect([status, body.errors?.[0].extensions.details.fields[0].rule], attack).toEqual([400, 'complexity']);
    }
  });

  it('answers a look at every text of the schema once', async () => {
    const query =
      '{ __schema { types { name description fields { name description args { name description } type { name kind ofType { name kind } } } } } }';
    expect((await harness.test.graphql(query)).status).toBe(200);
  });

  it('answers the standard introspection query to anybody, for one point', async () => {
    const before = left(await harness.test.graphql('{ me { environment } }'));
    const answer = await harness.test.graphql(getIntrospectionQuery());
    expect(left(answer)).toBe(before - 1);
    expect(JSON.stringify(answer.body)).toBe(JSON.stringify(executeSync({ schema, document: parse(getIntrospectionQuery()) })));
    const deep = getIntrospectionQuery({ typeDepth: 100, oneOf: true, inputValueDeprecation: true });
    expect((await harness.test.graphql(deep, {}, { as: null })).body).toEqual(
      JSON.parse(JSON.stringify(executeSync({ schema, document: parse(deep) }))),
    );
  });

  it('costs a point for each root field and for every 1,000 nodes', async () => {
    const before = left(await harness.test.graphql('{ me { environment } }'));
    expect(left(await harness.test.graphql(nested, { n: 50, m: 50 }))).toBe(before - 3);
    expect(left(await harness.test.graphql(nested, { n: 10, m: 10 }))).toBe(before - 4);
    expect(left(await harness.test.graphql(nested, { n: 200, m: 200 }))).toBe(before - 15);
  });

  it('asks for a credential before anything is validated or counted', async () => {
    const queries = ['{ me { nonsense } }', '{ ...a } fragment a on Query { b: me { environment } }', nested];
    for (const query of queries) {
      const { status, body } = await harness.test.graphql(query, { n: 200, m: 200 }, { as: null });
      expect({ status, code: body.errors[0].extensions.code }).toEqual({ status: 401, code: 'missing_credential' });
    }
    // What the schema does not have asks for nothing.
    expect((await harness.test.graphql('{ nonsense }', {}, { as: null })).status).toBe(400);
  });
});
