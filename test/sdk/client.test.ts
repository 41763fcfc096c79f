// The client of the SDK: typed calls with their keys, retries that follow what the platform says, errors, and lists.
import { ApiError, InsufficientScope, NetworkError } from '@agent-payments/sdk';
import { beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import { type Json, nowhere, openWallet, useHarness } from '../harness.js';
import { StandIn } from './stand-in.js';
import { collectGarbage, Wire } from './wire.js';

const h = useHarness();
let wire: Wire;
let [from, to]: Json[] = [];
const client = (options: object = {}) => wire.client(h.test.url, h.test.key, options);
const payment = (amount: string, extra: { reference?: string; description?: string } = {}) =>
  ({ type: 'internal', from_wallet_id: from.id, to_wallet_id: to.id, amount, currency: 'USD', ...extra }) as const;
const keysOf = () => new Set(wire.attempts.map(({ key }) => key));

beforeAll(async () => {
  const payer = await openWallet(h.test, { funded: '1000.00' });
  const payee = await openWallet(h.test);
  [from, to] = [payer.wallet, payee.wallet];
});
beforeEach(() => {
  wire = new Wire();
});

describe('a call', () => {
  it('pays, and answers what the operation has done', async () => {
    const { data: transfer, approval } = await client().POST('/v1/transfers', { body: payment('10.00') });
    expect(transfer).toMatchObject({ status: 'completed', amount: '10.00', from_wallet_id: from.id });
    expect(approval).toBeUndefined();
    expectTypeOf(transfer.status).toEqualTypeOf<'pending' | 'processing' | 'completed' | 'failed' | 'cancelled'>();
    const { data: read } = await client().GET('/v1/transfers/{id}', { params: { path: { id: transfer.id } } });
    expect(read.id).toBe(transfer.id);
  });

  it('of a dry run answers what would be', async () => {
    const { data } = await client().POST('/v1/transfers', {
      body: { type: 'internal', from_wallet_id: from.id, to_wallet_id: to.id, amount: '10.00', currency: 'USD' },
      params: { query: { dry_run: true } },
    });
    expectTypeOf(data.would_post).toBeArray();
    expect(data.would_post.length).toBe(2);
    expect(data).not.toHaveProperty('id');
  });

  it('takes no path, member or parameter that the API has not', () => {
    const sdk = client();
    // @ts-expect-error there is no such path
    const path = () => sdk.GET('/v1/transfer');
    // @ts-expect-error misspelt
    const member = () => sdk.POST('/v1/accounts', { body: { type: 'business', nam: 'Acme' } });
    // @ts-expect-error the id is missing
    const parameter = () => sdk.GET('/v1/transfers/{id}');
    expect([path, member, parameter]).toHaveLength(3);
  });

  it('asks for nothing but its operation, whatever an id is', async () => {
    for (const id of ['..', '.', ''])
      await expect(client().GET('/v1/streams/{id}/transfers', { params: { path: { id } } })).rejects.toThrow('no part of a path');
    await expect(client().GET('/v1/streams/{id}/transfers', { params: { path: { id: '../..' } } })).rejects.toMatchObject({ status: 404 });
    await expect(client().fetch('.example.com/v1/accounts')).rejects.toThrow('does not begin with /');
    expect(wire.attempts.map(({ path }) => path)).toEqual(['/v1/streams/..%2F../transfers']);
  });

  it('needs an address: what is none is said at once', () => {
    for (const none of ['localhost:4001', 'ftp://localhost', undefined as unknown as string])
      expect(() => wire.client(none)).toThrow('is no address such as http://localhost:4001');
  });

  it('has an Idempotency-Key of its own where it changes something, or the given one', async () => {
    const sdk = client();
    const body = { type: 'business', name: 'Acme' } as const;
    await sdk.POST('/v1/accounts', { body });
    await sdk.POST('/v1/accounts', { body });
    await sdk.GET('/v1/accounts');
    expect(keysOf().size).toBe(3);
    expect(wire.attempts[2]?.key).toBeNull();
    const first = await sdk.POST('/v1/accounts', { body, idempotencyKey: 'order-1' });
    const again = await sdk.POST('/v1/accounts', { body, idempotencyKey: 'order-1' });
    expect(again.data.id).toBe(first.data.id);
  });
});

describe('a failure of the network', () => {
  it('is followed by the same request with the same key: it takes effect once', async () => {
    wire.fates = ['lost', 'refused', 'lost'];
    const reference = 'paid-once';
    const { data } = await client().POST('/v1/transfers', { body: payment('1.00', { reference }) });
    expect(wire.attempts).toHaveLength(4);
    expect(keysOf().size).toBe(1);
    const { body } = await h.test.get(`/v1/transfers?reference=${reference}`);
    expect(body.data.map(({ id }: Json) => id)).toEqual([data.id]);
  });

  it('is an error with the key where time is over, and where sending again is not safe', async () => {
    wire.fates = ['refused'];
    const error = await client({ retryForMs: 0 })
      .POST('/v1/accounts', { body: { type: 'person', name: 'Ada' } })
      .catch((e) => e);
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ isSafe: true, idempotencyKey: wire.attempts[0]?.key });
    wire.fates = ['lost'];
    const unkeyed = client().POST('/v1/auth/session', { body: { api_key: h.test.key } });
    await expect(unkeyed).rejects.toMatchObject({ name: 'NetworkError', isSafe: false });
    expect(wire.attempts).toHaveLength(2);
  });

  it('is also an attempt that takes too long, and the end of an answer that never comes', async () => {
    wire.fates = [() => new Response(new ReadableStream({ start: (body) => body.error(new Error('cut off')) }))];
    await client().GET('/v1/accounts');
    expect(wire.attempts.map(({ status }) => status)).toEqual([undefined, 200]);
    const slow = {
      fetch: (request: Request) =>
        new Promise<Response>((_, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason))),
    };
    await expect(client({ ...slow, timeoutMs: 20, retryForMs: 0 }).GET('/v1/accounts')).rejects.toThrow(NetworkError);
    const stopped = client(slow).GET('/v1/accounts', { signal: AbortSignal.timeout(20) });
    await expect(stopped).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

describe('a request that is not answered', () => {
  it.each(['an abort', 'a time limit'])('is ended by %s, also when memory was tidied up meanwhile', async (by) => {
    const silent = await new StandIn(() => {}).start();
    try {
      const stop = new AbortController();
      const own = { baseUrl: silent.url, fetch: (request: Request) => fetch(request) };
      const sdk = client({ ...own, ...(by === 'a time limit' && { timeoutMs: 400, retryForMs: 0 }) });
      const call = sdk.GET('/v1/accounts', { signal: stop.signal }).catch((error) => error.name);
      await silent.called;
      await collectGarbage();
      if (by === 'an abort') stop.abort();
      expect(await call).toBe(by === 'an abort' ? 'AbortError' : 'NetworkError');
    } finally {
      silent.stop();
    }
  });

  it('is waited for as long as the caller says, also without end', async () => {
    expect((await client({ timeoutMs: Number.POSITIVE_INFINITY }).GET('/v1/accounts')).data).toEqual(expect.any(Array));
    expect(wire.attempts).toHaveLength(1);
  });
});

describe('an answer that is none of the platform', () => {
  const page = () => new Response('<html>Welcome</html>', { headers: { 'Content-Type': 'text/html' } });

  it.each<[string, () => Response]>([
    ['a page', page],
    ['nothing', () => new Response(null)],
    ['half of one', () => new Response('{"data": {"id": "01', { headers: { 'Content-Type': 'application/json' } })],
  ])('is an error with the key, where it is %s', async (_, fate) => {
    wire.fates = [fate];
    const error = await client()
      .POST('/v1/accounts', { body: { type: 'person', name: 'Ada' } })
      .catch((e) => e);
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ isSafe: true, idempotencyKey: wire.attempts[0]?.key });
    wire.fates = [fate];
    await expect(client().list('/v1/accounts')[Symbol.asyncIterator]().next()).rejects.toThrow(NetworkError);
  });

  it('is an error with the key where a gateway gives up: nobody knows what came of the request', async () => {
    wire.fates = [() => new Response('<html>', { status: 504 })];
    const error = await client()
      .POST('/v1/accounts', { body: { type: 'person', name: 'Ada' } })
      .catch((e) => e);
    expect(error).toMatchObject({ name: 'ApiError', status: 504, code: 'unknown', idempotencyKey: wire.attempts[0]?.key });
  });

  it('is an error where a change is redirected: it would arrive as a request that reads', async () => {
    const other = await new StandIn(({ method }, response) =>
      method === 'POST' ? response.writeHead(302, { Location: '/v1/accounts' }).end() : response.end('{"data": []}'),
    ).start();
    wire = new Wire({ checks: false });
    try {
      const call = client({ baseUrl: other.url }).POST('/v1/accounts', { body: { type: 'person', name: 'Ada' } });
      await expect(call).rejects.toMatchObject({ name: 'ApiError', status: 302, message: expect.stringContaining('redirected') });
    } finally {
      other.stop();
    }
  });
});

