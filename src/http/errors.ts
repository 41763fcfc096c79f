// One place turns failures into answers, for both faces (CONTRACT.md 0 "Errors"). What is not an ApiError is a 500 that says nothing to the
// caller and everything to the log, credentials excepted.
import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import { bodyLimit } from '../platform/body-limit.js';
import type { Ctx } from '../platform/ctx.js';
import { noteAccess } from '../platform/denial.js';
import {
  AnswerTooLarge,
  ApiError,
  BodyTooLarge,
  DependencyUnavailable,
  declareError,
  type FieldIssue,
  InvalidJson,
  invalidRequest,
  OutcomeUnknown,
  Overloaded,
  RateLimitExceeded,
  UnsupportedMediaType,
} from '../platform/errors.js';
import type { Logger } from '../platform/log.js';
import { DatabaseUnavailable, isUnavailable, sqlState } from '../platform/postgres/failure.js';
import { noteRefusal } from './refusal-metric.js';
import type { Handler, HttpContext } from './state.js';

class InternalError extends declareError(500, 'internal_error') {}

const unknownPath = () => new ApiError(404, 'not_found', 'No such path: /docs/reference and /v1/openapi.json list what there is.');

/** Text that PostgreSQL does not take: 22021 bad bytes, 22P05 untranslatable character. */
const badText = new Set(['22021', '22P05']);

// Gap G-10: Failures of HTTP itself have codes too: `method_not_allowed`, `body_too_large`, `malformed_request` and others.
/** What raw-body and Koa throw, by their `type` or status. */
function fromHttpError(error: unknown): ApiError | undefined {
  const { status, type, expose, message } = error as { status?: unknown; type?: unknown; expose?: unknown; message?: unknown };
  if (type === 'entity.too.large' || status === 413) return new BodyTooLarge(bodyLimit);
  if (type === 'encoding.unsupported' || status === 415)
    return new UnsupportedMediaType('The body must be UTF-8 JSON, not compressed.', { cause: error });
  if (status === 404 && expose === true) return unknownPath();
  if (status === 400 && typeof type === 'string') return new InvalidJson('The body did not arrive whole.', error);
  if (status === 400 && expose === true) return invalidRequest(String(message), 'http');
  return undefined;
}

/** What is known of a request that failed. A door that asks for no credential has an effect and no key. */
type Failed = Pick<Ctx, 'effect'> & { idempotency?: Ctx['idempotency'] | undefined };

/** 503 where the database or the process cannot serve, with what the caller may conclude (CONTRACT.md 0 "When nobody knows"). */
function unavailable(error: unknown, { effect, idempotency }: Failed): ApiError | undefined {
  const isApiError = error instanceof DependencyUnavailable || error instanceof Overloaded || error instanceof AnswerTooLarge;
  if (!isApiError && !isUnavailable(error)) return undefined;
  const lost = error instanceof DatabaseUnavailable && error.changed === 'unknown';
  // A change that was committed before what failed now counts as well: the request must not be sent again as if nothing had happened.
  if (effect.isPossible || (lost && effect.isMutation)) return new OutcomeUnknown(idempotency !== undefined, error);
  if (isApiError) return error;
  return error instanceof DatabaseUnavailable && error.isOverload
    ? new Overloaded(undefined, error)
    : new DependencyUnavailable('The database', error);
}

/** The error that a caller is told about: `error` itself where it is one, else what it stands for, else a 500. */
function toApiError(error: unknown, request: Failed): ApiError {
  const notServed = unavailable(error, request);
  if (notServed !== undefined) return notServed;
  if (error instanceof ApiError) return error;
  if (badText.has(sqlState(error) ?? '')) return invalidRequest('A text has characters that cannot be stored.', 'text');
  const known = typeof error === 'object' && error !== null ? fromHttpError(error) : undefined;
  return known ?? new InternalError('Something went wrong on our side. The request id names it in our logs.', { cause: error });
}

const credential = /\b(pk_(?:test|live)_|agent_|sess_|portal_|cnx[trc]_|whsec_|Bearer\s+)[\w.~+/=-]{6,}|\beyJ[\w-]+\.[\w-]+\.[\w-]+/gi;

/** `text` with every credential in it blotted out. */
function withoutCredentials(text: string): string {
  return text.replace(credential, (_, prefix: string | undefined) => `${prefix ?? ''}[secret]`);
}

function forLog(error: unknown): unknown {
  if (!(error instanceof Error)) return withoutCredentials(String(error));
  const { name, message, stack, cause } = error;
  return {
    type: name,
    code: sqlState(error),
    message: withoutCredentials(message),
    stack: withoutCredentials(stack ?? ''),
    ...(cause === undefined || cause === error ? {} : { cause: forLog(cause) }),
  };
}

/** Logs what went wrong on our side: 500 as an error, a lost dependency as a warning, the rest not at all. */
function logFault(log: Logger, error: ApiError, requestId: string, route: string): void {
  if (error.status === 500) log.error({ err: forLog(error.cause ?? error), requestId, route }, 'request failed');
  else if (error.status === 503) log.warn({ err: forLog(error.cause ?? error), requestId, route }, 'request not served');
}

