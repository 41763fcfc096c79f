// The only place from which a request leaves this process.
import { LRUCache } from 'lru-cache';
import { Agent, type Dispatcher } from 'undici';
import { EgressRefused, egressProblem, guardedConnector, isAllowedHost, leadsToPrivate, type Resolver } from './guard.js';

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

/** fetch() that reads the event stream of an answer whole, so that one that is cut off is a failure like any other. */
export const fetchWhole: typeof fetch = async (url, init) => {
  const response = await fetch(url, init);
  const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream');
  if (init?.method !== 'POST' || !isStream) return response;
  const text = await response.text();
  if (!text.includes('data:')) throw new TypeError('The server ended before it had answered.');
  return new Response(text, response);
};

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

/** What became of a request to a URL that somebody else chose. */
export interface SendResult {
  /** Null when no answer came. */
  status: number | null;
  /** The answer, as text that PostgreSQL takes: the first KiB to a POST, as much as was asked for to a GET. */
  body: string;
  /** There was more of it, or it broke off. */
  isCut: boolean;
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
  /** The machine's own by default. */
  resolver?: Resolver;
}

const longestBody = 1_024;
/** Reading an answer whose status is known takes no longer. */
const bodyTimeoutMs = 1_000;
const pool = { pipelining: 1, connections: 256, keepAliveTimeout: 30_000, keepAliveMaxTimeout: 60_000, headersTimeout: 0, bodyTimeout: 0 };

/** One request under way, as undici tells of it: there is no stream of the answer, for what comes after its first bytes is of no interest. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly result: SendResult = {
    status: null,
    body: '',
    isCut: false,
    retryAfter: null,
    error: null,
    refused: false,
    abandoned: false,
    durationMs: 0,
  };
  readonly #begun = performance.now();
  readonly #isClosed: () => boolean;
  readonly #settle: (result: SendResult) => void;
  readonly #longest: number;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #ended = false;

  constructor(timeoutMs: number, longest: number, isClosed: () => boolean, settle: (result: SendResult) => void) {
    this.#isClosed = isClosed;
    this.#settle = settle;
    this.#longest = longest;
    this.#timer = setTimeout(() => this.fail(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Given up before there was a connection.
    if (this.#ended) controller.abort(new Error('given up'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // Those below are information, the answer follows.
    if (status < 200) return;
    this.result.status = status;
    this.result.retryAfter = first(headers['retry-after']);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#stop(), bodyTimeoutMs);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length > this.#longest) this.#stop();
  }

  onResponseEnd(): void {
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // The status is the answer; a body that breaks off changes nothing about it.
    if (this.result.status === null) this.fail(error);
    else this.#stop();
  }

  /** Ends it without an answer. */
  fail(error: Error): void {
    if (this.#ended) return;
    this.result.refused = error instanceof EgressRefused;
    this.result.error = reasonOf(error);
    this.result.abandoned = this.#isClosed();
    this.#cut();
  }

  /** Ends it with a part of the answer. */
  #stop(): void {
    if (!this.#ended) this.result.isCut = true;
    this.#cut();
  }

  /** An answer that is longer than what is read, or slow to come, costs its connection. */
  #cut(): void {
    this.#end();
    this.#controller?.abort(new Error('given up'));
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    if (this.#length > 0) this.result.body = startOf(this.#chunks, this.#longest);
    this.result.durationMs = Math.round(performance.now() - this.#begun);
    this.#settle(this.result);
  }
}

/** Where a URL leads, or what is wrong with it. */
type Verdict = { problem: string } | { problem?: undefined; origin: string; path: string; dispatcher: Agent };

/** Sends to places that tenants name: kept-alive connections per origin, the egress guard inside, no redirect followed. */
export class Outbound {
  readonly #allowHosts: readonly string[];
  readonly #timeoutMs: number;
  readonly #resolver: Resolver | undefined;
  readonly #guarded: Agent;
  readonly #open: Agent;
  /** A verdict about a URL follows from its text alone; addresses are judged where they are connected to. */
  readonly #verdicts = new LRUCache<string, Verdict>({
    max: 1_000,
    maxSize: 4 * 1024 * 1024,
    sizeCalculation: (_, url) => 1_024 + 4 * url.length,
  });
  #closed = false;

  constructor({ allowHosts, timeoutMs = 10_000, resolver }: OutboundOptions) {
    this.#allowHosts = allowHosts;
    this.#timeoutMs = timeoutMs;
    this.#resolver = resolver;
    this.#guarded = new Agent({ ...pool, connect: guardedConnector(timeoutMs, resolver) });
    this.#open = new Agent({ ...pool, connect: { timeout: timeoutMs } });
  }

  /**
   * POSTs `body` as it is. `mayBePrivate`: the allowed hosts count. Never throws: what went wrong is in the
   * result.
   */
  post(
    text: string,
    { headers, body, mayBePrivate }: { headers: Record<string, string>; body: string | Buffer; mayBePrivate: boolean },
  ): Promise<SendResult> {
    return this.#send(text, { method: 'POST', headers, body }, mayBePrivate, { longest: longestBody, timeoutMs: this.#timeoutMs });
  }

  /** GETs a document of at most `longest` bytes, within `timeoutMs` and a second for its body. Otherwise like `post`. */
  get(text: string, { mayBePrivate, ...limits }: { mayBePrivate: boolean; longest: number; timeoutMs: number }): Promise<SendResult> {
    return this.#send(text, { method: 'GET', headers: { Accept: 'application/json' }, body: null }, mayBePrivate, limits);
  }

  #send(
    text: string,
    request: { method: 'GET' | 'POST'; headers: Record<string, string>; body: string | Buffer | null },
    mayBePrivate: boolean,
    { longest, timeoutMs }: { longest: number; timeoutMs: number },
  ): Promise<SendResult> {
    return new Promise((resolve) => {
      const exchange = new Exchange(timeoutMs, longest, () => this.#closed, resolve);
      const verdict = this.#judge(text, mayBePrivate);
      if (verdict.problem !== undefined) exchange.fail(new EgressRefused(`the URL ${verdict.problem}`));
      else verdict.dispatcher.dispatch({ origin: verdict.origin, path: verdict.path, ...request }, exchange);
    });
  }

  /** True when a name leads to nothing but private addresses, as far as the resolver knows now. */
  leadsToPrivate(hostname: string): Promise<boolean> {
    return leadsToPrivate(hostname, this.#resolver);
  }

  #judge(text: string, mayBePrivate: boolean): Verdict {
    const key = `${mayBePrivate} ${text}`;
    let verdict = this.#verdicts.get(key);
    if (verdict === undefined) {
      const allowHosts = mayBePrivate ? this.#allowHosts : [];
      const problem = egressProblem(text, allowHosts);
      verdict = problem === undefined ? this.#lead(new URL(text), allowHosts) : { problem };
      this.#verdicts.set(key, verdict);
    }
    return verdict;
  }

  #lead(url: URL, allowHosts: readonly string[]): Verdict {
    const dispatcher = isAllowedHost(url, allowHosts) ? this.#open : this.#guarded;
    return { origin: url.origin, path: url.pathname + url.search, dispatcher };
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

/** The first bytes, as text that PostgreSQL takes. */
function startOf(chunks: readonly Buffer[], longest: number): string {
  const text = Buffer.concat(chunks).subarray(0, longest).toString('utf8');
  return text.replaceAll('\u0000', '').toWellFormed();
}
