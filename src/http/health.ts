// GET /health (alive), /ready (able to serve) and /metrics: outside of the limits and of authentication. Metrics are for this machine
// alone, but on METRICS_PORT. The gateway of docker-compose.yml keeps /ready and /metrics to itself.
import { isLoopbackHost } from '../platform/authority.js';
import type { Clock } from '../platform/clock.js';
import { NotFound } from '../platform/errors.js';
import type { Handler } from './state.js';

export interface ReadinessCheck {
  /** What it resolves to is shown. A failure is a rejection, or two seconds without a result. `cell`: of that one alone. */
  check: (cell?: string) => Promise<Record<string, unknown> | undefined>;
  /** A failure makes the process not ready. Redis is reported, not required. */
  required: boolean;
}

/** Metrics as they are printed: of this process, or of all that were started with it. */
export interface MetricsText {
  contentType: string;
  metrics(): Promise<string>;
}

export interface HealthOptions {
  checks: Readonly<Record<string, ReadinessCheck>>;
  metrics: MetricsText;
  clock: Clock;
  /** True for a cell that the process serves. */
  hasCell?: (name: string) => boolean;
  /** True from when the process is told to end: it serves what comes, and is not ready. */
  isDraining?: () => boolean;
}

const readinessLifetimeMs = 1_000;

type Report = { status: 'ok' | 'failed'; required: boolean } & Record<string, unknown>;

async function report({ check, required }: ReadinessCheck, cell?: string): Promise<Report> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), 2_000);
  });
  try {
    return { ...(await Promise.race([check(cell), silence])), status: 'ok', required };
  } catch {
    // The reason is in the log of the part that failed; here it could show addresses.
    return { status: 'failed', required };
  } finally {
    clearTimeout(timer);
  }
}

interface Readiness {
  status: 'ready' | 'not_ready';
  checks: Record<string, Report>;
}

async function runChecks(checks: HealthOptions['checks'], cell?: string): Promise<Readiness> {
  const reports = Object.fromEntries(
    await Promise.all(Object.entries(checks).map(async ([name, check]) => [name, await report(check, cell)] as const)),
  );
  const ready = Object.values(reports).every(({ status, required }) => status === 'ok' || !required);
  return { status: ready ? 'ready' : 'not_ready', checks: reports };
}

/** Runs the checks at most once a second: probes in between, and those that come while the checks run, share one result. */
function cachedReadiness({ checks, clock }: HealthOptions, cell?: string): () => Promise<Readiness> {
  const now = () => clock.now().getTime();
  let last: { result: Promise<Readiness>; expiresAt: number } | undefined;
  return () => {
    if (last !== undefined && now() < last.expiresAt) return last.result;
    const current = { result: runChecks(checks, cell), expiresAt: Number.POSITIVE_INFINITY };
    void current.result.then(() => {
      current.expiresAt = now() + readinessLifetimeMs;
    });
    last = current;
    return current.result;
  };
}

const loopback = /^(?:::ffff:)?127\.|^::1$/;
const ofProxies =
  /^(?:forwarded|via|x-forwarded(?:-.*)?|x-original-forwarded-for|x-real-ip|(?:x-)?client-ip|x-cluster-client-ip|x-proxyuser-ip|x-envoy-external-address|x-scheme|true-client-ip|fastly-client-ip|cf-connecting-ip|cf-ray|cdn-loop)$/;

// Gap G-419: `/metrics` answers this machine only, by address and Host and without proxy headers; `METRICS_PUBLIC=true` opens it.
/**
 * Hides an endpoint from other machines: 404 for who does not come from this one, asks for it by a name that others use too, or was passed
 * on by a proxy, which stands on this machine too.
 */
export const hideFromElsewhere: Handler = ({ req }, next) => {
  const isFromHere = loopback.test(req.socket.remoteAddress ?? '') && isLoopbackHost(req.headers.host ?? '');
  if (isFromHere && !Object.keys(req.headers).some((name) => ofProxies.test(name))) return next();
  throw new NotFound();
};

/** The handlers of the three paths. */
export interface Health {
  alive: Handler;
  ready: Handler;
  metrics: Handler;
}

/** Made once for a process, so that its listeners share one result of the checks. */
export function openHealth(options: HealthOptions): Health {
  const { metrics, hasCell = () => false, isDraining = () => false } = options;
  const readiness = cachedReadiness(options);
  const ofCells = new Map<string, () => Promise<Readiness>>();
  const ofCell = (cell: string): (() => Promise<Readiness>) => {
    if (!hasCell(cell)) throw new NotFound();
    const known = ofCells.get(cell) ?? cachedReadiness(options, cell);
    ofCells.set(cell, known);
    return known;
  };
  return {
    alive: (http) => {
      http.body = { status: 'ok' };
    },
    ready: async (http) => {
      const { cell } = http.query;
      const result = await (typeof cell === 'string' ? ofCell(cell) : readiness)();
      const isReady = result.status === 'ready' && !isDraining();
      http.status = isReady ? 200 : 503;
      if (!isReady) http.set('Retry-After', '1');
      http.body = isDraining() ? { ...result, status: 'draining' } : result;
    },
    metrics: async (http) => {
      http.type = metrics.contentType;
      http.body = await metrics.metrics();
    },
  };
}
