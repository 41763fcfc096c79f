// The Koa application of src/http in its order, around the schema of note.ts: what the tests here run on.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { loadConfig } from '../../src/config.js';
import { limitAnswers } from '../../src/http/answer-limit.js';
import { authenticate, identifier } from '../../src/http/authenticate.js';
import { createHttpServer, limitTime } from '../../src/http/deadline.js';
import { openDocs } from '../../src/http/docs.js';
import { speakAs } from '../../src/http/door.js';
import { logAppError, renderErrors } from '../../src/http/errors.js';
import { openGraphiQL } from '../../src/http/graphiql.js';
import { serveGraphQL } from '../../src/http/graphql.js';
import { operationRunner } from '../../src/http/graphql-operation.js';
import { graphqlReaders } from '../../src/http/graphql-request.js';
import { serveGraphQLStream } from '../../src/http/graphql-stream.js';
import { openHealth } from '../../src/http/health.js';
import { IdempotencyKeys } from '../../src/http/idempotency.js';
import { introspectionOf } from '../../src/http/introspection.js';
import { Load } from '../../src/http/load.js';
import { createMetrics, type Metrics } from '../../src/http/metrics.js';
import { limitRates } from '../../src/http/rate-limit.js';
import { identifyRequest } from '../../src/http/request-id.js';
import { type Endpoint, refuseMethod, routeRequests } from '../../src/http/router.js';
import type { Handler, Routed, State } from '../../src/http/state.js';
import { Unread, type UnreadOptions } from '../../src/http/unread.js';
import { CoherentCache } from '../../src/platform/cache.js';
import { Cells } from '../../src/platform/cell/cells.js';
import { Directory } from '../../src/platform/cell/directory.js';
import { type Clock, systemClock } from '../../src/platform/clock.js';
import { type CredentialResolver, MalformedCredential } from '../../src/platform/credential.js';
import type { ActorType, Environment, Platform } from '../../src/platform/ctx.js';
import type { Door } from '../../src/platform/door.js';
import { DueBell } from '../../src/platform/due/due-bell.js';
import { Extensions } from '../../src/platform/extension.js';
import { Fanout } from '../../src/platform/fanout.js';
import { createLogger, type Logger } from '../../src/platform/log.js';
import { Outbound } from '../../src/platform/outbound/client.js';
import { openDatabase } from '../../src/platform/postgres/database.js';
import type { Redis } from '../../src/platform/redis.js';
import { SchemaChecker } from '../../src/platform/schema-checker.js';
import { Vault } from '../../src/platform/secrets/vault.js';
import { Signal } from '../../src/platform/signal.js';
import { serveDoor } from '../../src/rest/door.js';
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
  const platform = {
    cell: 'main',
    config: loadConfig({ LOG_LEVEL: 'silent' }),
    database,
    cache,
    fanout: new Fanout({ pool: database.pool, cache, log }),
    heartbeatMs: 30_000,
    vault: new Vault('00'.repeat(32)),
    printInput: () => ({}),
    operations: { check: () => {}, call: async () => ({}), scopeOf: () => 'self', takes: () => [], shows: () => new Map() },
    schemas: new SchemaChecker({ log }),
    outbound: new Outbound({ allowHosts: [] }),
    clock,
    log,
    agenda: { tables: [], publish: async () => {}, settle: async () => {}, isUnheard: async () => false },
    extensions: new Extensions([]),
    due: new DueBell(),
    published: new Signal(),
  } as Omit<Platform, 'cells'> as Platform;
  const options = { directory: new Directory(platform), home: platform, serves: null };
  platform.cells = new Cells<Platform>({ ...options, open: async () => platform, close: async () => {} });
  return platform;
}

export const workspaceId = '01994d3e-0000-7000-8000-000000000001';

/** The id of an actor of this name. */
export function idOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

/** `pk_test_<name>` is whoever it names; `sess_<name>` an agent. */
function resolver(prefix: 'pk_' | 'sess_', type: ActorType): CredentialResolver {
  return {
    prefix,
    async resolve(_, credential, environment) {
      const name = /^(?:pk_(?:test|live)_|sess_)(\w+)$/.exec(credential)?.[1];
      if (name === undefined) throw new MalformedCredential();
      return {
        actor: { type, id: idOf(name), name, scopes: [], credential: { kind: 'api_key', id: idOf(name) } },
        workspace: { id: workspaceId, tenantId: workspaceId, environment, clockOffsetMs: 0 },
      };
    },
  };
}

export interface ServerOptions {
  platform?: Platform;
  limits?: { general: number; auth: number; login?: number };
  environment?: Environment;
  redis?: Redis;
  keyPrefix?: string;
  trustedProxies?: number;
  deadlineMs?: number;
  windowSeconds?: number;
  unread?: UnreadOptions;
  https?: boolean;
  /** Served beside the pages and /graphql. */
  endpoints?: readonly Endpoint[];
  doors?: readonly Door[];
  /** Serves what has no endpoint, after authentication. */
  handler?: Handler;
}

export interface RunningServer {
  url: string;
  server: Server;
  platform: Platform;
  keys: IdempotencyKeys;
  unread: Unread;
  close(): Promise<void>;
}

