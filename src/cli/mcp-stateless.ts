// The messages of `cli mcp` that name their revision in themselves: each is one request, whose answer is JSON or a stream. There is no session
// to keep. While the server is away, what can have no second effect is asked again: a call that has a key, and what is no call.
import { setTimeout as wait } from 'node:timers/promises';
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { openEventStream } from '../platform/outbound/client.js';

export interface StatelessOptions {
  url: string;
  key: string;
  send: (message: JSONRPCMessage) => Promise<void>;
}

type Message = Record<string, unknown>;

/** How long a call is tried while the server is away. A stream is opened again for ever. */
const patienceMs = 30_000;
const longestPauseMs = 4_000;
const listens = 'subscriptions/listen';
const acknowledged = 'notifications/subscriptions/acknowledged';

/** The server could not be reached, or was cut off. */
class Away extends Error {}

interface Flight {
  method: string;
  left: AbortController;
  /** The stream was acknowledged: the client is not told again. */
  isOpen: boolean;
}

export class StatelessLine {
  readonly #options: StatelessOptions;
  readonly #flights = new Map<string | number, Flight>();

  constructor(options: StatelessOptions) {
    this.#options = options;
  }

  /** True for a message that belongs here; what takes a request back is carried out: over HTTP its stream is closed. */
  takes(message: Message): boolean {
    if (message['method'] !== 'notifications/cancelled') return versionOf(message) !== undefined;
    const { requestId } = (message['params'] ?? {}) as { requestId?: string | number };
    const flight = this.#flights.get(requestId ?? '');
    flight?.left.abort();
    return flight !== undefined || versionOf(message) !== undefined;
  }

  /** Hands a message on, and its answer back. Never throws. */
  async forward(message: Message): Promise<void> {
    const { id } = message;
    // A notification has no meaning beyond the one that was carried out.
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const flight = { method: String(message['method']), left: new AbortController(), isOpen: false };
    this.#flights.set(id, flight);
    try {
      await this.#deliver(message as unknown as JSONRPCRequest, flight);
    } catch (error) {
      if (flight.left.signal.aborted) return;
      await this.#options.send({ jsonrpc: '2.0', id, error: { code: -32_000, message: (error as Error).message } });
    } finally {
      this.#flights.delete(id);
    }
  }

  /** Closes the streams: nothing more is wanted of them. With `all` whatever is under way. */
  close(all = false): void {
    for (const { method, left } of this.#flights.values()) if (all || method === listens) left.abort();
  }

  async #deliver(message: JSONRPCRequest, flight: Flight): Promise<void> {
    const ends = performance.now() + patienceMs;
    for (let pauseMs = 250; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
      try {
        return await this.#exchange(message, flight);
      } catch (error) {
        if (!(error instanceof Away)) throw error;
        const isOver = flight.method !== listens && performance.now() + pauseMs > ends;
        if (isOver || flight.left.signal.aborted) throw error;
        if (!mayRepeat(message, error)) throw new Error(unknownOutcome);
        await wait(pauseMs, undefined, { signal: flight.left.signal });
      }
    }
  }

  async #exchange(message: JSONRPCRequest, flight: Flight): Promise<void> {
    const { url, key } = this.#options;
    const headers = { Authorization: `Bearer ${key}`, Accept: 'application/json, text/event-stream', ...headersOf(message) };
    const away = (cause: unknown) => {
      throw new Away((cause as Error).message, { cause });
    };
    const { status, isStream, text, events } = await openEventStream(`${url}/mcp`, {
      headers,
      body: message,
      signal: flight.left.signal,
    }).catch(away);
    if (status >= 502 && status <= 504) throw new Away(`The server answered ${status}.`);
    if (!isStream) return this.#say({ ...readAnswer(await text().catch(away), status), id: message.id });
    try {
      for await (const { data } of events()) {
        const said = JSON.parse(data);
        if (said.method !== acknowledged || !flight.isOpen) await this.#say(said);
        flight.isOpen ||= said.method === acknowledged;
        if (said.id === message.id) return;
      }
    } catch (cause) {
      away(cause);
    }
    throw new Away('The server ended before it had answered.');
  }

  #say(message: object): Promise<void> {
    return this.#options.send(message as JSONRPCMessage);
  }
}

/** The answer as it came; where something else stands there than a platform, what was found. */
function readAnswer(text: string, status: number): object {
  try {
    const answer = JSON.parse(text) as Message;
    if (answer['jsonrpc'] === '2.0') return answer;
  } catch {
    // It was no JSON.
  }
  return { jsonrpc: '2.0', error: { code: -32_000, message: `The server answered ${status}: ${text.slice(0, 200)}` } };
}

/** True for what has no second effect: what is no call, a call that brings its name, and one that has not left. */
function mayRepeat({ method, params }: JSONRPCRequest, { cause }: Away): boolean {
  const { arguments: given } = (params ?? {}) as { arguments?: { idempotency_key?: unknown } };
  const reason = (cause as { cause?: { cause?: { code?: string } } } | undefined)?.cause?.cause?.code;
  return method !== 'tools/call' || typeof given?.idempotency_key === 'string' || reason === 'ECONNREFUSED';
}

const unknownOutcome =
  'The server was away, and nobody knows whether this call was made: look whether it was before you make it again, or give it an idempotency_key.';

/** The revision that a message names in itself, whatever it is; undefined where it belongs to a session. */
function versionOf({ params }: Message): unknown {
  return (params as { _meta?: Message } | undefined)?._meta?.['io.modelcontextprotocol/protocolVersion'];
}

/** What a request says of itself in its headers. */
function headersOf({ method, params }: JSONRPCRequest): Record<string, string> {
  const { name, uri } = (params ?? {}) as { name?: unknown; uri?: unknown };
  const version = versionOf({ params });
  const named = name ?? uri;
  return {
    ...(typeof version === 'string' && { 'MCP-Protocol-Version': headerText(version) }),
    'Mcp-Method': headerText(method),
    ...(typeof named === 'string' && { 'Mcp-Name': headerText(named) }),
  };
}

/** A text as a header has it: plain ASCII as it is, else as base64 of its UTF-8. */
function headerText(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?');
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
