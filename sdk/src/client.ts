// The client: every operation of openapi.json as a typed call, and what all calls share: credential, Idempotency-Key, retries, errors.
import createFetchClient from 'openapi-fetch';
import type { Call, CallOptions, List } from './call.js';
import { type ChannelEvent, type ChannelOptions, eachEvent } from './channel.js';
import { type Credential, type Fetch, fixed, SignIn } from './credential.js';
import { NetworkError, refusalOf } from './error.js';
import type { paths } from './generated/api.js';
import { keyExceptions } from './generated/key-exception.js';
import { eachItem } from './page.js';
import { isRepeatable, isStream, type Patience, send } from './send.js';

export interface ClientOptions extends Partial<Patience> {
  /** Where the platform listens, such as http://localhost:4001. */
  baseUrl: string;
  /** Who asks. Without one only public operations answer. */
  credential?: Credential;
  /** Sends the requests; by default the fetch of where this runs. */
  fetch?: Fetch;
}

export interface Client {
  readonly baseUrl: string;
  /** The agent that it signs in as; undefined for any other credential. */
  readonly agentId: string | undefined;
  GET: Call<'get'>;
  POST: Call<'post'>;
  PUT: Call<'put'>;
  PATCH: Call<'patch'>;
  DELETE: Call<'delete'>;
  /** Every item of a list, page after page. A query with `page` walks by number, any other by cursor. */
  list: List;
  /** What happens to an agent, as it happens, for its own session. */
  channel(options?: ChannelOptions): AsyncIterable<ChannelEvent>;
  /**
   * Sends any request to the platform, such as a GraphQL one, with credential and retries. Gives the answer as it is, also a refusal. An
   * Idempotency-Key is the caller's to add.
   */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];
interface ListInit extends CallOptions {
  params?: { query?: Record<string, unknown>; path?: Record<string, unknown> };
}

/** Makes a client. It opens nothing before the first call. */
export function createClient({
  baseUrl: url,
  credential,
  fetch = (request) => globalThis.fetch(request),
  timeoutMs = 30_000,
  retryForMs = 90_000,
}: ClientOptions): Client {
  const baseUrl = String(url).replace(/\/+$/, '');
  if (!/^(https?:\/\/|\/|$)/i.test(baseUrl)) throw new TypeError(`baseUrl is no address such as http://localhost:4001: ${baseUrl}`);
  const way = { fetch, timeoutMs, retryForMs };
  const sendOnce = (request: Request) => send(request, { ...way, bearer: fixed(undefined), retryForMs: 0 });
  const bearer = typeof credential === 'object' ? new SignIn(credential, baseUrl, sendOnce) : fixed(credential);
  const sendAny = (request: Request) => send(request, { ...way, bearer });
  // A channel waits for as long as it is told.
  const sendLong = (request: Request) => send(request, { ...way, bearer, retryForMs: Number.POSITIVE_INFINITY });
  // A change that is redirected would arrive as a request that reads.
  const typed = createFetchClient<paths>({
    baseUrl,
    fetch: async (request) => readable(request, await sendAny(request)),
    redirect: 'manual',
  });

  /** What every typed call comes down to; its types are checked where it is called. */
  async function call(method: Method, path: string, { idempotencyKey, headers, ...init }: ListInit = {}): Promise<unknown> {
    checkParts(init.params?.path);
    const isKeyed = (method !== 'GET') !== keyExceptions.includes(`${method} ${path}`);
    const all = { ...(isKeyed && { 'Idempotency-Key': idempotencyKey ?? crypto.randomUUID() }), ...headers };
    const request = typed.request as (
      method: string,
      path: string,
      init: object,
    ) => Promise<{ data?: unknown; error?: unknown; response: Response }>;
    const { data, error, response } = await request(method.toLowerCase(), path, { ...init, headers: all });
    if (!response.ok) throw refusalOf(response.status, error, response.headers.get('X-Request-Id') ?? undefined, all['Idempotency-Key']);
    return data;
  }

  const calls = Object.fromEntries(methods.map((method) => [method, (path: string, init?: CallOptions) => call(method, path, init)]));
  return {
    baseUrl,
    agentId: bearer.agentId,
    ...(calls as unknown as Pick<Client, Method>),
    list: ((path: string, init: ListInit = {}) =>
      eachItem({ ...init.params?.query }, (query) => call('GET', path, { ...init, params: { ...init.params, query } }))) as List,
    channel: (options = {}) => eachEvent(connector(sendLong, baseUrl, options.agentId ?? bearer.agentId), options),
    fetch: async (path, init) => {
      // Anything else could be read as a part of the host, which then gets the credential.
      if (!path.startsWith('/')) throw new TypeError(`The path ${path} does not begin with /.`);
      return sendAny(new Request(`${baseUrl}${path}`, init));
    },
  };
}

/** A part of a path such as `..` would make it another path: an id of somebody else's making would choose the operation. */
function checkParts(path: Record<string, unknown> = {}): void {
  for (const [name, part] of Object.entries(path))
    if (['', '.', '..'].includes(String(part))) throw new TypeError(`The parameter ${name} is no part of a path: "${part}".`);
}

/** An answer to a typed call, which is JSON where there is one: anything else is no answer of the platform. */
async function readable(request: Request, response: Response): Promise<Response> {
  if (response.ok && response.status !== 204 && !isStream(response))
    if (!response.headers.get('Content-Type')?.includes('ndjson'))
      // JSON lines are the caller's to read: `parseAs: 'stream'`.
      await response
        .clone()
        .json()
        .catch((cause: unknown) => {
          throw new NetworkError(request, isRepeatable(request), cause);
        });
  return response;
}

function connector(sendLong: Fetch, baseUrl: string, agentId: string | undefined) {
  if (agentId === undefined) throw new TypeError('Say which agent: channel({ agentId }).');
  return async (lastEventId: string | undefined, signal: AbortSignal): Promise<Response> => {
    const headers = { Accept: 'text/event-stream', ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }) };
    const request = new Request(`${baseUrl}/v1/agents/${encodeURIComponent(agentId)}/connect`, { headers, signal });
    const response = await sendLong(request);
    if (response.ok && !isStream(response)) throw new NetworkError(request, true, 'an answer that is no stream');
    if (response.ok) return response;
    const body: unknown = await response.json().catch(() => undefined);
    throw refusalOf(response.status, body, response.headers.get('X-Request-Id') ?? undefined);
  };
}
