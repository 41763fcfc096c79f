// Puts the parts of a process together: connections, listeners, worker. main.ts runs it, tests run it with a clock of their own.
import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type AppOptions, createApp, createProbeApp } from './app.js';
import { openCells, RunningCells, type Shared } from './cell.js';
import { manifest } from './contexts.js';
import { createHttpServer } from './http/deadline.js';
import { openHealth, type ReadinessCheck } from './http/health.js';
import { addressOf, close, drain, listen } from './http/listening.js';
import { Load } from './http/load.js';
import { createMetrics } from './http/metrics.js';
import { metricsOfAll } from './http/shared-metrics.js';
import { Unread, type UnreadOptions } from './http/unread.js';
import { compileCatalog } from './mcp/catalog.js';
import { type Clock, systemClock } from './platform/clock.js';
import type { Environment, Platform } from './platform/ctx.js';
import type { ReadyConfig } from './platform/data-home.js';
import type { GaugeGroup } from './platform/gauge.js';
import { lazily } from './platform/lazy.js';
import type { Logger } from './platform/log.js';
import { Outbound } from './platform/outbound/client.js';
import { pendingMigrations } from './platform/postgres/migration-history.js';
import type { Line } from './platform/processes/line.js';
import { openRedis, type Redis } from './platform/redis.js';
import { inputPrinter } from './platform/schema/print-input.js';
import { SchemaChecker } from './platform/schema-checker.js';
import { enterProcess } from './platform/secrets/presence.js';
import { Vault } from './platform/secrets/vault.js';
import type { Tracing } from './platform/trace.js';
import answers from './rest/answers.json' with { type: 'json' };
import { openApi } from './rest/openapi.js';
import { operationsOf } from './rest/operation.js';
import { compileRoutes, loadOperations, type Route } from './rest/routes.js';
import { schema } from './schema.js';

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
  /** Serves one merchant alone, at this port, and neither of the two listeners; `platformUrl` is where the platform is reached. */
  shop?: { merchantId: string; environment: Environment; host: string; port: number; platformUrl: string };
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

/** Connects the long-lived parts, for every cell. The platform of the first cell stands for them. `redis` carries the fan-out between processes. */
export async function openPlatform(
  { config, log, clock = systemClock, heartbeatMs = 30_000, nameServers, primary }: ServerOptions,
  redis?: Redis | undefined,
  tracing?: Tracing | undefined,
): Promise<Platform> {
  const shared: Shared = {
    config,
    heartbeatMs,
    vault: new Vault(config.secretsKey),
    printInput: inputPrinter(schema),
    operations: operationsOf(schema, allRoutes),
    schemas: new SchemaChecker({ log }),
    outbound: new Outbound({ allowHosts: config.webhookAllowHosts, nameServers, now: () => clock.now().getTime() }),
    clock,
    log,
    extensions: await manifest.configured(config),
    ...(tracing && { tracing }),
    ...(primary && { primary }),
  };
  return openCells(shared, redis);
}

/** Lets go of a platform that nothing was started on. */
export async function closePlatform({ cells, outbound }: Platform): Promise<void> {
  await outbound.close();
  await cells.close();
}

/** Starts what the role asks for: listeners (api), worker, or both (all). */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { config, log } = options;
  const redis = config.redisUrl === null ? undefined : openRedis(config.redisUrl, log);
  const platform = await openPlatform(options, redis, await tracingOf(options));
  await options.prepare?.(platform).catch(async (error) => {
    await closePlatform(platform);
    throw error;
  });
  if (options.pollMs !== 0) for (const tend of manifest.partitions) await tend(platform, 0);
  const running = new RunningCells(platform, options.pollMs);
  const presence = options.pollMs === 0 ? undefined : enterProcess(platform);
  const keys = running.idempotency;
  const checks = readinessChecks(platform, redis, running);
  let isDraining = false;

  const groups = [...manifest.gauges, processGauges(redis, running)];
  const metrics = createMetrics(platform.database.pool, { platform, metrics: manifest.metrics, groups });
  const shared = options.primary === undefined ? metrics.registry : metricsOfAll(metrics.registry, options.primary);
  const health = openHealth({
    checks,
    metrics: shared,
    clock: systemClock,
    hasCell: (name) => platform.cells.listed.some((cell) => cell.name === name),
    isDraining: () => isDraining,
  });
  const unread = new Unread(options.unread);
  const servers = config.role === 'worker' ? {} : await openListeners(options, { platform, keys, metrics, health, redis, unread });
  const probes = config.metricsPort === null ? undefined : createHttpServer(createProbeApp(health).callback(), unread);
  if (probes !== undefined) await listen(probes, { setting: 'METRICS_PORT', port: config.metricsPort ?? 0, host: config.host });

  return {
    platform,
    urls: addressesOf(servers, config.host),
    ...(probes && { metricsUrl: addressOf(probes, config.host) }),
    async stop() {
      isDraining = true;
      await drain(Object.values(servers), config.drainSeconds);
      const closed = Promise.all(Object.values(servers).map((server) => close(server)));
      await running.endStreams();
      await closed;
      await running.stop();
      await presence?.leave();
      redis?.disconnect();
      await platform.cells.close();
      await Promise.all([platform.tracing?.close(), probes && close(probes, probeGraceMs)]);
    },
  };
}

