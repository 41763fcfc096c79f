// The end of an answer: 8 MB where it is held whole, a tenth of the heap for all that wait, and 30 s for a client that reads nothing
// (CONTRACT.md 21). Clients here are bare sockets that do not read.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { createClient } from 'graphql-sse';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Handler } from '../../src/http/state.js';
import { answersCut } from '../../src/http/unread.js';
import { answerText, mostAnswerBytes } from '../../src/platform/answer-text.js';
import type { Ctx } from '../../src/platform/ctx.js';
import type { Answer } from '../../src/platform/idempotency.js';
import { send as sendRest } from '../../src/rest/serve.js';
import { type NewDatabase, newDatabase } from '../new-database.js';
import { writeNote } from './note.js';
import { asAda, openPlatform, type RunningServer, recordingLogger, send, startServer } from './notes.js';

const mega = 1_000_000;
const { log, lines } = recordingLogger();
let database: NewDatabase;
let server: RunningServer;
/** Its clients are cut after 300 ms. */
let hasty: RunningServer;
const sockets: Socket[] = [];

/** GET /long?bytes= is JSON of so many bytes, POST writes a note before that. GET /stream never ends. */
const handler = (own: () => RunningServer): Handler => {
  return async (http) => {
    if (http.path === '/stream') {
      http.body = Readable.from(
        (async function* () {
          for (;;) yield Buffer.alloc(64 * 1024);
        })(),
      );
      return;
    }
    const ctx = http.state.ctx as Ctx;
    const body = { data: 'x'.repeat(Number(http.query['bytes']) - '{"data":""}'.length) };
    const run = async (): Promise<Answer> => {
      if (http.method === 'POST') await writeNote(ctx, 'written');
      return { status: http.method === 'POST' ? 201 : 200, body, secretless: () => body };
    };
    const key = http.req.headers['idempotency-key'] as string | undefined;
    sendRest(http as never, await own().keys.run(ctx, { key, operation: 'long', content: {} }, run));
  };
};

beforeAll(async () => {
  database = await newDatabase();
  const platform = () => openPlatform({ databaseUrl: database.url, log });
  server = await startServer({ platform: platform(), handler: handler(() => server), unread: { mostBytes: 20 * mega } });
  hasty = await startServer({ platform: platform(), handler: handler(() => hasty), unread: { deadlineMs: 300 } });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await expect.poll(() => [server.unread.bytes, hasty.unread.bytes]).toEqual([0, 0]);
  expect(lines.filter(({ msg }) => msg === 'answer failed')).toEqual([]);
});
afterAll(async () => {
  await server.close();
  await hasty.close();
  await database.drop();
});

const rest = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const response = await fetch(server.url + path, { method, headers });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    bytes: text.length,
    body: text.length < 10_000 ? JSON.parse(text) : undefined,
  };
};

