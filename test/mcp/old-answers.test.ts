// What clients of the older revisions are answered, byte for byte: the stock clients of SDK 1.32.2 and 2.4, and messages that go wrong. The
// fixture was recorded before the platform spoke 2026-07-28. Ids and times are numbered in the order in which they come; of the listed tools
// the names and required arguments are kept, because their schemas follow from the operations. RECORD=1 writes it again.
import { readFile, writeFile } from 'node:fs/promises';
import { Client as NextClient, StreamableHTTPClientTransport as NextTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { beforeAll, expect, it } from 'vitest';
import { type Spender, spender } from '../factories/budget.js';
import { type Json, nowhere, useHarness } from '../harness.js';

const harness = useHarness();
const fixture = new URL('old-answers.json', import.meta.url);
/** Headers that say what the answer is; the others carry time, ids or what is left of a limit. */
const headersKept = ['content-type', 'allow', 'www-authenticate', 'cache-control', 'x-accel-buffering', 'vary'];
let payer: Spender;
beforeAll(async () => {
  payer = await spender(harness.test);
});

interface Exchange {
  asked: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Puts a number in the place of each id and time. */
function numbering(): (text: string) => string {
  const known = new Map<string, string>();
  const pattern =
    /req_[0-9a-f-]{36}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|mcp:[\w-]{43}|localhost:\d+|127\.0\.0\.1:\d+/g;
  return (text) =>
    text.replace(pattern, (found) => {
      const kind = /T/.test(found) && found.endsWith('Z') ? 'time' : (/^(req_|mcp:|localhost|127)/.exec(found)?.[0] ?? 'id');
      if (kind === 'time') return '{time}';
      if (!known.has(found)) known.set(found, `{${kind} ${known.size}}`);
      return known.get(found) as string;
    });
}

/** The answer as it is kept: of a list of tools what does not follow from their operations. */
function kept(body: string): string {
  if (!body.includes('"result":{"tools":[')) return body;
  const message = JSON.parse(body) as Json;
  message.result.tools = message.result.tools.map(({ name, inputSchema }: Json) => `${name}(${inputSchema.required})`);
  return JSON.stringify(message);
}

class Recorder {
  readonly exchanges: Exchange[] = [];
  readonly #number = numbering();

  /** As fetch, and keeps what is answered. Of an endless stream the first event is kept. */
  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const answer = await fetch(input, init);
    const exchange: Exchange = {
      asked: `${init.method ?? 'GET'} ${this.#number(String(init.body ?? ''))}`,
      ...this.#head(answer),
      body: '',
    };
    this.exchanges.push(exchange);
    const isListening = (init.method ?? 'GET') === 'GET' && answer.ok;
    if (answer.body === null || isListening) return answer;
    const text = await answer.text();
    exchange.body = this.#number(kept(text));
    return new Response(text === '' ? null : text, { status: answer.status, headers: answer.headers });
  };

  /** Sends a message of the test's own. */
  async send(token: string | null, body: string, headers: Record<string, string> = {}, method = 'POST'): Promise<Response> {
    const all = {
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      Accept: 'application/json, text/event-stream',
      ...(method === 'POST' && { 'Content-Type': 'application/json' }),
      ...headers,
    };
    return this.fetch(`${harness.test.url}/mcp`, { method, headers: all, ...(method === 'POST' && { body }) });
  }

  #head({ status, headers }: Response) {
    const found = headersKept.flatMap((name): [string, string][] => {
      const value = headers.get(name);
      return value === null ? [] : [[name, this.#number(value)]];
    });
    return { status, headers: Object.fromEntries(found) };
  }
}

const payment = (amount: string, extra: object = {}) => ({
  from_wallet_id: payer.from.id,
  to_wallet_id: payer.to.id,
  amount,
  currency: 'USD',
  ...extra,
});

/** A conversation of a stock client. */
async function converse(recorder: Recorder, open: (options: Json) => Json, client: Json): Promise<void> {
  const requestInit = { headers: { Authorization: `Bearer ${payer.token}` } };
  await client.connect(open({ requestInit, fetch: recorder.fetch }));
  const call = (name: string, given: object) => client.callTool({ name, arguments: given }).catch(() => {});
  await client.ping();
  await client.listTools();
  await call('pay', payment('1.00'));
  await call('pay', payment('1.00', { idempotency_key: `invoice-${recorder.exchanges.length}` }));
  await call('pay', payment('999999.00'));
  await call('pay', payment('1.00', { amuont: '1.00' }));
  await call('get_transfer', { id: nowhere });
  await call('wait_for_approval', { id: `apr_${nowhere}` });
  await call('steal', {});
  await client.listPrompts().catch(() => {});
  await client.close();
}

const rpc = (id: unknown, method: string, params?: object) => JSON.stringify({ jsonrpc: '2.0', id, method, ...(params && { params }) });

/** What goes wrong, and what the oldest revisions say. */
async function misspeak(recorder: Recorder): Promise<void> {
  const clientInfo = { name: 'test', version: '1' };
  const initialize = (protocolVersion: string) => rpc(0, 'initialize', { protocolVersion, capabilities: {}, clientInfo });
  const { token } = payer;
  const first = await recorder.send(token, initialize('2024-11-05'));
  const session = { 'Mcp-Session-Id': first.headers.get('Mcp-Session-Id') ?? '' };
  for (const version of ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28', '1999-01-01'])
    await recorder.send(token, initialize(version));
  const list = rpc(1, 'tools/list');
  await recorder.send(token, rpc(2, 'logging/setLevel', { level: 'info' }), session);
  await recorder.send(token, rpc(3, 'server/discover'), session);
  await recorder.send(token, rpc('4', 'tools/call', { name: 'whoami', arguments: [] }), session);
  await recorder.send(token, rpc(5, 'tools/call', { name: 'pay', arguments: payment('1.00'), task: { ttl: 1_000 } }), session);
  await recorder.send(token, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }), session);
  await recorder.send(token, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } }), session);
  await recorder.send(token, '{"jsonrpc"', session);
  await recorder.send(token, '{"hello":1}', session);
  await recorder.send(token, '[]', session);
  await recorder.send(token, list);
  await recorder.send(token, list, { 'Mcp-Session-Id': 'made-up' });
  await recorder.send(token, list, { ...session, 'Mcp-Protocol-Version': '1999-01-01' });
  await recorder.send(token, list, { ...session, Accept: 'text/plain' });
  await recorder.send(token, list, { ...session, 'Content-Type': 'text/plain' });
  await recorder.send(token, rpc(6, 'tools/list', { cursor: 'x'.repeat(300_000) }).replace(/x{9,}/, 'x'.repeat(300_000)), session);
  await recorder.send(null, list);
  await recorder.send('agent_wrong', list);
  await recorder.send(token, list, { ...session, Origin: 'https://evil.example' });
  await recorder.send(token, '', session, 'DELETE');
  await recorder.send(token, '', { ...session, Accept: 'application/json' }, 'GET');
  await recorder.send(token, '', { Accept: 'text/event-stream' }, 'GET');
  const stream = await recorder.send(token, '', { ...session, Accept: 'text/event-stream' }, 'GET');
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  (recorder.exchanges.at(-1) as Exchange).body = new TextDecoder().decode(value);
  await reader.cancel();
}

