// /graphql: GraphQL over HTTP through Yoga, from the request that graphql-request.ts has read to an answer whose errors are
// spelled in errors.ts. `/graphql/stream` is the same for clients of graphql-sse, always as a stream (CONTRACT.md 21).
import { Readable } from 'node:stream';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import { createYoga, isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { Ctx } from '../platform/ctx.js';
import { NotAcceptable, ValidationFailed } from '../platform/errors.js';
import type { Logger } from '../platform/log.js';
import { apiErrorOf, graphqlError, isRequestError } from './errors.js';
import { limitSize } from './graphql-limits.js';
import type { GraphQLRequest } from './graphql-request.js';
import type { Answer, Idempotency } from './idempotency.js';
import { isPublicField, rootFields, selectsSecret } from './root-field.js';
import type { Handler, HttpContext } from './state.js';

export interface GraphQLOptions {
  schema: GraphQLSchema;
  idempotency: Idempotency;
  log: Logger;
}

/** A result as it is sent. */
interface Spelled {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** JSON text where it comes from the store of a replay. */
  body: Record<string, unknown> | string;
}

/** What goes through Yoga with a request, and what comes back. */
interface Carrier {
  read: GraphQLRequest;
  ctx: Ctx;
  asStream: boolean;
}

/** Yoga copies what it is given, so the result comes back in a box of its own. */
interface Boxed extends Carrier {
  box: { spelled?: Spelled };
}

type Result = ExecutionResult<Record<string, unknown>>;

function spellBody(result: Result, { requestId }: Ctx, log: Logger): Record<string, unknown> {
  const { errors, data, extensions } = result;
  return {
    ...(errors === undefined || errors.length === 0 ? {} : { errors: errors.map((error) => graphqlError(error, requestId, log)) }),
    ...(data === undefined ? {} : { data }),
    ...(extensions === undefined ? {} : { extensions }),
  };
}

/** Partial data is a 200; without any, the first error says the status. */
function spell(result: Result, ctx: Ctx, log: Logger): Spelled {
  const body = spellBody(result, ctx, log);
  const [first] = result.errors ?? [];
  if (first === undefined || (result.data !== undefined && result.data !== null)) return { status: 200, headers: {}, body };
  if (isRequestError(first)) return { status: 400, headers: {}, body: { errors: body['errors'] } };
  const { status, headers = {} } = apiErrorOf(first);
  return { status, headers: status === 401 ? { 'WWW-Authenticate': 'Bearer error="invalid_token"', ...headers } : headers, body };
}

/** `return()` goes straight to the source: a generator waiting in `for await` would not hear it. */
function mapResults(source: AsyncIterable<Result>, map: (result: Result) => unknown): AsyncIterableIterator<unknown> {
  const inner = source[Symbol.asyncIterator]();
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const step = await inner.next();
      return step.done === true ? { done: true, value: undefined } : { done: false, value: map(step.value) };
    },
    async return() {
      await inner.return?.();
      return { done: true, value: undefined };
    },
  };
}

/** Gives Yoga what has been read already, and takes from it what is to be sent. */
function usePlatform(log: Logger): Plugin<object, Boxed> {
  return {
    onRequestParse: ({ serverContext, setRequestParser }) => setRequestParser(() => serverContext.read.params),
    onParse({ context, setParseFn }) {
      const { document, syntaxError } = (context as unknown as Carrier).read;
      setParseFn(() => {
        if (document === undefined) throw syntaxError;
        return document;
      });
    },
    onValidate: ({ addValidationRule }) => addValidationRule(limitSize),
    onResultProcess({ result, setResult, setResultProcessor, serverContext, request }) {
      const { ctx } = serverContext;
      if (isAsyncIterable(result)) {
        setResult(mapResults(result as AsyncIterable<Result>, (each) => spellBody(each, ctx, log)) as never);
        return;
      }
      serverContext.box.spelled = spell(result as Result, ctx, log);
      setResultProcessor((_, { Response }) => new Response(null, { status: 200 }), request.headers.get('accept') ?? '');
    },
  };
}

const noCache = { get: () => undefined, set: () => undefined };

