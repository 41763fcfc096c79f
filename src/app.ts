// The middlewares of one listener, in order. One screen: what a request passes on its way in and out.
import type { GraphQLSchema } from 'graphql';
import type { Redis } from 'ioredis';
import Koa from 'koa';
import { examples } from './contexts/analytics/example.js';
import { holdConnection } from './contexts/connections/credential.js';
import { answerOAuth } from './contexts/connections/oauth.js';
import { didDocument, didMedia, didPaths } from './contexts/identity/did.js';
import { jwks } from './contexts/identity/signing-key.js';
import { spendableTags } from './contexts/spending/pipeline/spendable.js';
import { countRequest } from './contexts/usage/request-count.js';
import { manifest } from './contexts.js';
import { evidencePages } from './evidence-pages.js';
import { limitAnswers } from './http/answer-limit.js';
import { authenticate, type Identify, identifier } from './http/authenticate.js';
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
import { openHome } from './http/home.js';
import { introspectionOf } from './http/introspection.js';
import type { Load } from './http/load.js';
import type { Metrics } from './http/metrics.js';
import { admitStream } from './http/open-stream.js';
import { limitRates } from './http/rate-limit.js';
import { identifyRequest } from './http/request-id.js';
import { noteRequests } from './http/request-note.js';
import { traceRequests } from './http/request-trace.js';
import { type Endpoint, refuseMethod, routeRequests } from './http/router.js';
import { serveSchema } from './http/schema-text.js';
import { routeHosts } from './http/shop-host.js';
import type { Handler, Routed, State } from './http/state.js';
import type { Unread } from './http/unread.js';
import type { Catalog } from './mcp/catalog.js';
import { mcpEndpoints } from './mcp/endpoint.js';
import { oauthEndpoints } from './mcp/oauth.js';
import { type ListenerAddress, originFor } from './platform/authority.js';
import type { Ctx, Environment, Platform } from './platform/ctx.js';
import type { Idempotency } from './platform/idempotency.js';
import type { OAuthRequest } from './platform/oauth.js';
import { ownNames } from './platform/own-host.js';
import { limitsOf } from './platform/rate-limit.js';
import { serveDoor } from './rest/door.js';
import { subscribe } from './rest/execute.js';
import type { Route } from './rest/routes.js';
import { compileEndpoints, type Stream } from './rest/serve.js';
import { atShops, type OneShop, type ShopEndpoint, serveShop, shopsOf, ucpTools } from './shops.js';

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
  /** Runs mutations under their keys. */
  keys: Idempotency;
  metrics: Metrics;
  health: Health;
  redis: Redis | undefined;
  /** Refuses what is too much for the process: one for its listeners together. */
  load: Load;
  /** What waits for clients: one for the listeners of the process together. */
  unread: Unread;
  deadlineMs?: number | undefined;
  /** Set where the listener is a shop. */
  shop?: OneShop;
}

const title = 'Agent Payments';

/** The Koa application of one listener. Its environment decides which credentials it takes. */
export function createApp(options: AppOptions): Koa<State, Routed> {
  const { platform, environment } = options;
  const { config, log, clock, primary } = platform;
  const rates = limitRates({ limits: limitsOf(config, environment), environment, clock, redis: options.redis, primary });
  const identify = identifier({ platform, environment, resolvers: manifest.credentials, load: options.load });
  const ask = { environment, listener: { baseUrl: options.baseUrl, host: config.host }, load: options.load };
  const guards = [rates.address, authenticate(platform, identify, ask), rates.actor];
  const openGuards = [rates.address, authenticate(platform, identify, { ...ask, isPublic: true }), rates.actor];
  const identifyMcp = identifier({ platform, environment, resolvers: manifest.credentials, place: 'mcp', load: options.load });
  const mcpGuards = [rates.address, authenticate(platform, identifyMcp, ask), rates.actor];

  const first = firstOf(options);
  const tools = ucpTools({
    platform,
    environment,
    baseUrl: options.baseUrl,
    idempotency: options.keys,
    guards: [options.load.limit, ...openGuards],
  });
  const doors = [...doorways(options, guards, openGuards), tools];
  // A request without an endpoint pays the general class like any other, and is then 405 or 404.
  const nowhere = [...guards, refuseMethod];
  const shops = routeRequests({
    first,
    endpoints: [...atShops(doors), get('/.well-known/jwks.json', rates.address, serveJwks(platform))],
    nowhere,
  });
  const app = new Koa<State, Routed>();
  app.on('error', logAppError(log));
  if (options.shop !== undefined) {
    app.use(serveShop(options.shop, shops));
    return app;
  }
  const ours = routeRequests({
    first,
    endpoints: [
      ...pages(options, rates.address),
      ...graphql(options, guards),
      ...rest(options, guards, openGuards),
      ...doors.map(({ door: _, ...endpoint }) => endpoint),
      ...mcp(options, mcpGuards, identifyMcp),
      ...oauth(options, rates.address),
    ],
    nowhere,
  });
  app.use(routeHosts({ ...shopsOf(options), own: ownNames(config), before: [...first(), rates.address], ours, shops }));
  return app;
}

