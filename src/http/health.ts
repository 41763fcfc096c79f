// GET /health (alive), /ready (able to serve) and /metrics: outside of the limits and of authentication.
import type { Registry } from 'prom-client';
import type { Handler, HttpContext } from './state.js';

export interface ReadinessCheck {
  /** What it answers is shown; a throw or two seconds of silence is a failure. */
  check: () => Promise<Record<string, unknown> | undefined>;
  /** A failure makes the process not ready. Redis is reported, not required. */
  required: boolean;
}

export interface HealthOptions {
  checks: Readonly<Record<string, ReadinessCheck>>;
  registry: Registry;
}

type Report = { status: 'ok' | 'failed'; required: boolean } & Record<string, unknown>;

async function report({ check, required }: ReadinessCheck): Promise<Report> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), 2_000);
  });
  try {
    return { ...(await Promise.race([check(), silence])), status: 'ok', required };
  } catch {
    // Why it failed is in the log of whoever failed; here it could show addresses.
    return { status: 'failed', required };
  } finally {
    clearTimeout(timer);
  }
}

async function readiness(checks: HealthOptions['checks']): Promise<{ status: 'ready' | 'not_ready'; checks: Record<string, Report> }> {
  const reports = Object.fromEntries(
    await Promise.all(Object.entries(checks).map(async ([name, check]) => [name, await report(check)] as const)),
  );
  const ready = Object.values(reports).every(({ status, required }) => status === 'ok' || !required);
  return { status: ready ? 'ready' : 'not_ready', checks: reports };
}

async function answer(http: HttpContext, { checks, registry }: HealthOptions): Promise<void> {
  http.state.route = http.path;
  if (http.path === '/metrics') {
    http.type = registry.contentType;
    http.body = await registry.metrics();
  } else if (http.path === '/ready') {
    const ready = await readiness(checks);
    http.status = ready.status === 'ready' ? 200 : 503;
    if (http.status === 503) http.set('Retry-After', '1');
    http.body = ready;
  } else http.body = { status: 'ok' };
}

const paths = new Set(['/health', '/ready', '/metrics']);

/** Serves the three paths; everything else goes on. */
export function serveHealth(options: HealthOptions): Handler {
  return (http, next) => {
    const isOurs = paths.has(http.path) && (http.method === 'GET' || http.method === 'HEAD');
    return isOurs ? answer(http, options) : next();
  };
}