/** Paths are spelled already: each face spells its own before the error gets here. */
function detailsOf({ details, fields }: ApiError): Record<string, unknown> {
  const spell = ({ path, ...issue }: FieldIssue) => ({ path: path.join('.'), ...issue });
  return fields === undefined ? (details ?? {}) : { ...details, fields: fields.map(spell) };
}

/** The body of a REST error. */
function restErrorBody(error: ApiError, requestId: string): Record<string, unknown> {
  if (error instanceof RateLimitExceeded) return { error: 'rate_limit_exceeded', retry_after: error.details?.['retry_after'] };
  return { error: error.message, code: error.code, details: detailsOf(error), request_id: requestId };
}

/** What `extensions` of a GraphQL error hold. */
function extensionsOf(error: ApiError, requestId: string): Record<string, unknown> {
  return { code: error.code, details: detailsOf(error), requestId, http: { status: error.status } };
}

/** A failure of `route` as a caller is told about it, with the body that REST has for it: counted, and logged where it is a fault of ours. */
export function errorBodyOf(error: unknown, ctx: Ctx, route: string): { error: ApiError; body: Record<string, unknown> } {
  const { requestId, platform } = ctx;
  const api = toApiError(error, ctx);
  logFault(platform.log, api, requestId, route);
  noteRefusal(api, ctx.span);
  noteAccess(ctx, api, route);
  return { error: api, body: restErrorBody(api, requestId) };
}

function rootOf(error: GraphQLError): unknown {
  let root: unknown = error;
  while (root instanceof GraphQLError && root.originalError !== undefined) root = root.originalError;
  return root;
}

/** True for what GraphQL itself says of a request: syntax, validation, the values of variables and arguments. */
export function isRequestError(error: unknown): error is GraphQLError {
  if (!(error instanceof GraphQLError) || !(rootOf(error) instanceof GraphQLError)) return false;
  return error.path === undefined || /^(Argument|Variable) "/.test(error.message);
}

/** Characters of what GraphQL says of a document: it may repeat much of it. */
const longestMessage = 500;

/** The ApiError behind an error of an execution. */
export function apiErrorOf(error: unknown, ctx: Ctx): ApiError {
  if (isRequestError(error)) return invalidRequest(error.message.slice(0, longestMessage), 'graphql');
  return toApiError(error instanceof GraphQLError ? rootOf(error) : error, ctx);
}

/** The field that failed, by its name in the schema: an alias is the caller's word. */
function fieldOf(error: unknown): string {
  const [node] = error instanceof GraphQLError ? (error.nodes ?? []) : [];
  return node?.kind === Kind.FIELD ? node.name.value : 'graphql';
}

/** One error of a GraphQL answer, spelled for the caller; faults of ours are logged. */
export function graphqlError(error: unknown, ctx: Ctx, log: Logger): GraphQLFormattedError {
  const { requestId } = ctx;
  const api = apiErrorOf(error, ctx);
  logFault(log, api, requestId, 'graphql');
  noteRefusal(api, ctx.span);
  noteAccess(ctx, api, fieldOf(error));
  const { locations, path } = error instanceof GraphQLError ? error.toJSON() : {};
  return {
    message: api.message,
    ...(locations === undefined ? {} : { locations }),
    ...(path === undefined ? {} : { path }),
    extensions: extensionsOf(api, requestId),
  };
}

function sendError(http: HttpContext, error: ApiError): void {
  const { state } = http;
  http.status = error.status;
  if (error.status === 401) http.set('WWW-Authenticate', 'Bearer error="invalid_token"');
  for (const [name, value] of Object.entries(error.headers ?? {})) http.set(name, value);
  http.remove('Content-Encoding');
  http.remove('ETag');
  http.set('Cache-Control', 'no-store');
  if (state.face === 'graphql') {
    http.type = http.get('Accept').includes('application/graphql-response+json') ? 'application/graphql-response+json' : 'application/json';
    http.body = JSON.stringify({ errors: [{ message: error.message, extensions: extensionsOf(error, state.requestId) }] });
  } else if (state.spelling !== undefined) {
    const { status, body } = state.spelling(error, { requestId: state.requestId });
    http.status = status;
    http.type = 'application/json';
    http.body = JSON.stringify(body);
  } else {
    http.type = 'application/json';
    http.body = JSON.stringify(restErrorBody(error, state.requestId));
  }
}

/** Answers every failure of what follows; a request that nobody answered is 404. */
export function renderErrors(log: Logger): Handler {
  return async (http, next) => {
    try {
      await next();
      if (http.status === 404 && http.body === undefined) throw unknownPath();
    } catch (thrown) {
      const error = toApiError(thrown, { effect: http.state.effect, idempotency: http.state.ctx?.idempotency });
      logFault(log, error, http.state.requestId, http.state.route);
      noteRefusal(error, http.state.span);
      if (http.state.ctx !== undefined) noteAccess(http.state.ctx, error, `${http.method} ${http.state.route}`);
      sendError(http, error);
    }
  };
}

const leaving = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE', 'ECANCELED']);

/** For `app.on('error')`: what is left to say after an answer was begun. Clients that leave are no error. */
export function logAppError(log: Logger): (error: unknown) => void {
  return (error) => {
    if (!leaving.has((error as { code?: string }).code ?? '')) log.error({ err: forLog(error) }, 'answer failed');
  };
}
