// Messages that name their revision in themselves: they have no session, and what they need is in each of them (decision 0084).
import { randomUUID } from 'node:crypto';
import { admitStream } from '../http/open-stream.js';
import type { HttpContext } from '../http/state.js';
import type { Ctx } from '../platform/ctx.js';
import { readTraceparent, type TraceSpan } from '../platform/trace.js';
import { spellingFor } from './answer.js';
import { callerOf, freshCtx, heldCtx, type McpParts, watchOf } from './caller.js';
import { refuseBeyondScope } from './challenge.js';
import { idOf, metaOf } from './era.js';
import { ToolStream } from './tool-stream.js';
import { mayWait, noteWait } from './waiting.js';

const headersRead = ['Accept', 'Content-Type', 'Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name'];

type Message = Record<string, unknown>;

/**
 * Answers a message without a session. The package of that era is loaded by the first one. What is wrong with a message is said before it
 * costs anything but its point of the rate limit.
 */
export async function answerModern(parts: McpParts, http: HttpContext, message: Message, route: string): Promise<Response> {
  http.state.spelling = spellingFor(idOf(message));
  const { catalog, identify } = parts;
  const { exchangeModern } = await import('./modern.js');
  const [ctx, span] = tracedBy(callerOf(http), http, message);
  const isWaiting = mayWait(catalog(), message);
  // A wait also ends with the process, and is answered then; who has gone is answered nothing.
  const [left, gone] = [new AbortController(), new AbortController()];
  http.res.once('close', () => {
    gone.abort();
    left.abort();
    span?.end();
  });
  return exchangeModern({
    speaking: { catalog: catalog(), ctx, again: () => freshCtx(identify, http, ctx.actor), route, left: left.signal },
    message,
    headers: headersRead.flatMap((name): [string, string][] => (http.get(name) === '' ? [] : [[name, http.get(name)]])),
    gone: gone.signal,
    keepAliveMs: ctx.platform.heartbeatMs,
    isStream: isWaiting,
    async admit() {
      refuseBeyondScope(catalog(), ctx, message);
      if (isWaiting || message['method'] === 'subscriptions/listen') await admitStream(http.res, ctx, 'graphql');
      if (isWaiting) noteWait(ctx.platform, left, randomUUID());
    },
    watch(changed, end) {
      const watched = watchOf(parts, ctx, () => heldCtx(parts, http, ctx));
      const stream = new ToolStream({ ...watched, changed: async () => changed(), end });
      return () => stream.close();
    },
  });
}

// Gap G-622: Where no header names a trace, the span of a modern message hangs below `_meta.traceparent`; that of HTTP does not.
/** The caller, whose effects belong to the trace that the message names where the request names none, and the span of the message. */
function tracedBy(ctx: Ctx, { req, state }: HttpContext, message: Message): [Ctx, TraceSpan | undefined] {
  const { traceparent } = metaOf(message);
  const place =
    typeof traceparent === 'string' && readTraceparent(req.headers['traceparent']) === undefined ? readTraceparent(traceparent) : undefined;
  if (place === undefined) return [ctx, undefined];
  const about = { 'payments.request_id': state.requestId, 'payments.workspace_id': ctx.workspace.id };
  const span = ctx.platform.tracing?.request(String(message['method']).slice(0, 64), place, about);
  const trace = span?.place ?? place;
  return [{ ...ctx, trace, traceId: trace.traceId, ...(span && { span }) }, span];
}
