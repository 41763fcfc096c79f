// How many nodes a document may ask for, and what they cost (CONTRACT.md 21 "Complexity").
import { type GraphQLObjectType, getNamedType, getNullableType, isCompositeType, isListType, isObjectType, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { FieldFacts } from '../src/platform/schema/builder.js';
import { countNodes } from '../src/platform/schema/complexity.js';
import { compileRoutes } from '../src/rest/routes.js';
import { schema } from '../src/schema.js';
import { type Answer, useHarness } from './harness.js';

function nodesOf(query: string, variables: Record<string, unknown> = {}): number {
  const document = parse(query);
  return countNodes(schema, document, document.definitions[0] as never, variables);
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
    ['a variable', paged, { n: 9 }, 9],
    ['a variable’s default', paged, {}, 7],
    ['a variable that no page takes', paged, { n: 1e9 }, 200],
    ['a negative literal', '{ wallets(limit: -5) { nodes { id } } }', {}, 1],
    ['fragments', '{ ...a ...a } fragment a on Query { ... on Query { wallets(limit: 3) { nodes { id } } } }', {}, 6],
    ['a cycle of fragments ends', '{ ...a } fragment a on Query { wallets(limit: 3) { nodes { id } } ...a }', {}, 3],
    ['what the schema does not have', '{ nonsense(limit: 9) { nodes { id } } }', {}, 0],
  ];
  it.each(cases)('%s', (_, query, variables, nodes) => expect(nodesOf(query, variables)).toBe(nodes));
});

describe('the schema', () => {
  const types = Object.values(schema.getTypeMap()).filter((type): type is GraphQLObjectType => isObjectType(type));
  const fields = types
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type: type.name, field, path: `${type.name}.${field.name}` })));

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

describe('a routed operation', () => {
  const route = (selection: string) => [
    {
      file: 'accounts/rest.graphql',
      text: `# About.\nquery listMany($limit: Limit = 50) @route(method: GET, path: "/v1/many") { body: accounts(limit: $limit) { data: nodes { ${selection} } } }`,
    },
  ];
  it('is counted at boot, with the most that its limits can be', () => {
    expect(() => compileRoutes(schema, route('id'))).not.toThrow();
    expect(() => compileRoutes(schema, route('wallets(limit: 50) { nodes { id } }'))).toThrow('can ask for 10200 nodes; at most 10000');
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

  it('refuses lists that multiply without a limit of their own', async () => {
    const query = '{ wallets { nodes { account { wallets { nodes { account { wallets { nodes { id } } } } } } } } }';
    expect((await harness.test.graphql(query)).status).toBe(400);
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
