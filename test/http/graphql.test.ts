// /graphql over HTTP: the audits of GraphQL over HTTP, limits, errors, streams (CONTRACT.md 21).
import { connect } from 'node:net';
import { serverAudits } from 'graphql-http';
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seen } from './note.js';
import { asAda, openPlatform, type RunningServer, recordingLogger, send, startServer } from './notes.js';

let server: RunningServer;
const { log, lines } = recordingLogger();

beforeAll(async () => {
  server = await startServer({ platform: openPlatform({ log }) });
});
afterAll(() => server.close());

const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });

describe('the audits of graphql-http', () => {
  for (const audit of serverAudits({ url: () => `${server.url}/graphql` })) {
    it(audit.name, async () => {
      const result = await audit.fn();
      expect(result.status === 'ok' ? '' : result.reason).toBe('');
    });
  }
});

describe('200', () => {
  it('answers a public field and the name of a type to anybody', async () => {
    expect((await send(server.url, '{ weather __type(name: "Note") { name } }')).body).toEqual({
      data: { weather: 'fair', __type: { name: 'Note' } },
    });
  });

  it('knows the caller', async () => {
    expect((await send(server.url, '{ me }', asAda)).body).toEqual({ data: { me: 'ada' } });
  });

  it('keeps the data that there is when a nullable field fails', async () => {
    const { status, body } = await send(server.url, '{ me maybe }', asAda);
    expect(status).toBe(200);
    expect(body.data).toEqual({ me: 'ada', maybe: null });
    expect(body.errors?.[0]).toMatchObject({ path: ['maybe'], extensions: { code: 'insufficient_ink', http: { status: 422 } } });
  });

  it('takes an operation by GET, but no mutation', async () => {
    const get = (query: string) => fetch(`${server.url}/graphql?query=${encodeURIComponent(query)}`);
    expect(await (await get('{ weather }')).json()).toEqual({ data: { weather: 'fair' } });
    const refused = await get('mutation { signIn }');
    expect(refused.status).toBe(405);
    expect(refused.headers.get('allow')).toBe('POST');
  });
});

describe('400', () => {
  const cases: [string, string, string?][] = [
    ['a syntax error', '{'],
    ['an unknown field', '{ wether }', 'Did you mean'],
    ['eleven levels', `{ sample { ${'self { '.repeat(9)} text ${'} '.repeat(9)} } }`, '11 levels'],
    [
      'eleven levels through fragments',
      `{ ...a } fragment a on Query { sample { ...b } } fragment b on Note { ${'self { '.repeat(9)} text ${'} '.repeat(9)} }`,
      '11 levels',
    ],
    ['31 aliases', `{ ${Array.from({ length: 31 }, (_, n) => `a${n}: weather`).join(' ')} }`, '31 aliases'],
    [
      'aliases multiplied by fragments',
      `{ ...a ...a } fragment a on Query { ${Array.from({ length: 16 }, (_, n) => `a${n}: weather`).join(' ')} }`,
      '32 aliases',
    ],
    ['2,001 tokens', `{ ${'weather '.repeat(2000)} }`, 'tokens'],
    ['a NUL in a literal', '{ echo(text: "a\\u0000b") }', 'NUL'],
    ['a cycle of fragments', '{ ...a } fragment a on Query { ...a }'],
    ['an unknown operation', 'query a { weather } query b { weather }'],
    ['deep introspection', `{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }`],
  ];
  for (const [name, query, says = ''] of cases) {
    it(name, async () => {
      const { status, body } = await send(server.url, query, asAda);
      expect([status, 'data' in body]).toEqual([400, false]);
      const { message, extensions } = body.errors?.[0] ?? {};
      expect([message, extensions?.['requestId']]).toEqual([expect.stringContaining(says), expect.stringMatching(/^req_/)]);
      expect(extensions).toMatchObject({ code: 'validation_failed', details: { fields: [{ path: '' }] }, http: { status: 400 } });
    });
  }

  it('takes ten levels and 30 aliases', async () => {
    const deep = `{ sample { ${'self { '.repeat(8)} text ${'} '.repeat(8)} } }`;
    expect((await send(server.url, deep, asAda)).status).toBe(200);
    expect((await send(server.url, `{ ${Array.from({ length: 30 }, (_, n) => `a${n}: weather`).join(' ')} }`)).status).toBe(200);
  });

  it('names the fields of an input, as the schema spells them', async () => {
    const { status, body } = await send(server.url, 'mutation { writeNote(input: {bodyText: ""}) { id } }', asAda);
    expect(status).toBe(400);
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'validation_failed', details: { fields: [{ path: 'bodyText' }] } });
  });

  it('refuses a variable that cannot be kept', async () => {
    for (const text of ['a\u0000b', '\ud800']) {
      const { status, body } = await send(server.url, 'query ($t: String!) { echo(text: $t) }', {}, { t: text });
      expect(status).toBe(400);
      expect(body.errors?.[0]?.extensions['code']).toBe('validation_failed');
    }
  });

  it('refuses a list of operations, an unknown member and what is no JSON', async () => {
    expect((await post('[{"query":"{ weather }"}]')).status).toBe(400);
    const stranger = await post('{"query":"{ weather }","querry":1}');
    expect(await stranger.json()).toMatchObject({
      errors: [{ extensions: { code: 'validation_failed', details: { fields: [{ path: 'querry' }] } } }],
    });
    expect(await (await post('{"query":')).json()).toMatchObject({ errors: [{ extensions: { code: 'invalid_json' } }] });
  });

  it('survives a member called __proto__ and JSON 5,000 levels deep', async () => {
    expect((await post('{"query":"{ weather }","__proto__":{"a":1}}')).status).toBe(400);
    const deep = `{"query":"{ weather }","variables":{"a":${'['.repeat(5000)}${']'.repeat(5000)}}}`;
    expect((await post(deep)).status).toBe(400);
  });
});

