// Puts the parts of a process together: connections, listeners, worker. main.ts runs it, tests run it with a clock of their own.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createApp } from './app.js';
import { doors, dueSteps, followers, lastWrites, onFreeze, openOn, streamEnds, sweeps } from './contexts.js';
import { hasUnheard } from './events/listener.js';
import { createHttpServer } from './http/deadline.js';
import { openHealth, type ReadinessCheck } from './http/health.js';
import { IdempotencyKeys } from './http/idempotency.js';
import { limitLoad } from './http/load.js';
import { createMetrics } from './http/metrics.js';
import { CoherentCache } from './platform/cache.js';
import { type Clock, systemClock } from './platform/clock.js';
import { Vault } from './platform/crypto.js';
import type { Agenda, Environment, Platform } from './platform/ctx.js';
import type { ReadyConfig } from './platform/data-home.js';
import { DueBell } from './platform/due/due-bell.js';
import { Fanout } from './platform/fanout.js';
import type { Logger } from './platform/log.js';
import { Outbound } from './platform/outbound/client.js';
import { openDatabase } from './platform/postgres/database.js';
import { pendingMigrations } from './platform/postgres/migration.js';
import { openRedis, type Redis } from './platform/redis.js';
import { Signal } from './platform/signal.js';
import { openApi } from './rest/openapi.js';
import { compileRoutes, loadOperations, type Route } from './rest/routes.js';
import { schema } from './schema.js';
import { startWorker, type Worker, work } from './worker.js';

export interface ServerOptions {
  config: ReadyConfig;
  log: Logger;
  clock?: Clock;
  /** Milliseconds between the worker's looks; 0: the caller runs due work itself. */
  pollMs?: number;
  deadlineMs?: number;
  /** Requests that the process holds at once; what comes beyond is refused. */
  mostInFlight?: number;
  /** Milliseconds between the heartbeats of a stream. */
  heartbeatMs?: number;
  /** Runs before the worker works and the listeners listen: what a caller may rely on from the first request on. */
  prepare?: (platform: Platform) => Promise<void>;
}

export interface RunningServer {
  platform: Platform;
  /** Addresses of the listeners; absent in a process that only works. */
  urls: Partial<Record<Environment, string>>;
  /** Stops accepting, finishes what is in flight, lets go of everything. */
  stop(): Promise<void>;
}

/** Connects the long-lived parts. `redis` carries the fan-out between processes. */
export async function openPlatform(
  { config, log, clock = systemClock, heartbeatMs = 30_000 }: ServerOptions,
  redis?: Redis | undefined,
): Promise<Platform> {
  const database = openDatabase(config.databaseUrl, { poolSize: config.databasePool, log });
  const cache = new CoherentCache(config.databaseUrl, log);
  await cache.open();
  const outbound = new Outbound({ allowHosts: config.webhookAllowHosts });
  const fanout = new Fanout({ pool: database.pool, cache, redis, log });
  const listenerNames = followers.listeners.map(({ name }) => name);
  const agenda: Agenda = {
    tables: dueSteps.map(({ table }) => table),
    settle: (workspaceId) => work(platform, { followers, steps: dueSteps }, workspaceId),
    isUnheard: (workspaceId) => hasUnheard(database.pool, workspaceId, listenerNames),
  };
  const platform: Platform = {
    config,
    database,
    cache,
    fanout,
    heartbeatMs,
    vault: new Vault(config.secretsKey),
    outbound,
    clock,
    log,
    agenda,
    openOn,
    onFreeze,
    due: new DueBell(),
    published: new Signal(),
  };
  return platform;
}