/** How long answers to probes may take when the process ends: who asks again asks another process. */
const probeGraceMs = 500;

/** The listeners of an environment each. */
async function openListeners(
  { config, mostInFlight, deadlineMs, shop }: ServerOptions,
  parts: Pick<AppOptions, 'platform' | 'keys' | 'metrics' | 'health' | 'redis' | 'unread'>,
): Promise<Partial<Record<Environment, Server>>> {
  const routes = allRoutes();
  const openapi = lazily(() => openApi(routes, { doors: manifest.doors, answers }));
  const catalog = lazily(() => compileCatalog(schema, routes, parts.keys));
  const load = new Load(parts.platform, mostInFlight);
  const listeners = [
    { environment: 'live', setting: 'PORT', port: config.port, baseUrl: config.baseUrl },
    { environment: 'test', setting: 'SANDBOX_PORT', port: config.sandboxPort, baseUrl: config.sandboxUrl },
  ] as const;
  const servers: Partial<Record<Environment, Server>> = {};
  if (shop !== undefined) {
    const { environment, platformUrl: baseUrl, port, host } = shop;
    const app = createApp({ ...parts, schema, routes, openapi, catalog, load, deadlineMs, environment, baseUrl, shop });
    servers[environment] = await listen(createHttpServer(app.callback(), parts.unread), { setting: '--listen', port, host });
    return servers;
  }
  for (const { environment, setting, port, baseUrl } of listeners) {
    const app = createApp({ ...parts, schema, routes, openapi, catalog, load, deadlineMs, environment, baseUrl });
    const server = createHttpServer(app.callback(), parts.unread);
    servers[environment] = await listen(server, { setting, port, host: config.host });
  }
  return servers;
}

/** What Redis and the worker of this process do; a process without them has no such values. */
function processGauges(redis: Redis | undefined, running: RunningCells): GaugeGroup {
  return {
    name: 'process',
    isOfProcess: true,
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
      ...(running.workers.length === 0 ? [] : [{ name: 'worker_lag_seconds', value: lagMs(running) / 1_000 }]),
    ],
  };
}

/** The longest lag of the workers of all cells. */
function lagMs({ workers }: RunningCells): number {
  return Math.max(...workers.map(({ worker }) => worker.lagMs()));
}

/** What `/ready` asks: a database and its migrations are required, the rest is reported. With several cells, one that answers is enough. */
function readinessChecks({ cells, vault }: Platform, redis: Redis | undefined, running: RunningCells): Record<string, ReadinessCheck> {
  const ask = (question: (pool: Platform['database']['pool']) => Promise<unknown>) => (cell?: string) =>
    cells.ask(({ database }) => question(database.pool), cell);
  return {
    database: { required: true, check: ask((pool) => pool.query('SELECT 1')) },
    migrations: {
      required: true,
      check: ask(async (pool) => {
        const pending = await pendingMigrations(pool);
        if (pending.length > 0) throw new Error('migrations are pending');
      }),
    },
    secrets: {
      required: true,
      check: async () => {
        if (!vault.canSeal) throw new Error('the newest data key cannot be unwrapped');
      },
    },
    ...(redis && { redis: { required: false, check: async () => void (await redis.ping()) } }),
    ...(running.workers.length > 0 && { worker: { required: false, check: async () => ({ lag_ms: Math.round(lagMs(running)) }) } }),
  };
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
