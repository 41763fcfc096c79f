// REST over a real HTTP server: what is asked in which order, and what each request is answered with.
import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { compileRoutes } from '../../src/rest/routes.js';
import { compileEndpoints, type Exchange, type Stream } from '../../src/rest/serve.js';
import { orderId, seen, shopCtx } from './shop.js';
import { call, caller, claims, idempotency, internal, openShop, order } from './shop-server.js';

openShop();

const shown = {
  id: orderId,
  status: 'open',
  total: '42.00',
  address: null,
  items: [{ sku: 'A-1', quantity: 2 }],
  metadata: { kept: null },
  pickup_code: 'pick-me',
  created_at: '2026-11-21T10:00:00.000Z',
};

describe('answers', () => {
  it('wraps data, leaves nulls out, and names the GraphQL twin', async () => {
    const { status, headers, body } = await call('POST', '/v1/orders', { ...order, metadata: { a: null } });
    expect(status).toBe(201);
    expect(body).toEqual({ data: { ...shown, total: '5.00', metadata: { a: null } } });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('link')).toBe('</graphql?op=placeOrder>; rel="alternate"');
  });
  it('answers with the root field itself where the document says body', async () => {
    const { status, body } = await call('GET', '/v1/orders');
    expect(status).toBe(200);
    expect(body).toEqual({ data: [shown], pagination: { page: 1, limit: 50, total: 1, totalPages: 1 } });
  });
  it('is 202 when something waits for an approval', async () => {
    expect(await call('POST', `/v1/orders/${orderId}/cancel`)).toMatchObject({ status: 200, body: { data: shown } });
    const waiting = await call('POST', `/v1/orders/${orderId}/cancel?waits=true`);
    expect(waiting).toMatchObject({ status: 202, body: { data: shown, approval: { id: 'apr_1' } } });
  });
  it('runs the other operation of the path when its flag is true', async () => {
    expect(await call('POST', '/v1/orders?dry_run=true', order)).toMatchObject({ status: 200, body: { data: { code: 'quote 5.00' } } });
    expect(await call('POST', '/v1/orders?dry_run=false', order)).toMatchObject({ status: 201 });
    const refused = await call('POST', '/v1/orders?dry_run=yes', order);
    expect(refused).toMatchObject({ status: 400, body: { fields: ['dry_run must be true or false'] } });
  });
});

describe('paths', () => {
  it('are served below a second /v1 too', async () => expect(await call('GET', `/v1/v1/orders/${orderId}`)).toMatchObject({ status: 200 }));
  it('static segments win over parameters', async () => {
    expect(await call('POST', '/v1/orders/import', { blob: 'abc' })).toMatchObject({ status: 202, body: { data: { code: '3' } } });
  });
  it('HEAD is GET without a body', async () => {
    const { status, headers, body } = await call('HEAD', `/v1/orders/${orderId}`);
    expect([status, body]).toEqual([200, undefined]);
    expect(Number(headers.get('content-length'))).toBeGreaterThan(100);
  });
  it.each([
    ['/v1/nowhere'],
    ['/v1/orders/'],
    ['/v1/orders/no-id'],
    ['/v1/orders/wal_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d'],
    ['/v1/orders/%00'],
    ['/v1/orders/%ff'],
    [`/v1/orders/${'9'.repeat(2000)}`],
    ['/v1/orders/01994d3e-7a80-7c3a-9d55-000000000000'],
    ['/V1/orders'],
  ])('%s is 404', async (path) => expect(await call('GET', path)).toMatchObject({ status: 404, body: { code: 'not_found' } }));
  it('another method is 405 and says which are allowed', async () => {
    const refused = await call('PUT', '/v1/orders', order);
    expect(refused).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(refused.headers.get('allow')).toBe('GET, HEAD, POST');
    expect((await call('OPTIONS', '/v1/knock')).headers.get('allow')).toBe('POST');
  });
});

describe('query, path and header variables', () => {
  it('are converted by their type and passed on', async () => {
    const query = 'page=2&limit=200&status=shipped&timeRange=24h&since=2026-01-01&with_gifts=false&sku=a&sku=b';
    await call('GET', `/v1/orders?${query}`, undefined, { 'Last-Event-ID': '17' });
    expect(seen.args).toEqual({
      page: 2,
      limit: 200,
      status: 'shipped',
      timeRange: '24h',
      since: new Date('2026-01-01'),
      withGifts: false,
      skus: ['a', 'b'],
      lastSeen: '17',
    });
  });
  it.each([
    ['page=1.0', 'page must be a whole number'],
    ['page=1e1', 'page must be a whole number'],
    ['page=', 'page must be a whole number'],
    ['page=%2B1', 'page must be a whole number'],
    ['page=0', 'page must be a whole number from 1 to 100000'],
    ['limit=201', 'limit must be a whole number from 1 to 200'],
    ['limit=1&limit=2', 'limit is given more than once'],
    ['with_gifts=1', 'with_gifts must be true or false'],
    ['with_gifts=TRUE', 'with_gifts must be true or false'],
    ['status=lost', 'status must be one of open, in_progress, shipped'],
    ['since=yesterday', 'since must be an ISO 8601 date-time such as 2026-11-21T10:00:00Z'],
    ['timeRange=%00', 'timeRange has a NUL character or a lone surrogate'],
    ['timeRange=long', 'timeRange must have at most 3 characters'],
    ['sku=a&sku=%00', 'sku has a NUL character or a lone surrogate'],
    ['time_range=24h', 'time_range is not a query parameter of this request: did you mean timeRange?'],
    ['offset=2', 'offset is not a query parameter of this request'],
    ['__proto__=2', '__proto__ is not a query parameter of this request'],
    ['dry_run=true', 'dry_run is not a query parameter of this request'],
  ])('?%s is 400', async (query, issue) => {
    expect(await call('GET', `/v1/orders?${query}`)).toMatchObject({ status: 400, body: { code: 'validation_failed', fields: [issue] } });
    expect(seen.runs).toBe(0);
  });
  it('all issues come together', async () => {
    const { body } = await call('POST', '/v1/orders?x=1', { max_total: '1' });
    expect(body).toMatchObject({ fields: ['x is not a query parameter of this request', 'items is required'] });
  });
});