describe('an answer that asks for the same request again', () => {
  const says =
    (status: number, body: object | null, headers: Record<string, string> = {}) =>
    () =>
      new Response(body && JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });
  const retry = (details: object) => ({ error: 'Later.', code: 'overloaded', details: { retry: details }, request_id: 'req_1' });
  const soon = { safe: true, same_key: true, after_s: 0.01 };

  it('gets it, by details.retry and by Retry-After', async () => {
    wire.fates = [
      says(503, retry(soon)),
      says(429, { error: 'rate_limit_exceeded', retry_after: 0 }, { 'Retry-After': '0' }),
      says(502, null, { 'Retry-After': '0' }),
    ];
    await client().POST('/v1/accounts', { body: { type: 'person', name: 'Ada' } });
    expect(wire.attempts).toHaveLength(4);
    expect(keysOf().size).toBe(1);
  });

  it.each<[string, () => Response]>([
    ['a time that is over', says(503, retry({ ...soon, after_s: -5 }))],
    ['no time', says(503, retry({ ...soon, after_s: 0 }))],
    ['a date that is past', says(503, null, { 'Retry-After': new Date(0).toUTCString() })],
  ])('gets it ever more slowly where it says %s', async (_, fate) => {
    wire.decide = () => fate;
    const call = client({ retryForMs: 1000 }).POST('/v1/accounts', { body: { type: 'person', name: 'Ada' } });
    await expect(call).rejects.toMatchObject({ status: 503 });
    expect(wire.attempts.length).toBeGreaterThan(2);
    expect(wire.attempts.length).toBeLessThan(8);
  });

  it.each<[string, () => Response]>([
    ['says that it is not safe', says(503, retry({ safe: false }), { 'Retry-After': '0' })],
    ['wants another request', says(422, retry({ safe: true, same_key: false }), { 'Retry-After': '0' })],
    ['does not say when', says(503, retry({ safe: true, same_key: true }))],
    ['says a time that is too long', says(403, retry({ ...soon, after_s: 3600 }))],
    ['says nothing of it', says(500, { error: 'Oh.', code: 'internal_error', request_id: 'req_1' })],
  ])('gets none where it %s', async (_, fate) => {
    wire.fates = [fate];
    await expect(client().POST('/v1/accounts', { body: { type: 'person', name: 'Ada' } })).rejects.toThrow(ApiError);
    expect(wire.attempts).toHaveLength(1);
  });
});

