// What Prometheus is told (docs/operations.md lists it): the process, each request by route and class of status, the database pool, what
// parts of the process count, and gauges that are read for it. Nothing of it names a tenant.
import type { Pool } from 'pg';
import { type Aggregator, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { homeCell } from '../platform/cell/cells.js';
import type { Environment, Platform } from '../platform/ctx.js';
import type { GaugeGroup, Sample } from '../platform/gauge.js';
import { openStreams } from './open-stream.js';
import { refusals } from './refusal-metric.js';
import type { Handler } from './state.js';
import { answersCut, unreadBytes } from './unread.js';

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

// Gap G-383: Metrics are sums over all tenants; no label names one.
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
  watchPools(registry, () => poolsOf(pool, parts?.platform));
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

/** The pools of the process: one for each cell that it serves, and that of the directory. */
function poolsOf(pool: Pool, platform?: Platform): Map<string, Pool> {
  const served = platform?.cells.served ?? [];
  return new Map([[platform?.cell ?? homeCell, pool], ...served.map(({ cell, database }) => [cell, database.pool] as const)]);
}

/** The connections of the pools. */
function watchPools(registry: Registry, pools: () => Map<string, Pool>): void {
  const connections = new Gauge({
    name: 'database_connections',
    help: 'Connections of the pool, and requests that wait for one.',
    labelNames: ['cell', 'state'],
    registers: [registry],
    collect() {
      connections.reset();
      for (const [cell, pool] of pools()) {
        connections.set({ cell, state: 'open' }, pool.totalCount);
        connections.set({ cell, state: 'idle' }, pool.idleCount);
        // What has just asked takes an idle one at once: it does not wait.
        connections.set({ cell, state: 'waiting' }, Math.max(0, pool.waitingCount - pool.idleCount));
      }
    },
  });
}

/** Reads of a group are this old at most: a second scraper costs nothing. */
const readEveryMs = 5_000;
/** A database that hangs must not keep the other metrics from being read. */
const patienceMs = 2_000;

/** What a group has of one cell, or of the process, where it is of no cell. */
interface CellRead {
  cell: string | undefined;
  read: () => Promise<readonly Sample[] | undefined>;
}

function readGauges(registry: Registry, { platform, groups }: MetricParts): void {
  const reads = groups.map((group) => ({ group, ofCells: readsOfCells(group, platform) }));
  const known: Gauge = new Gauge({
    name: 'gauges_read',
    help: '1 when the gauges of a group could be read in a cell, 0 when not: they have no values then.',
    labelNames: ['cell', 'group'],
    registers: [registry],
    aggregator: 'min',
    async collect() {
      known.reset();
      const all = reads.flatMap(({ group, ofCells }) => ofCells().map((one) => ({ group, ...one })));
      await Promise.all(
        all.map(async ({ group, cell, read }) =>
          known.set({ ...(cell !== undefined && { cell }), group: group.name }, (await read()) ? 1 : 0),
        ),
      );
    },
  });
  for (const { group, ofCells } of reads) {
    for (const { name, help, label, across = 'max' } of group.gauges) {
      const labels = [...(group.isOfProcess ? [] : ['cell']), ...(label === undefined ? [] : [label])];
      const gauge: Gauge = new Gauge({
        name,
        help,
        labelNames: labels,
        registers: [registry],
        aggregator: across,
        async collect() {
          const found = await Promise.all(ofCells().map(async ({ cell, read }) => ({ cell, samples: (await read()) ?? [] })));
          gauge.reset();
          // One without a label begins at 0, which nobody has read.
          if (labels.length === 0) gauge.remove();
          for (const { cell, samples } of found)
            for (const { name: of, label: value = '', value: number } of samples)
              if (of === name) gauge.set({ ...(cell !== undefined && { cell }), ...(label !== undefined && { [label]: value }) }, number);
        },
      });
    }
  }
}

/** The reads of a group: one for each cell that is served now, and one where it is of the process. */
function readsOfCells(group: GaugeGroup, home: Platform): () => CellRead[] {
  const known = new WeakMap<Platform, CellRead>();
  const of = (platform: Platform): CellRead => {
    const cell = group.isOfProcess ? undefined : platform.cell;
    const read = known.get(platform) ?? { cell, read: cachedRead(group, platform) };
    known.set(platform, read);
    return read;
  };
  return () => (group.isOfProcess ? [home] : home.cells.served).map(of);
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