describe('who may call', () => {
  it('is asked before anything is read', async () => {
    caller.type = 'anonymous';
    expect(await call('POST', '/v1/orders?x=1', '{')).toMatchObject({ status: 401, body: { code: 'missing_credential' } });
    expect(await call('GET', '/v1/orders/no-id')).toMatchObject({ status: 401 });
    caller.type = 'agent';
    expect(await call('POST', '/v1/orders/no-id/cancel', '{')).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });
  it('is everybody for a public operation', async () => {
    caller.type = 'anonymous';
    expect(await call('POST', '/v1/knock')).toMatchObject({ status: 200 });
  });
});

describe('failures of a resolver', () => {
  it('spell their fields for the wire', async () => {
    expect(await call('POST', '/v1/orders', { ...order, max_total: '0.01' })).toMatchObject({
      status: 400,
      body: { fields: ['max_total is too little'] },
    });
  });
  it('spell an argument as its variable', async () => {
    expect(await call('POST', `/v1/orders/${orderId}/cancel?waits=false`)).toMatchObject({
      status: 400,
      body: { fields: ['id is too late'] },
    });
  });
  it('keep their status and code', async () => {
    expect(await call('POST', '/v1/orders', { ...order, max_total: '0.02' })).toMatchObject({
      status: 422,
      body: { code: 'currency_mismatch' },
    });
  });
  it('that are bugs are thrown as they are', async () => {
    expect(await call('GET', '/v1/broken')).toMatchObject({ status: 500 });
    expect(internal).toEqual([new Error('a bug')]);
  });
});

describe('idempotency', () => {
  it('wraps a mutation with what was sent, and replays without secrets', async () => {
    const first = await call('POST', '/v1/orders', order, { 'Idempotency-Key': 'k' });
    const second = await call('POST', '/v1/orders', order, { 'Idempotency-Key': 'k' });
    expect(claims[0]).toEqual({ key: 'k', operation: 'placeOrder', content: { params: {}, query: {}, body: order } });
    expect([first.status, second.status, seen.runs]).toEqual([201, 201, 1]);
    expect([first.headers.get('idempotent-replayed'), second.headers.get('idempotent-replayed')]).toEqual([null, 'true']);
    const { pickup_code: _, ...secretless } = (first.body as { data: Record<string, unknown> }).data;
    expect(second.body).toEqual({ data: secretless });
  });
  it('leaves a dry run alone, which has no effect that could happen twice', async () => {
    expect(await call('POST', '/v1/orders?dry_run=true', order, { 'Idempotency-Key': 'k' })).toMatchObject({ status: 200 });
    expect(claims).toEqual([]);
    expect(await call('POST', '/v1/orders', order, { 'Idempotency-Key': 'k' })).toMatchObject({ status: 201 });
  });
  it('leaves reads, public operations and refused input alone', async () => {
    await call('GET', '/v1/orders', undefined, { 'Idempotency-Key': 'k' });
    await call('POST', '/v1/knock', {}, { 'Idempotency-Key': 'k' });
    await call('POST', '/v1/orders', {}, { 'Idempotency-Key': 'k' });
    expect(claims).toEqual([]);
  });
});

describe('subscriptions', () => {
  const ticking = buildSchema('type Query { now: Int! } type Subscription { ticks(from: Int): Tick! } type Tick { at: Int! }');
  const text = 'subscription ticks($from: Int) @route(method: GET, path: "/v1/ticks") { body: ticks(from: $from) { at } }';
  const ticks = compileRoutes(ticking, [{ file: 'contexts/time/rest.graphql', text }]);

  it('stop the process when nothing streams them', () => {
    expect(() => compileEndpoints(ticking, ticks, idempotency)).toThrow('ticks is a subscription, and nothing streams it');
  });
  it('are handed on with the variables read', async () => {
    const streamed: unknown[] = [];
    const stream: Stream = async (_ctx, _exchange, route, variables) => void streamed.push([route.name, variables]);
    const [endpoint] = compileEndpoints(ticking, ticks, idempotency, stream);
    const exchange = (query: object) => ({ set: () => undefined, get: () => '', params: {}, query }) as unknown as Exchange;
    await endpoint?.serve(exchange({ from: '3' }), shopCtx());
    expect(streamed).toEqual([['ticks', { from: 3 }]]);
    await expect(endpoint?.serve(exchange({}), shopCtx('anonymous'))).rejects.toMatchObject({ code: 'missing_credential' });
  });
});
