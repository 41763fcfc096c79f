// The OpenAPI 3.1 document, derived from the same routes that are served: variables are parameters, the input type is the
// body, the selection the response, a fragment a component, the first sentence of an operation its summary.
import { isDeepStrictEqual } from 'node:util';
import { getNamedType, isSpecifiedScalarType } from 'graphql';
import type { Door } from '../platform/door.js';
import type { Method } from '../platform/schema/route.js';
import type { JsonSchema } from '../platform/schema/scalar.js';
import { boundsOf } from '../platform/schema/validation.js';
import { SchemaComponents } from './json-schema.js';
import { describeDoors } from './openapi-door.js';
import { commonHeaders, errorResponses, errorSchemas, failuresOf } from './openapi-error.js';
import type { OutputShape } from './output.js';
import { type Route, takesKey } from './routes.js';
import { scopeOf, securityOf, securitySchemes } from './security.js';
import type { RouteVariable } from './variable.js';

/** Where the two environments are reached. */
export interface ServerUrls {
  production: string;
  sandbox: string;
}
type Json = Record<string, unknown>;

/** What operations answered to the examples of their requests, by their names. */
export type RecordedAnswers = Readonly<Record<string, { status: number; body: unknown } | undefined>>;

/** What the document has beside the routes. */
export interface DocumentOptions {
  doors?: readonly Door[];
  /** Shown as examples: src/rest/answers.json, which test/document-examples.test.ts records. */
  answers?: RecordedAnswers;
  /** Without them the servers are variables, as in the committed openapi.json. */
  urls?: ServerUrls;
}

/** The document of `routes`, the same for the same routes. */
export function openApi(routes: readonly Route[], { doors = [], answers = {}, urls }: DocumentOptions = {}): Json {
  const components = new SchemaComponents();
  const paths: Record<string, Json> = {};
  for (const route of inOrder(routes.filter(({ when }) => when === undefined))) {
    const flagged = routes.filter(({ when, method, path }) => when !== undefined && method === route.method && path === route.path);
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: describeOperation(route, { flagged, components, answer: answers[route.name] }),
    };
  }
  const own = describeDoors(doors);
  for (const [path, operations] of Object.entries(own.paths)) paths[path] = { ...paths[path], ...operations };
  const schemas = { ...components.all(), ...own.schemas, ...errorSchemas };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Payments Platform API',
      version: '1.0.0',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: serversOf(urls),
    tags: tagsOf(routes, own.tags),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: { schemas, responses: errorResponses(), parameters, headers, securitySchemes: schemesOf(paths) },
  };
}

/** What makes a thing stands before what reads it. */
function inOrder(routes: readonly Route[]): Route[] {
  const order: readonly Method[] = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'];
  return [...routes].sort((a, b) => order.indexOf(a.method) - order.indexOf(b.method));
}

/** The ways to sign in that some operation takes. */
function schemesOf(paths: Record<string, Json>): Json {
  const operations = Object.values(paths).flatMap((item) => Object.values(item) as { security?: Json[] }[]);
  const used = new Set(operations.flatMap(({ security = [] }) => security.flatMap((requirement) => Object.keys(requirement))));
  return Object.fromEntries(Object.entries(securitySchemes).filter(([name]) => used.has(name)));
}

const introduction = [
  'Wallets, an exact ledger, agent identity and spend control for software agents.',
  'Every operation here is one GraphQL operation: `x-graphql` shows it, and `/graphql` runs it.',
  'Ids are accepted with and without their prefix. A member or query parameter that an operation does not know is refused.',
].join('\n\n');

function serversOf(urls: ServerUrls | undefined): Json[] {
  const server = (name: string, url: string | undefined, description: string, fallback: string): Json =>
    url === undefined
      ? { url: `{${name}}`, description, variables: { [name]: { default: fallback, description: 'Address of this environment.' } } }
      : { url, description };
  return [
    server('base_url', urls?.production, 'Production: live keys (`pk_live_...`).', 'http://127.0.0.1:4000'),
    server('sandbox_url', urls?.sandbox, 'Sandbox: test keys (`pk_test_...`).', 'http://127.0.0.1:4001'),
  ];
}

function tagsOf(routes: readonly Route[], ofDoors: ReadonlyMap<string, string>): Json[] {
  const abouts = new Map([...ofDoors, ...routes.map(({ context: { name, about } }): [string, string] => [name, about])]);
  return [...abouts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, about]) => ({ name, description: about || `Operations on ${name}.` }));
}

