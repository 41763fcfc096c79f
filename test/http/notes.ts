// The Koa application of src/http in its order, around the schema of note.ts: what the tests here run on.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { loadConfig } from '../../src/config.js';
import { authenticate } from '../../src/http/authenticate.js';
import { createHttpServer, limitTime } from '../../src/http/deadline.js';
import { serveDocs } from '../../src/http/docs.js';
import { logAppError, renderErrors } from '../../src/http/errors.js';
import { serveGraphiQL } from '../../src/http/graphiql.js';
import { serveGraphQL } from '../../src/http/graphql.js';
import { readGraphQL } from '../../src/http/graphql-request.js';
import { serveHealth } from '../../src/http/health.js';
import { IdempotencyKeys } from '../../src/http/idempotency.js';
import { createMetrics } from '../../src/http/metrics.js';
import { limitRates } from '../../src/http/rate-limit.js';
import { identifyRequest } from '../../src/http/request-id.js';
import type { Handler, State } from '../../src/http/state.js';
import { CoherentCache } from '../../src/platform/cache.js';
import { type Clock, systemClock } from '../../src/platform/clock.js';
import { type CredentialResolver, MalformedCredential } from '../../src/platform/credential.js';
import { Vault } from '../../src/platform/crypto.js';
import type { ActorType, Environment, Platform } from '../../src/platform/ctx.js';
import { openDatabase } from '../../src/platform/database.js';
import { Fanout } from '../../src/platform/fanout.js';
import { createLogger, type Logger } from '../../src/platform/log.js';
import { Outbound } from '../../src/platform/outbound.js';
import type { Redis } from '../../src/platform/redis.js';
import { Signal } from '../../src/platform/signal.js';
import { schema } from './note.js';

/** What was logged, as objects. */
export function recordingLogger(): { log: Logger; lines: { level: number; msg: string; err?: unknown; requestId?: string }[] } {
  const lines: { level: number; msg: string }[] = [];
  const log = createLogger('debug');
  const write = (level: number) => (fields: object, msg: string) => void lines.push({ ...fields, level, msg });
  Object.assign(log, { error: write(50), warn: write(40), info: write(30), child: () => log });
  return { log, lines };
}

export const noDatabase = 'postgres://nobody@127.0.0.1:1/none';

export function openPlatform(settings: { databaseUrl?: string; clock?: Clock; log?: Logger } = {}): Platform {
  const { databaseUrl = noDatabase, clock = systemClock, log = createLogger('silent') } = settings;
  const database = openDatabase(databaseUrl, { poolSize: 8, log });
  const cache = new CoherentCache(databaseUrl, log);
  return {
    config: loadConfig({ LOG_LEVEL: 'silent' }),
    database,
    cache,
    fanout: new Fanout({ pool: database.pool, cache, log }),
    heartbeatMs: 30_000,
    vault: new Vault('00'.repeat(32)),
    outbound: new Outbound({ allowHosts: [] }),
    clock,
    log,
    agenda: { tables: [], settle: async () => {} },
    due: new Signal(),
    published: new Signal(),
  };
}

export const workspaceId = '01994d3e-0000-7000-8000-000000000001';

/** `pk_test_<name>` is whoever it names; `sess_<name>` an agent. */
function resolver(prefix: 'pk_' | 'sess_', type: ActorType): CredentialResolver {
  return {
    prefix,
    async resolve(_, credential, environment) {
      const name = /^(?:pk_(?:test|live)_|sess_)(\w+)$/.exec(credential)?.[1];
      if (name === undefined) throw new MalformedCredential();
      return {
        actor: { type, id: name, name, scopes: [], credential: { kind: 'api_key', id: name } },
        workspace: { id: workspaceId, tenantId: workspaceId, environment, clockOffsetMs: 0 },
      };
    },
  };
}

export interface ServerOptions {
  platform?: Platform;
  limits?: { general: number; auth: number };
  environment?: Environment;
  redis?: Redis;
  keyPrefix?: string;
  trustedProxies?: number;
  deadlineMs?: number;
  windowSeconds?: number;
  https?: boolean;
  /** Serves what is not of /graphql, after authentication. */
  handler?: Handler;
}

export interface RunningServer {
  url: string;
  server: Server;
  platform: Platform;
  keys: IdempotencyKeys;
  close(): Promise<void>;
}

/** The middlewares of src/http in the order of src/app.ts, listening on a free port. */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const { platform = openPlatform(), environment = 'live', limits = { general: 100_000, auth: 100_000 }, trustedProxies = 0 } = options;
  const { redis, keyPrefix = 'rl', windowSeconds = 60 } = options;
  const { log } = platform;
  const metrics = createMetrics(platform.database.pool);
  const keys = new IdempotencyKeys(platform);
  const rates = limitRates({ limits, environment, clock: platform.clock, redis, keyPrefix, windowSeconds });
  const read = readGraphQL(schema);
  const serve = serveGraphQL({ schema, idempotency: keys.run, log });
  const isGraphQL = (path: string) => path === '/graphql' || path === '/graphql/stream';
  const app = new Koa<State>();
  app.on('error', logAppError(log));
  app.use(metrics.observe(environment));
  app.use(identifyRequest({ environment, https: options.https ?? false, trustedProxies }));
  app.use(renderErrors(log));
  app.use(limitTime(options.deadlineMs));
  app.use(
    serveHealth({
      registry: metrics.registry,
      checks: {
        database: { required: true, check: async () => ({ rows: (await platform.database.pool.query('SELECT 1')).rowCount }) },
        redis: { required: false, check: async () => ({ pong: await redis?.ping() }) },
      },
    }),
  );
  app.use((http, next) => (isGraphQL(http.path) ? read(http, next) : next()));
  app.use((http, next) => {
    if (http.path.startsWith('/auth/')) http.state.rateClass = 'auth';
    return next();
  });
  app.use(rates.address);
  app.use(
    serveGraphiQL({
      title: 'Notes',
      defaultQuery: '{ weather }',
      documentOf: (name) => (name === 'getMe' ? 'query getMe { me } # </script>' : undefined),
    }),
  );
  app.use(
    serveDocs({
      title: 'Notes API',
      openapi: () => ({ openapi: '3.1.0', info: { title: 'Notes' } }),
      serverDescription: 'Test',
      baseUrl: null,
    }),
  );
  app.use(authenticate({ platform, environment, resolvers: [resolver('pk_', 'api_key'), resolver('sess_', 'agent')] }));
  app.use(rates.actor);
  app.use((http, next) => (isGraphQL(http.path) ? serve(http, next) : next()));
  if (options.handler !== undefined) app.use(options.handler);
  const server = createHttpServer(app.callback());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await keys.close();
    await platform.database.close();
  };
  return { url, server, platform, keys, close };
}

export interface GraphQLReply {
  status: number;
  headers: Headers;
  body: { data?: Record<string, unknown> | null; errors?: { message: string; path?: string[]; extensions: Record<string, unknown> }[] };
}

/** Sends an operation as most clients do. */
export async function send(url: string, query: string, headers: Record<string, string> = {}, variables?: object): Promise<GraphQLReply> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', ...headers },
    body: JSON.stringify({ query, ...(variables === undefined ? {} : { variables }) }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as GraphQLReply['body'] };
}

export const asAda = { authorization: 'Bearer pk_live_ada' };
