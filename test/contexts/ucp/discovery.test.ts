// What agents find out about UCP here before they have a credential: the profiles, and what payment handlers take.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { printHandlers } from '../../../src/contexts/ucp/payment-handler.js';
import { newSeller } from '../../factories/offer.js';
import { nowhere, useHarness } from '../../harness.js';
import { checkProfile } from './published.js';
import { byMandate, byWallet, checkoutName, current, version } from './talk.js';

const harness = useHarness();
const get = (path: string) => harness.test.get(path, { as: null });

describe('GET /.well-known/ucp', () => {
  it('200: a profile of a platform by the published schema, with our public keys', async () => {
    const { status, headers, body } = await get('/.well-known/ucp');
    expect(status).toBe(200);
    checkProfile('platform', body);
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    const [service] = body.ucp.services['dev.ucp.shopping'];
    expect(body.ucp.version).toBe(current);
    expect(service).toMatchObject({
      version: current,
      transport: 'rest',
      config: { endpoint_template: `${harness.test.url}/ucp/{merchant_id}` },
    });
    expect(body.ucp.capabilities[checkoutName]).toMatchObject([{ version: current }]);
    expect(body.keys).toEqual((await get('/.well-known/jwks.json')).body.keys);
    expect(body.signing_keys).toEqual(body.keys);
    expect(JSON.stringify(body.keys)).not.toMatch(/"(d|p|q)":/);
  });
  it('200: names the profile of the version before, which is complete and names none', async () => {
    const { supported_versions: leaves } = (await get('/.well-known/ucp')).body.ucp;
    expect(leaves).toEqual({ [version]: `${harness.test.url}/.well-known/ucp/${version}` });
    const { status, body } = await get(`/.well-known/ucp/${version}`);
    expect([status, body.ucp.version, body.ucp.supported_versions, body.keys]).toEqual([200, version, undefined, undefined]);
    checkProfile('platform', body);
    for (const other of [current, '2026-01-11', 'latest']) expect((await get(`/.well-known/ucp/${other}`)).status).toBe(404);
  });
  it('304 for who has it', async () => {
    for (const path of ['/.well-known/ucp', `/.well-known/ucp/${version}`]) {
      const etag = (await get(path)).headers.get('etag') as string;
      const known = await harness.test.get(path, { as: null, headers: { 'If-None-Match': etag } });
      expect([known.status, known.headers.get('etag')]).toEqual([304, etag]);
      expect((await harness.test.get(path, { as: null, headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
    }
  });
  it('names schemas of handlers that take what pays', async () => {
    const { body } = await get('/.well-known/ucp');
    const handlers = Object.values(body.ucp.payment_handlers).flat() as { id: string; schema: string }[];
    expect(handlers.map(({ id }) => id)).toEqual(['wallet', 'mandate', 'card']);
    const instruments = { wallet: byWallet({ id: nowhere }), mandate: byMandate({ mandate_jwt: 'a.b.c' }) };
    for (const { id, schema } of handlers) {
      const { status, body: published } = await get(new URL(schema).pathname);
      const validate = new Ajv2020({ strict: false }).compile(published);
      expect(status).toBe(200);
      for (const [kind, { payment }] of Object.entries(instruments)) expect(validate(payment.instruments[0])).toBe(kind === id);
    }
    expect((await get('/ucp/handlers/cash')).status).toBe(404);
  });
});

describe('GET /ucp/{merchant_id}/.well-known/ucp', () => {
  it('200: the endpoint of a merchant', async () => {
    const { merchant } = await newSeller(harness.test);
    const { status, body } = await get(`/ucp/${merchant.id}/.well-known/ucp`);
    expect(status).toBe(200);
    checkProfile('business', body);
    const [service] = body.ucp.services['dev.ucp.shopping'];
    expect(service).toMatchObject({ version: current, transport: 'rest', endpoint: `${harness.test.url}/ucp/${merchant.id}` });
    const leaf = body.ucp.supported_versions[version];
    expect(leaf).toBe(`${harness.test.url}/ucp/${merchant.id}/.well-known/ucp/${version}`);
    const before = await get(new URL(leaf).pathname);
    checkProfile('business', before.body);
    expect(before.body.ucp.services['dev.ucp.shopping']).toMatchObject([
      { version, transport: 'rest', endpoint: service.endpoint },
      { version, transport: 'mcp', endpoint: `${service.endpoint}/mcp` },
    ]);
    expect((await get(`/ucp/${merchant.id}/.well-known/ucp/${current}`)).status).toBe(404);
  });
  it('says the same of a merchant that is not there', async () => {
    const { status, body } = await get(`/ucp/mer_${nowhere}/.well-known/ucp`);
    expect(status).toBe(200);
    checkProfile('business', body);
  });
  it('404 for what is no id of a merchant', async () => {
    expect((await get('/ucp/acc_1/.well-known/ucp')).status).toBe(404);
  });
});

it('names of handlers are those of our own domain', () => {
  const namesAt = (origin: string) => Object.keys(printHandlers(['wallet'], origin, version));
  expect(namesAt('https://pay.my-shop.example')).toEqual(['example.my_shop.pay.wallet']);
  for (const origin of ['http://127.0.0.1:4001', 'http://localhost:4001', 'https://[::1]']) {
    expect(namesAt(origin)).toEqual(['local.agent_payments.wallet']);
  }
});