describe('401', () => {
  it('when a field is not public', async () => {
    const { status, headers, body } = await send(server.url, '{ me }');
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Bearer');
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'missing_credential', http: { status: 401 } } }] });
  });

  it('when the credential cannot be read, in the shape of GraphQL', async () => {
    const { status, body } = await send(server.url, '{ weather }', { authorization: 'Basic abc' });
    expect(status).toBe(401);
    expect(body.errors?.[0]?.extensions['code']).toBe('malformed_credential');
  });
});

describe('405, 406, 413, 415', () => {
  it('methods', async () => {
    const response = await fetch(`${server.url}/graphql`, { method: 'PUT' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, POST');
  });
  it('an answer that nobody can give', async () => {
    expect((await post('{"query":"{ weather }"}', { accept: 'image/png' })).status).toBe(406);
    expect((await send(server.url, 'subscription { count(to: 2) }', asAda)).status).toBe(406);
  });
  it('more than 256 KiB', async () => {
    const response = await post(JSON.stringify({ query: '{ weather }', variables: { a: 'x'.repeat(256 * 1024) } }));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'body_too_large' } }] });
  });
  it('a body that is not JSON by its type', async () => {
    expect((await post('query={weather}', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415);
    expect((await post('{}', { 'content-encoding': 'gzip' })).status).toBe(415);
  });
});

describe('500', () => {
  it('says nothing to the caller, and nothing secret to the log', async () => {
    const { status, body, headers } = await send(server.url, '{ crash }', asAda);
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toMatch(/hunter2|pk_live/);
    expect(body.errors?.[0]?.extensions['code']).toBe('internal_error');
    const line = lines.find(({ level }) => level === 50);
    expect(line).toMatchObject({ requestId: headers.get('x-request-id') });
    expect(JSON.stringify(line)).not.toContain('abcdefghijkl');
  });
});

