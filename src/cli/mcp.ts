// MCP over standard input and output, for programs that start their servers themselves: each message is handed to /mcp of a running
// server, so there is one set of tools. A server that is away or was started again is asked again, and pays once. Messages of both eras of the
// protocol may come; those that name their revision in themselves need no session (mcp-stateless.ts).
import { setTimeout as wait } from 'node:timers/promises';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { isInitializeRequest, isJSONRPCRequest, type JSONRPCMessage, type JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { fetchWhole } from '../platform/outbound/client.js';
import { StatelessLine } from './mcp-stateless.js';

export interface ProxyOptions {
  /** The listener of the platform: sandbox or production, as the key. */
  url: string;
  /** An agent token, a session or an API key. */
  key: string;
  /** Where what goes wrong is said: standard output belongs to the protocol. */
  warn: (text: string) => void;
  signal: AbortSignal;
}

/** How long a message is tried while the server is away. */
const patienceMs = 30_000;
const longestPauseMs = 4_000;
/** Names the request by which a session is begun again; no client counts so. */
const renewalId = 'agent-payments:renewal';

/** Speaks for the server until standard input ends or `signal` aborts. */
export async function proxyMcp(options: ProxyOptions): Promise<void> {
  const proxy = new McpProxy(options);
  await proxy.start();
  await new Promise<void>((resolve) => {
    // What has been asked is answered before the command ends.
    process.stdin.once('end', () => void proxy.settle().then(resolve));
    options.signal.addEventListener('abort', () => resolve());
    // Whoever has started this has left.
    process.stdout.on('error', () => resolve());
  });
  await proxy.close();
}

class McpProxy {
  readonly #options: ProxyOptions;
  readonly #client = new StdioServerTransport();
  readonly #left = new AbortController();
  readonly #stateless: StatelessLine;
  #server: StreamableHTTPClientTransport;
  /** What the client has begun with; said again when the session is over. */
  #first: JSONRPCRequest | undefined;
  /** Resolves when it was answered: what comes after it needs its session. */
  #ready: Promise<void> = Promise.resolve();
  readonly #underWay = new Set<Promise<void>>();
  #renewal: Promise<void> | undefined;

  constructor(options: ProxyOptions) {
    this.#options = options;
    this.#server = this.#connect();
    this.#stateless = new StatelessLine({ ...options, send: (message) => this.#client.send(message) });
  }

  async start(): Promise<void> {
    this.#client.onmessage = (message) => this.#take(message);
    this.#client.onerror = (error) => this.#options.warn(error.message);
    await this.#server.start();
    await this.#client.start();
  }

  /** Resolves when everything that was taken is answered, but for streams, which have no end. */
  async settle(): Promise<void> {
    this.#stateless.close();
    await Promise.all(this.#underWay);
  }

  async close(): Promise<void> {
    this.#left.abort();
    this.#stateless.close(true);
    await this.#client.close();
    await this.#server.close();
  }

  #connect(): StreamableHTTPClientTransport {
    const { url, key } = this.#options;
    const server = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${key}` } },
      fetch: fetchWhole,
      reconnectionOptions: {
        initialReconnectionDelay: 500,
        maxReconnectionDelay: 10_000,
        reconnectionDelayGrowFactor: 1.5,
        maxRetries: Number.POSITIVE_INFINITY,
      },
    });
    server.onmessage = (message) => void this.#answer(server, message);
    return server;
  }

  async #answer(server: StreamableHTTPClientTransport, message: JSONRPCMessage): Promise<void> {
    const { id, result } = message as { id?: string | number; result?: { protocolVersion?: unknown } };
    const isFirst = id !== undefined && (id === renewalId || id === this.#first?.id);
    if (isFirst && typeof result?.protocolVersion === 'string') server.setProtocolVersion(result.protocolVersion);
    if (id !== renewalId) await this.#client.send(message);
  }

  /** Hands messages on at once, but none before the session has begun. */
  #take(message: JSONRPCMessage): void {
    const forwarded = this.#stateless.takes(message) ? this.#stateless.forward(message) : this.#inSession(message);
    this.#underWay.add(forwarded);
    void forwarded.finally(() => this.#underWay.delete(forwarded));
  }

  #inSession(message: JSONRPCMessage): Promise<void> {
    const isFirst = isInitializeRequest(message);
    if (isFirst) this.#first = message as JSONRPCRequest;
    const forwarded = isFirst ? this.#forward(message) : this.#ready.then(() => this.#forward(message));
    if (isFirst) this.#ready = forwarded;
    return forwarded;
  }

  /** Hands a message to the server. A request that it does not take is answered with an error. */
  async #forward(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#deliver(message);
    } catch (error) {
      if (this.#left.signal.aborted) return;
      const reason = rpcErrorOf(error);
      if (!isJSONRPCRequest(message)) return this.#options.warn(reason.message);
      await this.#client.send({ jsonrpc: '2.0', id: message.id, error: reason });
    }
  }

  /** Tries until the server has answered. The session and the id of a request name its effect, so trying again has no second one. */
  async #deliver(message: JSONRPCMessage): Promise<void> {
    let ends: number | undefined;
    let isRenewed = false;
    for (let pauseMs = 250; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
      const server = this.#server;
      try {
        return await server.send(message);
      } catch (error) {
        const status = error instanceof StreamableHTTPError ? error.code : undefined;
        if (status === 404 && !isInitializeRequest(message) && !isRenewed) {
          // In another session it would be another call.
          if (ends !== undefined && isToolCall(message)) throw new Error(unknownOutcome);
          isRenewed = true;
          await this.#renew(server);
          continue;
        }
        const isAway = status === undefined || (status >= 502 && status <= 504);
        ends ??= performance.now() + patienceMs;
        if (!isAway || this.#left.signal.aborted || performance.now() + pauseMs > ends) throw error;
        await wait(pauseMs, undefined, { signal: this.#left.signal });
      }
    }
  }

  /** Begins a session again after one that is over: once, for all who found it so. */
  async #renew(old: StreamableHTTPClientTransport): Promise<void> {
    if (old !== this.#server) return;
    this.#renewal ??= this.#begin().finally(() => {
      this.#renewal = undefined;
    });
    await this.#renewal;
  }

  async #begin(): Promise<void> {
    if (this.#first === undefined) throw new Error('The server knows no session: initialize first.');
    const server = this.#connect();
    await server.start();
    await server.send({ ...this.#first, id: renewalId });
    await server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const old = this.#server;
    this.#server = server;
    await old.close();
  }
}

const isToolCall = (message: JSONRPCMessage): boolean => (message as { method?: string }).method === 'tools/call';

const unknownOutcome =
  'The session ended while the server was away, and nobody knows whether this call was made: look whether it was before you make it again.';

/** What the server said of a refusal; else why it could not be reached. */
function rpcErrorOf(error: unknown): { code: number; message: string; data?: unknown } {
  const { message, cause } = error as Error & { cause?: { code?: string } };
  const body = /\{.*\}/s.exec(message)?.[0];
  try {
    const { error: told } = JSON.parse(body ?? '') as { error?: { code?: unknown; message?: unknown; data?: unknown } };
    if (typeof told?.code === 'number' && typeof told.message === 'string') return { ...told, code: told.code, message: told.message };
  } catch {
    // It was no error of ours.
  }
  return { code: -32_000, message: cause?.code === undefined ? message : `The server could not be reached: ${cause.code}.` };
}
