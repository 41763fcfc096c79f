// Serves a route: who may call is asked before anything is read, then body, variables, the operation, and the answer.
// `match` and `serve` are apart so that rate limits and authentication stand between them.
import type { GraphQLSchema } from 'graphql';
import type { Context } from 'koa';
import { authorize } from '../platform/audience.js';
import type { Ctx } from '../platform/ctx.js';
import { ApiError, type FieldIssue } from '../platform/errors.js';
import { batchBodyLimit, bodyLimit, readBody } from './body.js';
import { compileExecutor, failureOf } from './execute.js';
import { nullDropper, secretRemover } from './output.js';
import { compileRouter, flagsOf, type Match, type MatchRoute } from './router.js';
import type { Route } from './routes.js';
import { variableReader } from './variable.js';
import { wirePath } from './wire-name.js';

/** An answer before it is sent. `body` is ready for JSON.stringify, or is JSON text already. */
export interface Answer {
  status: number;
  body: unknown;
  /** The body without its secret members: what may be stored for a replay. */
  secretless: () => unknown;
  replayed?: true;
}

/**
 * Wraps every mutation that is not public. `key` is the Idempotency-Key header as sent, `operation` the name of the
 * operation, `content` what the fingerprint covers. A key that is found used may make it call `run` again, with `replayOf` set.
 */
export type Idempotency = (
  ctx: Ctx,
  request: { key: string | undefined; operation: string; content: unknown },
  run: () => Promise<Answer>,
) => Promise<Answer>;

/** What is used of Koa's context. */
export type Exchange = Pick<Context, 'req' | 'res' | 'get' | 'set' | 'status' | 'body' | 'respond'>;

/** Answers a subscription as an event stream; variables have been read and the audience asked. */
export type Stream = (ctx: Ctx, koaCtx: Exchange, route: Route, variables: Record<string, unknown>) => Promise<void>;

export interface Rest {
  match: MatchRoute;
  /** Sends the answer of a matched route, or throws the ApiError that the error middleware renders. */
  serve: (match: Match, koaCtx: Exchange, ctx: Ctx) => Promise<void>;
}

type Serve = (match: Match, koaCtx: Exchange, ctx: Ctx) => Promise<void>;

/** Compiles everything that serves `routes`. Throws when there is a subscription and nobody to `stream` it. */
export function openRest(schema: GraphQLSchema, routes: readonly Route[], idempotency: Idempotency, stream?: Stream): Rest {
  const served = new Map(routes.map((route) => [route, compileServe(schema, route, flagsOf(route, routes), idempotency, stream)]));
  return {
    match: compileRouter(routes),
    serve: (match, koaCtx, ctx) => (served.get(match.route) as Serve)(match, koaCtx, ctx),
  };
}

function compileServe(schema: GraphQLSchema, route: Route, flags: readonly string[], idempotency: Idempotency, stream?: Stream): Serve {
  const { audience, facts, kind, method, name } = route;
  const readVariables = variableReader(route.variables, flags);
  const hasBody = method !== 'GET';
  const limit = facts.batch ? batchBodyLimit : bodyLimit;
  const answer = kind === 'subscription' ? undefined : compileAnswer(schema, route);
  if (answer === undefined && stream === undefined) throw new Error(`${name} is a subscription: it needs somebody to stream it`);
  const isIdempotent = kind === 'mutation' && audience !== 'public';
  const link = `</graphql?op=${name}>; rel="alternate"`;

  return async ({ params, query }, koaCtx, ctx) => {
    authorize(ctx.actor, audience);
    const body = hasBody ? await readBody(koaCtx.req, limit) : {};
    const variables = readVariables({ params, query, header: (header) => koaCtx.get(header), body });
    koaCtx.set('Link', link);
    if (answer === undefined) return stream?.(ctx, koaCtx, route, variables);
    const run = () => answer(ctx, variables);
    if (!isIdempotent) return send(koaCtx, await run());
    const key = koaCtx.req.headers['idempotency-key'] as string | undefined;
    return send(koaCtx, await idempotency(ctx, { key, operation: name, content: { params, query, body } }, run));
  };
}

/** Executes and renders. The answer is 202 when something waits for an approval. */
function compileAnswer(schema: GraphQLSchema, route: Route): (ctx: Ctx, variables: Record<string, unknown>) => Promise<Answer> {
  const { shape, wrapped, status } = route;
  const execute = compileExecutor(schema, route);
  const dropNulls = nullDropper(shape);
  const removeSecrets = secretRemover(shape);
  const spell = wireSpeller(route);
  const mayWait = !wrapped && shape.members?.has('approval') === true;
  return async (ctx, variables) => {
    const { data, errors } = await execute(ctx, variables);
    if (errors !== undefined && errors.length > 0) throw spell(failureOf(errors));
    const root = data?.[shape.key];
    dropNulls?.(root);
    const envelope = (value: unknown) => (wrapped ? { data: value } : value);
    return {
      status: mayWait && (root as { approval?: unknown }).approval ? 202 : status,
      body: envelope(root),
      secretless: () => envelope(removeSecrets === undefined ? root : removeSecrets(root)),
    };
  };
}

function send(koaCtx: Exchange, { status, body, replayed }: Answer): void {
  koaCtx.status = status;
  koaCtx.set('Content-Type', 'application/json; charset=utf-8');
  if (replayed) koaCtx.set('Idempotent-Replayed', 'true');
  koaCtx.body = typeof body === 'string' ? body : JSON.stringify(body);
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
    return { ...issue, path: argument === undefined ? wirePath([first, ...rest]) : [argument, ...wirePath(rest)] };
  };
  return (error) => {
    if (!(error instanceof ApiError) || error.fields === undefined) return error;
    const { status, code, message, details, headers } = error;
    const spelled = { fields: error.fields.map(spell), cause: error, ...(details && { details }), ...(headers && { headers }) };
    return new ApiError(status, code, message, spelled);
  };
}
