// Puts the parts of a process together: connections, listeners, worker. main.ts runs it, tests run it with a clock of their own.
import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type AppOptions, createApp, createProbeApp } from './app.js';
import { manifest } from './contexts.js';
import { hasUnheard } from './events/listener.js';
import { createHttpServer } from './http/deadline.js';
import { openHealth, type ReadinessCheck } from './http/health.js';
import { IdempotencyKeys } from './http/idempotency.js';
import { addressOf, close, listen } from './http/listening.js';
import { limitLoad } from './http/load.js';
import { createMetrics } from './http/metrics.js';
import { metricsOfAll } from './http/shared-metrics.js';
import { Unread, type UnreadOptions } from './http/unread.js';
import { compileCatalog } from './mcp/catalog.js';
import { endToolStreams } from './mcp/tool-stream.js';
import { endWaits } from './mcp/waiting.js';
import { CoherentCache } from './platform/cache.js';
import { type Clock, systemClock } from './platform/clock.js';
import { Vault } from './platform/crypto.js';
import type { Agenda, Environment, Platform } from './platform/ctx.js';
import type { ReadyConfig } from './platform/data-home.js';
import { DueBell } from './platform/due/due-bell.js';
import { Loop } from './platform/due/loop.js';
import { Fanout } from './platform/fanout.js';
import type { GaugeGroup } from './platform/gauge.js';
import { lazily } from './platform/lazy.js';
import type { Logger } from './platform/log.js';
import { Outbound } from './platform/outbound/client.js';
import { openDatabase } from './platform/postgres/database.js';
import { pendingMigrations } from './platform/postgres/migration.js';
import type { Line } from './platform/processes/line.js';
import { openRedis, type Redis } from './platform/redis.js';
import { inputPrinter } from './platform/schema/print-input.js';
import { SchemaChecker } from './platform/schema-checker.js';
import { Signal } from './platform/signal.js';
import type { Tracing } from './platform/trace.js';
import { openApi } from './rest/openapi.js';
import { compileRoutes, loadOperations, type Route } from './rest/routes.js';
import { schema } from './schema.js';
import { publishAll, startWorker, type Worker, work } from './worker.js';

export interface ServerOptions {
  config: ReadyConfig;
  log: Logger;
  clock?: Clock;
  /** Milliseconds between the worker's looks; 0: the caller runs due work itself. */
  pollMs?: number;
  deadlineMs?: number;
  /** Requests that the process holds at once; what comes beyond is refused. */
  mostInFlight?: number;
  /** What may wait for clients, and for how long. */
  unread?: UnreadOptions;
  /** Milliseconds between the heartbeats of a stream. */
  heartbeatMs?: number;
  /** `address:port` of the name servers that are asked for names of tenants; those of the machine by default. */
  nameServers?: readonly string[] | undefined;
  /** The first process, where it has started this one beside others. */
  primary?: Line | undefined;
  /** Runs before the worker works and the listeners listen: what a caller may rely on from the first request on. */
  prepare?: (platform: Platform) => Promise<void>;
}

export interface RunningServer {
  platform: Platform;
  /** Addresses of the listeners; absent in a process that only works. */
  urls: Partial<Record<Environment, string>>;
  /** Where probes and metrics alone are read; absent without METRICS_PORT. */
  metricsUrl?: string;
  /** Stops accepting, finishes what is in flight, lets go of everything. */
  stop(): Promise<void>;
}

/** The SDK is loaded where something is traced, and nowhere else. */
async function tracingOf({ config: { tracing }, log }: ServerOptions): Promise<Tracing | undefined> {
  return tracing === null ? undefined : (await import('./platform/trace-export.js')).openTracing(tracing, log);
}

/** Connects the long-lived parts. `redis` carries the fan-out between processes. */
export async function openPlatform(
  { config, log, clock = systemClock, heartbeatMs = 30_000, nameServers, primary }: ServerOptions,
  redis?: Redis | undefined,
  tracing?: Tracing | undefined,
): Promise<Platform> {
  const database = openDatabase(config.databaseUrl, { poolSize: config.databasePool, log });
  const cache = new CoherentCache(config.databaseUrl, log);
  await cache.open();
  const outbound = new Outbound({ allowHosts: config.webhookAllowHosts, nameServers, now: () => clock.now().getTime() });
  const fanout = new Fanout({ pool: database.pool, cache, redis, log });
  const listenerNames = manifest.listeners.map(({ name }) => name);
  const agenda: Agenda = {
    tables: manifest.due.map(({ table }) => table),
    publish: async (workspaceId) => void (await publishAll(platform, manifest.followers, workspaceId)),
    settle: (workspaceId) => work(platform, { followers: manifest.followers, due: manifest.due }, workspaceId),
    isUnheard: (workspaceId) => hasUnheard(database.pool, workspaceId, listenerNames),
  };
  const platform: Platform = {
    config,
    database,
    cache,
    fanout,
    heartbeatMs,
    vault: new Vault(config.secretsKey),
    printInput: inputPrinter(schema),
    schemas: new SchemaChecker({ log }),
    outbound,
    clock,
    log,
    agenda,
    extensions: manifest.extensions(),
    due: new DueBell(),
    published: new Signal(),
    ...(tracing && { tracing }),
    ...(primary && { primary }),
  };
  return platform;
}

