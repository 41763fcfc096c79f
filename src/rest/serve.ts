// Serves a route: who may call is asked before anything is read, then body, variables, the operation, and the answer.
// Rate limits and authentication come before it (src/app.ts).
import type { GraphQLSchema } from 'graphql';
import type { Context } from 'koa';
import { answerText } from '../platform/answer-text.js';
import { batchBodyLimit, bodyLimit } from '../platform/body-limit.js';
import type { Ctx } from '../platform/ctx.js';
import { ApiError, type FieldIssue } from '../platform/errors.js';
import type { Answer, Idempotency } from '../platform/idempotency.js';
import { lazily } from '../platform/lazy.js';
import { authorize } from '../platform/schema/audience.js';
import type { Method } from '../platform/schema/route.js';
import { snakePath } from '../platform/snake-case.js';
import { inSpanOf } from '../platform/trace.js';
import { readBody } from './body.js';
import { compileExecutor, failureOf } from './execute.js';
import { nullDropper, secretRemover } from './output.js';
import { type Route, takesKey } from './routes.js';
import { variableReader } from './variable.js';

/** What is used of Koa's context, with the path parameters of its router. */
export type Exchange = Pick<Context, 'req' | 'res' | 'get' | 'set' | 'status' | 'body' | 'respond' | 'query'> & {
  params: Readonly<Record<string, string>>;
};

/** Answers a subscription as an event stream; variables have been read and the audience asked. */
export type Stream = (ctx: Ctx, exchange: Exchange, route: Route, variables: Record<string, unknown>) => Promise<void>;

/** Sends the answer of a request, or throws the ApiError that the error middleware renders. */
type Serve = (exchange: Exchange, ctx: Ctx) => Promise<void>;

/** One method of one path, with the operations that a query flag selects there (`?dry_run=true`). */
export interface RestEndpoint {
  method: Method;
  path: string;
  rateClass: 'auth' | 'login' | undefined;
  /** True where nobody is asked who he is. */
  isPublic: boolean;
  serve: Serve;
}

/** Compiles everything that serves `routes`. Throws when there is a subscription and nothing to `stream` it. */
export function compileEndpoints(
  schema: GraphQLSchema,
  routes: readonly Route[],
  idempotency: Idempotency,
  stream?: Stream,
): RestEndpoint[] {
  const plain = routes.filter(({ when }) => when === undefined);
  return plain.map((route) => {
    const { method, path, facts } = route;
    const flagged = routes.filter((other) => other.when !== undefined && other.method === method && other.path === path);
    const flags = flagged.map(({ when }) => when as string);
    // Compiled by the first request, so that a start does not wait for operations that nobody asks for.
    const serveLater = (one: Route): Serve => {
      if (one.kind === 'subscription' && stream === undefined) throw new Error(`${one.name} is a subscription, and nothing streams it`);
      const serve = lazily(() => compileServe(schema, one, flags, idempotency, stream));
      return (exchange, ctx) => serve()(exchange, ctx);
    };
    const serve = serveLater(route);
    const byFlag = new Map(flagged.map((other) => [other.when as string, serveLater(other)]));
    return {
      method,
      path,
      rateClass: facts.rateClass,
      isPublic: route.admission.audience === 'public',
      serve: byFlag.size === 0 ? serve : selectServe(serve, byFlag),
    };
  });
}

/** The operation whose flag is true, else the one without a flag. */
function selectServe(plain: Serve, byFlag: ReadonlyMap<string, Serve>): Serve {
  return (exchange, ctx) => {
    for (const [flag, serve] of byFlag) if (exchange.query[flag] === 'true') return serve(exchange, ctx);
    return plain(exchange, ctx);
  };
}

function compileServe(schema: GraphQLSchema, route: Route, flags: readonly string[], idempotency: Idempotency, stream?: Stream): Serve {
  const { admission, facts, kind, method, name } = route;
  const readVariables = variableReader(route.variables, flags);
  const hasBody = method !== 'GET';
  const limit = facts.batch ? batchBodyLimit : bodyLimit;
  const call = kind === 'subscription' ? undefined : compileCall(schema, route, idempotency);
  const link = `</graphql?op=${name}>; rel="alternate"`;

  return async (exchange, ctx) => {
    authorize(ctx.actor, admission);
    const { params, query } = exchange;
    const body = hasBody ? await readBody(exchange.req, limit) : {};
    const variables = readVariables({ params, query, header: (header) => exchange.get(header), body });
    exchange.set('Link', link);
    if (call === undefined) return stream?.(ctx, exchange, route, variables);
    const key = exchange.req.headers['idempotency-key'] as string | undefined;
    return send(exchange, await call(ctx, { variables, key, content: { params, query, body } }));
  };
}