/** What a request passes first. What decides nothing for an endpoint is not in its chain: nobody is known where it is open. */
function firstOf({ platform, environment, baseUrl, metrics, unread, deadlineMs }: AppOptions): (endpoint?: Endpoint) => Handler[] {
  const { config, log, tracing } = platform;
  const count = noteRequests(countRequest);
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

// Gap G-384: The probes of a worker are on `METRICS_PORT`, in every role.
/** The application of METRICS_PORT: probes and metrics, for those who watch the process. */
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
    openapi,
    serverDescription: environment === 'live' ? 'Production' : 'Sandbox',
    clock: platform.clock,
    listener,
  });
  const forPeople = openConsole(environment);
  const home = openHome({ title, environment: environment === 'live' ? 'Production' : 'Sandbox' });
  return [
    ...probes(health, ...(platform.config.metricsPublic ? [] : [hideFromElsewhere])),
    get('/', address, home.page),
    get('/assets/{file}', address, home.asset),
    get('/docs', address, docs.page),
    get('/docs/', address, docs.page),
    get('/docs/{page}', address, docs.page),
    get('/docs/assets/{file}', address, docs.asset),
    get('/llms.txt', address, docs.llms),
    get('/console', address, forPeople.page),
    get('/console/', address, forPeople.page),
    get('/console/{page}', address, forPeople.page),
    get('/console/{page}/{id}', address, forPeople.page),
    get('/console/assets/{file}', address, forPeople.asset),
    get('/receipt', address, forPeople.receipt),
    get('/v1/openapi.json', address, docs.document),
    get('/.well-known/jwks.json', address, serveJwks(platform)),
    ...didPaths.map((path) => get(path, address, serveDid(platform, listener))),
    ...evidencePages(platform, environment, address),
  ];
}

/**
 * The document decides the budget, so it is read first, and a body that is sent slowly keeps nobody out; a batch is read when its sender is
 * known. A browser is answered with GraphiQL before a credential is asked for.
 */
function graphql({ platform, schema, routes, keys, load }: AppOptions, guards: readonly Handler[]): Endpoint[] {
  const [address, ...others] = guards as [Handler, ...Handler[]];
  const byName = new Map(routes.map((route) => [route.name, route]));
  const graphiql = openGraphiQL({ title, examples, documentOf: (name) => byName.get(name)?.text });
  const { read, readLarge } = graphqlReaders(schema);
  const run = operationRunner({ schema, idempotency: keys, log: platform.log });
  const look = introspectionOf(schema);
  return [
    {
      method: 'all',
      path: '/graphql',
      handlers: [read, load.limit, address, graphiql.page, ...others, readLarge, serveGraphQL(run, look)],
    },
    { method: 'all', path: '/graphql/stream', handlers: [read, load.limit, ...guards, readLarge, serveGraphQLStream(run, look)] },
    get('/graphql/assets/{file}', address, graphiql.asset),
    get('/schema.graphql', address, serveSchema(schema)),
  ];
}

function rest({ schema, routes, keys, load }: AppOptions, guards: readonly Handler[], openGuards: readonly Handler[]): Endpoint[] {
  const stream: Stream = async (ctx, exchange, route, variables) => {
    await admitStream(exchange.res, ctx, 'rest');
    sendEvents(exchange, await subscribe(schema, route, ctx, variables));
  };
  return compileEndpoints(schema, routes, keys, stream).map(({ serve, isPublic, ...endpoint }) => ({
    ...endpoint,
    handlers: [load.limit, ...(isPublic ? openGuards : guards), (http) => serve(http, http.state.ctx as Ctx)],
  }));
}

/** A door that asks for no credential looks at none: its caller signs what it says. */
function doorways(
  { platform, environment, baseUrl, keys, load }: AppOptions,
  guards: readonly Handler[],
  openGuards: readonly Handler[],
): ShopEndpoint[] {
  return manifest.doors.flatMap((door) => {
    const serve = serveDoor(door, {
      platform,
      environment,
      baseUrl,
      idempotency: keys,
      admitStream: (res, ctx) => admitStream(res, ctx, 'rest'),
    });
    const isOpen = door.audience === undefined;
    const asked = isOpen ? guards.slice(0, 1) : door.audience === 'public' ? openGuards : guards;
    const { method, path, rateClass } = door;
    const handlers: Handler[] = [load.limit, ...asked, (http) => serve(http, http.state)];
    const endpoint = { door, method, path, rateClass, isOpen, speak: speakAs(door), handlers };
    return door.hasSlash ? [endpoint, { ...endpoint, path: `${path}/` }] : [endpoint];
  });
}

function mcp({ platform, catalog, baseUrl, load }: AppOptions, guards: readonly Handler[], identify: Identify): Endpoint[] {
  return mcpEndpoints({ platform, catalog, baseUrl, identify, hold: holdConnection, spendableTags, guards: [load.limit, ...guards] });
}

/** Asked by clients that have no credential yet, and by browsers. */
function oauth({ platform, environment, baseUrl, load }: AppOptions, address: Handler): Endpoint[] {
  const answer = (request: OAuthRequest) => answerOAuth(platform, { ...request, environment });
  return oauthEndpoints({ baseUrl, host: platform.config.host, answer, guards: [load.limit, address] });
}

function serveJwks(platform: Platform): Handler {
  return async (http) => {
    http.set('Cache-Control', 'public, max-age=300');
    http.body = await jwks(platform);
  };
}

function serveDid(platform: Platform, listener: ListenerAddress): Handler {
  return async (http) => {
    http.set('Cache-Control', 'public, max-age=300');
    http.body = await didDocument(platform, originFor(listener, http.req));
    http.type = didMedia;
  };
}
