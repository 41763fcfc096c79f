// The origin of a shop: what is seen of the platform by those who call a merchant's own host.
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBody } from '../../factories/acp.js';
import { newSeller } from '../../factories/offer.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { byWallet, checkoutName, currentProfile, fulfillmentName, ProfileHost, songs } from './talk.js';

const profiles = await ProfileHost.start();
afterAll(() => profiles.stop());
const harness = useHarness({ allowHosts: [profiles.host] });
const host = 'pottery.shop.example';
let merchant: Json;
let agent: string;
beforeAll(async () => {
  ({ merchant } = await newSeller(harness.test));
  await harness.test.patch(`/v1/merchants/${merchant.id}`, { shop_hosts: [host, 'other.shop.example:8443'] });
  agent = profiles.publish(currentProfile([checkoutName, fulfillmentName]));
});

interface Asked {
  at?: string;
  method?: string;
  body?: unknown;
  as?: string | null;
  headers?: Record<string, string>;
  url?: string;
}

async function ask(path: string, { at = host, method, body, as = harness.test.key, headers = {}, url = harness.test.url }: Asked = {}) {
  const response = await request(url + path, {
    method: (method ?? (body === undefined ? 'GET' : 'POST')) as 'GET',
    headers: {
      Host: at,
      ...(as !== null && { Authorization: `Bearer ${as}` }),
      'UCP-Agent': `profile="${agent}"`,
      ...(body !== undefined && { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.body.text();
  return { status: response.statusCode, headers: response.headers, body: (text === '' ? undefined : JSON.parse(text)) as Json };
}

describe('the host of a shop', () => {
  it('200: the profile of the merchant, with its endpoints at that origin', async () => {
    const { status, body } = await ask('/.well-known/ucp', { as: null });
    expect(status).toBe(200);
    expect(body.ucp.services['dev.ucp.shopping']).toMatchObject([
      { transport: 'rest', endpoint: `http://${host}/ucp` },
      { transport: 'mcp', endpoint: `http://${host}/ucp/mcp` },
    ]);
    expect(body.ucp.supported_versions).toEqual({ '2026-04-08': `http://${host}/.well-known/ucp/2026-04-08` });
    const before = await ask('/.well-known/ucp/2026-04-08', { as: null });
    expect(before.body.ucp).toMatchObject({ version: '2026-04-08' });
    expect((await ask('/.well-known/acp.json', { as: null })).body.api_base_url).toBe(`http://${host}/acp`);
    expect((await ask('/.well-known/jwks.json', { as: null })).body.keys).toEqual(body.keys);
    expect((await ask('/ucp/handlers/wallet', { as: null })).body.properties.handler_id).toEqual({ type: 'string', const: 'wallet' });
  });
  it('sells what the merchant sells, under one key for both addresses', async () => {
    const { wallet } = await openWallet(harness.test, { funded: '50.00' });
    const headers = { 'Idempotency-Key': 'one-key' };
    const made = await ask('/ucp/checkout-sessions', { body: songs(), headers });
    expect(made.status).toBe(201);
    const again = await ask(`/ucp/${merchant.id}/checkout-sessions`, { at: 'localhost', body: songs(), headers });
    expect(again.body.id).toBe(made.body.id);
    expect((await ask(`/ucp/checkout-sessions/${made.body.id}`)).body.status).toBe('ready_for_complete');
    const paid = await ask(`/ucp/checkout-sessions/${made.body.id}/complete`, { body: byWallet(wallet) });
    expect(paid.body).toMatchObject({ status: 'completed' });
    const session = await ask('/acp/checkout_sessions', {
      body: createBody({ line_items: [{ id: 'song' }] }),
      headers: { 'API-Version': '2026-04-17' },
    });
    expect(session.status).toBe(201);
  });
  it('404: what is not of the merchant, /v1 and our own pages too', async () => {
    const paths = ['/', '/v1/merchants', '/v1/wallets', '/graphql', '/mcp', '/docs', '/console', '/health', '/metrics', '/llms.txt'];
    for (const path of [
      ...paths,
      `/ucp/${merchant.id}/checkout-sessions`,
      '/.well-known/oauth-authorization-server',
      '/.well-known/did.json',
    ])
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
    expect((await ask('/v1/merchants', { body: {} })).status).toBe(404);
  });
  it('is the same host in other letters, with a dot at its end, or with the port that goes without saying', async () => {
    for (const at of ['Pottery.Shop.Example', `${host}.`, `${host}:80`, `${host}:443`, `${host}.:80`])
      expect([at, (await ask('/v1/merchants', { at })).status]).toEqual([at, 404]);
    expect((await ask('/.well-known/ucp', { at: 'other.shop.example:8443' })).body.ucp.services['dev.ucp.shopping'][0].endpoint).toBe(
      'http://other.shop.example:8443/ucp',
    );
  });
  it('is the host that was called, whatever X-Forwarded-Host says', async () => {
    expect((await ask('/v1/merchants', { at: 'localhost', headers: { 'X-Forwarded-Host': host } })).status).toBe(200);
    expect((await ask('/v1/merchants', { headers: { 'X-Forwarded-Host': 'localhost' } })).status).toBe(404);
  });
  it('leaves our own hosts and those of nobody as they are', async () => {
    const strange = ['nobody.example', 'other.shop.example', `ada@${host}`, `${host}/v1`, `${host}:9`, '127.0.0.1', '[::1]', '10.1.2.3:80'];
    for (const at of strange) expect([at, (await ask('/v1/merchants', { at })).status]).toEqual([at, 200]);
    const { body } = await ask('/.well-known/ucp', { at: 'nobody.example', as: null });
    expect(body.ucp.services['dev.ucp.shopping'][0].config.endpoint_template).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ucp/);
  });
  it('is none in the other environment', async () => {
    expect((await ask('/v1/merchants', { url: harness.live.url, as: harness.live.key })).status).toBe(200);
  });
  it('sells nothing to another tenant', async () => {
    const { status, body } = await ask('/ucp/checkout-sessions', { body: songs(), as: harness.other.key });
    expect([status, body.code]).toEqual([404, 'not_found']);
    expect((await ask('/ucp/checkout-sessions', { body: songs(), as: null })).status).toBe(401);
  });
  it('is nobody’s at once when it is given up, and another’s at once when that takes it', async () => {
    const at = 'passing.shop.example';
    const { merchant: other } = await newSeller(harness.other);
    const give = (client: typeof harness.test, { id }: Json, hosts: string[]) => client.patch(`/v1/merchants/${id}`, { shop_hosts: hosts });
    const endpoint = async () => {
      const answer = await ask('/ucp/checkout-sessions', { at, body: songs(), as: harness.other.key });
      return answer.status;
    };
    expect(await endpoint()).toBe(404);
    const { merchant: mine } = await newSeller(harness.test);
    await give(harness.test, mine, [at]);
    await expect.poll(async () => (await ask('/v1/merchants', { at })).status).toBe(404);
    await give(harness.test, mine, []);
    await expect.poll(async () => (await ask('/v1/merchants', { at })).status).toBe(200);
    await give(harness.other, other, [at]);
    await expect.poll(endpoint).toBe(201);
  });
});