/** A request whose input was read: the variables of the operation, and what the fingerprint of its key is taken of. */
export interface ReadRequest {
  variables: Record<string, unknown>;
  key: string | undefined;
  content: { params: object; query: object; body: object };
}

/** Runs a route under its Idempotency-Key, and renders what came of it. The audience was asked. */
export type Call = (ctx: Ctx, request: ReadRequest) => Promise<Answer>;

/** Compiles what runs a query or mutation, wherever its input comes from. */
export function compileCall(schema: GraphQLSchema, route: Route, idempotency: Idempotency): Call {
  const { kind, name } = route;
  const answer = compileAnswer(schema, route);
  const isKeyed = takesKey(route);
  return (ctx, { variables, key, content }) => {
    ctx.effect.isMutation = kind === 'mutation';
    const run = () => answer(ctx, variables);
    return isKeyed ? idempotency(ctx, { key, operation: name, content }, run) : run();
  };
}

/** Executes and renders. Members that the route declares may make the answer a 202 or a 200. */
function compileAnswer(schema: GraphQLSchema, route: Route): (ctx: Ctx, variables: Record<string, unknown>) => Promise<Answer> {
  const { shape, wrapped, status, accepted, existing } = route;
  const dropNulls = nullDropper(shape);
  const removeSecrets = secretRemover(shape);
  const spell = wireSpeller(route);
  const span = `${route.kind} ${route.name}`;
  const about = { 'graphql.operation.type': route.kind, 'graphql.operation.name': route.name };
  const statusOf = (root: Record<string, unknown> | undefined) => {
    if (accepted !== undefined && root?.[accepted]) return 202;
    return existing !== undefined && root?.[existing] ? 200 : status;
  };
  return async (ctx, variables) => {
    const run = compileExecutor(schema, route);
    const { data, errors } = await inSpanOf(ctx, span, about, () => run(ctx, variables));
    if (errors !== undefined && errors.length > 0) throw spell(failureOf(errors));
    const root = data?.[shape.key];
    dropNulls?.(root);
    const envelope = (value: unknown) => (wrapped ? { data: value } : value);
    const secretless = () => {
      if (ctx.idempotency?.remade === true) return undefined;
      return envelope(removeSecrets === undefined ? root : removeSecrets(root));
    };
    return { status: statusOf(root as Parameters<typeof statusOf>[0]), body: envelope(root), secretless };
  };
}

/** Sends an answer, as JSON. */
export function send(exchange: Exchange, { status, body, replayed }: Answer): void {
  exchange.status = status;
  exchange.set('Content-Type', 'application/json; charset=utf-8');
  if (replayed) exchange.set('Idempotent-Replayed', 'true');
  exchange.body = answerText(body);
}

/**
 * Spells the field paths of an error for the wire: arguments by the name of their variable, members in snake_case. An issue
 * of the body stands below `input` for GraphQL and at the top for REST.
 */
function wireSpeller({ variables }: Route): (error: unknown) => unknown {
  const byArgument = new Map(
    variables.flatMap(({ argument, wire, source }) => (argument && source !== 'body' ? [[argument.name, wire]] : [])),
  );
  const spell = ({ path, ...issue }: FieldIssue): FieldIssue => {
    const [first, ...rest] = path[0] === 'input' ? path.slice(1) : path;
    if (first === undefined) return { ...issue, path: [] };
    const argument = byArgument.get(String(first));
    return { ...issue, path: argument === undefined ? snakePath([first, ...rest]) : [argument, ...snakePath(rest)] };
  };
  return (error) => {
    if (!(error instanceof ApiError) || error.fields === undefined) return error;
    const { status, code, message, details, headers } = error;
    const spelled = { fields: error.fields.map(spell), cause: error, ...(details && { details }), ...(headers && { headers }) };
    return new ApiError(status, code, message, spelled);
  };
}