/** A client that sends a request and reads nothing of the answer. */
function ask(to: RunningServer, request: string, body?: string): Socket {
  const head = [request, 'Host: x', `Authorization: ${asAda.authorization}`, 'Accept: text/event-stream, */*'];
  if (body !== undefined) head.push('Content-Type: application/json', `Content-Length: ${body.length}`);
  const socket = connect(Number(new URL(to.url).port), '127.0.0.1', () =>
    socket.write(`${head.join('\r\n')}\r\n\r\n${body ?? ''}`),
  ).pause();
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

const note = (times: number) => `{ sample { print(times: ${times}) } }`;
/** What `sample.print` repeats has six letters. */
const tooOften = Math.ceil(mostAnswerBytes / 6);
const tooLarge = { code: 'overloaded', details: { reason: 'answer_too_large', retry: { safe: true } } };

describe('the text of an answer', () => {
  it('is the JSON of it, up to the last byte that it may have', () => {
    const value = { a: ['é', 1, null, true, { b: undefined, c: '"' }], d: {} };
    const text = JSON.stringify(value);
    const bytes = Buffer.byteLength(text);
    expect(answerText(value, bytes)).toBe(text);
    expect(answerText(text, bytes)).toBe(text);
    for (const whole of [value, text]) expect(() => answerText(whole, bytes - 1)).toThrow('larger than 8 MB');
  });
});

describe('200', () => {
  it('an answer of 8 MB', async () => {
    expect(await rest(`/long?bytes=${mostAnswerBytes}`, asAda)).toMatchObject({ status: 200, bytes: mostAnswerBytes });
  });

  it('a stream of any length', async () => {
    const response = await fetch(`${server.url}/stream`);
    let bytes = 0;
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > 2 * mostAnswerBytes) break;
    }
    expect(bytes).toBeGreaterThan(2 * mostAnswerBytes);
  });

  it('a client that reads slowly gets all of it, however long that takes', async () => {
    const socket = ask(hasty, `GET /long?bytes=${mostAnswerBytes} HTTP/1.1`);
    let bytes = 0;
    let pauses = 0;
    while (bytes < mostAnswerBytes) {
      if (socket.readableLength === 0) await once(socket, 'readable');
      const chunk: Buffer | null = socket.read();
      if (chunk === null) break;
      bytes += chunk.length;
      if (pauses < 10 && bytes > (pauses + 1) * 500_000) {
        pauses += 1;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    expect(bytes).toBeGreaterThan(mostAnswerBytes);
  });
});

describe('a change that was made', () => {
  const found = async (id: string) => (await send(server.url, `{ note(id: "${id}") { text } }`, asAda)).body.data;

  it('is answered with its reference over REST, and so is its replay', async () => {
    const path = `/long?bytes=${mostAnswerBytes + 1}`;
    const first = await rest(path, asAda, 'POST');
    expect(first).toMatchObject({ status: 201, body: { data: { id: expect.any(String) }, reason: 'answer_too_large' } });
    expect(await found(first.body.data.id)).toEqual({ note: { text: 'written' } });
    const keyed = { ...asAda, 'idempotency-key': 'long' };
    const [made, again] = [await rest(path, keyed, 'POST'), await rest(path, keyed, 'POST')];
    expect([made.status, again.body]).toEqual([201, made.body]);
    expect(made.body.data.id).not.toBe(first.body.data.id);
  });

  it('is answered with its reference over GraphQL', async () => {
    const query = `mutation { writeNote(input: {bodyText: "long"}) { print(times: ${Math.ceil(mostAnswerBytes / 4)}) } }`;
    for (const headers of [asAda, { ...asAda, 'idempotency-key': 'long-note' }]) {
      const { status, body } = await send(server.url, query, headers);
      expect(status).toBe(200);
      const { code, details } = (body.errors?.[0]?.extensions ?? {}) as { code: string; details: { reference: string } };
      expect({ code, details }).toMatchObject({ code: 'overloaded', details: { reason: 'answer_too_large', retry: { safe: false } } });
      expect(await found(details.reference)).toEqual({ note: { text: 'long' } });
    }
  });
});

describe('503', () => {
  it('for a read whose answer would be larger, over each face', async () => {
    const refused = await rest(`/long?bytes=${mostAnswerBytes + 1}`, asAda);
    expect([refused.status, refused.body, refused.headers.get('retry-after')]).toMatchObject([503, tooLarge, null]);
    const { status, body, headers } = await send(server.url, note(tooOften), asAda);
    expect([status, body.errors?.[0]?.extensions, headers.get('retry-after')]).toMatchObject([503, tooLarge, null]);
    for (const path of ['/graphql', '/graphql/stream']) {
      const init = { method: 'POST', headers: { ...asAda, 'content-type': 'application/json', accept: 'text/event-stream' } };
      const response = await fetch(server.url + path, { ...init, body: JSON.stringify({ query: note(tooOften) }) });
      expect([response.status, ((await response.json()) as { errors: { extensions: unknown }[] }).errors[0]?.extensions]).toMatchObject([
        503,
        tooLarge,
      ]);
    }
    expect((await send(server.url, note(tooOften - 10), asAda)).status).toBe(200);
  });

  it('for a result of a subscription, which goes on', async () => {
    const client = createClient({ url: `${server.url}/graphql/stream`, headers: asAda, retryAttempts: 0 });
    const results = [];
    for await (const result of client.iterate({ query: `subscription { long(letters: ${mostAnswerBytes}) }` })) results.push(result);
    expect(results).toMatchObject([{ errors: [{ extensions: tooLarge }] }]);
    client.dispose();
  });

  it('when what waits for readers is a tenth of the heap, until they are gone', async () => {
    const path = `/long?bytes=${7 * mega}`;
    const readers = [1, 2].map(() => ask(server, `GET ${path} HTTP/1.1`));
    await expect.poll(() => server.unread.bytes).toBeGreaterThan(14 * mega);
    const refused = await rest(path, asAda);
    expect([refused.status, refused.body, refused.headers.get('retry-after')]).toMatchObject([
      503,
      { code: 'overloaded', details: { retry: { safe: true, same_key: true, after_s: 1 } } },
      '1',
    ]);
    expect((await send(server.url, note(mega), asAda)).status).toBe(503);
    // Small answers pass, and a change that was made has one.
    expect((await send(server.url, '{ me }', asAda)).status).toBe(200);
    expect(await rest(path, asAda, 'POST')).toMatchObject({ status: 201, body: { data: { id: expect.any(String) } } });
    expect(server.unread.bytes).toBeGreaterThan(14 * mega);
    readers[0]?.destroy();
    await expect.poll(() => server.unread.bytes).toBeLessThan(8 * mega);
    expect(await rest(path, asAda)).toMatchObject({ status: 200, bytes: 7 * mega });
  });
});

describe('a client that reads nothing', () => {
  const cuts = async () => (await answersCut.get()).values[0]?.value ?? 0;
  const subscription = '{"query":"subscription { flood }"}';
  const requests: [string, string, string?][] = [
    ['an answer', `GET /long?bytes=${mostAnswerBytes} HTTP/1.1`],
    ['a stream', 'GET /stream HTTP/1.1'],
    ['events', 'POST /graphql HTTP/1.1', subscription],
  ];
  it.each(requests)('is cut: %s', async (_, request, body) => {
    const before = await cuts();
    const socket = ask(hasty, request, body);
    await expect.poll(cuts).toBe(before + 1);
    socket.resume();
    await once(socket, 'close');
  });

  it('is cut although it goes on sending', async () => {
    const before = await cuts();
    const socket = ask(hasty, `GET /long?bytes=${mostAnswerBytes} HTTP/1.1`);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const talk = setInterval(() => socket.write('GET /long?bytes=100 HTTP/1.1\r\nHost: x\r\n\r\n'), 20);
    await expect.poll(cuts).toBe(before + 1);
    clearInterval(talk);
    socket.resume();
    await closed;
  });
});