/** A description is a summary and, after the first sentence, what else there is to know. */
const sentenceEnd = /(?<=[.?!])\s+(?=[A-Z`])/;

interface Around {
  /** The operations that a flag in the query chooses instead. */
  flagged: readonly Route[];
  components: SchemaComponents;
  answer: RecordedAnswers[string];
}

function describeOperation(route: Route, { flagged, components, answer }: Around): Json {
  const all = [route, ...flagged];
  const [summary = '', ...more] = route.summary.split(sentenceEnd);
  const description = more.join(' ');
  const body = requestBody(route, components);
  return {
    operationId: route.name,
    summary: summary.replace(/\.$/, ''),
    ...(description === '' ? {} : { description }),
    tags: [route.context.name],
    parameters: describeParameters(route, flagged, components),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { ...describeAnswers(all, components, answer), ...failuresOf(all) },
    security: securityOf(route.admission, route),
    ...scopeOf(route.admission),
    externalDocs: { description: 'Run it in GraphiQL', url: `/graphql?op=${route.name}` },
    'x-graphql': route.text,
    ...(flagged.length === 0 ? {} : { 'x-graphql-variants': Object.fromEntries(flagged.map(({ when, text }) => [when, text])) }),
  };
}

function describeParameters(route: Route, flagged: readonly Route[], components: SchemaComponents): Json[] {
  const own = new Map<string, Json>();
  for (const variable of [route, ...flagged].flatMap(({ variables }) => variables)) {
    if (variable.source !== 'body') own.set(`${variable.source} ${variable.wire}`, describeVariable(variable, components));
  }
  const flags = flagged.map(({ when, summary }) => ({
    name: when,
    in: 'query',
    description: `With \`true\`: ${summary}`,
    schema: { type: 'boolean', default: false },
  }));
  const keyed = takesKey(route) ? ['IdempotencyKey'] : [];
  return [...own.values(), ...flags, ...[...keyed, 'RequestId'].map((name) => ({ $ref: `#/components/parameters/${name}` }))];
}

function describeVariable({ wire, source, type, required, argument, defaultValue }: RouteVariable, components: SchemaComponents): Json {
  const schema = components.text(type, argument === undefined ? [] : boundsOf(argument));
  const named = getNamedType(type);
  const description = argument?.description ?? (isSpecifiedScalarType(named) ? undefined : named.description);
  return {
    name: wire,
    in: source,
    ...(description ? { description } : {}),
    ...(required ? { required } : {}),
    schema: defaultValue === undefined ? schema : { ...schema, default: defaultValue },
  };
}

function requestBody({ variables }: Route, components: SchemaComponents): Json | undefined {
  const input = variables.find(({ source }) => source === 'body');
  if (input === undefined) return undefined;
  const schema = components.text(input.type);
  const [name] = String(schema['$ref']).split('/').slice(-1);
  const { required, examples } = components.all()[name ?? ''] as { required?: unknown; examples?: unknown[] };
  const example = examples?.[0];
  return {
    required: required !== undefined,
    content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } },
  };
}

/** The answers of the operations of one path, by status; two with the same status are alternatives. */
function describeAnswers(routes: readonly Route[], components: SchemaComponents, recorded: RecordedAnswers[string]): Record<string, Json> {
  const byStatus = new Map<number, { description: string; schemas: JsonSchema[]; headers: Json }>();
  for (const route of routes) {
    const { shape, status, accepted, existing, wrapped, kind, admission } = route;
    const replayable =
      kind === 'mutation' && admission.audience !== 'public' ? { 'Idempotent-Replayed': headerRef('Idempotent-Replayed') } : {};
    const headers = { ...commonHeaders, Link: headerRef('Link'), ...replayable };
    const schema = wrapped ? envelope(shape, components) : components.output(shape);
    const add = (at: number, description: string) => {
      const answer = byStatus.get(at) ?? { description, schemas: [], headers };
      const isKnown = answer.schemas.some((other) => isDeepStrictEqual(other, schema));
      byStatus.set(at, { ...answer, schemas: isKnown ? answer.schemas : [...answer.schemas, schema] });
    };
    add(status, status === 201 ? 'Created.' : status === 202 ? 'Accepted: it waits for something.' : 'Done.');
    if (accepted !== undefined) add(202, 'Accepted: it waits for an approval.');
    if (existing !== undefined) add(200, 'It was there before.');
  }
  const mediaType = routes[0]?.kind === 'subscription' ? 'text/event-stream' : 'application/json';
  return Object.fromEntries(
    [...byStatus].map(([status, { description, schemas, headers }]) => {
      const [schema] = schemas;
      const example = recorded?.status === status ? { example: recorded.body } : {};
      const content = { [mediaType]: { schema: schemas.length === 1 ? schema : { anyOf: schemas }, ...example } };
      return [status, { description, headers, content }];
    }),
  );
}

function envelope(shape: OutputShape, components: SchemaComponents): JsonSchema {
  const data = { ...components.output(shape), description: 'What the operation answers.' };
  return { type: 'object', properties: { data }, required: ['data'] };
}

const headerRef = (name: string) => ({ $ref: `#/components/headers/${name}` });
const header = (description: string, schema: JsonSchema): Json => ({ description, schema });
const headers = {
  'X-Request-Id': header('The id of this request, as sent or made up.', { type: 'string' }),
  'X-RateLimit-Limit': header('Requests in a window.', { type: 'integer' }),
  'X-RateLimit-Remaining': header('Requests left in this window.', { type: 'integer' }),
  'X-RateLimit-Reset': header('Unix time at which the window ends.', { type: 'integer' }),
  'Retry-After': header('Seconds to wait.', { type: 'integer' }),
  'Idempotent-Replayed': header('`true` when this is the kept answer of an earlier request with the same key.', {
    type: 'string',
    enum: ['true'],
  }),
  Link: header('The GraphQL twin of this operation, to try in GraphiQL.', { type: 'string' }),
};

const parameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Makes it safe to send a request again: the same key has one effect within 24 hours.',
    schema: { type: 'string', minLength: 1, maxLength: 257, examples: ['order-4711'] },
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Your own id of this request; it comes back in the answer.',
    schema: { type: 'string' },
  },
};
