// What Prometheus is told: the process, each request by route and class of status, and the database pool.
import type { Pool } from 'pg';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Environment } from '../platform/ctx.js';
import type { Handler } from './state.js';

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface Metrics {
  registry: Registry;
  /** Times each request of a listener. Comes early, so that it sees every status. */
  observe(environment: Environment): Handler;
}

/** The metrics of one process. `pool` is what the gauges of connections read. */
export function createMetrics(pool: Pool): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const histogram = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to its answer, by route and class of status.',
    labelNames: ['environment', 'route', 'status'],
    buckets,
    registers: [registry],
  });
  const connections = new Gauge({
    name: 'database_connections',
    help: 'Connections of the pool, and requests that wait for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      connections.set({ state: 'open' }, pool.totalCount);
      connections.set({ state: 'idle' }, pool.idleCount);
      connections.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
  return { registry, observe: (environment) => timeRequests(histogram, environment) };
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
