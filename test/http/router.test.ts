// Which endpoint a request reaches, by its method and path, and what a request without one is answered with.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Endpoint, routeRequests } from '../../src/http/router.js';
import type { Handler } from '../../src/http/state.js';
import { type RunningServer, startServer } from './notes.js';

/** An endpoint that answers with its own name and with what it was given. */
const echo = (method: Endpoint['method'], path: string): Endpoint => ({
  method,
  path,
  handlers: [
    (http) => {
      http.body = { endpoint: `${method} ${path}`, params: http.params, query: http.query, route: http.state.route };
    },
  ],
});

/** 260 endpoints of 26 nouns, those with parameters first. */
const many = Array.from({ length: 26 }, (_, n) => `/v1/noun-${n}`).flatMap((noun) => [
  echo('GET', `${noun}/{id}`),
  echo('PATCH', `${noun}/{id}`),
  echo('DELETE', `${noun}/{id}`),
  echo('GET', `${noun}/{id}/parts`),
  echo('POST', `${noun}/{id}/parts`),
  echo('GET', `${noun}/{id}/parts/{part_id}`),
  echo('GET', `${noun}/latest/{name}`),
  echo('GET', `${noun}/latest`),
  echo('GET', noun),
  echo('POST', noun),
]);

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ endpoints: [...many, echo('all', '/door')], limits: { general: 10_000, auth: 5 } });
});
afterAll(() => server.close());

const call = async (method: string, path: string) => {
  const response = await fetch(server.url + path, { method });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
};

describe('a path', () => {
  it('reaches its endpoint among 260', async () => {
    for (const { method, path } of many.filter(({ path }) => /noun-(0|13|25)\b/.test(path))) {
      const given = path.replace('{id}', 'a').replace('{part_id}', 'b').replace('{name}', 'c');
      expect((await call(method, given)).body).toMatchObject({ endpoint: `${method} ${path}`, route: path });
    }
  });

  it.each([
    ['/v1/noun-0/latest', 'GET /v1/noun-0/latest', {}],
    ['/v1/noun-0/latest/parts', 'GET /v1/noun-0/latest/{name}', { name: 'parts' }],
    ['/v1/noun-0/latest/parts/1', 'GET /v1/noun-0/{id}/parts/{part_id}', { id: 'latest', part_id: '1' }],
    ['/v1/noun-0/latests', 'GET /v1/noun-0/{id}', { id: 'latests' }],
    ['/v1/v1/noun-0/1', 'GET /v1/noun-0/{id}', { id: '1' }],
    ['/v1/noun%2D0/%6catest', 'GET /v1/noun-0/latest', {}],
    ['/v1/noun-0/a%20b%2Fc', 'GET /v1/noun-0/{id}', { id: 'a b/c' }],
    ['/v1/noun-0/%2541%252f', 'GET /v1/noun-0/{id}', { id: '%41%2f' }],
    ['/v1/noun-0/a:b;c=d,e+f@g', 'GET /v1/noun-0/{id}', { id: 'a:b;c=d,e+f@g' }],
    [`/v1/noun-0/${'x'.repeat(500)}`, 'GET /v1/noun-0/{id}', { id: 'x'.repeat(500) }],
  ])('%s is for the most specific endpoint, with its parameters decoded once', async (path, endpoint, params) => {
    expect((await call('GET', path)).body).toMatchObject({ endpoint, params });
  });

  it('keeps its query when it is spelled in another way', async () => {
    expect((await call('GET', '/v1/v1/noun-0?a=%41&b=/v1/v1/')).body.query).toEqual({ a: 'A', b: '/v1/v1/' });
  });

  it.each([
    '/',
    '//',
    '/v1',
    '/v1/',
    '/v1/v1/',
    '/v1/v1/v1/noun-0',
    '/noun-0',
    '/v1/noun-0/',
    '/v1//noun-0',
    '/v1/noun-0//parts',
    '/v1/noun-0/1/',
    '/v1/noun-26',
    '/v1/Noun-0',
    '/V1/noun-0',
    '/v1/noun-0/%',
    '/v1/noun-0/%ff',
    '/v1/noun-0/%c3%28',
    '/v1/%2fnoun-0',
    '/v1/constructor',
    '/v1/__proto__/1',
    `/v1/noun-0/${'x'.repeat(501)}`,
    `/v1/noun-0/${'%41'.repeat(167)}`,
  ])('%s is 404', async (path) => {
    const { status, headers, body } = await call('GET', path);
    expect([status, body.code]).toEqual([404, 'not_found']);
    expect(headers.get('x-ratelimit-limit')).toBe('10000');
  });
});

describe('a method', () => {
  it('HEAD is GET without a body', async () => {
    const { status, headers, body } = await call('HEAD', '/v1/noun-0');
    expect([status, body]).toEqual([200, undefined]);
    expect(Number(headers.get('content-length'))).toBeGreaterThan(10);
  });

  it.each([
    ['DELETE', '/v1/noun-0', 'GET, HEAD, POST'],
    ['OPTIONS', '/v1/noun-0', 'GET, HEAD, POST'],
    ['PROPFIND', '/v1/noun-0', 'GET, HEAD, POST'],
    ['PUT', '/v1/v1/noun-0/1', 'GET, HEAD, PATCH, DELETE'],
    ['POST', '/v1/noun-0/latest', 'GET, HEAD, PATCH, DELETE'],
    ['POST', '/health', 'GET, HEAD'],
  ])('%s %s is 405 with Allow: %s, and pays the general class', async (method, path, allow) => {
    const { status, headers, body } = await call(method, path);
    expect([status, body.code, headers.get('allow')]).toEqual([405, 'method_not_allowed', allow]);
    expect(headers.get('x-ratelimit-limit')).toBe('10000');
  });

  it('goes to the handlers of an endpoint for all', async () => {
    for (const method of ['GET', 'POST', 'OPTIONS', 'PROPFIND'])
      expect((await call(method, '/door')).body).toMatchObject({ endpoint: 'all /door' });
  });
});

describe('an endpoint', () => {
  it('has a noun that is a name', () => {
    expect(() => routeRequests({ endpoints: [echo('GET', '/v1/{noun}/parts')] })).toThrow('/v1/{noun}/parts: the noun of a path is a name');
  });

  it('pays the class that it names', async () => {
    const handler: Handler = (http) => {
      http.body = { class: http.state.rateClass };
    };
    const other = await startServer({ endpoints: [{ method: 'GET', path: '/v1/slow', rateClass: 'auth', handlers: [handler] }] });
    expect(await (await fetch(`${other.url}/v1/slow`)).json()).toEqual({ class: 'auth' });
    await other.close();
  });
});
