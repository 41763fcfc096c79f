// One request to a URL that somebody else chose, from its dispatch to what became of it.
import type { Dispatcher } from 'undici';
import { EgressRefused } from './guard.js';

/** What became of a request to a URL that somebody else chose. */
export interface SendResult {
  /** Null when no answer came. */
  status: number | null;
  /** The answer, as text that PostgreSQL takes: the first KiB to a POST, as much as was asked for to a GET. */
  body: string;
  /** There was more of it, or it broke off. */
  isCut: boolean;
  /** The answer's Retry-After and Content-Type as they came. */
  retryAfter: string | null;
  contentType: string | null;
  /** Why no answer came. */
  error: string | null;
  /** Refused by the egress guard: nothing was sent. */
  refused: boolean;
  /** This process let go of its connections meanwhile: nobody knows what became of it. */
  abandoned: boolean;
  durationMs: number;
}

/** Reading an answer whose status is known takes no longer. */
const bodyTimeoutMs = 1_000;

/** One request under way, as undici tells of it: there is no stream of the answer, for what comes after its first bytes is of no interest. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly result: SendResult = {
    status: null,
    body: '',
    isCut: false,
    retryAfter: null,
    contentType: null,
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
  #ending: AbortController | undefined;

  constructor(timeoutMs: number, longest: number, isClosed: () => boolean, settle: (result: SendResult) => void) {
    this.#isClosed = isClosed;
    this.#settle = settle;
    this.#longest = longest;
    this.#timer = setTimeout(() => this.fail(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
  }

  /** Aborted when the exchange ends. */
  get signal(): AbortSignal {
    this.#ending ??= new AbortController();
    return this.#ending.signal;
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
    this.result.contentType = first(headers['content-type']);
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
    this.result.error = failureText(error);
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
    this.#ending?.abort();
    this.#settle(this.result);
  }
}

function first(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null;
}

function failureText(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return (code === undefined ? '' : `${code}: `) + (message || 'the connection failed').slice(0, 300);
}

/** The first bytes, as text that PostgreSQL takes. */
function startOf(chunks: readonly Buffer[], longest: number): string {
  const text = Buffer.concat(chunks).subarray(0, longest).toString('utf8');
  return text.replaceAll('\u0000', '').toWellFormed();
}
