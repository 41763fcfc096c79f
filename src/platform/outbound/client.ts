// The only place from which a request leaves this process.
import { LRUCache } from 'lru-cache';
import { Agent } from 'undici';
import { Exchange, type SendResult } from './exchange.js';
import { EgressRefused, egressProblem, guardedConnector, isAllowedHost, leadsToPrivate } from './guard.js';
import { type Asker, NameLookups } from './name-lookup.js';

export interface Reply {
  status: number;
  headers: Headers;
  body: unknown;
}

/** fetch() that says in words what stopped it: nothing listens there, or nothing answered in time. */
async function reach(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, init).catch((cause: unknown) => {
    const { name, cause: reason } = cause as { name?: string; cause?: { code?: string; message?: string } };
    const { origin } = new URL(url);
    if (name === 'AbortError') throw cause;
    const said: Record<string, string> = {
      ECONNREFUSED: `Nothing listens on ${origin}: start the server there, or name the address of one that runs (--url).`,
      ENOTFOUND: `There is no host ${new URL(url).hostname}.`,
    };
    const other = name === 'TimeoutError' ? 'no answer in time' : (reason?.message ?? reason?.code ?? 'the connection failed');
    throw new Error(said[reason?.code ?? ''] ?? `${origin} cannot be reached: ${other}.`, { cause });
  });
}

