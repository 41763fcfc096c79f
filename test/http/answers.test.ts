// What every REST answer has: a name, headers, and one shape of error (CONTRACT.md 0 "Common headers", "Errors").
import { connect } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Handler } from '../../src/http/state.js';
import { AlreadyExists, ApiError, declareError, NotFound, ValidationFailed } from '../../src/platform/errors.js';
import { asAda, idOf, openPlatform, type RunningServer, recordingLogger, startServer } from './notes.js';

const { log, lines } = recordingLogger();
let server: RunningServer;
/** What became of a change that was about to be sent after the deadline of its request. */
const sentLate: string[] = [];
let sandbox: RunningServer;

class Teapot extends declareError(418, 'teapot') {}

const failures: Record<string, () => unknown> = {
  '/known': () => new AlreadyExists('It is there already.', { details: { reference: 'r-1', terminal: true } }),
  '/missing': () => new NotFound(),
  '/input': () =>
    new ValidationFailed([
      { path: ['scope', 'max_per_tx'], message: 'must be an amount', rule: 'format' },
      { path: ['items', 2, 'postal_code'], message: 'is required' },
      { path: ['scope', 'maxPerTxn'], message: 'is not a member', rule: 'unknown' },
    ]),
  '/headers': () => new ApiError(503, 'rail_unavailable', 'The rail is down.', { headers: { 'Retry-After': '7' } }),
  '/unauthorized': () => new ApiError(401, 'session_expired', 'The session is over.'),
  '/bad-text': () => Object.assign(new pg.DatabaseError('invalid byte sequence', 1, 'error'), { code: '22021' }),
  '/bug': () => new TypeError('cannot read agent_0123456789abcdef of undefined', { cause: new Error('Bearer sess_0123456789abcdef') }),
  '/string': () => 'a thrown string',
  '/teapot': () => new Teapot('Short and stout.'),
};

const handler: Handler = async (http) => {
  if (http.path === '/hang') await new Promise(() => {});
  if (http.path === '/hang-sent') {
    http.state.ctx?.effect.begin();
    await new Promise(() => {});
  }
  if (http.path === '/hang-first') {
    await new Promise((resolve) => http.req.socket.once('close', resolve));
    try {
      http.state.ctx?.effect.begin();
      sentLate.push('sent');
    } catch {
      sentLate.push('dropped');
    }
  }
  if (http.path === '/lost-after') http.state.ctx?.effect.begin();
  if (http.path.startsWith('/lost')) await http.state.ctx?.platform.database.pool.query('SELECT 1');
  if (http.path === '/stream') {
    const { Readable } = await import('node:stream');
    http.type = 'text/event-stream';
    http.body = Readable.from(
      (async function* () {
        for (const word of ['one', 'two', 'three']) {
          await new Promise((resolve) => setTimeout(resolve, 150));
          yield `data: ${word}\n\n`;
        }
      })(),
    );
    return;
  }
  if (http.path === '/who') {
    http.body = { actor: http.state.ctx?.actor, ip: http.state.ctx?.ip, environment: http.state.ctx?.workspace.environment };
    return;
  }
  const failure = failures[http.path];
  if (failure !== undefined) throw failure();
};

beforeAll(async () => {
  const platform = openPlatform({ log });
  server = await startServer({ platform, handler, deadlineMs: 200 });
  sandbox = await startServer({ handler, environment: 'test', https: true });
});
afterAll(async () => {
  await server.close();
  await sandbox.close();
});
afterEach(() => {
  lines.length = 0;
});

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(server.url + path, { headers });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, unknown> };
};

describe('headers', () => {
  it('echo a sane request id and replace another', async () => {
    expect((await get('/missing', { 'x-request-id': 'abc-1._Z' })).headers.get('x-request-id')).toBe('abc-1._Z');
    for (const id of ['', 'a b', 'x'.repeat(129), 'a"b']) {
      const { headers, body } = await get('/missing', { 'x-request-id': id });
      expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f-]{36}$/);
      expect(body['request_id']).toBe(headers.get('x-request-id'));
    }
  });

  it('harden the answer and name the environment', async () => {
    const { headers } = await get('/missing');
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-environment': 'live',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'content-type': 'application/json; charset=utf-8',
    });
    expect(headers.has('x-powered-by')).toBe(false);
    expect(headers.has('strict-transport-security')).toBe(false);
    const other = await fetch(`${sandbox.url}/missing`);
    expect(other.headers.get('x-environment')).toBe('test');
    expect(other.headers.get('strict-transport-security')).toContain('max-age=');
  });
});

