// UCP over MCP: the operations of a merchant as tools.
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSeller } from '../../factories/offer.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { checkPublished } from './published.js';
import { expectSigned } from './signed-answer.js';
import { byWallet, checkoutName, currentProfile, fulfillmentName, orderName, ProfileHost, profileOf, songs } from './talk.js';

const profiles = await ProfileHost.start();
afterAll(() => profiles.stop());
const harness = useHarness({ allowHosts: [profiles.host] });
const host = 'tools.shop.example';
let merchant: Json;
let agent: string;
let agentBefore: string;
beforeAll(async () => {
  ({ merchant } = await newSeller(harness.test));
  await harness.test.patch(`/v1/merchants/${merchant.id}`, { shop_hosts: [host] });
  agent = profiles.publish(currentProfile([checkoutName, fulfillmentName]));
  agentBefore = profiles.publish(profileOf());
});

interface Sent {
  as?: string | null;
  headers?: Record<string, string>;
  path?: string;
  at?: string;
}

async function post(body: unknown, { as = null, headers = {}, path = '/ucp/mcp', at = host }: Sent = {}) {
  const response = await request(harness.test.url + path, {
    method: 'POST',
    headers: { Host: at, 'Content-Type': 'application/json', ...(as !== null && { Authorization: `Bearer ${as}` }), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.body.text();
  return { status: response.statusCode, headers: response.headers, text, body: (text === '' ? undefined : JSON.parse(text)) as Json };
}

const rpc = (method: string, params: object = {}, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });

interface Called extends Sent {
  key?: string | null;
  profile?: string | null;
}

/** Calls a tool with the tenant's key, as the agent of the current version. */
function call(name: string, given: object = {}, { key = randomUUID(), profile = agent, as = harness.test.key, ...sent }: Called = {}) {
  const meta = { ...(profile !== null && { 'ucp-agent': { profile } }), ...(key !== null && { 'idempotency-key': key }) };
  return post(rpc('tools/call', { name, arguments: { meta, ...given } }), { as, ...sent });
}

/** What a call that went well is about. */
async function result(...asked: Parameters<typeof call>): Promise<Json> {
  const { status, body } = await call(...asked);
  expect([status, body.error]).toEqual([200, undefined]);
  expect(JSON.parse(body.result.content[0].text)).toEqual(body.result.structuredContent);
  checkPublished({ status, headers: new Headers(), body: body.result.structuredContent });
  return body.result.structuredContent;
}

describe('POST /ucp/mcp of a shop', () => {
  it('200: tools/list for anybody, in the version of the profile that is named', async () => {
    const listed = async (params: object) => (await post(rpc('tools/list', params))).body.result.tools;
    const tools = await listed({ arguments: { meta: { 'ucp-agent': { profile: agent } } } });
    const names = tools.map(({ name }: Json) => name);
    expect(names.slice(0, 5)).toEqual(['create_checkout', 'get_checkout', 'update_checkout', 'complete_checkout', 'cancel_checkout']);
    expect(await listed({})).toEqual(tools);
    const before = await listed({ arguments: { meta: { 'ucp-agent': { profile: agentBefore } } } });
    expect(before[0].inputSchema).not.toEqual(tools[0].inputSchema);
    for (const { name, description, inputSchema } of [...tools, ...before]) {
      expect(description).toEqual(expect.any(String));
      expect(inputSchema).toMatchObject({ type: 'object', required: expect.arrayContaining(['meta']) });
      const text = JSON.stringify(inputSchema);
      expect([name, text.length < 65_536]).toEqual([name, true]);
      for (const [, reference] of text.matchAll(/"\$ref":"([^"]*)"/g)) {
        expect(reference).toMatch(/^#\/\$defs\//);
        expect(Object.keys(inputSchema.$defs)).toContain(reference?.slice('#/$defs/'.length));
      }
    }
    expect(tools.find(({ name }: Json) => name === 'complete_checkout').inputSchema.properties.meta.required).toContain('idempotency-key');
  });
  it('is the same below the address of the platform, for each id that could be a merchant’s', async () => {
    const { body } = await post(rpc('tools/list'));
    for (const id of [merchant.id, `mer_${randomUUID()}`])
      expect((await post(rpc('tools/list'), { at: 'localhost', path: `/ucp/${id}/mcp` })).body).toEqual(body);
  });
  it('sells: the checkout of REST, which REST can read', async () => {
    const { wallet } = await openWallet(harness.test, { funded: '50.00' });
    const made = await result('create_checkout', { checkout: songs() });
    expect(made).toMatchObject({ ucp: { version: '2026-08-25' }, status: 'ready_for_complete' });
    const { id } = made;
    expect(await result('get_checkout', { id }, { profile: agentBefore })).toMatchObject({ id, ucp: { version: '2026-04-08' } });
    const checkout = songs(3, { line_items: [{ id: 'line_1', item: { id: 'song' }, quantity: 3 }] });
    expect((await result('update_checkout', { id, checkout })).line_items[0].quantity).toBe(3);
    expect(await result('complete_checkout', { id, checkout: byWallet(wallet) })).toMatchObject({ id, status: 'completed' });
    const other = await result('create_checkout', { checkout: songs() }, { key: null });
    expect((await result('cancel_checkout', { id: other.id })).status).toBe('canceled');
    const read = await harness.test.get(`/ucp/${merchant.id}/checkout-sessions/${id}`, { headers: { 'UCP-Agent': `profile="${agent}"` } });
    expect(read.body).toMatchObject({ id, status: 'completed' });
  });
  it('has one effect for each key, whichever binding brings it', async () => {
    const key = randomUUID();
    const first = await result('create_checkout', { checkout: songs() }, { key });
    const again = await call('create_checkout', { checkout: songs() }, { key });
    expect(again.body.result.structuredContent.id).toBe(first.id);
    const headers = { 'UCP-Agent': `profile="${agent}"`, 'Idempotency-Key': key };
    expect((await harness.test.post(`/ucp/${merchant.id}/checkout-sessions`, songs(), { headers })).body.id).toBe(first.id);
    const other = await call('create_checkout', { checkout: songs(1) }, { key });
    expect([other.status, other.body.error.code, other.body.error.data.code]).toEqual([409, -32_000, 'idempotency_key_reused']);
  });
  it('answers what the merchant refuses as a result', async () => {
    const gone = await result('get_checkout', { id: `ucp_chk_${randomUUID()}` });
    expect(gone).toMatchObject({ ucp: { status: 'error' }, messages: [{ code: 'not_found' }] });
    const nothing = profiles.publish(currentProfile([]));
    expect(await result('create_checkout', { checkout: songs() }, { profile: nothing })).toMatchObject({
      messages: [{ code: 'capabilities_incompatible' }],
    });
  });

  it('says what is wrong by its HTTP status, and by code', async () => {
    const checkout = songs();
    const fails = async (sent: Promise<{ status: number; body: Json }>) => {
      const { status, body } = await sent;
      expect(body).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String), data: { content: expect.any(String) } } });
      return [status, body.error.code, body.error.data.code];
    };
    expect(await fails(call('create_checkout', { checkout }, { as: null }))).toEqual([401, -32_000, 'missing_credential']);
    expect(await fails(call('create_checkout', { checkout }, { as: 'pk_test_wrong' }))).toEqual([401, -32_000, 'invalid_api_key']);
    expect(await fails(call('create_checkout', { checkout }, { as: harness.other.key }))).toEqual([404, -32_000, 'not_found']);
    expect(await fails(call('create_checkout', { checkout }, { profile: null }))).toEqual([400, -32_001, 'invalid_profile_url']);
    expect(await fails(call('create_checkout', { checkout }, { profile: 'no "url' }))).toEqual([400, -32_001, 'invalid_profile_url']);
    const away = `http://${profiles.host}/none`;
    expect(await fails(call('create_checkout', { checkout }, { profile: away }))).toEqual([424, -32_001, 'profile_unreachable']);
    const strange = profiles.publish({ ucp: { version: '2026-13-01', services: {}, payment_handlers: {} } });
    expect(await fails(call('create_checkout', { checkout }, { profile: strange }))).toEqual([422, -32_001, 'version_unsupported']);
    const broken = profiles.publish({ ucp: { version: '2026-08-25' } });
    expect(await fails(call('create_checkout', { checkout }, { profile: broken }))).toEqual([422, -32_001, 'profile_malformed']);
    expect(await fails(post(rpc('tools/list', { arguments: { meta: { 'ucp-agent': { profile: away } } } })))).toEqual([
      424,
      -32_001,
      'profile_unreachable',
    ]);
    expect(await fails(call('sell_everything'))).toEqual([400, -32_602, 'validation_failed']);
    expect(await fails(call('get_checkout'))).toEqual([400, -32_602, 'validation_failed']);
    expect(await fails(call('get_checkout', { id: 7 }))).toEqual([400, -32_602, 'validation_failed']);
    expect(await fails(call('cancel_checkout', { id: 'x' }, { key: null }))).toEqual([400, -32_602, 'validation_failed']);
    expect(await fails(post(rpc('resources/list')))).toEqual([404, -32_601, 'method_not_found']);
    expect(await fails(post('{'))).toEqual([400, -32_700, 'invalid_json']);
    expect(await fails(post([rpc('tools/list')]))).toEqual([400, -32_700, 'invalid_json']);
    for (const id of [null, 1.5, 'x'.repeat(2_048), {}, true])
      expect(await fails(post(rpc('tools/list', {}, id)))).toEqual([400, -32_600, 'invalid_request']);
    expect(await fails(post({ id: 1, method: 'tools/list' }))).toEqual([400, -32_600, 'invalid_request']);
    expect(await fails(post({ jsonrpc: '2.0', id: 1 }))).toEqual([400, -32_600, 'invalid_request']);
    expect(await fails(post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: [] }))).toEqual([400, -32_600, 'invalid_request']);
  });
  it('repeats the id of the message, in what it refuses too', async () => {
    for (const id of [0, 'seven'] as const) {
      expect((await post(rpc('tools/list', {}, id))).body.id).toBe(id);
      expect((await post(rpc('tools/call', { name: 'none' }, id))).body.id).toBe(id);
    }
  });
  it('answers a client that begins a session, and one of MCP 2026-07-28', async () => {
    const begun = await post(
      rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } }),
    );
    expect(begun.body.result).toMatchObject({ protocolVersion: '2025-06-18', capabilities: { tools: {} } });
    expect((await post(rpc('initialize', { protocolVersion: '1999-01-01' }))).body.result.protocolVersion).toBe('2025-11-25');
    const noted = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([noted.status, noted.body]).toEqual([202, undefined]);
    expect((await post(rpc('ping'))).body.result).toEqual({});

    const prefix = 'io.modelcontextprotocol/';
    const _meta = { [`${prefix}protocolVersion`]: '2026-07-28', [`${prefix}clientCapabilities`]: {} };
    const said = (method: string) => ({ headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method } });
    const list = await post(rpc('tools/list', { _meta }), said('tools/list'));
    expect(list.body.result).toMatchObject({ resultType: 'complete', ttlMs: expect.any(Number), cacheScope: 'public' });
    expect((await post(rpc('server/discover', { _meta }), said('server/discover'))).body.result.supportedVersions).toEqual(['2026-07-28']);
    const codes = async (method: string, meta: object, sent: Sent) => {
      const { status, body } = await post(rpc(method, { _meta: meta }), sent);
      return [status, body.error.code];
    };
    expect(await codes('tools/list', _meta, said('tools/call'))).toEqual([400, -32_020]);
    expect(await codes('tools/list', _meta, {})).toEqual([400, -32_020]);
    const called = { ...rpc('tools/call', { _meta, name: 'get_order', arguments: {} }) };
    for (const name of [undefined, 'get_cart', '=?base64?!!!?=', '=?base64?Z2V0X2NhcnQ=?=']) {
      const { headers } = said('tools/call');
      const { status, body } = await post(called, { headers: { ...headers, ...(name !== undefined && { 'Mcp-Name': name }) } });
      expect([name, status, body.error.code]).toEqual([name, 400, -32_020]);
    }
    // A list of `_meta` says nothing of itself: it is a message of a session.
    expect((await post(rpc('tools/list', { _meta: [] }))).body.result.resultType).toBeUndefined();
    expect(await codes('initialize', _meta, said('initialize'))).toEqual([404, -32_601]);
    expect(await codes('tools/list', { [`${prefix}protocolVersion`]: '2026-07-28' }, said('tools/list'))).toEqual([400, -32_602]);
    const later = { ..._meta, [`${prefix}protocolVersion`]: '2027-01-01' };
    const sent = { headers: { 'MCP-Protocol-Version': '2027-01-01', 'Mcp-Method': 'tools/list' } };
    expect(await codes('tools/list', later, sent)).toEqual([400, -32_022]);
  });
  it('405 for a GET', async () => {
    const response = await request(`${harness.test.url}/ucp/mcp`, { headers: { Host: host } });
    await response.body.dump();
    expect([response.statusCode, response.headers['allow']]).toEqual([405, 'POST']);
  });
});

