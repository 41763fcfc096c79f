// How the result of an execution is sent: as JSON with the status that its first error says, or as the one event of a stream.
// Errors are spelled in errors.ts (CONTRACT.md 21).
import type { ExecutionResult } from 'graphql';
import { answerText } from '../platform/answer-text.js';
import type { Ctx } from '../platform/ctx.js';
import type { Logger } from '../platform/log.js';
import { apiErrorOf, graphqlError, isRequestError } from './errors.js';
import { oneEvent } from './event-stream.js';
import type { HttpContext } from './state.js';

export type Result = ExecutionResult<Record<string, unknown>>;
export type ResultBody = Record<string, unknown>;

/** A result as it is sent. */
export interface RenderedResult {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** JSON text where a replay reads it from the store. */
  body: ResultBody | string;
}

/** One result with its errors spelled for the caller. Faults of ours are logged. */
export function renderBody({ errors, data, extensions }: Result, ctx: Ctx, log: Logger): ResultBody {
  return {
    ...(errors === undefined || errors.length === 0 ? {} : { errors: errors.map((error) => graphqlError(error, ctx, log)) }),
    ...(data === undefined ? {} : { data }),
    ...(extensions === undefined ? {} : { extensions }),
  };
}

/** Partial data is a 200; without any data the first error decides the status. */
export function renderResult(result: Result, ctx: Ctx, log: Logger): RenderedResult {
  const body = renderBody(result, ctx, log);
  const [first] = result.errors ?? [];
  if (first === undefined || (result.data !== undefined && result.data !== null)) return { status: 200, headers: {}, body };
  if (isRequestError(first)) return { status: 400, headers: {}, body: { errors: body['errors'] } };
  const { status, headers = {} } = apiErrorOf(first, ctx);
  return { status, headers: status === 401 ? { 'WWW-Authenticate': 'Bearer error="invalid_token"', ...headers } : headers, body };
}

/** True when the operation was executed, even if it failed. A request that was refused before has errors alone. */
export function wasExecuted({ status, body }: RenderedResult): boolean {
  return status === 200 || (typeof body === 'object' && 'data' in body);
}

const modernType = 'application/graphql-response+json';

/** The type of a JSON answer: the one of GraphQL where the caller asks for it. */
export function jsonTypeOf(http: HttpContext): string {
  return `${http.get('Accept').includes(modernType) ? modernType : 'application/json'}; charset=utf-8`;
}

/** Sends a result as JSON. */
export function sendResult(http: HttpContext, result: RenderedResult): void {
  const { status, headers, body } = result;
  const accept = http.get('Accept');
  const modern = accept.includes(modernType);
  // Clients that ask for plain JSON by name read the errors of a refused request from a 200 (GraphQL over HTTP 6.4.1).
  const legacy = !modern && accept.includes('application/json') && status === 400 && !wasExecuted(result);
  http.status = legacy ? 200 : status;
  for (const [name, value] of Object.entries(headers)) http.set(name, value);
  http.set('Content-Type', jsonTypeOf(http));
  http.body = answerText(body);
}

/** Sends a result as a stream of one event. */
export function sendResultEvent(http: HttpContext, { body }: RenderedResult): void {
  http.set('Content-Type', 'text/event-stream; charset=utf-8');
  http.body = oneEvent(answerText(body));
}