describe('errors', () => {
  it('are {error, code, details, request_id}', async () => {
    const { status, body, headers } = await get('/known');
    expect(status).toBe(409);
    expect(body).toEqual({
      error: 'It is there already.',
      code: 'already_exists',
      details: { reference: 'r-1', terminal: true },
      request_id: headers.get('x-request-id'),
    });
    expect((await get('/missing')).body).toMatchObject({ code: 'not_found', details: {} });
  });

  it('print the paths of fields with dots, as the face that found them spelled them', async () => {
    const { body } = await get('/input');
    expect(body['details']).toEqual({
      fields: [
        { path: 'scope.max_per_tx', message: 'must be an amount', rule: 'format' },
        { path: 'items.2.postal_code', message: 'is required' },
        { path: 'scope.maxPerTxn', message: 'is not a member', rule: 'unknown' },
      ],
    });
  });

  it('carry their headers, and 401 always says how', async () => {
    expect((await get('/headers')).headers.get('retry-after')).toBe('7');
    expect((await get('/unauthorized')).headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  });

  it('404 for what nobody serves', async () => {
    expect(await get('/nothing/here')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('400 for text that PostgreSQL does not take', async () => {
    expect(await get('/bad-text')).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', details: { fields: [{ path: '', rule: 'text' }] } },
    });
  });

  it('503 with Retry-After when the database is away', async () => {
    const { status, headers, body } = await get('/lost');
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('1');
    expect(body).toMatchObject({ code: 'dependency_unavailable', details: { retry: { safe: true, same_key: true, after_s: 1 } } });
    expect(JSON.stringify(body)).not.toContain('127.0.0.1');
    expect(lines).toMatchObject([{ level: 40 }]);
  });

  it('503 that is not safe when something was committed before', async () => {
    const { status, headers, body } = await get('/lost-after');
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(body).toMatchObject({ code: 'dependency_unavailable', details: { retry: { safe: false } } });
  });

  it('500 says nothing to the caller, and no credential to the log', async () => {
    const { status, body, headers } = await get('/bug');
    expect(status).toBe(500);
    expect(body).toEqual({ error: expect.any(String), code: 'internal_error', details: {}, request_id: headers.get('x-request-id') });
    expect(JSON.stringify(body)).not.toMatch(/undefined|agent_/);
    expect(lines).toMatchObject([
      { level: 50, requestId: headers.get('x-request-id'), err: { type: 'TypeError', message: 'cannot read agent_[secret] of undefined' } },
    ]);
    expect(JSON.stringify(lines)).not.toContain('0123456789abcdef');
    expect(await get('/string')).toMatchObject({ status: 500, body: { code: 'internal_error' } });
  });
});

describe('credentials', () => {
  it('none is anonymous, in the environment of the listener', async () => {
    expect((await get('/who')).body).toMatchObject({ actor: { type: 'anonymous' }, environment: 'live', ip: '127.0.0.1' });
    expect(await (await fetch(`${sandbox.url}/who`)).json()).toMatchObject({ environment: 'test' });
  });

  it('are resolved by how they begin', async () => {
    expect((await get('/who', asAda)).body).toMatchObject({ actor: { type: 'api_key', id: idOf('ada') } });
    expect((await get('/who', { authorization: 'bearer sess_bob' })).body).toMatchObject({ actor: { type: 'agent', id: idOf('bob') } });
  });

  it('401 malformed_credential for what cannot be one', async () => {
    const wrong = [
      '',
      'Bearer',
      'Bearer ',
      'Basic YTpi',
      'pk_live_ada',
      'Bearer pk_live_ada extra',
      'Bearer key_ada',
      'Bearer a.b.c',
      `Bearer pk_live_${'x'.repeat(4097)}`,
    ];
    for (const authorization of wrong) {
      const { status, headers, body } = await get('/who', { authorization });
      expect([authorization, status, body['code']]).toEqual([authorization, 401, 'malformed_credential']);
      expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });
});

describe('deadlines', () => {
  it('503 for a request that hangs before it has sent its change: nothing was changed', async () => {
    const { status, headers, body } = await get('/hang');
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('1');
    expect(body).toMatchObject({ code: 'dependency_unavailable', details: { retry: { safe: true, same_key: true } } });
  });

  it('503 for one that hangs after it: nobody knows', async () => {
    const { status, body } = await get('/hang-sent');
    expect(status).toBe(503);
    expect(body).toMatchObject({ code: 'dependency_unavailable', details: { retry: { safe: false } } });
  });

  it('what was given up sends nothing any more', async () => {
    expect((await get('/hang-first', { connection: 'close' })).status).toBe(503);
    await expect.poll(() => sentLate).toEqual(['dropped']);
  });

  it('do not end a stream', async () => {
    expect(await (await fetch(`${server.url}/stream`)).text()).toBe('data: one\n\ndata: two\n\ndata: three\n\n');
  });
});

describe('the socket', () => {
  const say = (bytes: string) =>
    new Promise<string>((resolve, reject) => {
      let heard = '';
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.write(bytes));
      socket.on('data', (data) => {
        heard += data.toString();
      });
      socket.on('close', () => resolve(heard));
      socket.on('error', reject);
    });
  const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as Record<string, unknown>;

  it('400 for what is no HTTP', async () => {
    const answer = await say('nonsense\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(bodyOf(answer)).toMatchObject({ code: 'malformed_request', details: {}, request_id: expect.stringMatching(/^req_/) });
  });

  it('431 for headers beyond 16 KiB', async () => {
    const answer = await say(`GET /who HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(bodyOf(answer)).toMatchObject({ code: 'headers_too_large' });
  });

  it('limits the time for a head and a body', () => {
    expect([server.server.headersTimeout, server.server.requestTimeout, server.server.maxHeadersCount]).toEqual([10_000, 15_000, 100]);
  });

  it('says nothing of clients that leave', async () => {
    const leaving = new AbortController();
    const response = await fetch(`${server.url}/stream`, { signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    await get('/missing');
    expect(lines).toEqual([]);
  });
});
