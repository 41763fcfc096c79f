// Runs the operation of a GraphQL request that was read and authenticated: under its Idempotency-Key, and, where it is a subscription,
// for as long as the response is open. /graphql and /graphql/stream differ only in how they send what comes back.
import type { GraphQLSchema } from 'graphql';
import type { Ctx } from '../platform/ctx.js';
import type { Answer, Idempotency } from '../platform/idempotency.js';
import type { Logger } from '../platform/log.js';
import { inSpanOf } from '../platform/trace.js';
import { createExecutor, type Execution, type ExecutionRequest } from './graphql-execution.js';
import { limitNodes } from './graphql-limits.js';
import type { RenderedResult } from './graphql-result.js';
import { type KeyedMutation, keyedMutation } from './keyed-mutation.js';
import { admitStream } from './open-stream.js';
import { admitCaller, selectsSecret } from './root-field.js';
import type { GraphQLRequest, HttpContext } from './state.js';

export interface GraphQLOptions {
  schema: GraphQLSchema;
  idempotency: Idempotency;
  log: Logger;
}

/** Runs what `graphqlReaders` has read; throws why it cannot be served. Needs `state.ctx`. */
export type RunOperation = (http: HttpContext, subscriptionAs: ExecutionRequest['subscriptionAs']) => Promise<Execution>;

/** Makes what runs the operations of both paths. */
export function operationRunner({ schema, idempotency, log }: GraphQLOptions): RunOperation {
  const executor = createExecutor(schema, log);
  /** What callers name operations is an attribute: the names of spans are few. */
  const execute = async (request: ExecutionRequest): Promise<Execution> => {
    const { operation: type = 'query', name } = request.read.operation ?? {};
    const about = { 'graphql.operation.type': type, 'graphql.operation.name': name?.value ?? '' };
    return inSpanOf(request.ctx, type, about, () => executor(request));
  };

  /** Every subscription begins here, on /graphql and on /graphql/stream. It ends when the response closes. */
  const subscribe = async (http: HttpContext, request: ExecutionRequest): Promise<Execution> => {
    await admitStream(http.res, request.ctx, 'graphql');
    http.req.socket.setNoDelay(true);
    return execute(request);
  };

  const runOnce = async (http: HttpContext, request: ExecutionRequest, mutation: KeyedMutation): Promise<RenderedResult> => {
    const { params, document } = request.read;
    const rendered: RenderedResult[] = [];
    const run = async (): Promise<Answer> => {
      const { result } = await execute(request);
      if (result === undefined) throw new Error('a mutation gave no result');
      rendered.push(result);
      const { body, status } = result;
      const isWhole = status === 200 && typeof body === 'object' && body['errors'] === undefined;
      const isStorable = isWhole && document !== undefined && !selectsSecret(schema, document);
      return { status, body, secretless: () => (isStorable ? body : undefined) };
    };
    const content = { document: params.query, variables: params.variables ?? {} };
    const keyed = { key: mutation.key, operation: `graphql:${mutation.name}`, content };
    const { body, replayed } = await idempotency(request.ctx, keyed, run);
    if (replayed === true) http.set('Idempotent-Replayed', 'true');
    return rendered.find((result) => result.body === body) ?? { status: 200, headers: {}, body: body as string };
  };

  return async (http, subscriptionAs) => {
    const { read, ctx } = checkedRequest(http);
    ctx.effect.isMutation = read.operation?.operation === 'mutation';
    const request = { read, ctx, signal: closedSignal(http), subscriptionAs };
    const mutation = keyedMutation(http.req.headers['idempotency-key'], schema, read, ctx);
    if (mutation !== undefined) return { result: await runOnce(http, request, mutation) };
    return read.operation?.operation === 'subscription' ? subscribe(http, request) : execute(request);
  };
}

/** What was read of the request; throws what stands against running it: a fault of reading, no credential, too many nodes. */
export function checkedRequest({ state }: HttpContext): { read: GraphQLRequest; ctx: Ctx } {
  const { graphql: read, ctx } = state;
  if (read === undefined || ctx === undefined) throw new Error('a GraphQL request is served before it was read and authenticated');
  if (read.failure !== undefined) throw read.failure;
  admitCaller(ctx.actor, read);
  limitNodes(read.nodes);
  return { read, ctx };
}

/** Aborted when the response closes: sent, or the client has left. */
function closedSignal({ res }: HttpContext): AbortSignal {
  const closed = new AbortController();
  res.once('close', () => closed.abort());
  return closed.signal;
}
