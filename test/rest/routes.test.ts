// What stops the process at boot, and what a good file becomes.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileRoutes, loadOperations } from '../../src/rest/routes.js';
import { schema, shop } from './shop.js';

const routes = compileRoutes(schema, [shop]);
const route = (name: string) => {
  const found = routes.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no route ${name}`);
  return found;
};
const compile = (text: string) => compileRoutes(schema, [{ file: 'contexts/bad/rest.graphql', text }]);

describe('compileRoutes', () => {
  it('reads method, path, status, flag, description and context', () => {
    expect(route('placeOrder')).toMatchObject({
      method: 'POST',
      path: '/v1/orders',
      status: 201,
      summary: 'Place an order.',
      wrapped: true,
    });
    expect(route('quoteOrder')).toMatchObject({ when: 'dry_run', status: 200 });
    expect(route('cancelOrder')).toMatchObject({ wrapped: false, admission: { audience: 'operator' }, kind: 'mutation' });
    expect(route('knock')).toMatchObject({ admission: { audience: 'public' }, facts: { rateClass: 'auth' } });
    expect(route('listOrders').context).toEqual({ name: 'orders', about: 'Orders of the shop.' });
  });

  it('tells path, query, header and body variables apart', () => {
    const sources = (name: string) => Object.fromEntries(route(name).variables.map(({ wire, source }) => [wire, source]));
    expect(sources('readOrder')).toEqual({ id: 'path' });
    expect(sources('placeOrder')).toEqual({ input: 'body' });
    expect(sources('listOrders')).toMatchObject({ timeRange: 'query', with_gifts: 'query', 'Last-Event-ID': 'header' });
  });

  it('prints a document without our directives and descriptions, with the fragments it uses and no others', () => {
    expect(route('readOrder').text).toMatch(/^query readOrder\(\$id: TransferId!\) \{/);
    expect(route('readOrder').text).toContain('fragment Order on Order');
    expect(route('readOrder').text).not.toMatch(/@|"/);
    expect(route('knock').text).not.toContain('fragment');
  });

  it('shares fragments between files', () => {
    const other = {
      file: 'contexts/audit/rest.graphql',
      text: 'query auditOrder($id: TransferId!) @route(method: GET, path: "/v1/audit/{id}") { body: order(id: $id) { ...Order } }',
    };
    expect(compileRoutes(schema, [other, shop]).find(({ name }) => name === 'auditOrder')?.text).toContain('fragment Order on Order');
  });

  const read = (rest: string, head = 'query twinOrder($id: TransferId!) @route(method: GET, path: "/v1/orders/{id}")') => `${head} ${rest}`;
  it.each([
    [
      'a misspelt field, with its line',
      `\n${read('{ data: order(id: $id) { idd } }')}`,
      /^contexts\/bad\/rest\.graphql:2:.* Cannot query field "idd"/,
    ],
    ['broken syntax', 'query {', /^contexts\/bad\/rest\.graphql:1:8 Syntax Error/],
    ['no @route', 'query a { data: broken { code } }', /has no @route/],
    ['no name', 'query @route(method: GET, path: "/v1/a") { data: broken { code } }', /bad\/rest\.graphql:1:1 This anonymous operation/],
    ['an unknown method', 'query a @route(method: FETCH, path: "/v1/a") { data: broken { code } }', /method is one of GET/],
    ['a bad path', 'query a @route(method: GET, path: "v1/a b") { data: broken { code } }', /path is a string such as/],
    ['a status that is no success', 'query a @route(method: GET, path: "/v1/a", status: 404) { data: broken { code } }', /status is a 2xx/],
    [
      'a declared member that is none',
      'query a @route(method: GET, path: "/v1/a", accepted: approval) { body: broken { code } }',
      /The answer of "a" has no member approval/,
    ],
    [
      'a declared member that is no name',
      'query a @route(method: GET, path: "/v1/a", existing: true) { body: broken { code } }',
      /existing is a name/,
    ],
    [
      'an unknown argument of @route',
      'query a @route(method: GET, path: "/v1/a", verb: 1) { data: broken { code } }',
      /takes no argument "verb"/,
    ],
    ['an unknown directive', 'query a @route(method: GET, path: "/v1/a") { data: broken @orNul { code } }', /Unknown directive "@orNul"/],
    [
      '@orNull in the wrong place',
      'query a @route(method: GET, path: "/v1/a") @orNull { data: broken { code } }',
      /Unknown directive "@orNull"/,
    ],
    [
      '@header without a name',
      'query a($x: String @header) @route(method: GET, path: "/v1/a") { data: broken { code } }',
      /needs the name of a header/,
    ],
    [
      'two root fields',
      'query a @route(method: GET, path: "/v1/a") { data: broken { code } body: broken { code } }',
      /exactly one root field/,
    ],
    ['a root field without alias', 'query a @route(method: GET, path: "/v1/a") { broken { code } }', /aliased "data" or "body"/],
    [
      'a path variable that is not declared',
      'query a @route(method: GET, path: "/v1/a/{id}") { data: broken { code } }',
      /\{id\} of \/v1\/a\/\{id\} is no variable/,
    ],
    [
      'a path variable that may be null',
      'mutation a($id: TransferId!, $waits: Boolean) @route(method: POST, path: "/v1/a/{waits}") { data: cancelOrder(orderId: $id, waits: $waits) { order { id } } }',
      /a path variable is never null/,
    ],
    [
      'a default on a non-null variable',
      'query a($page: Page! = 1) @route(method: GET, path: "/v1/a") { body: orders(page: $page) { nodes { id } } }',
      /nullable with a default/,
    ],
    [
      'a default that is no JSON',
      'query a($since: DateTime = "2026-01-01") @route(method: GET, path: "/v1/a") { body: orders(since: $since) { nodes { id } } }',
      /does not survive as JSON/,
    ],
    [
      'an object in the query',
      'mutation a($order: PlaceOrderInput!) @route(method: POST, path: "/v1/a") { data: placeOrder(input: $order) { id } }',
      /The body is \$input/,
    ],
    [
      'an unused fragment',
      'fragment F on Order { id } query a @route(method: GET, path: "/v1/a") { data: broken { code } }',
      /Fragment "F" is never used/,
    ],
    [
      'a flag with nothing beside it',
      'query a @route(method: GET, path: "/v1/a", when: dry_run) { data: broken { code } }',
      /no operation answers without it/,
    ],
  ])('refuses %s', (_, text, message) => {
    expect(() => compile(text)).toThrow(message);
  });

  it('refuses two operations on one method and path, whatever the parameter is called', () => {
    const twin = { file: 'contexts/twin/rest.graphql', text: read('{ data: order(id: $id) { id } }') };
    expect(() => compileRoutes(schema, [shop, twin])).toThrow(
      /contexts\/twin\/rest\.graphql:1: "twinOrder" and "readOrder" both answer GET/,
    );
    const renamed = { ...twin, text: twin.text.replaceAll('id}', 'order_id}').replaceAll('$id', '$order_id') };
    expect(() => compileRoutes(schema, [shop, renamed])).toThrow(/already spelled \/v1\/orders\/\{id\}/);
  });
});

describe('loadOperations', () => {
  it('reads the rest.graphql of each context that has one, in order', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'contexts-'));
    try {
      for (const name of ['b', 'a', 'quiet']) mkdirSync(path.join(folder, name));
      for (const name of ['b', 'a']) writeFileSync(path.join(folder, name, 'rest.graphql'), `# ${name}`);
      expect(loadOperations(folder)).toEqual(
        ['a', 'b'].map((name) => ({ file: path.join(folder, name, 'rest.graphql'), text: `# ${name}` })),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
