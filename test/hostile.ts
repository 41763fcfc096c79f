// What an attacker or a broken client sends: values, bodies and headers, as bytes.
import { createHash } from 'node:crypto';
import { type ClientRequest, Agent as HttpAgent, request } from 'node:http';
import { isSlow } from './slow.js';

const deep = (open: string, close: string, inner = '') => open.repeat(5_000) + inner + close.repeat(5_000);

/** JSON texts of values that no member should survive unless it is meant to: some are not even JSON. */
export const jsonValues: Readonly<Record<string, string>> = {
  null: 'null',
  true: 'true',
  zero: '0',
  negative: '-1',
  fraction: '1.5',
  infinite: '1e400',
  'negative infinite': '-1e400',
  'beyond safe': '9007199254740993',
  'beyond 64 bits': '123456789012345678901234567890',
  'tiny fraction': '1e-400',
  'empty text': '""',
  blank: '" "',
  NUL: '"a\\u0000b"',
  'lone high surrogate': '"\\ud800"',
  'lone low surrogate': '"a\\udc00b"',
  'right to left': '"\\u202eabc"',
  astral: '"\\ud83d\\ude00"',
  quotes: `"'; DROP TABLE wallet; --"`,
  'long text': JSON.stringify('x'.repeat(20_000)),
  'long digits': JSON.stringify('9'.repeat(5_000)),
  'number in text': '"1e5"',
  'minus in text': '"-5.00"',
  'zero in text': '"0.00"',
  'all digits': '"999999999999999999.99999999"',
  'other digits': '"\\u0661\\u0662.00"',
  'strange date': '"2026-02-31T25:61:61Z"',
  'far date': '"9999-12-31T23:59:59.999Z"',
  'nil UUID': '"00000000-0000-0000-0000-000000000000"',
  'wrong prefix': '"zzz_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d"',
  'empty list': '[]',
  'list of null': '[null]',
  'list of lists': '[[[]]]',
  'long list': `[${'1,'.repeat(5_000)}1]`,
  'empty object': '{}',
  __proto__: '{"__proto__":{"polluted":true}}',
  constructor: '{"constructor":{"prototype":{"polluted":true}}}',
  'toString member': '{"toString":"x","valueOf":1,"length":-1,"then":"x"}',
  'NUL in a name': '{"a\\u0000b":1}',
  'lone surrogate in a name': '{"\\udfff":1}',
  'deep lists': deep('[', ']'),
  'deep objects': deep('{"a":', '}', '1'),
};

/** Whole bodies. */
export const bodies: Readonly<Record<string, string | Buffer>> = {
  'broken JSON': '{"a":',
  'trailing words': '{} {}',
  'single quotes': "{'a':1}",
  text: '"text"',
  number: '1',
  null: 'null',
  list: '[]',
  'list of objects': '[{}]',
  'byte order mark': '\ufeff{}',
  'invalid UTF-8': Buffer.from('7b2261223a22fffe22c328227d', 'hex'),
  'overlong UTF-8': Buffer.from('7b2261223a22c08022 7d'.replace(' ', ''), 'hex'),
  'UTF-16': Buffer.from('{"a":1}', 'utf16le'),
  'unknown member': '{"no_such_member":1}',
  'own __proto__': '{"__proto__":{"polluted":true}}',
  'own constructor': '{"constructor":{"prototype":{"polluted":true}}}',
  'many unknown members': `{${Array.from({ length: 5_000 }, (_, n) => `"m${n}":1`).join(',')}}`,
  'same member twice': '{"name":"a","name":1,"amount":"1.00","amount":[]}',
  'deep lists': deep('[', ']'),
  'deep objects': deep('{"a":', '}', '1'),
  'only open brackets': '['.repeat(50_000),
};

/** Texts for a path or a query, before they are percent-encoded. */
export const texts: Readonly<Record<string, string>> = {
  empty: '',
  blank: ' ',
  NUL: 'a\u0000b',
  newline: 'a\r\nX-Injected: 1',
  long: 'x'.repeat(3_000),
  negative: '-1',
  zero: '0',
  fraction: '1.5',
  infinite: '1e400',
  huge: '9'.repeat(40),
  null: 'null',
  undefined: 'undefined',
  object: '[object Object]',
  __proto__: '__proto__',
  constructor: 'constructor',
  traversal: '../../etc/passwd',
  quotes: "' OR 1=1 --",
  emoji: '😀',
  'strange date': '2026-02-31T25:61:61Z',
  'nil UUID': '00000000-0000-0000-0000-000000000000',
  'wrong prefix': 'zzz_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d',
};