/** Starts what the role asks for: listeners (api), worker, or both (all). */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { config, log } = options;
  const redis = config.redisUrl === null ? undefined : openRedis(config.redisUrl, log);
  const platform = await openPlatform(options, redis, await tracingOf(options));
  await options.prepare?.(platform);
  shareBell(platform, config.role);
  const keys = new IdempotencyKeys(platform);
  const worker = config.role === 'api' || options.pollMs === 0 ? undefined : startWorker(platform, manifest, options.pollMs);
  const writing = startWriting(platform, options.pollMs === 0 ? [] : manifest.regularWrites);
  const checks = readinessChecks(platform, redis, worker);

  const groups = [...manifest.gauges, processGauges(redis, worker)];
  const metrics = createMetrics(platform.database.pool, { platform, metrics: manifest.metrics, groups });
  const shared = options.primary === undefined ? metrics.registry : metricsOfAll(metrics.registry, options.primary);
  const health = openHealth({ checks, metrics: shared, clock: systemClock });
  const unread = new Unread(options.unread);
  const servers = config.role === 'worker' ? {} : await openListeners(options, { platform, keys, metrics, health, redis, unread });
  const probes = config.metricsPort === null ? undefined : createHttpServer(createProbeApp(health).callback(), unread);
  if (probes !== undefined) await listen(probes, { setting: 'METRICS_PORT', port: config.metricsPort ?? 0, host: config.host });

  return {
    platform,
    urls: addressesOf(servers, config.host),
    ...(probes && { metricsUrl: addressOf(probes, config.host) }),
    async stop() {
      const closed = Promise.all(Object.values(servers).map((server) => close(server)));
      for (const endStreams of [...manifest.streamEnds, endToolStreams, endWaits]) await endStreams(platform);
      await closed;
      // Deliveries that get no answer for so long are given back, and sent again by the next process.
      const impatience = setTimeout(() => void platform.outbound.close(), sendGraceMs);
      await worker?.stop();
      clearTimeout(impatience);
      platform.fanout.close();
      await platform.outbound.close();
      await keys.close();
      await platform.schemas.close();
      await writing.stop();
      await platform.cache.close();
      redis?.disconnect();
      await platform.database.close();
      await Promise.all([platform.tracing?.close(), probes && close(probes, probeGraceMs)]);
    },
  };
}

/** How long deliveries may go on waiting for their answers when the process ends. */
const sendGraceMs = 2_000;
/** And answers to probes: who asks again asks another process. */
const probeGraceMs = 500;

/** The listeners of an environment each. */
async function openListeners(
  { config, mostInFlight, deadlineMs }: ServerOptions,
  parts: Pick<AppOptions, 'platform' | 'keys' | 'metrics' | 'health' | 'redis' | 'unread'>,
): Promise<Partial<Record<Environment, Server>>> {
  const routes = allRoutes();
  const openapi = lazily(() => openApi(routes, manifest));
  const catalog = lazily(() => compileCatalog(schema, routes, parts.keys.run));
  const load = limitLoad(parts.platform.database.pool, mostInFlight);
  const listeners = [
    { environment: 'live', setting: 'PORT', port: config.port, baseUrl: config.baseUrl },
    { environment: 'test', setting: 'SANDBOX_PORT', port: config.sandboxPort, baseUrl: config.sandboxUrl },
  ] as const;
  const servers: Partial<Record<Environment, Server>> = {};
  for (const { environment, setting, port, baseUrl } of listeners) {
    const app = createApp({ ...parts, schema, routes, openapi, catalog, limitLoad: load, deadlineMs, environment, baseUrl });
    const server = createHttpServer(app.callback(), parts.unread);
    servers[environment] = await listen(server, { setting, port, host: config.host });
  }
  return servers;
}

const writeEveryMs = 3_000;

/** Writes what the process keeps in memory, every few seconds and when it ends. */
function startWriting(platform: Platform, writes: typeof manifest.regularWrites): { stop: () => Promise<void> } {
  const loops = writes.map((write) => {
    const round = async () => {
      await write(platform);
      return Number.POSITIVE_INFINITY;
    };
    return new Loop({ name: write.name, pollMs: writeEveryMs, log: platform.log }, round);
  });
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
      for (const write of manifest.lastWrites) await write(platform);
    },
  };
}

/** What Redis and the worker of this process do; a process without them has no such values. */
function processGauges(redis: Redis | undefined, worker: Worker | undefined): GaugeGroup {
  return {
    name: 'process',
    gauges: [
      {
        name: 'redis_up',
        help: '1 when this process is connected to Redis, 0 when it does without. Absent without REDIS_URL.',
        across: 'min',
      },
      {
        name: 'worker_lag_seconds',
        help: 'The longest that a loop of the worker of this process has gone on without a round that ended well.',
      },
    ],
    read: async () => [
      ...(redis === undefined ? [] : [{ name: 'redis_up', value: redis.status === 'ready' ? 1 : 0 }]),
      ...(worker === undefined ? [] : [{ name: 'worker_lag_seconds', value: worker.lagMs() / 1_000 }]),
    ],
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

function addressesOf(servers: Partial<Record<Environment, Server>>, host: string): RunningServer['urls'] {
  return Object.fromEntries(Object.entries(servers).map(([environment, server]) => [environment, addressOf(server, host)]));
}

/** Where the rest.graphql files are, in src and in dist alike. */
const contextsDir = fileURLToPath(new URL('contexts', import.meta.url));
const compiled = new WeakMap<typeof schema, readonly Route[]>();

/** Of what was built, the tests have validated the operations. */
const isBuilt = import.meta.url.endsWith('.js');

/** The routes of the schema: compiled once, for tests start many servers in a process. */
function allRoutes(): readonly Route[] {
  const routes = compiled.get(schema) ?? compileRoutes(schema, loadOperations(contextsDir), { areValid: isBuilt });
  compiled.set(schema, routes);
  return routes;
}
