// /mcp as HTTP: credentials, sessions, origins, sizes, and one effect for each call.
import { beforeAll, describe, expect, it } from 'vitest';
import { newBudget, type Spender, spender } from '../factories/budget.js';
import { type Json, nowhere, useHarness } from '../harness.js';
import { connect } from './client.js';

const harness = useHarness();
let payer: Spender;
beforeAll(async () => {
  payer = await spender(harness.test);
});

interface Sent {
  token?: string | null;
  session?: string | undefined;
  headers?: Record<string, string>;
  raw?: string;
}

/** Sends one message, as a client that keeps to the protocol would unless `sent` says otherwise. */
async function send(message: Json, { token = payer.token, session, headers = {}, raw }: Sent = {}) {
  const response = await fetch(`${harness.test.url}/mcp`, {
    method: 'POST',
    headers: {
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...(session === undefined ? {} : { 'Mcp-Session-Id': session }),
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: raw ?? JSON.stringify(message),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const sessionOf = async (sent: Sent = {}) => (await send(initialize, sent)).headers.get('Mcp-Session-Id') ?? '';
const pay = (id: number | string, amount: string, extra: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: {
    name: 'pay',
    arguments: { from_wallet_id: payer.from.id, to_wallet_id: payer.to.id, amount, currency: 'USD', ...extra },
  },
});

describe('POST /mcp', () => {
  it('200: answers with JSON, in a session that any process takes', async () => {
    const first = await send(initialize);
    expect(first).toMatchObject({ status: 200, body: { id: 0, result: { protocolVersion: '2025-06-18' } } });
    const session = first.headers.get('Mcp-Session-Id') ?? '';
    expect(session).toMatch(/^[\x21-\x7e]+$/);
    expect(first.headers.get('X-RateLimit-Remaining')).not.toBeNull();
    expect((await send(list, { session })).body.result.tools.length).toBeGreaterThan(20);
    const notice = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect(await send(notice, { session })).toMatchObject({ status: 202, body: undefined });
  });

  it('200: pays once for a call that is sent again, and again for another call or session', async () => {
    const [session, other] = [await sessionOf(), await sessionOf()];
    const idOf = async (message: Json, in_: string) => (await send(message, { session: in_ })).body.result.structuredContent.data.id;
    const first = await idOf(pay(7, '1.00'), session);
    expect(await idOf(pay(7, '1.00'), session)).toBe(first);
    const others = [await idOf(pay(8, '1.00'), session), await idOf(pay('7', '1.00'), session), await idOf(pay(7, '1.00'), other)];
    expect(new Set([first, ...others]).size).toBe(4);
    const changed = (await send(pay(7, '2.00'), { session })).body.result;
    expect(changed.isError).toBe(true);
    expect(JSON.parse(changed.content[0].text).code).toBe('idempotency_key_reused');
  });

  it('200: of 100 payments at once a budget for 37 lets 37 through', async () => {
    const racer = await spender(harness.test);
    await newBudget(harness.test, { scope: { type: 'agent', id: racer.uuid }, amount: '37.00' });
    await using agent = await connect(harness.test.url, racer.token);
    const given = { from_wallet_id: racer.from.id, to_wallet_id: racer.to.id, amount: '1.00', currency: 'USD' };
    const counted = async () => {
      const metrics = await (await fetch(`${harness.test.url}/metrics`)).text();
      return Number(/^refusals_total\{status="403",code="budget_exceeded"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
    };
    const before = await counted();
    const results = await Promise.all(Array.from({ length: 100 }, () => agent.result('pay', given)));
    const [paid, refused] = [results.filter(({ isError }) => !isError), results.filter(({ isError }) => isError)];
    expect([paid.length, refused.length]).toEqual([37, 63]);
    const codes = refused.map(({ content }) => JSON.parse((content[0] as Json).text).code);
    expect(new Set(codes)).toEqual(new Set(['budget_exceeded']));
    expect((await counted()) - before).toBe(63);
    expect((await harness.test.get(`/v1/wallets/${racer.to.id}/balance`)).body.data.available).toBe('37.00');
  });

  it('200: waits in a stream, which is counted among those of the actor', async () => {
    const session = await sessionOf();
    const waiting = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'wait_for_approval', arguments: { id: `apr_${nowhere}` } },
    };
    const response = await fetch(`${harness.test.url}/mcp`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${payer.token}`,
        'Mcp-Session-Id': session,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(waiting),
    });
    expect(response.headers.get('Content-Type')).toContain('text/event-stream');
    expect(await response.text()).toMatch(/^event: message\ndata: \{.*"isError":true/);
  });

  it('200: an error for a call that is to be a task, which pays nothing', async () => {
    const session = await sessionOf();
    const count = async () => (await harness.test.get(`/v1/transfers?agent_id=${payer.uuid}&limit=1`)).body.pagination.total;
    const before = await count();
    const call = pay(1, '1.00');
    const { body } = await send({ ...call, params: { ...call.params, task: { ttl: 1_000 } } }, { session });
    expect(body.error.code).toBeLessThan(0);
    expect(await count()).toBe(before);
  });

  it('400: what is no message, a batch, and a call without a session', async () => {
    const session = await sessionOf();
    expect(await send(null, { session, raw: '{"jsonrpc"' })).toMatchObject({ status: 400, body: { error: { code: -32700 } } });
    expect(await send({ hello: 1 }, { session })).toMatchObject({ status: 400, body: { error: { code: -32700 } } });
    expect((await send([list, list], { session })).status).toBe(400);
    const missing = await send(list);
    expect(missing).toMatchObject({ status: 400, body: { jsonrpc: '2.0', id: null, error: { code: -32600 } } });
    expect(missing.body.error.message).toContain('Mcp-Session-Id');
    expect((await send(list, { session, headers: { 'Mcp-Protocol-Version': '1999-01-01' } })).status).toBe(400);
  });

  it('200: an error of the caller for a call that names no tool, or has no arguments', async () => {
    const session = await sessionOf();
    for (const params of [undefined, {}, { name: 5 }, { name: 'whoami', arguments: [] }]) {
      const { status, body } = await send({ jsonrpc: '2.0', id: 3, method: 'tools/call', ...(params && { params }) }, { session });
      expect([status, body.id, body.error.code], JSON.stringify(params)).toEqual([200, 3, -32602]);
    }
  });

  it('401 and 403: no credential, a wrong one, a portal token, a page of another origin', async () => {
    expect(await send(initialize, { token: null })).toMatchObject({
      status: 401,
      body: { error: { data: { code: 'missing_credential' } } },
    });
    expect((await send(initialize, { token: `agent_${'0'.repeat(43)}` })).body.error.data.code).toBe('invalid_agent_token');
    expect((await send(initialize, { token: harness.live.key })).body.error.data.code).toBe('environment_mismatch');
    const portal = await harness.test.make('/v1/portal-tokens', { customer_reference: 'c-1', scopes: ['transfers:read'] });
    expect(await send(initialize, { token: portal.token })).toMatchObject({
      status: 403,
      body: { error: { data: { code: 'insufficient_scope' } } },
    });
    const { port } = new URL(harness.test.url);
    for (const origin of ['https://evil.example', `http://evil.example:${port}`, 'http://localhost:1', 'null']) {
      expect(await send(initialize, { headers: { Origin: origin } }), origin).toMatchObject({ status: 403 });
    }
    expect((await send(initialize, { headers: { Origin: `http://localhost:${port}` } })).status).toBe(200);
  });

  it('404: a session that is another actor’s, was made up, or is over', async () => {
    const session = await sessionOf();
    const code = { status: 404, body: { error: { code: -32001 } } };
    expect(await send(list, { session, token: harness.test.key })).toMatchObject(code);
    const { token } = await spender(harness.test);
    expect(await send(list, { session, token })).toMatchObject(code);
    expect(await send(list, { session: `${session.slice(0, -2)}AA` })).toMatchObject(code);
    expect(await send(list, { session: 'made-up' })).toMatchObject(code);
    harness.clock.advance(86_401);
    expect(await send(list, { session })).toMatchObject(code);
  });

  it('405, 406, 413 and 415: as everywhere, in the words of JSON-RPC', async () => {
    const session = await sessionOf();
    for (const method of ['DELETE', 'PUT']) {
      const response = await fetch(`${harness.test.url}/mcp`, { method, headers: { Authorization: `Bearer ${payer.token}` } });
      expect([response.status, response.headers.get('Allow')]).toEqual([405, 'GET, HEAD, POST']);
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { data: { code: 'method_not_allowed' } } });
    }
    expect((await send(list, { session, headers: { Accept: 'text/plain' } })).status).toBe(406);
    expect((await send({ ...list, params: { cursor: 'x'.repeat(300_000) } }, { session })).status).toBe(413);
    expect((await send(list, { session, headers: { 'Content-Type': 'text/plain' } })).status).toBe(415);
  });
});

describe('GET /mcp', () => {
  it('406 and 400: without the type of a stream, and without a session', async () => {
    const session = await sessionOf();
    const get = (headers: Record<string, string>) =>
      fetch(`${harness.test.url}/mcp`, { headers: { Authorization: `Bearer ${payer.token}`, ...headers } });
    expect((await get({ Accept: 'application/json', 'Mcp-Session-Id': session })).status).toBe(406);
    expect((await get({ Accept: 'text/event-stream' })).status).toBe(400);
  });
});
