// Sends a request until it is answered: again after a network failure where that is safe, and where the answer says when (details.retry,
// Retry-After). A request keeps its Idempotency-Key through all of it, so it takes effect once.
import { type Bearer, type Fetch, SignInRefused } from './credential.js';
import { asRecord, NetworkError } from './error.js';

/** How long and how often is tried. */
export interface Patience {
  /** Milliseconds after which one attempt is given up. */
  timeoutMs: number;
  /** Milliseconds after which no further attempt begins; 0 tries once. */
  retryForMs: number;
}

export interface Way extends Patience {
  fetch: Fetch;
  bearer: Bearer;
}

/** Waits between attempts when nothing says how long. */
const firstWaitMs = 100;
const longestWaitMs = 5_000;
/** What a timer can wait; one that is asked for more fires at once. */
const mostTimerMs = 2 ** 31 - 1;

/**
 * The requests whose answers are still read. Where nobody holds a request, Node lets go of its signal: neither an abort nor a time limit
 * would reach the connection any more.
 */
const held = new WeakMap<ReadableStream, readonly Request[]>();

/** An answer that holds its requests for as long as it is read. */
export function holding(response: Response, ...requests: readonly Request[]): Response {
  if (response.body !== null) held.set(response.body, requests);
  return response;
}

/** The answer to a request, whatever its status. Throws NetworkError, or the reason of an aborted signal. */
export async function send(request: Request, way: Way): Promise<Response> {
  const bytes = await request.arrayBuffer();
  const body = bytes.byteLength === 0 ? null : bytes;
  const deadline = performance.now() + way.retryForMs;
  const isSafe = isRepeatable(request);
  for (let attempt = 0, signedIn = 0; ; attempt += 1) {
    const outcome = await attemptOnce(request, body, way);
    if (outcome.response?.status === 401 && signedIn === 0 && way.bearer.isRenewed(outcome.token, await errorOf(outcome.response))) {
      signedIn += 1;
      continue;
    }
    const mayRepeat = isSafe || !outcome.isSent;
    const askedMs = outcome.response === undefined ? (mayRepeat ? 0 : undefined) : await waitAsked(outcome.response, mayRepeat);
    // Whoever is asked again at once would be asked without end.
    const waitMs = askedMs === undefined ? Infinity : Math.max(askedMs, backoff(attempt));
    if (askedMs === undefined || performance.now() + waitMs > deadline) {
      if (outcome.response !== undefined) return outcome.response;
      throw new NetworkError(request, mayRepeat, outcome.cause);
    }
    await pause(waitMs, request.signal);
  }
}

/** Whether a request may be sent again when nobody knows what came of it. */
export function isRepeatable({ method, headers }: Request): boolean {
  return method === 'GET' || method === 'HEAD' || headers.has('Idempotency-Key');
}

interface Outcome {
  response?: Response;
  /** The credential that it was sent with. */
  token: string | undefined;
  /** False when the sign-in before it failed. */
  isSent: boolean;
  cause?: unknown;
}

async function attemptOnce(request: Request, body: ArrayBuffer | null, way: Way): Promise<Outcome> {
  let token: string | undefined;
  try {
    token = await way.bearer.token(request.signal);
  } catch (cause) {
    if (cause instanceof NetworkError) return { token, isSent: false, cause };
    if (cause instanceof SignInRefused) return { token, isSent: false, response: cause.answer };
    throw cause;
  }
  const headers = new Headers(request.headers);
  if (token !== undefined && !headers.has('Authorization')) headers.set('Authorization', `Bearer ${token}`);
  const late = new AbortController();
  const signal = AbortSignal.any([request.signal, late.signal]);
  const attempt = new Request(request.url, { ...sent(request), headers, body, signal });
  const timer = setTimeout(() => late.abort(new Error(`no answer within ${way.timeoutMs} ms`)), Math.min(way.timeoutMs, mostTimerMs));
  try {
    const response = holding(await way.fetch(attempt), request, attempt);
    return { response: await whole(response), token, isSent: true };
  } catch (cause) {
    request.signal.throwIfAborted();
    return { token, isSent: true, cause };
  } finally {
    clearTimeout(timer);
  }
}

/** What of a request is kept by every attempt. */
function sent({ method, redirect, credentials, cache, mode }: Request): RequestInit {
  // A browser refuses to make a request of the mode `navigate`.
  return { method, redirect, credentials, cache, mode: mode === 'navigate' ? 'cors' : mode };
}

/**
 * An answer that has arrived whole: a connection that breaks in its middle is a network failure too. Streams go through as they are, and so
 * does what a browser shows of a redirect that is not followed.
 */
async function whole(response: Response): Promise<Response> {
  if (isStream(response) || response.type === 'opaqueredirect') return response;
  const bytes = await response.arrayBuffer();
  const { status, statusText, headers } = response;
  return new Response(bytes.byteLength === 0 ? null : bytes, { status, statusText, headers });
}

/** True for server-sent events. */
export function isStream({ headers }: Response): boolean {
  return headers.get('Content-Type')?.startsWith('text/event-stream') === true;
}

/** The members of an error, without taking the body away from who reads it next. */
async function errorOf(response: Response): Promise<Record<string, unknown>> {
  const text = await response.clone().text();
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Milliseconds after which the answer wants the same request again; undefined where it does not. */
async function waitAsked(response: Response, mayRepeat: boolean): Promise<number | undefined> {
  if (response.ok) return undefined;
  const { retry } = asRecord((await errorOf(response))['details']);
  const { safe, same_key, after_s } = asRecord(retry);
  if (retry !== undefined && (safe !== true || same_key !== true)) return undefined;
  // Without a word of the platform, what stands before it has answered: of a 429 alone it is clear that nothing was done.
  if (retry === undefined && response.status !== 429 && !mayRepeat) return undefined;
  const seconds = typeof after_s === 'number' ? after_s : secondsIn(response.headers.get('Retry-After'));
  // So scattered that those who were sent away together do not come back together.
  return seconds === undefined ? undefined : seconds * 1000 + Math.random() * Math.max(100, seconds * 100);
}

/** The seconds of a Retry-After, which may be a date. */
function secondsIn(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** Milliseconds before the next attempt, doubling, so scattered that clients do not come back together. */
export function backoff(attempt: number): number {
  return Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random() / 2);
}

/** Waits, or throws the reason of the signal. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', end);
        resolve();
      },
      Math.min(ms, mostTimerMs),
    );
    signal.addEventListener('abort', end, { once: true });
  });
}