/** Starts what the role asks for: listeners (api), worker, or both (all). */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { config, log } = options;
  const redis = config.redisUrl === null ? undefined : openRedis(config.redisUrl, log);
  const platform = await openPlatform(options, redis);
  await options.prepare?.(platform);
  shareBell(platform, config.role);
  const keys = new IdempotencyKeys(platform);
  const worker =
    config.role === 'api' || options.pollMs === 0
      ? undefined
      : startWorker(platform, { followers, steps: dueSteps, sweeps }, options.pollMs);
  const checks = readinessChecks(platform, redis, worker);

  const servers: Partial<Record<Environment, Server>> = {};
  if (config.role !== 'worker') {
    const routes = allRoutes();
    const metrics = createMetrics(platform.database.pool);
    const health = openHealth({ checks, registry: metrics.registry, clock: systemClock });
    let document: Record<string, unknown> | undefined;
    const openapi = () => {
      document ??= openApi(routes, { doors });
      return document;
    };
    const parts = {
      platform,
      schema,
      routes,
      openapi,
      keys,
      metrics,
      health,
      redis,
      limitLoad: limitLoad(platform.database.pool, options.mostInFlight),
      deadlineMs: options.deadlineMs,
    };
    const listeners = [
      { environment: 'live', setting: 'PORT', port: config.port, baseUrl: config.baseUrl },
      { environment: 'test', setting: 'SANDBOX_PORT', port: config.sandboxPort, baseUrl: config.sandboxUrl },
    ] as const;
    for (const { environment, setting, port, baseUrl } of listeners) {
      const server = createHttpServer(createApp({ ...parts, environment, baseUrl }).callback());
      servers[environment] = await listen(server, port, config.host).catch((error) => {
        throw plainly(error, setting, port, config.host);
      });
    }
  }

  const urls: RunningServer['urls'] = {};
  for (const [environment, server] of Object.entries(servers)) urls[environment as Environment] = addressOf(server, config.host);
  return {
    platform,
    urls,
    async stop() {
      const closed = Promise.all(Object.values(servers).map(close));
      for (const endStreams of streamEnds) await endStreams(platform);
      await closed;
      // Deliveries that get no answer for so long are given back, and sent again by the next process.
      const impatience = setTimeout(() => void platform.outbound.close(), sendGraceMs);
      await worker?.stop();
      clearTimeout(impatience);
      platform.fanout.close();
      await platform.outbound.close();
      await keys.close();
      for (const write of lastWrites) await write(platform);
      await platform.cache.close();
      redis?.disconnect();
      await platform.database.close();
    },
  };
}

/** What `/ready` asks: the database and its migrations are required, the rest is reported. */
function readinessChecks({ database }: Platform, redis: Redis | undefined, worker: Worker | undefined): Record<string, ReadinessCheck> {
  return {
    database: { required: true, check: async () => void (await database.pool.query('SELECT 1')) },
    migrations: {
      required: true,
      check: async () => {
        const pending = await pendingMigrations(database.pool);
        if (pending.length > 0) throw new Error('migrations are pending');
        return undefined;
      },
    },
    ...(redis && { redis: { required: false, check: async () => void (await redis.ping()) } }),
    ...(worker && { worker: { required: false, check: async () => ({ lag_ms: Math.round(worker.lagMs()) }) } }),
  };
}

/** A process that does not work wakes those that do; a failure leaves them to their poll. */
function shareBell({ database, fanout, log }: Platform, role: ReadyConfig['role']): void {
  if (role !== 'api') {
    fanout.onWake(() => database.written.ring());
    return;
  }
  let waking = false;
  let rung = false;
  const wake = async () => {
    waking = true;
    while (rung) {
      rung = false;
      await fanout.wakeWorkers().catch((error: unknown) => log.warn({ err: error }, 'the workers were not woken'));
    }
    waking = false;
  };
  database.written.listen(() => {
    rung = true;
    if (!waking) void wake();
  });
}

async function listen(server: Server, port: number, host: string): Promise<Server> {
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

/** What a person can do about an address that cannot be listened on. */
function plainly(error: NodeJS.ErrnoException, setting: string, port: number, host: string): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: `${setting} ${port} is in use on ${host}: stop what listens there, or set ${setting} to another port (0 picks a free one).`,
    EACCES: `${setting} ${port} may not be listened on by this user: set ${setting} to a port from 1024 on.`,
    EADDRNOTAVAIL: `HOST ${host} is no address of this machine.`,
  };
  return new Error(reasons[error.code ?? ''] ?? `HOST ${host} with ${setting} ${port} cannot be listened on: ${error.message}`, {
    cause: error,
  });
}

function addressOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Where the rest.graphql files are, in src and in dist alike. */
const contextsDir = path.join(import.meta.dirname, 'contexts');
const compiled = new WeakMap<typeof schema, readonly Route[]>();

/** The routes of the schema. Compiling them takes most of a start, and tests start many servers in a process. */
function allRoutes(): readonly Route[] {
  const routes = compiled.get(schema) ?? compileRoutes(schema, loadOperations(contextsDir));
  compiled.set(schema, routes);
  return routes;
}

const graceMs = 5_000;
const sendGraceMs = 2_000;

/** Lets requests in flight end, for a grace time; then cuts what is left. */
async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that is kept alive would stay when its last answer is sent.
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}
