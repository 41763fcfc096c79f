// Nothing waits for ever: a deadline for each request, and time and size limits for its head on the socket. A hung network
// is not seen by PostgreSQL's statement_timeout, so the deadline is ours (ARCHITECTURE.md 12).
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Effect } from '../platform/effect.js';
import { declareError, OutcomeUnknown } from '../platform/errors.js';
import type { Handler } from './state.js';
import { countedResponse, type Unread } from './unread.js';

// Gap G-12: A request has 20 s, then 503; the answer says whether it had no effect (`retry.safe`) or the same key must find out.
/** 503: the answer took too long, and the request was given up before it changed anything. */
class DeadlineExceeded extends declareError(503, 'dependency_unavailable') {
  constructor() {
    super('The request took too long and was given up; nothing was changed. Try again shortly.', {
      headers: { 'Retry-After': '1' },
      details: { retry: { safe: true, same_key: true, after_s: 1 } },
    });
  }
}

/**
 * Answers 503 when what follows takes longer than `ms`. A stream is exempt: it has been answered once it has begun.
 * The work that hangs is not ended, but it commits nothing from then on. What was sent before may still take effect: then nobody knows.
 */
export function limitTime(ms = 20_000): Handler {
  return ({ state }, next) =>
    new Promise<void>((resolve, reject) => {
      state.effect = new Effect();
      const timer = setTimeout(() => {
        state.effect.giveUp();
        reject(state.effect.isPossible ? new OutcomeUnknown(state.ctx?.idempotency !== undefined) : new DeadlineExceeded());
      }, ms);
      const done = (settle: () => void) => {
        clearTimeout(timer);
        settle();
      };
      next().then(
        () => done(resolve),
        (error) => done(() => reject(error)),
      );
    });
}

/** What a socket is told when its bytes are no request that we read (see G-10). */
const socketErrors: Record<string, { status: number; code: string; error: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'headers_too_large', error: 'The headers are larger than 16 KiB.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'request_timeout', error: 'The request did not arrive in time.' },
};
const malformed = { status: 400, code: 'malformed_request', error: 'This is not an HTTP request that can be read.' };

function refuseSocket(error: NodeJS.ErrnoException, socket: Socket): void {
  const answering = (socket as Socket & { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent === true;
  if (error.code === 'ECONNRESET' || !socket.writable || answering) {
    socket.destroy();
    return;
  }
  const { status, code, error: sentence } = socketErrors[error.code ?? ''] ?? malformed;
  const requestId = `req_${randomUUID()}`;
  const details = status === 400 ? { fields: [{ path: '', message: sentence, rule: 'http' }] } : {};
  const body = JSON.stringify({ error: sentence, code, details, request_id: requestId });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Sets the time-outs of `server` and answers what cannot be read as a request in our error shape. */
function secureServer<S extends Server>(server: S): S {
  server.headersTimeout = 10_000;
  server.requestTimeout = 15_000;
  server.keepAliveTimeout = 65_000;
  server.maxHeadersCount = 100;
  server.on('clientError', refuseSocket);
  return server;
}

/** A server for `listener` with the limits of `secureServer`, looked after every two seconds; `unread` counts what waits for its clients. */
export function createHttpServer(listener: RequestListener, unread: Unread): Server {
  const options = { connectionsCheckingInterval: 2_000, maxHeaderSize: 16_384, ServerResponse: countedResponse(unread) };
  return secureServer(createServer(options, listener));
}