describe('streams', () => {
  it('serves a subscription as events', async () => {
    const response = await post('{"query":"subscription { count(to: 2) }"}', { ...asAda, accept: 'text/event-stream' });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const text = await response.text();
    expect(text).toContain('event: next\ndata: {"data":{"count":1}}');
    expect(text).toContain('event: complete');
  });

  it.each(['/graphql', '/graphql/stream'])('%s ends the source when the client leaves', async (path) => {
    const before = seen.ended;
    const leaving = new AbortController();
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { ...asAda, 'content-type': 'application/json', accept: 'text/event-stream' },
      body: '{"query":"subscription { count(to: 0) }"}',
      signal: leaving.signal,
    });
    const reader = response.body?.getReader();
    let text = '';
    while (!text.includes('"count":1')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
    expect(seen.ended).toBe(before);
    leaving.abort();
    await expect.poll(() => seen.ended).toBe(before + 1);
    expect(lines.filter(({ msg }) => msg === 'answer failed')).toEqual([]);
  });

  it('speaks to a graphql-sse client, also queries and errors', async () => {
    const client = createClient({ url: `${server.url}/graphql/stream`, headers: asAda, retryAttempts: 0 });
    const all = async (query: string) => {
      const results = [];
      for await (const result of client.iterate({ query })) results.push(result);
      return results;
    };
    expect(await all('subscription { count(to: 3) }')).toEqual([1, 2, 3].map((count) => ({ data: { count } })));
    expect(await all('{ me }')).toEqual([{ data: { me: 'ada' } }]);
    await expect(all('{ nothing }')).rejects.toThrow();
    client.dispose();
  });

  it('asks a subscriber for a credential', async () => {
    const response = await post('{"query":"subscription { count(to: 2) }"}', { accept: 'text/event-stream' });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'missing_credential' } }] });
  });

  it('gives a reader that keeps up all of many results', async () => {
    const client = createClient({ url: `${server.url}/graphql/stream`, headers: asAda, retryAttempts: 0 });
    let count = 0;
    for await (const result of client.iterate({ query: 'subscription { count(to: 2000) }' })) {
      count += 1;
      expect(result).toEqual({ data: { count } });
    }
    expect(count).toBe(2_000);
    client.dispose();
  });

  it('cuts off a reader of /graphql/stream that takes nothing while 1,000 results wait', async () => {
    const before = seen.ended;
    const body = '{"query":"subscription { flood }"}';
    const head = ['POST /graphql/stream HTTP/1.1', 'Host: x', `Authorization: ${asAda.authorization}`, 'Content-Type: application/json'];
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () =>
      socket.write(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
    ).pause();
    await expect.poll(() => seen.ended, { timeout: 15_000 }).toBe(before + 1);
    let received = '';
    socket.on('data', (data) => {
      received += data.toString();
    });
    socket.on('error', () => undefined);
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    expect(received).toContain('event: next');
    expect(received).not.toContain('event: complete');
    expect(lines.filter(({ msg }) => msg === 'answer failed')).toEqual([]);
  });

  const stream = (init: RequestInit & { headers?: Record<string, string> }, query = '') =>
    fetch(`${server.url}/graphql/stream${query}`, { ...init, headers: { ...asAda, 'content-type': 'application/json', ...init.headers } });

  it('takes no reservation', async () => {
    const body = '{"query":"{ weather }"}';
    const refused = await Promise.all([
      stream({ method: 'PUT' }),
      stream({ method: 'DELETE' }, '?operationId=1'),
      stream({ method: 'POST', body, headers: { 'x-graphql-event-stream-token': 'mine' } }),
      stream({ method: 'POST', body }, '?token=mine'),
      stream({ headers: { accept: 'text/event-stream' } }, '?token=mine'),
    ]);
    for (const response of refused) {
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, POST');
      expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'method_not_allowed' } }] });
    }
  });

  it('answers a request on /graphql/stream that cannot be executed as /graphql does', async () => {
    const cases: [RequestInit & { headers?: Record<string, string> }, number, string][] = [
      [{ method: 'POST', body: '{"query":"{ nothing }"}' }, 400, 'validation_failed'],
      [{ method: 'POST', body: '{"query":"{"}' }, 400, 'validation_failed'],
      [{ method: 'POST', body: '{"query":' }, 400, 'invalid_json'],
      [
        { method: 'POST', body: '{"query":"subscription { count(to: 2) }"}', headers: { authorization: 'Bearer' } },
        401,
        'malformed_credential',
      ],
      [{ method: 'POST', body: '{"query":"{ weather }"}', headers: { accept: 'application/json' } }, 406, 'not_acceptable'],
    ];
    for (const [init, status, code] of cases) {
      const response = await stream(init);
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ errors: [{ extensions: { code } }] });
    }
    const anonymous = await fetch(`${server.url}/graphql/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: '{"query":"subscription { count(to: 2) }"}',
    });
    expect(anonymous.status).toBe(401);
    expect(anonymous.headers.get('www-authenticate')).toContain('Bearer');
  });
});
