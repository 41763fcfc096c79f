// The middlewares of one listener, in order. One screen: what a request passes on its way in and out.
import type { GraphQLSchema } from 'graphql';
import type { Redis } from 'ioredis';
import Koa from 'koa';
import { examples } from './contexts/analytics/example.js';
import { jwks } from './contexts/identity/signing-key.js';
import { spendableTags } from './contexts/spending/pipeline/spendable.js';
import { countRequests } from './contexts/usage/request-count.js';
import { manifest } from './contexts.js';
import { limitAnswers } from './http/answer-limit.js';
import { authenticate, type Identify, identifier } from './http/authenticate.js';
import { limitsOf } from './http/budget.js';
import { openConsole } from './http/console.js';
import { allowOrigins } from './http/cors.js';
import { limitTime } from './http/deadline.js';
import { openDocs } from './http/docs.js';
import { speakAs } from './http/door.js';
import { logAppError, renderErrors } from './http/errors.js';
import { sendEvents } from './http/event-stream.js';
import { openGraphiQL } from './http/graphiql.js';
import { serveGraphQL } from './http/graphql.js';
import { operationRunner } from './http/graphql-operation.js';
import { graphqlReaders } from './http/graphql-request.js';
import { serveGraphQLStream } from './http/graphql-stream.js';
import { type Health, hideFromElsewhere } from './http/health.js';
import type { IdempotencyKeys } from './http/idempotency.js';
import { introspectionOf } from './http/introspection.js';
import type { Metrics } from './http/metrics.js';
import { admitStream } from './http/open-stream.js';
import { limitRates } from './http/rate-limit.js';
import { identifyRequest } from './http/request-id.js';
import { noteRequests } from './http/request-note.js';
import { traceRequests } from './http/request-trace.js';
import { type Endpoint, refuseMethod, routeRequests } from './http/router.js';
import type { Handler, Routed, State } from './http/state.js';
import type { Unread } from './http/unread.js';
import type { Catalog } from './mcp/catalog.js';
import { mcpEndpoints } from './mcp/endpoint.js';
import type { Ctx, Environment, Platform } from './platform/ctx.js';
import { serveDoor } from './rest/door.js';
import { subscribe } from './rest/execute.js';
import type { Route } from './rest/routes.js';
import { compileEndpoints, type Stream } from './rest/serve.js';

export interface AppOptions {
  platform: Platform;
  environment: Environment;
  /** The public address of this listener; null: none is configured. */
  baseUrl: string | null;
  schema: GraphQLSchema;
  routes: readonly Route[];
  /** The OpenAPI document, made once for both listeners. */
  openapi: () => Record<string, unknown>;
  /** The tools of MCP, compiled by the first request that asks for them. */
  catalog: () => Catalog;
  keys: IdempotencyKeys;
  metrics: Metrics;
  health: Health;
  redis: Redis | undefined;
  /** Refuses what is too much for the process: one for its listeners together. */
  limitLoad: Handler;
  /** What waits for clients: one for the listeners of the process together. */
  unread: Unread;
  deadlineMs?: number | undefined;
}

const title = 'Agent Payments';

/** The Koa application of one listener. Its environment decides which credentials it takes. */
export function createApp(options: AppOptions): Koa<State, Routed> {
  const { platform, environment } = options;
  const { config, log, clock, primary } = platform;
  const rates = limitRates({ limits: limitsOf(config, environment), environment, clock, redis: options.redis, primary });
  const identify = identifier({ platform, environment, resolvers: manifest.credentials });
  const guards = [rates.address, authenticate(platform, identify), rates.actor];

  const app = new Koa<State, Routed>();
  app.on('error', logAppError(log));
  app.use(
    routeRequests({
      first: firstOf(options),
      endpoints: [
        ...pages(options, rates.address),
        ...graphql(options, guards),
        ...rest(options, guards),
        ...doorways(options, guards),
        ...mcp(options, guards, identify),
      ],
      // A request without an endpoint pays the general class like any other, and is then 405 or 404.
      nowhere: [...guards, refuseMethod],
    }),
  );
  return app;
}

/** What a request passes first. What decides nothing for an endpoint is not in its chain: nobody is known where it is open. */
function firstOf({ platform, environment, baseUrl, metrics, unread, deadlineMs }: AppOptions): (endpoint?: Endpoint) => Handler[] {
  const { config, log, tracing } = platform;
  const count = noteRequests(countRequests(platform));
  const pagesElsewhere = allowOrigins(config.corsOrigins);
  const observe = metrics.observe(environment);
  const rest = [
    identifyRequest({ environment, https: baseUrl?.startsWith('https:') ?? false, trustedProxies: config.trustedProxies }),
    ...(tracing === undefined ? [] : [traceRequests(tracing, environment)]),
    ...(pagesElsewhere === undefined ? [] : [pagesElsewhere]),
    renderErrors(log),
    limitAnswers(unread),
    limitTime(deadlineMs),
  ];
  return (endpoint) => [observe, ...(endpoint?.isOpen ? [] : [count]), ...rest];
}

