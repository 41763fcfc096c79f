// Runs a GraphQL request through Yoga: from what graphql-request.ts has read to a result, or to the results of a subscription.

import type { GraphQLSchema } from 'graphql';
import { createYoga, isAsyncIterable, type Plugin } from 'graphql-yoga';
import { refuseTooLarge } from '../platform/answer-text.js';
import type { Ctx } from '../platform/ctx.js';
import type { Logger } from '../platform/log.js';
import { graphqlError } from './errors.js';
import { limitSize } from './graphql-limits.js';
import { type RenderedResult, type Result, type ResultBody, renderBody, renderResult } from './graphql-result.js';
import type { GraphQLRequest } from './state.js';

export interface ExecutionRequest {
  read: GraphQLRequest;
  ctx: Ctx;
  /** Aborted when the client has left. */
  signal: AbortSignal;
  /** What the results of a subscription become: event-stream text by Yoga, or an iterator for graphql-sse. */
  subscriptionAs: 'text' | 'iterator';
}

/** Exactly one of the three is set. */
export interface Execution {
  result?: RenderedResult;
  /** The results of a subscription as they come. */
  results?: SubscriptionResults;
  /** The results of a subscription, as the text of an event stream. */
  text?: ReadableStream<Uint8Array>;
}

/** `return()` ends the source at once. graphql-sse ends only what has all three methods. */
export interface SubscriptionResults extends AsyncIterableIterator<ResultBody> {
  return(): Promise<IteratorResult<ResultBody>>;
  throw(error: unknown): Promise<IteratorResult<ResultBody>>;
}

export type Execute = (request: ExecutionRequest) => Promise<Execution>;

/** Yoga copies the members of what it is given, so what comes back is written into an object of its own. */
interface YogaContext extends ExecutionRequest {
  execution: Execution;
}

/** The executor of `schema`. It rejects only when something is wrong on our side: failures of resolvers are part of the result. */
export function createExecutor(schema: GraphQLSchema, log: Logger): Execute {
  const yoga = createYoga<YogaContext>({
    schema,
    context: ({ ctx }) => ctx as unknown as Record<string, unknown>,
    plugins: [usePlatform(log)],
    graphqlEndpoint: '/graphql',
    parserAndValidationCache: { documentCache: noCache as never, errorCache: noCache as never, validationCache: true },
    maskedErrors: false,
    maxRequestBodySize: false,
    batching: false,
    multipart: false,
    graphiql: false,
    landingPage: false,
    cors: false,
    logging: false,
  });
  return async (request) => {
    const isSubscription = request.read.operation?.operation === 'subscription';
    const headers = { accept: isSubscription ? 'text/event-stream' : 'application/json', 'content-type': 'application/json' };
    const execution: Execution = {};
    const response = await yoga.handleRequest(
      new yoga.fetchAPI.Request('http://localhost/graphql', { method: 'POST', headers, signal: request.signal }),
      { ...request, execution } as never,
    );
    if (execution.result !== undefined || execution.results !== undefined) return execution;
    if (response.body === null) throw new Error('a GraphQL execution gave neither a result nor a stream');
    return { text: response.body };
  };
}

/** Documents are parsed, and kept, by graphql-request.ts. */
const noCache = { get: () => undefined, set: () => undefined };

/** Gives Yoga what has been read already, and takes from it what is to be sent. */
function usePlatform(log: Logger): Plugin<object, YogaContext> {
  return {
    onRequestParse: ({ serverContext, setRequestParser }) => setRequestParser(() => serverContext.read.params),
    onParse({ context, setParseFn }) {
      const { document, syntaxError } = (context as unknown as YogaContext).read;
      setParseFn(() => {
        if (document === undefined) throw syntaxError;
        return document;
      });
    },
    onValidate: ({ addValidationRule }) => addValidationRule(limitSize),
    onResultProcess({ result, setResult, setResultProcessor, serverContext, request }) {
      const { ctx, execution, subscriptionAs } = serverContext;
      if (isAsyncIterable(result)) {
        const results = mapResults(result as AsyncIterable<Result>, (each) => eventOf(renderBody(each, ctx, log), ctx, log));
        if (subscriptionAs === 'text') {
          setResult(results as never);
          return;
        }
        execution.results = results;
      } else {
        execution.result = renderResult(result as Result, ctx, log);
      }
      setResultProcessor((_, { Response }) => new Response(null, { status: 200 }), request.headers.get('accept') ?? '');
    },
  };
}

/** A result of a subscription as it is sent. One that is too large is refused, and the next one may be smaller. */
function eventOf(body: ResultBody, ctx: Ctx, log: Logger): ResultBody {
  try {
    refuseTooLarge(body);
    return body;
  } catch (error) {
    return { errors: [graphqlError(error, ctx, log)] };
  }
}

/**
 * Maps each result of a subscription. An async generator function would not do: while it waits in `for await` it does not see
 * `return()`, and the source has to end at once.
 */
function mapResults(source: AsyncIterable<Result>, map: (result: Result) => ResultBody): SubscriptionResults {
  const inner = source[Symbol.asyncIterator]();
  return {
    async next() {
      const step = await inner.next();
      return step.done === true ? done : { done: false, value: map(step.value) };
    },
    async return() {
      await inner.return?.();
      return done;
    },
    async throw(error) {
      await inner.return?.();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

const done = { done: true, value: undefined } as const;
