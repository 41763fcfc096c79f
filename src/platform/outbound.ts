// The only place from which a request leaves this process.
import { Agent, type Dispatcher, request } from 'undici';
import { EgressRefused, egressProblem, guardedConnector, isAllowedHost } from './egress.js';

export interface Reply {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Sends JSON and reads the JSON answer; gives up after `timeoutMs`. */
export async function sendJson(
  url: string,
  { method, headers, body, timeoutMs = 10_000 }: { method: string; headers: Record<string, string>; body?: unknown; timeoutMs?: number },
): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

/** One event of a stream. */
export interface StreamedEvent {
  event: string;
  data: string;
}

/** POSTs JSON and reads the answer as server-sent events. Of another answer than 200, `text` is the body. */
export async function openEventStream(
  url: string,
  { headers, body, signal }: { headers: Record<string, string>; body: unknown; signal?: AbortSignal | undefined },
): Promise<{ status: number; text: () => Promise<string>; events: () => AsyncGenerator<StreamedEvent> }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...headers },
    body: JSON.stringify(body),
    redirect: 'manual',
    signal: signal ?? null,
  });
  return { status: response.status, text: () => response.text(), events: () => readEvents(response) };
}

async function* readEvents({ body }: Response): AsyncGenerator<StreamedEvent> {
  if (body === null) return;
  let rest = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = block.split(/\r?\n/);
      const valuesOf = (name: string) =>
        fields.filter((field) => field.startsWith(`${name}:`)).map((field) => field.slice(name.length + 1).trimStart());
      if (valuesOf('data').length > 0) yield { event: valuesOf('event')[0] ?? 'message', data: valuesOf('data').join('\n') };
    }
  }
}

/** What became of a POST to a URL that a tenant chose. */
export interface PostResult {
  /** Null when no answer came. */
  status: number | null;
  /** At most 1 KiB of the answer. */
  body: string;
  /** The answer's Retry-After as it came. */
  retryAfter: string | null;
  /** Why no answer came. */
  error: string | null;
  /** Refused by the egress guard: nothing was sent. */
  refused: boolean;
  /** This process let go of its connections meanwhile: nobody knows what became of it. */
  abandoned: boolean;
  durationMs: number;
}

export interface OutboundOptions {
  /** `host:port` pairs that are reached although their address is private, over http too. */
  allowHosts: readonly string[];
  /** From the call to the head of the answer. */
  timeoutMs?: number;
}

const longestBody = 1_024;
/** Reading an answer whose status is known takes no longer. */
const bodyTimeoutMs = 1_000;
const pool = { pipelining: 1, connections: 256, keepAliveTimeout: 30_000, keepAliveMaxTimeout: 60_000, headersTimeout: 0, bodyTimeout: 0 };

/** Sends to places that tenants name: kept-alive connections per origin, the egress guard inside, no redirect followed. */
export class Outbound {
  readonly #allowHosts: readonly string[];
  readonly #timeoutMs: number;
  readonly #guarded: Agent;
  readonly #open: Agent;
  #closed = false;

  constructor({ allowHosts, timeoutMs = 10_000 }: OutboundOptions) {
    this.#allowHosts = allowHosts;
    this.#timeoutMs = timeoutMs;
    this.#guarded = new Agent({ ...pool, connect: guardedConnector(timeoutMs) });
    this.#open = new Agent({ ...pool, connect: { timeout: timeoutMs } });
  }

  /**
   * POSTs `body` as it is. `mayBePrivate`: the allowed hosts count. Never throws: what went wrong is in the
   * result.
   */
  async post(
    text: string,
    { headers, body, mayBePrivate }: { headers: Record<string, string>; body: string | Buffer; mayBePrivate: boolean },
  ): Promise<PostResult> {
    const begun = performance.now();
    const allowHosts = mayBePrivate ? this.#allowHosts : [];
    const result: PostResult = { status: null, body: '', retryAfter: null, error: null, refused: false, abandoned: false, durationMs: 0 };
    const problem = egressProblem(text, allowHosts);
    if (problem !== undefined) return { ...result, error: `the URL ${problem}`, refused: true };
    const url = new URL(text);
    const control = new AbortController();
    const timer = setTimeout(() => control.abort(), this.#timeoutMs);
    try {
      const dispatcher: Dispatcher = isAllowedHost(url, allowHosts) ? this.#open : this.#guarded;
      const answer = await request(url, { dispatcher, method: 'POST', headers, body, signal: control.signal });
      result.status = answer.statusCode;
      result.retryAfter = first(answer.headers['retry-after']);
      result.body = await readStart(answer.body);
    } catch (error) {
      result.abandoned = this.#closed;
      const refused = error instanceof EgressRefused;
      result.refused = refused;
      result.error = control.signal.aborted ? `no answer within ${this.#timeoutMs / 1000} s` : reasonOf(error);
    } finally {
      clearTimeout(timer);
    }
    result.durationMs = Math.round(performance.now() - begun);
    return result;
  }

  /** Ends every connection. What is still under way fails. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all([this.#guarded.destroy(), this.#open.destroy()]);
  }
}

function first(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null;
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return (code === undefined ? '' : `${code}: `) + (message || 'the connection failed').slice(0, 300);
}

/** The first KiB of an answer. One that is longer, or slow to come, costs its connection. */
async function readStart(stream: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => stream.destroy(), bodyTimeoutMs);
  try {
    for await (const chunk of stream) {
      chunks.push(chunk as Buffer);
      length += (chunk as Buffer).length;
      if (length > longestBody) break;
    }
  } catch {
    // The status is the answer; a body that breaks off changes nothing about it.
  } finally {
    clearTimeout(timer);
    stream.on('error', () => {}).destroy();
  }
  const text = Buffer.concat(chunks).subarray(0, longestBody).toString('utf8');
  return text.replaceAll('\u0000', '').toWellFormed();
}
