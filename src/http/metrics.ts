// What Prometheus is told (docs/operations.md lists it): the process, each request by route and class of status, the database pool, what
// parts of the process count, and gauges that are read for it. Nothing of it names a tenant (Gap G-383).
import type { Pool } from 'pg';
import { type Aggregator, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import type { Environment, Platform } from '../platform/ctx.js';
import type { GaugeGroup, Sample } from '../platform/gauge.js';
import { openStreams } from './open-stream.js';
import { refusals } from './refusal-metric.js';
import type { Handler } from './state.js';
import { answersCut, unreadBytes } from './unread.js';

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface Metrics {
  registry: Registry;
  /** Times each request of a listener. Comes early, so that it sees every status. */
  observe(environment: Environment): Handler;
}

/** What is told beside the requests. */
export interface MetricParts {
  platform: Platform;
  /** Counted where it happens. */
  metrics: readonly Metric[];
  /** Read when they are asked for. */
  groups: readonly GaugeGroup[];
}

/** The metrics of one process. `pool` is what the gauges of connections read. */
export function createMetrics(pool: Pool, parts?: MetricParts): Metrics {
  const registry = new Registry();
  watchProcess(registry);
  const counted: readonly Metric[] = [refusals, openStreams, unreadBytes, answersCut, ...(parts?.metrics ?? [])];
  for (const metric of counted) registry.registerMetric(metric);
  // Looked at before gauges are read: those take connections themselves.
  watchPool(registry, pool);
  if (parts !== undefined) readGauges(registry, parts);
  const histogram = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to its answer, by route and class of status.',
    labelNames: ['environment', 'route', 'status'],
    buckets,
    registers: [registry],
  });
  return { registry, observe: (environment) => timeRequests(histogram, environment) };
}

/** What the runtime says of itself. */
export function watchProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray()) {
    // The average of several processes would hide the one that is blocked.
    if (name.startsWith('nodejs_eventloop_lag_')) (registry.getSingleMetric(name) as Gauge & { aggregator: Aggregator }).aggregator = 'max';
  }
}

/** The connections of the pool. */
function watchPool(registry: Registry, pool: Pool): void {
  const connections = new Gauge({
    name: 'database_connections',
    help: 'Connections of the pool, and requests that wait for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      connections.set({ state: 'open' }, pool.totalCount);
      connections.set({ state: 'idle' }, pool.idleCount);
      // What has just asked takes an idle one at once: it does not wait.
      connections.set({ state: 'waiting' }, Math.max(0, pool.waitingCount - pool.idleCount));
    },
  });
}

/** Reads of a group are this old at most: a second scraper costs nothing. */
const readEveryMs = 5_000;
/** A database that hangs must not keep the other metrics from being read. */
const patienceMs = 2_000;

function readGauges(registry: Registry, { platform, groups }: MetricParts): void {
  const reads = groups.map((group) => ({ group, read: cachedRead(group, platform) }));
  const known: Gauge = new Gauge({
    name: 'gauges_read',
    help: '1 when the gauges of a group could be read, 0 when not: they have no values then.',
    labelNames: ['group'],
    registers: [registry],
    aggregator: 'min',
    async collect() {
      for (const { group, read } of reads) known.set({ group: group.name }, (await read()) === undefined ? 0 : 1);
    },
  });
  for (const { group, read } of reads) {
    for (const { name, help, label, across = 'max' } of group.gauges) {
      const gauge: Gauge = new Gauge({
        name,
        help,
        labelNames: label === undefined ? [] : [label],
        registers: [registry],
        aggregator: across,
        async collect() {
          const samples = ((await read()) ?? []).filter((sample) => sample.name === name);
          gauge.reset();
          // One without a label begins at 0, which nobody has read.
          if (label === undefined) gauge.remove();
          for (const sample of samples) gauge.set(label === undefined ? {} : { [label]: sample.label ?? '' }, sample.value);
        },
      });
    }
  }
}

/** Reads a group, or what was read of late; undefined when it could not be read. */
function cachedRead(group: GaugeGroup, platform: Platform): () => Promise<readonly Sample[] | undefined> {
  let last: { samples: Promise<readonly Sample[] | undefined>; at: number } | undefined;
  let failed = false;
  let isAsked = false;
  const ask = async () => {
    isAsked = true;
    try {
      return await group.read(platform);
    } finally {
      isAsked = false;
    }
  };
  const read = async (): Promise<readonly Sample[] | undefined> => {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('no answer')), patienceMs);
    });
    try {
      const samples = await Promise.race([ask(), silence]);
      failed = false;
      return samples;
    } catch (error) {
      if (!failed) platform.log.warn({ err: error, group: group.name }, 'gauges were not read');
      failed = true;
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  };
  return () => {
    const now = platform.clock.now().getTime();
    // One statement of a group at a time: those that wait for a lock would take connection after connection.
    if (last === undefined || (Math.abs(now - last.at) >= readEveryMs && !isAsked)) last = { samples: read(), at: now };
    return last.samples;
  };
}

function timeRequests(histogram: Histogram, environment: Environment): Handler {
  // Finding a labelled child costs more than observing it.
  const children = new Map<string, Histogram.Internal<string>>();
  return async (http, next) => {
    const start = process.hrtime.bigint();
    try {
      await next();
    } finally {
      const route = http.state.route ?? 'unknown';
      const status = `${Math.trunc(http.status / 100)}xx`;
      const name = `${route} ${status}`;
      let child = children.get(name);
      if (child === undefined) {
        child = histogram.labels({ environment, route, status });
        children.set(name, child);
      }
      child.observe(Number(process.hrtime.bigint() - start) / 1e9);
    }
  };
}
