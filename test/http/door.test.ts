// Doors: endpoints of other wires, with their own spelling of errors, and the platform's credentials, limits and keys.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Door, guardedDoor, type Spelling } from '../../src/platform/door.js';
import { invalidRequest, NotFound, Overloaded } from '../../src/platform/errors.js';
import { describeDoors } from '../../src/rest/openapi-door.js';
import { type NewDatabase, newDatabase } from '../new-database.js';
import { InsufficientInk, seen, writeNote } from './note.js';
import { openPlatform, type RunningServer, startServer } from './notes.js';

/** A protocol that says `{fault}`, and 409 where the platform says 422 to a key. */
const spell: Spelling = ({ code, status, fields }) => ({
  status: code === 'idempotency_key_reused' ? 409 : status,
  body: { fault: code, ...(fields && { at: fields.map(({ path }) => path.join('.')) }) },
});
const refusal = { spell, schema: z.object({ fault: z.string() }) };
const page = z.object({ text: z.string().max(20), note_id: z.string() }).meta({ id: 'Page' });
const facts = { tag: { name: 'pages', about: 'Notes on a wire of their own.' }, summary: 'Pages', description: 'Pages.', refusal };

const write = guardedDoor({
  ...facts,
  id: 'writePage',
  method: 'PUT',
  path: '/pages/{book}/write',
  audience: 'any',
  scope: 'self',
  key: 'required',
  echoes: ['Request-Id', 'Idempotency-Key'],
  headers: [{ name: 'Wire-Version', description: 'Of the wire.', required: true }],
  request: {
    schema: z.strictObject({ text: z.string().max(20).default('empty'), dry: z.boolean().optional() }),
    example: {},
    optional: true,
  },
  answers: { 201: { schema: page } },
  failures: [409, 422],
  admit(_ctx, request) {
    if (request.header('Wire-Version') !== '1') throw invalidRequest('Send Wire-Version: 1.', 'version');
    return { bytes: request.raw.length };
  },
  async take(ctx, { body, params, admission }) {
    const { id, text } = await writeNote(ctx, body.text, body.dry);
    return { body: { text, note_id: id }, headers: { Location: `/pages/${params['book']}/${id}`, 'X-Bytes': String(admission.bytes) } };
  },
  async again(ctx, { body }) {
    const { id, text } = await writeNote(ctx, body.text);
    return { body: { text, note_id: id } };
  },
  refused: async (_ctx, { params }, error) =>
    error instanceof InsufficientInk && params['book'] === 'soft' ? { status: 200, body: { fault: 'dry' } } : undefined,
});

const read: Door = {
  ...facts,
  id: 'readPage',
  method: 'GET',
  path: '/pages/{book}/write',
  audience: 'operator',
  scope: 'self',
  answers: { 200: { schema: page } },
  failures: [404],
  take: async (_ctx, { params, query }) => {
    if (params['book'] === 'none') throw new NotFound();
    return { body: { text: String(query['text']), note_id: '1' } };
  },
};

const open: Door = {
  id: 'describePages',
  tag: { name: 'pages' },
  summary: 'Pages',
  description: 'Pages.',
  method: 'GET',
  path: '/pages/about',
  answers: { 200: { schema: z.object({ at: z.string(), origin: z.string() }) } },
  failures: [],
  take: async (_platform, { environment, origin }) => ({
    body: { at: environment, origin },
    headers: { 'Cache-Control': 'public, max-age=3600' },
  }),
};

/** Commits, where it is asked to, and then finds the process overloaded. */
const interrupted: Door = {
  ...open,
  id: 'interruptPages',
  path: '/pages/interrupted/{after}',
  take: async (_platform, { params, effect }) => {
    if (params['after'] === 'commit') effect.begin();
    throw new Overloaded();
  },
};

let database: NewDatabase;
let server: RunningServer;

