// /mcp by the revision of 2026-07-28: no handshake, no session, each message says what it is.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Spender, spender } from '../factories/budget.js';
import { type Json, useHarness } from '../harness.js';
import { query } from '../ledger/wallet-ref.js';
import { envelope, post, type Sent } from './modern.js';

const harness = useHarness();
let payer: Spender;
beforeAll(async () => {
  payer = await spender(harness.test);
});

const send = (message: Json, sent: Sent = {}) => post(harness.test.url, payer.token, message, sent);
const ask = (method: string, params: object = {}, id: string | number = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { _meta: envelope, ...params },
});
const call = (name: string, given: object, id: string | number = 1) => ask('tools/call', { name, arguments: given }, id);
const payment = (amount: string, extra: object = {}) => ({
  from_wallet_id: payer.from.id,
  to_wallet_id: payer.to.id,
  amount,
  currency: 'USD',
  ...extra,
});
const received = async () => (await harness.test.get(`/v1/wallets/${payer.to.id}/balance`)).body.data.available;

describe('server/discover', () => {
  it('says what is served, and may be kept for an hour', async () => {
    const { status, headers, body } = await send(ask('server/discover'));
    expect([status, headers.get('Content-Type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: { listChanged: true } },
        instructions: expect.stringContaining('whoami'),
        ttlMs: 3_600_000,
        cacheScope: 'public',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'agent-payments', title: 'Agent Payments', version: '1.0.0' } },
      },
    });
    expect((await send(ask('server/discover'), { token: null })).status).toBe(401);
  });
});

describe('tools/list', () => {
  it('has what the caller may do now, byte for byte the same for the same rights, for 5 s and the caller alone', async () => {
    const [first, second] = [await send(ask('tools/list')), await send(ask('tools/list'))];
    expect(first.body.result).toMatchObject({ resultType: 'complete', ttlMs: 5_000, cacheScope: 'private' });
    expect(second.text).toBe(first.text);
    const names = first.body.result.tools.map(({ name }: Json) => name);
    expect(names).toEqual(expect.arrayContaining(['whoami', 'pay']));
    await harness.test.post(`/v1/agents/${payer.id}/freeze`, {});
    const frozen = (await send(ask('tools/list'))).body.result.tools.map(({ name }: Json) => name);
    expect(frozen).toEqual(names.filter((name: string) => frozen.includes(name)));
    expect(frozen).not.toContain('pay');
    await harness.test.post(`/v1/agents/${payer.id}/unfreeze`, {});
  });

  it('requires a key of every tool that changes something, and of no other', async () => {
    for (const token of [payer.token, harness.test.key]) {
      for (const { name, inputSchema, annotations } of (await send(ask('tools/list'), { token })).body.result.tools) {
        expect(inputSchema.required.includes('idempotency_key'), name).toBe(!annotations.readOnlyHint);
      }
    }
  });
});