function createExecutor(schema: GraphQLSchema, log: Logger) {
  const yoga = createYoga<Boxed>({
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
  return async (carrier: Carrier, signal: AbortSignal) => {
    const accept = carrier.asStream ? 'text/event-stream' : 'application/json';
    const headers = { accept, 'content-type': 'application/json' };
    const request = new yoga.fetchAPI.Request('http://localhost/graphql', { method: 'POST', headers, signal });
    const box: Boxed['box'] = {};
    const response = await yoga.handleRequest(request, { ...carrier, box } as never);
    return { spelled: box.spelled, stream: response.body };
  };
}

/** A Node stream whose end, also by the client, ends the source at once. */
function readableOf(source: ReadableStream<Uint8Array>): Readable {
  const reader = source.getReader();
  return new Readable({
    read() {
      reader.read().then(
        ({ done, value }) => void this.push(done ? null : Buffer.from(value)),
        (error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      reader.cancel().then(
        () => done(error),
        () => done(error),
      );
    },
  });
}

function sendStream(http: HttpContext, source: ReadableStream<Uint8Array>): void {
  http.req.socket.setNoDelay(true);
  http.status = 200;
  http.set({ 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' });
  http.body = readableOf(source);
}

const textOf = (body: Spelled['body']) => (typeof body === 'string' ? body : JSON.stringify(body));

/** A result that is known at once, as a stream of one event. */
function sendEvent(http: HttpContext, body: Spelled['body']): void {
  http.set('Content-Type', 'text/event-stream; charset=utf-8');
  http.body = `event: next\ndata: ${textOf(body)}\n\nevent: complete\ndata:\n\n`;
}

function sendResult(http: HttpContext, { status, headers, body }: Spelled, asStream: boolean): void {
  // An execution that failed is a result like any other on a stream; a request that was never executed is an answer.
  if (asStream && (status === 200 || (typeof body === 'object' && 'data' in body))) {
    sendEvent(http, body);
    return;
  }
  const accept = http.get('Accept');
  const modern = accept.includes('application/graphql-response+json');
  // Clients that ask for plain JSON by name read the errors of a request from a 200 (GraphQL over HTTP 6.4.1).
  const legacy = !modern && accept.includes('application/json') && status === 400 && typeof body === 'object' && !('data' in body);
  http.status = legacy ? 200 : status;
  for (const [name, value] of Object.entries(headers)) http.set(name, value);
  http.set('Content-Type', `application/${modern ? 'graphql-response+json' : 'json'}; charset=utf-8`);
  http.body = textOf(body);
}

/** True when the answer is to be a stream. 406 when the caller takes neither form, or takes no stream of a subscription. */
function wantsStream(http: HttpContext, { operation }: GraphQLRequest): boolean {
  if (http.path === '/graphql/stream') return true;
  const accept = http.get('Accept') || '*/*';
  const takesStream = accept.includes('text/event-stream');
  if (operation?.operation === 'subscription') {
    if (takesStream) return true;
    throw new NotAcceptable('A subscription is a stream: send `Accept: text/event-stream`.');
  }
  if (/application\/(json|graphql-response\+json|\*)|\*\/\*/.test(accept)) return false;
  if (takesStream) return true;
  throw new NotAcceptable('Answers are application/graphql-response+json, application/json or text/event-stream.');
}

/** The key that the request is to run under. 400 unless a document with a key has exactly one mutation field. */
function idempotencyKey(http: HttpContext, schema: GraphQLSchema, read: GraphQLRequest, ctx: Ctx): string | undefined {
  const key = http.req.headers['idempotency-key'];
  if (typeof key !== 'string' || ctx.actor.type === 'anonymous' || read.document === undefined) return undefined;
  if (read.roots.length > 0 && read.roots.every(isPublicField)) return undefined;
  const { document } = read;
  const mutations = document.definitions
    .filter((definition) => definition.kind === 'OperationDefinition' && definition.operation === 'mutation')
    .flatMap((operation) => rootFields(schema, document, operation as never))
    .filter(({ name }) => !name.startsWith('__'));
  if (mutations.length !== 1 || read.operation?.operation !== 'mutation') {
    const message = `goes with a document of exactly one mutation, not ${mutations.length}`;
    throw new ValidationFailed([{ path: ['Idempotency-Key'], message, rule: 'one_mutation' }]);
  }
  return key;
}

/** Serves what `readGraphQL` has read. Needs `state.ctx`. */
export function serveGraphQL({ schema, idempotency, log }: GraphQLOptions): Handler {
  const execute = createExecutor(schema, log);

  const runOnce = async (http: HttpContext, carrier: Carrier, signal: AbortSignal, key: string): Promise<Spelled> => {
    const { params, document, roots } = carrier.read;
    const ran: Spelled[] = [];
    const run = async (): Promise<Answer> => {
      const { spelled } = await execute(carrier, signal);
      if (spelled === undefined) throw new Error('a mutation gave no result');
      ran.push(spelled);
      const { body, status } = spelled;
      const whole = status === 200 && typeof body === 'object' && body['errors'] === undefined;
      const storable = whole && document !== undefined && !selectsSecret(schema, document);
      return { status, body, secretless: () => (storable ? body : undefined) };
    };
    const operation = `graphql:${roots.find(({ name }) => !name.startsWith('__'))?.name}`;
    const content = { document: params.query, variables: params.variables ?? {} };
    const { body, replayed } = await idempotency(carrier.ctx, { key, operation, content }, run);
    if (replayed === true) http.set('Idempotent-Replayed', 'true');
    return ran.find((spelled) => spelled.body === body) ?? { status: 200, headers: {}, body: body as string };
  };
  return async (http) => {
    const { graphql: read, ctx } = http.state;
    if (read === undefined || ctx === undefined) throw new Error('a GraphQL request is served before it was read and authenticated');
    if (read.failure !== undefined) throw read.failure;
    const carrier: Carrier = { read, ctx, asStream: wantsStream(http, read) };
    const gone = new AbortController();
    http.res.once('close', () => gone.abort());
    const key = idempotencyKey(http, schema, read, ctx);
    if (key !== undefined) return sendResult(http, await runOnce(http, carrier, gone.signal, key), carrier.asStream);
    const { spelled, stream } = await execute(carrier, gone.signal);
    if (spelled !== undefined) return sendResult(http, spelled, carrier.asStream);
    if (stream === null) throw new Error('a GraphQL execution gave neither a result nor a stream');
    return sendStream(http, stream);
  };
}