beforeAll(async () => {
  database = await newDatabase();
  const platform = openPlatform({ databaseUrl: database.url });
  server = await startServer({ platform, doors: [write, read, open, interrupted], limits: { general: 100, auth: 5 } });
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

interface Given {
  as?: string | null;
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

async function send(method: string, path: string, { as = 'pk_live_ada', key, body, headers = {} }: Given = {}) {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      'Wire-Version': '1',
      ...(as === null ? {} : { Authorization: `Bearer ${as}` }),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
  return { status: response.status, headers: response.headers, body: (await response.json()) as any };
}
const put = (given: Given = {}, book = 'a') => send('PUT', `/pages/${book}/write`, { key: randomUUID(), ...given });

describe('2xx', () => {
  it('has the status, the headers and the body that the door says, and what was to be sent back', async () => {
    const key = randomUUID();
    const { status, headers, body } = await put({ key, body: { text: 'a' }, headers: { 'Request-Id': 'r-1' } });
    expect([status, body.text]).toEqual([201, 'a']);
    expect(headers.get('location')).toBe(`/pages/a/${body.note_id}`);
    expect(headers.get('x-bytes')).toBe('12');
    expect([headers.get('request-id'), headers.get('idempotency-key')]).toEqual(['r-1', key]);
    expect(headers.get('x-ratelimit-limit')).toBe('100');
  });

  it('reads no body as an empty one where it is optional', async () => {
    expect(await put()).toMatchObject({ status: 201, body: { text: 'empty' } });
  });

  it('hands on parameters, and asks nobody at an open door', async () => {
    expect(await send('GET', '/pages/b/write?text=hi')).toMatchObject({ status: 200, body: { text: 'hi' } });
    const about = await send('GET', '/pages/about', { as: 'no credential of ours' });
    expect(about).toMatchObject({ status: 200, body: { at: 'live', origin: server.url } });
    expect(about.headers.get('cache-control')).toBe('public, max-age=3600');
  });

  it('names this machine as the caller does, and never another host that the caller has named', async () => {
    const originBy = async (host: string) => {
      const asked = request(`${server.url}/pages/about`, { headers: { Host: host } }).end();
      const [answer] = await once(asked, 'response');
      return [answer.statusCode, ((await json(answer)) as { origin: string }).origin];
    };
    for (const host of ['localhost:8080', '127.0.0.1:1', '[::1]:4000', 'localhost', new URL(server.url).host])
      expect(await originBy(host)).toEqual([200, `http://${host}`]);
    for (const host of ['shop.example:8080', 'localhost.shop.example', '10.0.0.1', 'a:b:c', '[', 'a:99999', 'a/b'])
      expect(await originBy(host)).toEqual([200, server.url]);
  });

  it('a key has one effect, on its own path; what follows is the answer of the first', async () => {
    const key = randomUUID();
    const first = await put({ key, body: { text: 'once', dry: false } });
    const runs = seen.runs;
    const again = await put({ key, body: { dry: false, text: 'once' } });
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(seen.runs).toBeGreaterThan(runs);
    const elsewhere = await put({ key, body: { text: 'once' } }, 'b');
    expect(elsewhere.body.note_id).not.toBe(first.body.note_id);
    const another = await put({ key, body: { text: 'once', dry: false }, as: 'pk_live_bob' });
    expect(another.body.note_id).not.toBe(first.body.note_id);
  });

  it('may be what the protocol answers to a refusal, and is then not kept', async () => {
    const key = randomUUID();
    expect(await put({ key, body: { text: 'b', dry: true } }, 'soft')).toMatchObject({ status: 200, body: { fault: 'dry' } });
    expect(await put({ key, body: { text: 'b' } }, 'soft')).toMatchObject({ status: 201 });
  });
});

describe('503 at an open door', () => {
  it('says that nothing was changed only where nothing was', async () => {
    const before = await send('GET', '/pages/interrupted/nothing', { as: null });
    expect(before).toMatchObject({ status: 503, body: { code: 'overloaded', details: { retry: { safe: true } } } });
    const after = await send('GET', '/pages/interrupted/commit', { as: null });
    expect(after).toMatchObject({ status: 503, body: { code: 'dependency_unavailable', details: { retry: { safe: false } } } });
  });
});

describe('refusals are spelled by the protocol', () => {
  it.each([
    [400, 'invalid_json', { body: '[1]' }],
    [400, 'invalid_json', { body: '{' }],
    [400, 'validation_failed', { body: { txt: 'a' } }],
    [400, 'validation_failed', { body: { text: 'a\u0000' } }],
    [400, 'validation_failed', { body: `{"text": ${'['.repeat(50_000)}${']'.repeat(50_000)}}` }],
    [400, 'validation_failed', { headers: { 'Wire-Version': '2' } }],
    [400, 'idempotency_key_required', { key: '' }],
    [400, 'validation_failed', { key: 'x'.repeat(300) }],
    [401, 'missing_credential', { as: null }],
    [401, 'malformed_credential', { as: 'nothing' }],
    [413, 'body_too_large', { body: { text: 'x'.repeat(300_000) } }],
    [415, 'unsupported_media_type', { body: { text: 'a' }, headers: { 'Content-Type': 'text/plain' } }],
    [422, 'insufficient_ink', { body: { text: 'a', dry: true } }],
  ])('%i %s', async (status, fault, given: Given) => {
    expect(await put(given)).toMatchObject({ status, body: { fault } });
  });

  it('404, with the headers that were to be sent back', async () => {
    const answer = await send('GET', '/pages/none/write');
    expect(answer).toMatchObject({ status: 404, body: { fault: 'not_found' } });
    const refused = await put({ headers: { 'Request-Id': 'r-2', 'Wire-Version': '0' } });
    expect(refused.headers.get('request-id')).toBe('r-2');
  });

  it('405, with the methods of the path', async () => {
    const answer = await send('DELETE', '/pages/a/write');
    expect(answer).toMatchObject({ status: 405, body: { fault: 'method_not_allowed' } });
    expect(answer.headers.get('allow')).toBe('GET, HEAD, PUT');
  });

  it('403 to who is not of its audience', async () => {
    expect(await send('GET', '/pages/a/write', { as: 'sess_ada' })).toMatchObject({ status: 403, body: { fault: 'forbidden' } });
  });

  it('409 to a key with another body, where the protocol says so', async () => {
    const key = randomUUID();
    await put({ key, body: { text: 'a' } });
    expect(await put({ key, body: { text: 'b' } })).toMatchObject({ status: 409, body: { fault: 'idempotency_key_reused' } });
  });

  it('429, with Retry-After', async () => {
    const answers = await Promise.all(Array.from({ length: 110 }, () => send('GET', '/pages/a/write', { as: 'pk_live_busy' })));
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toEqual({ fault: 'rate_limit_exceeded' });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('openapi.json', () => {
  it('describes doors by their schemas, and those with an id once', () => {
    const { paths, schemas, tags } = describeDoors([write, read, open]);
    expect(paths['/pages/{book}/write']).toMatchObject({
      put: {
        operationId: 'writePage',
        requestBody: { required: false },
        parameters: [{ name: 'book' }, { name: 'Wire-Version', required: true }, { name: 'Idempotency-Key', required: true }, {}],
        responses: {
          201: {
            headers: { 'Idempotent-Replayed': {}, 'Request-Id': {} },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Page' } } },
          },
          422: { content: { 'application/json': { schema: { properties: { fault: { type: 'string' } } } } } },
        },
        security: expect.arrayContaining([{ agentSession: [] }]),
      },
      get: { security: [{ apiKey: [] }, { jwt: [] }] },
    });
    expect(Object.keys(schemas)).toEqual(['Page']);
    expect(tags.get('pages')).toBe('Notes on a wire of their own.');
    const other: Door = { ...open, answers: { 200: { schema: z.object({ other: z.string() }).meta({ id: 'Page' }) } } };
    expect(() => describeDoors([write, other])).toThrow('Page names two schemas');
  });
});