describe('tools/call', () => {
  it('pays under the key that it brings, once, whatever its id is', async () => {
    const before = Number(await received());
    const first = await send(call('pay', payment('2.00', { idempotency_key: 'modern-1' }), 'a'));
    expect(first).toMatchObject({ status: 200, body: { id: 'a', result: { resultType: 'complete' } } });
    const again = await send(call('pay', payment('2.00', { idempotency_key: 'modern-1' }), 'b'));
    expect(again.body.result.structuredContent.data.id).toBe(first.body.result.structuredContent.data.id);
    expect(again.body.result._meta).toMatchObject({ idempotent_replayed: true });
    expect(Number(await received())).toBe(before + 2);
  });

  it('does nothing without a key, and names a new one that works', async () => {
    const before = Number(await received());
    const keys = [];
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await send(call('pay', payment('1.00'), 7));
      expect([status, body.result.isError, body.result.structuredContent]).toEqual([200, true, undefined]);
      const { code, details } = JSON.parse(body.result.content[0].text);
      expect([code, details.fields[0].path, details.retry.safe]).toEqual(['validation_failed', 'idempotency_key', true]);
      keys.push(details.retry.idempotency_key);
    }
    expect(new Set(keys).size).toBe(2);
    expect(Number(await received())).toBe(before);
    const { body } = await send(call('pay', payment('1.00', { idempotency_key: keys[0] }), 7));
    expect(body.result.structuredContent.data.status).toBe('completed');
    // What reads needs none.
    expect((await send(call('whoami', {}))).body.result.structuredContent.data.actor.id).toBe(payer.id);
  });

  it('offers calls that would help with the key that they need', async () => {
    const { body } = await send(call('pay', payment('999999.00', { idempotency_key: 'modern-2' })));
    const { details } = JSON.parse(body.result.content[0].text);
    const calls = details.next_actions.flatMap((action: Json) => (action.call ? [action.call] : []));
    for (const { tool, arguments: given } of calls)
      expect(given.idempotency_key, tool).toEqual(['whoami', 'get_balances'].includes(tool) ? undefined : expect.stringMatching(/^mcp:/));
  });

  it('does not take a state that it never gave out, and leaves answers alone that nobody asked for', async () => {
    const before = await received();
    const asked = call('pay', payment('1.00', { idempotency_key: 'modern-3' }));
    for (const requestState of ['made-up', '', 7, {}]) {
      const { body } = await send({ ...asked, params: { ...asked.params, requestState } });
      expect(body.error.code, JSON.stringify(requestState)).toBe(-32_602);
    }
    expect(await received()).toBe(before);
    const { body } = await send({ ...asked, params: { ...asked.params, inputResponses: { a: { action: 'accept' } } } });
    expect(body.result.structuredContent.data.status).toBe('completed');
  });

  it('belongs to the trace that it names, unless the request names one', async () => {
    const [inMessage, inHeader] = ['0af7651916cd43dd8448eb211c80319c', '4bf92f3577b34da6a3ce929d0e0e4736'];
    const traced = async (key: string, headers: Record<string, string> = {}) => {
      const asked = call('pay', payment('1.00', { idempotency_key: key }));
      const _meta = { ...envelope, traceparent: `00-${inMessage}-b7ad6b7169203331-01` };
      const { body } = await send({ ...asked, params: { ...asked.params, _meta } }, { headers });
      const { id } = body.result.structuredContent.data;
      return (await query(harness, 'SELECT trace_id FROM transfer WHERE id = $1', [id]))[0];
    };
    expect(await traced('traced-1')).toEqual({ trace_id: inMessage });
    expect(await traced('traced-2', { traceparent: `00-${inHeader}-b7ad6b7169203331-01` })).toEqual({ trace_id: inHeader });
  });
});