/** A page asks nobody who they are. */
const get = (path: string, ...handlers: Handler[]): Endpoint => ({ method: 'GET', path, isOpen: true, handlers });

/** The application of METRICS_PORT: probes and metrics, for those who watch the process. Gap G-384 */
export function createProbeApp(health: Health): Koa<State, Routed> {
  const app = new Koa<State, Routed>();
  app.use(routeRequests({ endpoints: probes(health) }));
  return app;
}

function probes({ alive, ready, metrics }: Health, ...before: Handler[]): Endpoint[] {
  return [get('/health', alive), get('/ready', ready), get('/metrics', ...before, metrics)];
}

/** What asks for no credential. Probes are outside of the limits too. */
function pages({ platform, environment, baseUrl, health, openapi }: AppOptions, address: Handler): Endpoint[] {
  const listener = { baseUrl, host: platform.config.host };
  const docs = openDocs({
    title,
    openapi,
    serverDescription: environment === 'live' ? 'Production' : 'Sandbox',
    clock: platform.clock,
    listener,
  });
  const forPeople = openConsole();
  return [
    ...probes(health, ...(platform.config.metricsPublic ? [] : [hideFromElsewhere])),
    get('/docs', address, docs.page),
    get('/docs/', address, docs.page),
    get('/docs/assets/{file}', address, docs.asset),
    get('/console', address, forPeople.page),
    get('/console/', address, forPeople.page),
    get('/console/{page}', address, forPeople.page),
    get('/console/assets/{file}', address, forPeople.asset),
    get('/v1/openapi.json', address, docs.document),
    get('/.well-known/jwks.json', address, serveJwks(platform)),
  ];
}

/**
 * The document decides the budget, so it is read first, and a body that is sent slowly keeps nobody out; a batch is read when its sender is
 * known. A browser is answered with GraphiQL before a credential is asked for.
 */
function graphql({ platform, schema, routes, keys, limitLoad }: AppOptions, guards: readonly Handler[]): Endpoint[] {
  const [address, ...others] = guards as [Handler, ...Handler[]];
  const byName = new Map(routes.map((route) => [route.name, route]));
  const graphiql = openGraphiQL({ title, examples, documentOf: (name) => byName.get(name)?.text });
  const { read, readLarge } = graphqlReaders(schema);
  const run = operationRunner({ schema, idempotency: keys.run, log: platform.log });
  const look = introspectionOf(schema);
  return [
    { method: 'all', path: '/graphql', handlers: [read, limitLoad, address, graphiql.page, ...others, readLarge, serveGraphQL(run, look)] },
    { method: 'all', path: '/graphql/stream', handlers: [read, limitLoad, ...guards, readLarge, serveGraphQLStream(run, look)] },
    get('/graphql/assets/{file}', address, graphiql.asset),
  ];
}

function rest({ schema, routes, keys, limitLoad }: AppOptions, guards: readonly Handler[]): Endpoint[] {
  const stream: Stream = async (ctx, exchange, route, variables) => {
    await admitStream(exchange.res, ctx, 'rest');
    sendEvents(exchange, await subscribe(schema, route, ctx, variables));
  };
  return compileEndpoints(schema, routes, keys.run, stream).map(({ serve, ...endpoint }) => ({
    ...endpoint,
    handlers: [limitLoad, ...guards, (http) => serve(http, http.state.ctx as Ctx)],
  }));
}

/** A door that asks for no credential looks at none: its caller signs what it says. */
function doorways({ platform, environment, baseUrl, keys, limitLoad }: AppOptions, guards: readonly Handler[]): Endpoint[] {
  return manifest.doors.map((door) => {
    const serve = serveDoor(door, { platform, environment, baseUrl, idempotency: keys.run });
    const isOpen = door.audience === undefined;
    const asked = isOpen ? guards.slice(0, 1) : guards;
    const { method, path } = door;
    return { method, path, isOpen, speak: speakAs(door), handlers: [limitLoad, ...asked, (http) => serve(http, http.state)] };
  });
}

function mcp({ platform, catalog, baseUrl, limitLoad }: AppOptions, guards: readonly Handler[], identify: Identify): Endpoint[] {
  return mcpEndpoints({ platform, catalog, baseUrl, identify, spendableTags, guards: [limitLoad, ...guards] });
}

function serveJwks(platform: Platform): Handler {
  return async (http) => {
    http.set('Cache-Control', 'public, max-age=300');
    http.body = await jwks(platform);
  };
}