describe('a refusal', () => {
  it('for a missing scope names it', async () => {
    const { key } = await h.test.make('/v1/api-keys', { name: 'Reader', scopes: ['wallets:read'] });
    const refused = await wire
      .client(h.test.url, key)
      .POST('/v1/transfers', { body: payment('1.00') })
      .catch((e) => e);
    expect(refused).toBeInstanceOf(InsufficientScope);
    expect(refused).toMatchObject({ status: 403, requiredScope: 'transfers:write' });
  });

  it('is an error with the code, the fields and what would help', async () => {
    const refused = await client()
      .POST('/v1/transfers', { body: payment('5000.00') })
      .catch((e) => e);
    expect(refused).toBeInstanceOf(ApiError);
    expect(refused).toMatchObject({ status: 422, code: 'insufficient_balance', isTerminal: false });
    expect(refused.requestId).toMatch(/^req_/);
    expect(refused.nextActions[0]).toMatchObject({
      rel: expect.any(String),
      method: expect.any(String),
      path: expect.stringMatching(/^\/v1\//),
    });
    const invalid = await client()
      .POST('/v1/accounts', { body: { type: 'person', name: '' } })
      .catch((e) => e);
    expect(invalid.details.fields).toMatchObject([{ path: 'name' }]);
    await expect(client().GET('/v1/transfers/{id}', { params: { path: { id: nowhere } } })).rejects.toMatchObject({
      status: 404,
      code: 'not_found',
    });
    await expect(wire.client(h.test.url).GET('/v1/accounts')).rejects.toMatchObject({ status: 401, code: 'missing_credential' });
  });
});

describe('a list', () => {
  beforeAll(async () => {
    for (let n = 0; n < 7; n += 1) await h.test.make('/v1/transfers', payment('0.01', { description: 'Listed' }));
  });

  it.each([{}, { page: 1 }])('comes item by item, by cursor or by number: %o', async (begin) => {
    const [seen, all] = [[] as string[], await h.test.get('/v1/transfers?limit=200')];
    for await (const { id } of client().list('/v1/transfers', { params: { query: { ...begin, limit: 3 } } })) seen.push(id);
    expect(seen).toEqual(all.body.data.map(({ id }: Json) => id));
    expect(wire.attempts.length).toBe(Math.ceil(seen.length / 3));
    expect(wire.attempts[1]?.path).toContain('page' in begin ? 'page=2' : 'starting_after=');
  });

  it('takes paths with an id, and ends where the reader does', async () => {
    for await (const entry of client().list('/v1/wallets/{id}/entries', { params: { path: { id: from.id }, query: { limit: 2 } } })) {
      expectTypeOf(entry.amount).toEqualTypeOf<string>();
      break;
    }
    expect(wire.attempts).toHaveLength(1);
  });
});

describe('fetch', () => {
  it('sends a GraphQL document with the credential, and gives the answer as it is', async () => {
    const ask = (query: string) => client().fetch(`/graphql?${new URLSearchParams({ query })}`);
    wire.fates = ['lost'];
    expect(await (await ask('{ accounts(limit: 1) { nodes { name } } }')).json()).toMatchObject({ data: { accounts: { nodes: [{}] } } });
    expect(wire.attempts).toHaveLength(2);
    expect((await ask('{ nothing }')).status).toBe(400);
    await expect(client().fetch('/graphql', { method: 'GET', body: '{}' })).rejects.toThrow('cannot have body');
  });
});
