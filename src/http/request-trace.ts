// The span of a request: from its headers to its answer, and of a stream until it is open. Probes are not traced.
import type { Environment } from '../platform/ctx.js';
import { type Tracing, unsampled } from '../platform/trace.js';
import type { Handler } from './state.js';

const probes = new Set(['/health', '/ready', '/metrics']);

/** Traces requests. Stands behind the reading of the caller's trace, and before what renders errors: it sees every status. */
export function traceRequests(tracing: Tracing, environment: Environment): Handler {
  return async (http, next) => {
    const { method, path, state } = http;
    if (probes.has(path)) return next();
    const about = { 'http.request.method': method, 'payments.environment': environment, 'payments.request_id': state.requestId };
    const span = tracing.request(method, state.trace, about);
    if (span === undefined) {
      // What follows belongs to the caller's trace, and is not to be shown in it.
      if (state.trace !== undefined) state.trace = unsampled(state.trace);
      return next();
    }
    state.span = span;
    state.trace = span.place;
    try {
      await next();
    } finally {
      const { route, ctx } = state;
      span.rename(`${method} ${route}`);
      span.set({ 'http.route': route, 'http.response.status_code': http.status });
      if (ctx !== undefined && ctx.actor.type !== 'anonymous')
        span.set({ 'payments.workspace_id': ctx.workspace.id, 'payments.actor_type': ctx.actor.type });
      span.end();
    }
  };
}