describe('a signed answer', () => {
  it('is that of a payment, of its refusal, and of an order, as the message of HTTP that it is', async () => {
    const profile = profiles.publish(currentProfile([checkoutName, fulfillmentName, orderName]));
    const { keys } = (await harness.test.get('/.well-known/ucp', { as: null })).body;
    const signed = async (...[name, given, called]: Parameters<typeof call>) => {
      const answer = await call(name, given, { profile, ...called });
      expectSigned(answer, keys);
      return answer.body.result.structuredContent;
    };
    const [poor, rich] = [await openWallet(harness.test), await openWallet(harness.test, { funded: '50.00' })];
    const made = await call('create_checkout', { checkout: songs() }, { profile });
    expect(made.headers['signature']).toBeUndefined();
    const { id } = made.body.result.structuredContent;
    expect((await signed('complete_checkout', { id, checkout: byWallet(poor.wallet) })).messages[0].code).toBe('payment_failed');
    const key = randomUUID();
    const paid = await signed('complete_checkout', { id, checkout: byWallet(rich.wallet) }, { key });
    expect(paid.status).toBe('completed');
    expect((await signed('complete_checkout', { id, checkout: byWallet(rich.wallet) }, { key })).id).toBe(id);
    expect((await signed('get_order', { id: paid.order.id })).checkout_id).toBe(id);
    // One of the protocol's errors is no answer of the merchant.
    expect((await call('get_order', { id: paid.order.id }, { as: null })).headers['signature']).toBeUndefined();
  });
});

