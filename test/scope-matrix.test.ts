// Security property "Matrix" (CONTRACT.md 22): every operation × every scope alone × every role in both environments is answered or refused
// with insufficient_scope exactly as the table of docs/people.md says, over GraphQL, REST and MCP.
import { beforeAll, describe, expect, it } from 'vitest';
import { operatorTools, sharedTools } from '../src/mcp/operator-tool.js';
import { admissionOf } from '../src/platform/schema/audience.js';
import { covers, roles, scopes, scopesOf } from '../src/platform/scope.js';
import { schema } from '../src/schema.js';
import { type Client, type Json, nowhere, useHarness } from './harness.js';
import { connect } from './mcp/client.js';
import { document } from './openapi.js';
import { stated, table } from './role-table.js';
import { isSlow } from './slow.js';

const harness = useHarness({ checkLedger: false });
const callers = roles.flatMap((role) => (['live', 'test'] as const).map((environment) => ({ role, environment })));

/** Every root field that asks for a scope, as GraphQL is asked for it: too little to do anything, and enough to be let in or not. */
const fields = (['query', 'mutation'] as const).flatMap((kind) => {
  const type = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  return Object.values(type?.getFields() ?? {})
    .map((field) => ({ name: field.name, text: `${kind} { ${field.name} }`, admission: admissionOf(field) }))
    .filter(({ admission }) => admission.audience !== 'public' && admission.scope !== 'self');
});

interface RestOperation {
  method: string;
  path: string;
  scope: string;
}

const operations: RestOperation[] = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
  Object.entries<Json>(item)
    .filter(([, operation]) => operation['x-scope'] !== undefined)
    // A stream is opened, and never ends.
    .filter(([, operation]) => operation.operationId !== 'connectAgent')
    .map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: path.replace(/\{\w+\}/g, nowhere),
      scope: operation['x-scope'] as string,
    })),
);

/** The refusal, also as the protocols of doors spell it. */
const refusal = (body: Json) => JSON.stringify(body ?? {}).includes('This needs the scope');

/** What each request of a matrix is about. */
interface Part {
  fields: typeof fields;
  operations: typeof operations;
}
/** Of what a caller is refused, and a role is let into, each by default is asked about one in so many, another one than the next caller. */
const [everyRefused, everyOfRole] = isSlow ? [1, 1] : [16, 5];

/** What a single scope is asked about: all that it opens, and a part of the rest. */
const partOfScope = (scope: string, at: number): Part =>
  partWhere((wanted, index) => covers([scope], wanted) || index % everyRefused === at % everyRefused);

/** What a role is asked about: an owner in production about all. */
const partOfRole = (at: number): Part => partWhere((_, index) => at === 0 || index % everyOfRole === at % everyOfRole);

function partWhere(isAsked: (wanted: string, index: number) => boolean): Part {
  return {
    fields: fields.filter(({ admission }, index) => isAsked(admission.scope, index)),
    operations: operations.filter((operation, index) => isAsked(operation.scope, index)),
  };
}

/** Those that are let in, by GraphQL and by REST, and those that should be. */
async function asked(client: Client, key: string, held: readonly string[], part: Part) {
  const wrong: string[] = [];
  for (const { name, text, admission } of part.fields) {
    const { body } = await client.graphql(text, {}, { as: key });
    const error = body.errors?.[0];
    const isRefused = error?.extensions?.code === 'insufficient_scope';
    if (isRefused === covers(held, admission.scope)) wrong.push(`GraphQL ${name}: ${error?.message}`);
  }
  for (const { method, path, scope } of part.operations) {
    // A body that nobody can read: whoever is let in is told so, and nothing is done.
    const raw = method === 'GET' ? {} : { raw: '{' };
    const { status, body } = await client.call(method, path, { as: key, ...raw });
    // UCP says 200 with messages where others refuse.
    const isDone = method !== 'GET' && status < 400 && body?.messages === undefined;
    if (refusal(body) === covers(held, scope) || isDone) wrong.push(`${method} ${path}: ${status} ${body?.code}`);
  }
  return wrong;
}

const issue = async (client: Client, held: readonly string[]) =>
  (await client.make('/v1/api-keys', { name: 'Matrix', scopes: held.length === 0 ? undefined : held })).key as string;

describe('the matrix', { timeout: 120_000 }, () => {
  it('is read from docs/people.md, and looks at everything', () => {
    expect([...table.keys()]).toEqual(['admin', 'finance', 'developer in live', 'developer in a sandbox', 'viewer']);
    expect(fields.length).toBeGreaterThan(250);
    expect(operations.length).toBeGreaterThan(200);
  });

  it('asks each for whoever is let in and for whoever is not', () => {
    const parts = [
      ...scopes.map((scope, at) => ({ held: [scope], part: partOfScope(scope, at) })),
      ...callers.map(({ role, environment }, at) => ({ held: stated(role, environment), part: partOfRole(at) })),
    ];
    const asks = parts.flatMap(({ held, part }) => [
      ...part.fields.map(({ name, admission }) => `${name} ${covers(held, admission.scope)}`),
      ...part.operations.map(({ method, path, scope }) => `${method} ${path} ${covers(held, scope)}`),
    ]);
    const names = [...fields.map(({ name }) => name), ...operations.map(({ method, path }) => `${method} ${path}`)];
    expect(names.flatMap((name) => [`${name} true`, `${name} false`]).filter((ask) => !asks.includes(ask))).toEqual([]);
  });

  for (const [at, { role, environment }] of callers.entries()) {
    it(`${role} in ${environment} has what the table says, and no more`, async () => {
      const held = stated(role, environment);
      const [own, known] = [scopesOf(role, environment, false), scopes.filter((scope) => covers(held, scope))];
      expect(scopes.filter((scope) => covers(own, scope))).toEqual(known);
      const client = environment === 'live' ? harness.live : harness.test;
      expect(await asked(client, await issue(client, held), held, partOfRole(at))).toEqual([]);
    });
  }

  for (const [at, scope] of scopes.entries()) {
    it(`${scope} alone`, async () => {
      expect(await asked(harness.test, await issue(harness.test, [scope]), [scope], partOfScope(scope, at))).toEqual([]);
    });
  }
});

describe('the tools of MCP', { timeout: 120_000 }, () => {
  const scopeOf = new Map<string, string>();
  beforeAll(() => {
    for (const item of Object.values<Json>(document.paths)) {
      for (const { operationId, 'x-scope': scope } of Object.values<Json>(item)) scopeOf.set(operationId, scope);
    }
  });
  for (const [at, scope] of [...scopes, '*', '*:read'].entries()) {
    it(`${scope} is offered what it opens, and refused the rest by its name`, async () => {
      await using mcp = await connect(harness.test.url, await issue(harness.test, [scope]));
      const tools = [...sharedTools, ...operatorTools];
      const isOpen = ({ operation }: { operation: string }) =>
        scopeOf.get(operation) === undefined || covers([scope], scopeOf.get(operation) as string);
      expect((await mcp.names()).sort()).toEqual(
        tools
          .filter(isOpen)
          .map(({ name }) => name)
          .sort(),
      );
      const refused = tools.filter((tool, index) => !isOpen(tool) && index % everyRefused === at % everyRefused);
      for (const { name, operation } of refused) {
        expect(await mcp.refused(name)).toMatchObject({ code: 'insufficient_scope', details: { required_scope: scopeOf.get(operation) } });
      }
    });
  }
});