/** Streams and notifications of a client end when they will: what is asked for at once has an order of its own. */
const ordered = (exchanges: Exchange[]) => exchanges.filter(({ asked }) => asked !== 'GET ');

it('has the bytes that it had', { timeout: 60_000 }, async () => {
  const url = new URL(`${harness.test.url}/mcp`);
  const recorded: Record<string, Exchange[]> = {};
  const talk = async (name: string, speak: (recorder: Recorder) => Promise<void>, order = (all: Exchange[]) => all) => {
    const recorder = new Recorder();
    await speak(recorder);
    recorded[name] = order(recorder.exchanges);
  };
  const info = { name: 'test', version: '1' };
  await talk('sdk 1.32.2', (to) => converse(to, (options) => new StreamableHTTPClientTransport(url, options), new Client(info)), ordered);
  await talk('client 2.4', (to) => converse(to, (options) => new NextTransport(url, options), new NextClient(info)), ordered);
  await talk('by hand', misspeak);
  // A body of 300 kB tells nothing.
  for (const exchange of recorded['by hand'] as Exchange[]) exchange.asked = exchange.asked.replace(/x{9,}/, 'x…');
  if (process.env['RECORD'] === '1') await writeFile(fixture, `${JSON.stringify(recorded, null, 1)}\n`);
  expect(recorded).toEqual(JSON.parse(await readFile(fixture, 'utf8')));
});