/** Sends JSON and reads the JSON answer; gives up after `timeoutMs`. */
export async function sendJson(
  url: string,
  { method, headers, body, timeoutMs = 10_000 }: { method: string; headers: Record<string, string>; body?: unknown; timeoutMs?: number },
): Promise<Reply> {
  const response = await reach(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

/** Opens a page and follows no redirect. Its text is let go of. */
export async function openPage(url: string, headers: Record<string, string>): Promise<Reply> {
  const response = await reach(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(10_000) });
  await response.arrayBuffer();
  return { status: response.status, headers: response.headers, body: undefined };
}

/** Sends a form, and reads the JSON answer. */
export async function sendForm(url: string, members: Record<string, string>): Promise<Reply> {
  const response = await reach(url, { method: 'POST', body: new URLSearchParams(members), signal: AbortSignal.timeout(10_000) });
  return { status: response.status, headers: response.headers, body: await response.json() };
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

/** POSTs JSON and reads the answer as server-sent events. Of an answer that is no stream, `text` is the body. */
export async function openEventStream(
  url: string,
  { headers, body, signal }: { headers: Record<string, string>; body: unknown; signal?: AbortSignal | undefined },
): Promise<{ status: number; isStream: boolean; text: () => Promise<string>; events: () => AsyncGenerator<StreamedEvent> }> {
  const response = await reach(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...headers },
    body: JSON.stringify(body),
    redirect: 'manual',
    signal: signal ?? null,
  });
  const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream') ?? false;
  return { status: response.status, isStream, text: () => response.text(), events: () => readEvents(response) };
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

export interface OutboundOptions {
  /** `host:port` pairs that are reached although their address is private, over http too. */
  allowHosts: readonly string[];
  /** From the call to the head of the answer. */
  timeoutMs?: number;
  /** `address:port` of the name servers that are asked for the names of tenants; those of the machine by default. */
  nameServers?: readonly string[] | undefined;
  /** The time in milliseconds. */
  now?: (() => number) | undefined;
}

/** Who sends, and what counts for whom. `mayBePrivate`: the allowed hosts count. */
export interface Sender {
  workspaceId: string;
  mayBePrivate: boolean;
}

const longestBody = 1_024;
/** Whether a name leads to a private address is not waited for longer. */
const checkMs = 1_000;
const pool = { pipelining: 1, connections: 256, keepAliveTimeout: 30_000, keepAliveMaxTimeout: 60_000, headersTimeout: 0, bodyTimeout: 0 };

interface Sending extends Sender {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body: string | Buffer | null;
  longest: number;
  timeoutMs: number;
}

/** Where a URL leads, or what is wrong with it. */
type AddressCheck = { problem: string } | { problem?: undefined; origin: string; path: string; dispatcher: Agent };

/** Sends to places that tenants name: kept-alive connections per origin, the egress guard inside, no redirect followed. */
export class Outbound {
  readonly #allowHosts: readonly string[];
  readonly #timeoutMs: number;
  readonly #names: NameLookups;
  readonly #guarded: Agent;
  readonly #open: Agent;
  /** A verdict about a URL follows from its text alone; addresses are judged where they are connected to. */
  readonly #verdicts = new LRUCache<string, AddressCheck>({
    max: 1_000,
    maxSize: 4 * 1024 * 1024,
    sizeCalculation: (_, url) => 1_024 + 4 * url.length,
  });
  /** For whom a request is being dispatched: undici connects, and so looks up, before `dispatch` returns. */
  #asker: Asker | undefined;
  #closed = false;

  constructor({ allowHosts, timeoutMs = 10_000, nameServers, now }: OutboundOptions) {
    this.#allowHosts = allowHosts;
    this.#timeoutMs = timeoutMs;
    this.#names = new NameLookups({ servers: nameServers, now });
    const find = (hostname: string) => this.#names.addressesOf(hostname, this.#asker ?? this.#nobody());
    this.#guarded = new Agent({ ...pool, connect: guardedConnector(timeoutMs, find) });
    this.#open = new Agent({ ...pool, connect: { timeout: timeoutMs } });
  }

  /** POSTs `body` as it is. Never throws: what went wrong is in the result. */
  post(text: string, request: Sender & { headers: Record<string, string>; body: string | Buffer }): Promise<SendResult> {
    return this.#send(text, { ...request, method: 'POST', longest: longestBody, timeoutMs: this.#timeoutMs }, this.#hostsOf(request));
  }

  /**
   * Sends a request of a protocol to a place that a tenant names, and reads its answer of at most `longest` bytes. `allowHosts` are reached
   * although their address is private, over http too.
   */
  exchange(
    text: string,
    { allowHosts, ...request }: Omit<Sending, 'mayBePrivate'> & { allowHosts: readonly string[] },
  ): Promise<SendResult> {
    return this.#send(text, request, allowHosts);
  }

  /** GETs a document of at most `longest` bytes, within `timeoutMs` and a second for its body. Otherwise like `post`. */
  get(text: string, request: Sender & { longest: number; timeoutMs: number }): Promise<SendResult> {
    return this.#send(text, { ...request, method: 'GET', headers: { Accept: 'application/json' }, body: null }, this.#hostsOf(request));
  }

  #hostsOf({ mayBePrivate }: Sender): readonly string[] {
    return mayBePrivate ? this.#allowHosts : [];
  }

  #send(
    text: string,
    { workspaceId, method, headers, body, longest, timeoutMs }: Omit<Sending, 'mayBePrivate'>,
    allowHosts: readonly string[],
  ): Promise<SendResult> {
    return new Promise((resolve) => {
      const exchange = new Exchange(timeoutMs, longest, () => this.#closed, resolve);
      const check = this.#judge(text, allowHosts);
      if (check.problem !== undefined) return exchange.fail(new EgressRefused(`the URL ${check.problem}`));
      this.#asker = {
        workspaceId,
        get signal() {
          return exchange.signal;
        },
      };
      try {
        check.dispatcher.dispatch({ origin: check.origin, path: check.path, method, headers, body }, exchange);
      } finally {
        this.#asker = undefined;
      }
    });
  }

  /** Where a connection is made anew for whoever waits. */
  #nobody(): Asker {
    return { workspaceId: '', signal: AbortSignal.timeout(this.#timeoutMs) };
  }

  /** True when a name leads to nothing but private addresses, as far as name servers say within a second. */
  leadsToPrivate(hostname: string, workspaceId: string): Promise<boolean> {
    const signal = AbortSignal.timeout(checkMs);
    return leadsToPrivate(hostname, (name) => this.#names.addressesOf(name, { workspaceId, signal }));
  }

  #judge(text: string, allowHosts: readonly string[]): AddressCheck {
    const key = `${allowHosts.join()} ${text}`;
    let check = this.#verdicts.get(key);
    if (check === undefined) {
      const problem = egressProblem(text, allowHosts);
      check = problem === undefined ? this.#lead(new URL(text), allowHosts) : { problem };
      this.#verdicts.set(key, check);
    }
    return check;
  }

  #lead(url: URL, allowHosts: readonly string[]): AddressCheck {
    const dispatcher = isAllowedHost(url, allowHosts) ? this.#open : this.#guarded;
    return { origin: url.origin, path: url.pathname + url.search, dispatcher };
  }

  /** Ends every connection. What is still under way fails. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#names.close();
    await Promise.all([this.#guarded.destroy(), this.#open.destroy()]);
  }
}
