// The middlewares of one listener, in order. One screen: what a request passes on its way in and out.
import type { GraphQLSchema } from 'graphql';
import type { Redis } from 'ioredis';
import Koa from 'koa';
import { jwks } from './contexts/identity/signing-key.js';
import { credentialResolvers } from './contexts.js';
import { authenticate } from './http/authenticate.js';
import { limitTime } from './http/deadline.js';
import { serveDocs } from './http/docs.js';
import { logAppError, renderErrors } from './http/errors.js';
import { sendEvents } from './http/event-stream.js';
import { serveGraphiQL } from './http/graphiql.js';
import { serveGraphQL } from './http/graphql.js';
import { readGraphQL } from './http/graphql-request.js';
import { type ReadinessCheck, serveHealth } from './http/health.js';
import type { IdempotencyKeys } from './http/idempotency.js';
import type { Metrics } from './http/metrics.js';
import { limitRates, limitsOf } from './http/rate-limit.js';
import { identifyRequest } from './http/request-id.js';
import type { Handler, HttpContext, State } from './http/state.js';
import type { Ctx, Environment, Platform } from './platform/ctx.js';
import { subscribe } from './rest/execute.js';
import { openApi } from './rest/openapi.js';
import type { Route } from './rest/routes.js';
import { openRest } from './rest/serve.js';

export interface AppOptions {
  platform: Platform;
  environment: Environment;
  /** Where callers reach this listener; null: whatever address they used. */
  baseUrl: string | null;
  schema: GraphQLSchema;
  routes: readonly Route[];
  keys: IdempotencyKeys;
  metrics: Metrics;
  checks: Readonly<Record<string, ReadinessCheck>>;
  redis: Redis | undefined;
  deadlineMs?: number | undefined;
}

const title = 'Agent Payments';
const defaultQuery = `# Put your API key under Headers, below:
#   { "Authorization": "Bearer pk_test_..." }
query Welcome {
  me {
    actor { type id name }
    environment
    serverTime
  }
  wallets(limit: 5) {
    nodes { id currency balance { available total } }
    pagination { total }
  }
}
`;

/** The Koa application of one listener. Its environment decides which credentials it takes. */
export function createApp(options: AppOptions): Koa<State> {
  const { platform, environment, schema, routes, keys, metrics, redis } = options;
  const { config, clock, log } = platform;
  const rest = serveRest(options);
  const rates = limitRates({ limits: limitsOf(config, environment), environment, clock, redis });
  const documents = new Map(routes.map((route) => [route.name, route.text]));

  const app = new Koa<State>();
  app.on('error', logAppError(log));
  app.use(metrics.observe(environment));
  app.use(identifyRequest({ environment, https: options.baseUrl?.startsWith('https:') ?? false, trustedProxies: config.trustedProxies }));
  app.use(renderErrors(log));
  app.use(limitTime(options.deadlineMs));
  app.use(serveHealth({ registry: metrics.registry, checks: options.checks }));
  app.use(onGraphQL(readGraphQL(schema)));
  app.use(rest.match);
  app.use(rates.address);
  app.use(serveGraphiQL({ title, defaultQuery, documentOf: (name) => documents.get(name) }));
  app.use(
    serveDocs({
      title,
      openapi: () => openApi(routes),
      serverDescription: environment === 'live' ? 'Production' : 'Sandbox',
      baseUrl: options.baseUrl,
    }),
  );
  app.use(serveJwks(platform));
  app.use(authenticate({ platform, environment, resolvers: credentialResolvers }));
  app.use(rates.actor);
  app.use(onGraphQL(serveGraphQL({ schema, idempotency: keys.run, log })));
  app.use(rest.serve);
  return app;
}

const isGraphQL = (path: string) => path === '/graphql' || path === '/graphql/stream';
const pages = new Set(['/docs', '/v1/openapi.json', '/.well-known/jwks.json']);
const isPage = (path: string) => pages.has(path) || path.startsWith('/docs/') || path.startsWith('/graphql/');

function onGraphQL(handler: Handler): Handler {
  return (http, next) => (isGraphQL(http.path) ? handler(http, next) : next());
}

/** Finds the route before the rate limits, which depend on it, and serves it after authentication. */
function serveRest({ schema, routes, keys }: AppOptions): { match: Handler; serve: Handler } {
  const rest = openRest(schema, routes, keys.run, async (ctx, http, route, variables) =>
    sendEvents(http, await subscribe(schema, route, ctx, variables)),
  );
  type Match = ReturnType<typeof rest.match>;
  const matches = new WeakMap<object, { found?: Match; failure?: unknown }>();
  return {
    match: (http, next) => {
      if (isGraphQL(http.path) || isPage(http.path)) return next();
      try {
        const found = rest.match(http.method, http.path, http.query);
        matches.set(http.req, { found });
        http.state.route = found.route.path;
        http.state.rateClass = found.route.facts.rateClass ?? 'general';
      } catch (failure) {
        matches.set(http.req, { failure });
      }
      return next();
    },
    serve: (http) => {
      const { found, failure } = matches.get(http.req) ?? {};
      if (failure !== undefined) throw failure;
      // A page's path that no page answered has not been looked for.
      return rest.serve(found ?? rest.match(http.method, http.path, http.query), http, http.state.ctx as Ctx);
    },
  };
}

function serveJwks(platform: Platform): Handler {
  const answer = async (http: HttpContext): Promise<void> => {
    http.set('Cache-Control', 'public, max-age=300');
    http.body = await jwks(platform);
  };
  return (http, next) => (http.path === '/.well-known/jwks.json' ? answer(http) : next());
}
