// How /mcp answers: with what a transport answers, and with failures that come before it.
import { chunksOf, sendStream } from '../http/event-stream.js';
import type { HttpContext } from '../http/state.js';
import type { Spelling } from '../platform/door.js';
import type { ApiError } from '../platform/errors.js';

/** Answers with what the transport answers: a stream, JSON or nothing. */
export async function relay(http: HttpContext, response: Response): Promise<void> {
  if (response.body !== null && response.headers.get('Content-Type') === 'text/event-stream') {
    sendStream(http, chunksOf(response.body));
    // The first event may be long in coming.
    return http.flushHeaders();
  }
  const text = await response.text();
  http.body = text === '' ? null : text;
  http.status = response.status;
  if (text !== '') http.set('Content-Type', 'application/json; charset=utf-8');
}

const parseError = -32_700;
const invalidRequest = -32_600;
const internalError = -32_603;
const sessionNotFound = -32_001;
const refused = -32_000;

function numberOf({ status, code }: ApiError): number {
  if (code === 'invalid_json') return parseError;
  if (status >= 500) return internalError;
  return { 400: invalidRequest, 404: sessionNotFound }[status] ?? refused;
}

/**
 * Failures before a message is made, as JSON-RPC spells them. `id` is that of a request which the answer repeats. Where none is known it is
 * null, and in the modern era left out.
 */
export const spellingFor =
  (id: string | number | null | undefined): Spelling =>
  (error, { requestId }) => {
    const { status, code, message, details, fields } = error;
    const issues = fields?.map(({ path: place, ...issue }) => ({ path: place.join('.'), ...issue }));
    const data = { code, details: { ...details, ...(issues && { fields: issues }) }, request_id: requestId };
    return { status, body: { jsonrpc: '2.0', ...(id !== undefined && { id }), error: { code: numberOf(error), message, data } } };
  };