describe('what is not taken', () => {
  const list = ask('tools/list', {}, 'the-id');
  const told = ({ status, body }: Json) => [status, body.error.code, body.id];
  const withMeta = (_meta: unknown) => ({ ...list, params: { _meta } });
  const { 'io.modelcontextprotocol/clientCapabilities': _, ...withoutCapabilities } = envelope;

  it('400 -32020: headers that are missing, malformed, or say something else than the body', async () => {
    const named = call('whoami', {}, 'the-id');
    const cases: [Json, Record<string, string | undefined>][] = [
      [list, { 'MCP-Protocol-Version': undefined }],
      [list, { 'MCP-Protocol-Version': '2025-11-25' }],
      [list, { 'Mcp-Method': undefined }],
      [list, { 'Mcp-Method': 'tools/call' }],
      [list, { 'Mcp-Method': 'Tools/List' }],
      [named, { 'Mcp-Name': undefined }],
      [named, { 'Mcp-Name': 'pay' }],
      [named, { 'Mcp-Name': '=?base64?!!!?=' }],
      [named, { 'Mcp-Name': '=?base64?cGF5?=' }],
    ];
    for (const [message, headers] of cases)
      expect(told(await send(message, { headers })), JSON.stringify(headers)).toEqual([400, -32_020, 'the-id']);
    const name = Buffer.from('whoami').toString('base64');
    for (const header of [`=?base64?${name}?=`, '  whoami '])
      expect((await send(named, { headers: { 'Mcp-Name': header } })).status, header).toBe(200);
  });

  it('400 -32602: what a message says of itself is not whole', async () => {
    for (const message of [withMeta(withoutCapabilities), withMeta({ ...envelope, 'io.modelcontextprotocol/clientCapabilities': [] })])
      expect(told(await send(message)), JSON.stringify(message)).toEqual([400, -32_602, 'the-id']);
    expect(told(await send(withMeta([])))).toEqual([400, -32_600, 'the-id']);
    const { params: __, ...bare } = list;
    expect(told(await send(bare))).toEqual([400, -32_602, 'the-id']);
    expect(told(await send(withMeta({ ...envelope, 'io.modelcontextprotocol/protocolVersion': 20260728 })))).toEqual([
      400,
      -32_602,
      'the-id',
    ]);
  });

  it('400 -32022: a revision that is not served, with those that are', async () => {
    for (const requested of ['2026-13-01', '2027-01-01', '2025-11-25', '']) {
      const message = withMeta({ ...envelope, 'io.modelcontextprotocol/protocolVersion': requested });
      const answer = await send(message, { headers: { 'MCP-Protocol-Version': requested === '' ? undefined : requested } });
      expect(told(answer), requested).toEqual([400, -32_022, 'the-id']);
      expect(answer.body.error.data).toEqual({ supported: ['2026-07-28'], requested });
    }
  });

  it('404 -32601: methods that are gone, or were never there', async () => {
    const methods = [
      'initialize',
      'ping',
      'logging/setLevel',
      'resources/subscribe',
      'prompts/list',
      'resources/read',
      'tasks/get',
      'x'.repeat(2_000),
    ];
    for (const method of methods) {
      const params = method === 'resources/read' ? { uri: 'file:///a' } : method === 'tasks/get' ? { taskId: 'a' } : {};
      const headers = method === 'tasks/get' ? { 'Mcp-Name': 'a' } : {};
      expect(told(await send(ask(method, params, 'the-id'), { headers })), method).toEqual([404, -32_601, 'the-id']);
    }
  });

  it('400: ids that are none, and what is no request', async () => {
    for (const id of [null, 1.5, {}, true]) {
      const { status, body } = await send({ ...list, id } as Json);
      expect([status, body.error.code], JSON.stringify(id)).toEqual([400, -32_600]);
    }
    expect((await send({ ...list, jsonrpc: '1.0' })).status).toBe(400);
    expect((await send({ ...list, id: 'x'.repeat(2_048) })).body.id).toHaveLength(2_048);
    expect((await send([list, list] as Json, { headers: { 'MCP-Protocol-Version': '2026-07-28' } })).status).toBe(400);
    expect((await send(list, { headers: { 'Content-Type': 'text/plain' } })).status).toBe(415);
    const notice = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { _meta: envelope, requestId: 1 } };
    expect(await send(notice)).toMatchObject({ status: 202, body: undefined });
  });

  it('names tools that are not there, and arguments that are wrong, as ever', async () => {
    for (const name of ['steal', 'create_agent']) expect((await send(call(name, {}))).body.error).toMatchObject({ code: -32_602 });
    for (const params of [
      { name: 'whoami', arguments: [] },
      { name: 'whoami', arguments: 7 },
    ]) {
      expect((await send(ask('tools/call', params))).body.error.code, JSON.stringify(params)).toBe(-32_602);
    }
    const { body } = await send(call('pay', payment('1.00', { idempotency_key: 7 })));
    expect(JSON.parse(body.result.content[0].text).details.fields[0].path).toBe('idempotency_key');
  });

  it('401 and 403 before anything is read; a session and an event id are left alone', async () => {
    expect((await send(list, { token: null })).status).toBe(401);
    expect((await send(list, { headers: { Origin: 'https://evil.example' } })).status).toBe(403);
    const headers = { 'Mcp-Session-Id': 'made-up', 'Last-Event-ID': '7' };
    expect((await send(list, { headers })).status).toBe(200);
  });
});
