// /graphql/stream, for clients of graphql-sse: its own handler in distinct connections mode, one stream for each operation (decision 0014).
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExecutionResult } from 'graphql';
import { createHandler, type Response, TOKEN_HEADER_KEY, TOKEN_QUERY_KEY } from 'graphql-sse';
import { refuseTooLarge } from '../platform/answer-text.js';
import { ApiError, NotAcceptable } from '../platform/errors.js';
import { sendStream } from './event-stream.js';
import type { SubscriptionResults } from './graphql-execution.js';
import { checkedRequest, type RunOperation } from './graphql-operation.js';
import { type RenderedResult, wasExecuted } from './graphql-result.js';
import type { SendIntrospection } from './introspection.js';
import type { Handler, HttpContext } from './state.js';

// Gap G-89: A connection is cut when 1,000 results wait for its reader.
/** Most results that wait for a slow reader. The queue of graphql-sse has no limit of its own. */
const maxQueued = 1_000;
/** After so many results the reader gets a turn, for a source that never waits would leave it none. */
const resultsPerTurn = 50;

/** The results that graphql-sse has taken from the source and that the reader has not taken from it. */
interface Queue {
  length: number;
}

/** The handler of /graphql/stream. `run` executes a request with its limits, its Idempotency-Key and its errors. */
export function serveGraphQLStream(run: RunOperation, sendIntrospection: SendIntrospection): Handler {
  const handle = createHandler<HttpContext, Queue>({
    // Without a token every request is an operation with a stream of its own.
    authenticate: () => null,
    onSubscribe: async ({ raw: http, context: queue }) => {
      const { result, results } = await run(http, 'iterator');
      if (results !== undefined) return boundedResults(results, queue, () => http.res.destroy());
      if (result === undefined) throw new Error('a GraphQL request gave no result');
      return wasExecuted(result) ? parsedBody(result) : refusal(result);
    },
  });

  return async (http) => {
    refuseReservation(http);
    const { params, standard } = checkedRequest(http).read;
    if (http.accepts('text/event-stream') === false) throw new NotAcceptable('Answers are text/event-stream.');
    if (standard !== undefined) return sendIntrospection(http, standard, 'stream');
    const queue: Queue = { length: 0 };
    const [body, { status, headers }] = await handle({
      method: 'POST',
      url: http.url,
      headers: { get: (name) => requestHeaders[name] },
      body: params as unknown as Record<string, unknown>,
      raw: http,
      context: queue,
    });
    if (body !== null && typeof body === 'object') return sendStream(http, countedMessages(body, queue));
    http.status = status;
    http.set({ ...headers });
    http.body = body;
    return undefined;
  };
}

/** What graphql-sse asks of the headers. The request itself has been read and checked by graphql-request.ts. */
const requestHeaders: Record<string, string> = { accept: 'text/event-stream', 'content-type': 'application/json' };

// Gap G-88: graphql-sse works in distinct connections mode only; a reservation (PUT, DELETE or a token) is 405.
/** A reservation lives in one process, and whoever knows its token reads along. */
function refuseReservation(http: HttpContext): void {
  if (http.get(TOKEN_HEADER_KEY) === '' && http.query[TOKEN_QUERY_KEY] === undefined) return;
  throw new ApiError(
    405,
    'method_not_allowed',
    'Stream reservations are not supported: send each operation in a request of its own, without a token.',
    {
      headers: { Allow: 'GET, POST' },
    },
  );
}

/** graphql-sse writes it. */
function parsedBody({ body }: RenderedResult): ExecutionResult {
  refuseTooLarge(body);
  return typeof body === 'string' ? JSON.parse(body) : body;
}

/** An operation that was not executed is answered with its errors, not with a stream. */
function refusal({ status, headers, body }: RenderedResult): Response {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return [text, { status, statusText: '', headers: { ...headers, 'content-type': 'application/json; charset=utf-8' } }];
}

/** Counts what graphql-sse takes; when too much waits, ends the source and calls `cut`. */
function boundedResults(results: SubscriptionResults, queue: Queue, cut: () => void): SubscriptionResults {
  return {
    ...results,
    async next() {
      if (queue.length > 0 && queue.length % resultsPerTurn === 0) await nextTurn();
      const step = await results.next();
      if (step.done === true) return step;
      queue.length += 1;
      if (queue.length <= maxQueued) return step;
      cut();
      return results.return();
    },
  };
}

/** The messages of graphql-sse on their way to the reader. */
function countedMessages(messages: AsyncGenerator<string>, queue: Queue): AsyncIterator<string> {
  return {
    async next() {
      const step = await messages.next();
      if (step.done !== true && step.value.startsWith('event: next')) queue.length -= 1;
      return step;
    },
    return: () => messages.return(undefined),
  };
}
