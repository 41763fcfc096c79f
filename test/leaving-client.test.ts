// Clients that leave before they are answered: their requests end all the same, and the process goes on to serve others.
import { subscribe } from 'node:diagnostics_channel';
import { request } from 'node:http';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { enrol } from './contexts/agents/identity.js';
import { useHarness } from './harness.js';
import { TcpProxy } from './proxy.js';

vi.setConfig({ testTimeout: 60_000 });
const mostInFlight = 10;
let proxy: TcpProxy;
const h = useHarness({
  mostInFlight,
  route: async (url) => {
    proxy = await TcpProxy.open(url);
    return proxy.url;
  },
});
afterEach(() => proxy.heal());
afterAll(() => proxy.close());

async function sessionOf(token: string): Promise<string> {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const response = await fetch(`${h.test.url}/mcp`, {
    method: 'POST',
    headers: { ...headersOf(token), Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  });
  return response.headers.get('Mcp-Session-Id') ?? '';
}

const headersOf = (key: string) => ({ Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' });

/** Answered over a new connection, without the database. */
const isAlive = async () => expect((await fetch(`${h.test.url}/health`, { headers: { Connection: 'close' } })).status).toBe(200);

/** Requests that servers of this process have begun to serve. */
let begunHere = 0;
subscribe('http.server.request.start', () => {
  begunHere += 1;
});

/** As many requests as the process holds, whose clients leave while the database is silent. Of each body so many bytes are sent. */
async function leaveAll(path: string, headers: Record<string, string>, body?: string, bytes = body?.length): Promise<void> {
  // What is kept of the credential would answer without the database.
  h.platform.cache.clear();
  proxy.stall();
  const all = { ...headers, ...(body && { 'Content-Length': String(body.length) }) };
  const begin = () => {
    const sent = request(h.test.url + path, { method: body ? 'POST' : 'GET', headers: all, agent: false }).on('error', () => {});
    const closed = new Promise((resolve) => sent.once('close', resolve));
    const leave = () => {
      sent.destroy();
      return closed;
    };
    return { sent, leave };
  };
  const before = begunHere;
  const begun = Array.from({ length: mostInFlight }, begin);
  for (const { sent } of begun) {
    if (body) sent.write(body.slice(0, bytes));
    else sent.end();
  }
  await expect.poll(() => begunHere - before, { interval: 5 }).toBe(mostInFlight);
  // The process holds as many as it may: one more is refused.
  await expect.poll(async () => (await h.test.get('/v1/accounts')).body.code, { interval: 5, timeout: 10_000 }).toBe('overloaded');
  // The process has heard that they have left before the database speaks again.
  await Promise.all(begun.map(({ leave }) => leave()));
  await isAlive();
  proxy.heal();
}

const isServed = () => expect.poll(async () => (await h.test.get('/v1/accounts')).status, { interval: 50, timeout: 15_000 }).toBe(200);

it('a call of a tool ends although nobody waits for it', async () => {
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_accounts', arguments: {} } });
  const session = await sessionOf(h.test.key);
  const headers = { ...headersOf(h.test.key), Accept: 'application/json, text/event-stream', 'Mcp-Session-Id': session };
  await leaveAll('/mcp', headers, call);
  await isServed();
});

it('a request ends whose body was not sent whole when its credential was known', async () => {
  await leaveAll('/v1/accounts', headersOf(h.test.key), '{"type": "business", "name": "Acme"}', 10);
  await isServed();
});

it('a stream of tools is not kept for a client that left before it began', async () => {
  const { token, uuid } = await enrol(h.test);
  const { fanout } = h.platform;
  const subscribe = fanout.subscribe.bind(fanout);
  let [begun, open] = [0, 0];
  const counted = vi.spyOn(fanout, 'subscribe').mockImplementation((topic, reader) => {
    const leave = subscribe(topic, reader);
    const isOurs = topic === uuid;
    if (isOurs) [begun, open] = [begun + 1, open + 1];
    return () => {
      if (isOurs) open -= 1;
      leave();
    };
  });
  const headers = { ...headersOf(token), Accept: 'text/event-stream', 'Mcp-Session-Id': await sessionOf(token) };
  await leaveAll('/mcp', headers);
  await expect.poll(() => begun, { timeout: 15_000 }).toBe(mostInFlight);
  expect(open).toBe(0);
  counted.mockRestore();
});