describe('a signed call', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'key-1', use: 'sig', alg: 'ES256' };

  /** Signs a body as RFC 9421 has it, for the host that is called. */
  function signed(body: string, authority: string): Record<string, string> {
    const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
    const created = Math.floor(harness.clock.now().getTime() / 1_000);
    const parts = `("@method" "@authority" "@path" "content-digest" "content-type");created=${created};keyid="key-1"`;
    const base = [
      '"@method": POST',
      `"@authority": ${authority}`,
      '"@path": /ucp/mcp',
      `"content-digest": ${digest}`,
      '"content-type": application/json',
      `"@signature-params": ${parts}`,
    ].join('\n');
    const signature = sign('sha256', Buffer.from(base), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64');
    return { 'Content-Digest': digest, 'Signature-Input': `sig=${parts}`, Signature: `sig=:${signature}:` };
  }

  it('covers the message and the host of the shop; for another host it is refused', async () => {
    const profile = profiles.publish(currentProfile([checkoutName, fulfillmentName], [jwk]));
    const meta = { 'ucp-agent': { profile }, 'idempotency-key': randomUUID() };
    const body = JSON.stringify(rpc('tools/call', { name: 'create_checkout', arguments: { meta, checkout: songs() } }));
    const as = harness.test.key;
    expect((await post(body, { as, headers: signed(body, host) })).body.result?.structuredContent?.status).toBe('ready_for_complete');
    const wrong = await post(body, { as, headers: signed(body, 'other.shop.example') });
    expect([wrong.status, wrong.body.error.code, wrong.body.error.data.code]).toEqual([401, -32_000, 'signature_invalid']);
    const changed = await post(body.replace('"quantity":2', '"quantity":3'), { as, headers: signed(body, host) });
    expect([changed.status, changed.body.error.code, changed.body.error.data.code]).toEqual([400, -32_600, 'digest_mismatch']);
  });
});