const get = (path: string, ...handlers: Handler[]): Endpoint => ({ method: 'GET', path, handlers });

/** How often the readiness of the process was checked. */
export const readiness = { checks: 0 };

/** How often an OpenAPI document was printed. */
export const printed = { documents: 0 };

function pages(platform: Platform, { registry }: Metrics, address: Handler, redis: Redis | undefined): Endpoint[] {
  const health = openHealth({
    metrics: registry,
    clock: platform.clock,
    checks: {
      database: {
        required: true,
        check: async () => {
          readiness.checks += 1;
          return { rows: (await platform.database.pool.query('SELECT 1')).rowCount };
        },
      },
      redis: { required: false, check: async () => ({ pong: await redis?.ping() }) },
    },
  });
  const docs = openDocs({
    openapi: () => {
      printed.documents += 1;
      return { openapi: '3.1.0', info: { title: 'Notes' }, example: { at: '2026-11-21T10:00:00.000Z', due: '2026-12-01', of: '2026' } };
    },
    serverDescription: 'Test',
    clock: { now: () => new Date('2026-03-02T12:00:00Z') },
    listener: { baseUrl: null, host: '127.0.0.1' },
  });
  return [
    get('/health', health.alive),
    get('/ready', health.ready),
    get('/metrics', health.metrics),
    get('/docs', address, docs.page),
    get('/docs/{page}', address, docs.page),
    get('/docs/assets/{file}', address, docs.asset),
    get('/llms.txt', address, docs.llms),
    get('/v1/openapi.json', address, docs.document),
  ];
}

function graphql(keys: IdempotencyKeys, log: Logger, guards: readonly Handler[]): Endpoint[] {
  const [address, ...others] = guards as [Handler, ...Handler[]];
  const graphiql = openGraphiQL({
    title: 'Notes',
    examples: [{ title: 'Weather', document: '{ weather }' }],
    documentOf: (name) => (name === 'getMe' ? 'query getMe { me } # </script>' : undefined),
  });
  const { read, readLarge } = graphqlReaders(schema);
  const run = operationRunner({ schema, idempotency: keys.run, log });
  const look = introspectionOf(schema);
  return [
    { method: 'all', path: '/graphql', handlers: [read, address, graphiql.page, ...others, readLarge, serveGraphQL(run, look)] },
    { method: 'all', path: '/graphql/stream', handlers: [read, ...guards, readLarge, serveGraphQLStream(run, look)] },
    get('/graphql/assets/{file}', address, graphiql.asset),
  ];
}

function doorways(
  { doors = [], environment = 'live' }: ServerOptions,
  platform: Platform,
  keys: IdempotencyKeys,
  guards: readonly Handler[],
): Endpoint[] {
  return doors.map((door) => {
    const serve = serveDoor(door, { platform, environment, baseUrl: null, idempotency: keys.run, admitStream: async () => {} });
    const asked = door.audience === undefined ? guards.slice(0, 1) : guards;
    return { method: door.method, path: door.path, speak: speakAs(door), handlers: [...asked, (http) => serve(http, http.state)] };
  });
}

/** The middlewares of src/http in the order of src/app.ts, listening on a free port. */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const { platform = openPlatform(), environment = 'live', limits = { general: 100_000, auth: 100_000 }, trustedProxies = 0 } = options;
  const { redis, keyPrefix = 'rl', windowSeconds = 60 } = options;
  const { log } = platform;
  const metrics = createMetrics(platform.database.pool);
  const keys = new IdempotencyKeys(platform);
  const rates = limitRates({
    limits: { login: 100_000, tile: 1_000, ...limits },
    environment,
    clock: platform.clock,
    redis,
    keyPrefix,
    windowSeconds,
  });
  const resolvers = [resolver('pk_', 'api_key'), resolver('sess_', 'agent')];
  const identify = authenticate(platform, identifier({ platform, environment, resolvers }), {
    environment,
    listener: { baseUrl: null, host: '127.0.0.1' },
    load: new Load(platform),
  });
  const guards = [rates.address, identify, rates.actor];
  const app = new Koa<State, Routed>();
  app.on('error', logAppError(log));
  app.use(metrics.observe(environment));
  app.use(identifyRequest({ environment, https: options.https ?? false, trustedProxies }));
  app.use(renderErrors(log));
  const unread = new Unread(options.unread);
  app.use(limitAnswers(unread));
  app.use(limitTime(options.deadlineMs));
  app.use(
    routeRequests({
      endpoints: [
        ...pages(platform, metrics, rates.address, redis),
        ...graphql(keys, log, guards),
        ...doorways(options, platform, keys, guards),
        ...(options.endpoints ?? []),
      ],
    }),
  );
  app.use((http, next) => {
    if (http.path.startsWith('/auth/')) http.state.rateClass = 'auth';
    return next();
  });
  for (const guard of guards) app.use(guard);
  app.use(refuseMethod);
  if (options.handler !== undefined) app.use(options.handler);
  const server = createHttpServer(app.callback(), unread);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await keys.close();
    await platform.database.close();
  };
  return { url, server, platform, keys, unread, close };
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