/** Spellings that are no percent-encoding of UTF-8. */
export const spellings: Readonly<Record<string, string>> = {
  'lone percent': '%',
  'cut percent': '%4',
  'no hex': '%zz',
  'invalid UTF-8': '%ff%fe',
  'overlong UTF-8': '%c0%80',
  'encoded NUL': '%00',
  'encoded slash': '%2F..%2F',
  'encoded surrogate': '%ed%a0%80',
};

/** Headers beside a good credential. */
export const headers: Readonly<Record<string, Record<string, string>>> = {
  'text body': { 'content-type': 'text/plain' },
  'form body': { 'content-type': 'application/x-www-form-urlencoded' },
  'broken type': { 'content-type': ';;;=' },
  'other charset': { 'content-type': 'application/json; charset=utf-16' },
  'long type': { 'content-type': `application/json; a=${'x'.repeat(4_000)}` },
  compressed: { 'content-encoding': 'gzip' },
  'two keys': { 'idempotency-key': 'a, b' },
  'long key': { 'idempotency-key': 'k'.repeat(300) },
  'blank key': { 'idempotency-key': ' ' },
  'quoted key': { 'idempotency-key': '"a\\"' },
  'key beyond ASCII': { 'idempotency-key': 'caf\u00e9' },
  'odd request id': { 'x-request-id': '"><script>' },
  'long request id': { 'x-request-id': 'r'.repeat(5_000) },
  'odd accept': { accept: '\\;q=nine, */*;q=-1' },
  'odd host': { host: 'evil.example:99999/x' },
  'odd forwarding': { 'x-forwarded-for': "1.2.3.4, '; --, ::ffff:999", 'x-forwarded-proto': 'gopher' },
  'odd tracing': { traceparent: '00-zz', 'last-event-id': '-1' },
  'range of bytes': { range: 'bytes=0-1,5-3', 'if-none-match': '*', 'if-modified-since': 'never' },
  'other scheme': { authorization: 'Basic YTpi' },
  'no scheme': { authorization: 'x' },
  'empty bearer': { authorization: 'Bearer ' },
  'long bearer': { authorization: `Bearer pk_test_${'x'.repeat(3_000)}` },
  'bearer of quotes': { authorization: `Bearer pk_test_' OR 1=1` },
  'bearer beyond ASCII': { authorization: 'Bearer pk_test_caf\u00e9' },
  'half a JWT': { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' },
  'an empty JWT': { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.AA' },
  'agent token': { authorization: 'Bearer agent_x' },
  'session token': { authorization: 'Bearer sess_x' },
  'portal token': { authorization: 'Bearer portal_x' },
};

export interface RawRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer | undefined;
  chunked?: boolean;
}

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

const agent = new HttpAgent({ keepAlive: true, maxSockets: 12 });

/** Sends bytes as they are: fetch would mend or refuse some of these. Throws when there is no answer. */
export function sendRaw(url: string, { method, path, headers: sent, body, chunked = false }: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': Buffer.byteLength(body) };
    const outgoing: ClientRequest = request({ agent, hostname, port, method, path, headers: { ...length, ...sent } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() }),
      );
      response.on('error', reject);
    });
    // A server that answers before it has read everything may close: what counts is the answer, if there was one.
    outgoing.on('error', (error) => setImmediate(reject, error));
    outgoing.once('socket', (socket) => {
      if (socket.listenerCount('error') < 2) socket.on('error', () => {});
    });
    outgoing.end(body);
  });
}

/** Runs `work` on every item, a few at a time. */
export async function eachOf<T>(items: Iterable<T>, work: (item: T) => Promise<void>, atOnce = 12): Promise<void> {
  const queue = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

const oneOf = isSlow ? 1 : 192;

/** The attacks on something that are tried. They depend on its name alone, so that a failure comes again. */
export function sampleOf<T extends { attack: string }>(target: string, cases: Iterable<T>): T[] {
  return [...cases].filter(({ attack }) => createHash('sha256').update(`${target} ${attack}`).digest().readUInt32BE() % oneOf === 0);
}
