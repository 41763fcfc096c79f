// Sellers that ask who signed a request that they got: by our SDK, by stock signers of Web Bot Auth and TAP, and with everything changed.
import { webcrypto } from 'node:crypto';
import { type SigningKey, signRequest } from '@agent-payments/sdk';
import { Client as Tap } from 'mppx/attestation/tap';
import { Client as WebBotAuth } from 'mppx/attestation/web-bot-auth';
import { describe, expect, it } from 'vitest';
import { contentDigest } from '../../../src/platform/http-signature.js';
import { thumbprintOf } from '../../factories/bot-identity.js';
import { type Client, type Json, nowhere, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol, type TestAgent } from '../agents/identity.js';

const harness = useHarness();
const directory = (agent: TestAgent) => `${harness.test.url}/.well-known/http-message-signatures-directory/${agent.id}`;
const keyOf = (agent: TestAgent): SigningKey => ({ agentId: agent.id, privateKey: agent.privateKey, directory: directory(agent) });
const url = 'https://shop.example/offers?sort=price';
const jwkOf = ({ privateKey }: TestAgent) => {
  const bytes = Buffer.from(privateKey, 'base64');
  return { kty: 'OKP', crv: 'Ed25519', d: bytes.subarray(0, 32).toString('base64url'), x: bytes.subarray(32).toString('base64url') };
};
const cryptoKeyOf = (agent: TestAgent) => webcrypto.subtle.importKey('jwk', jwkOf(agent), 'Ed25519', false, ['sign']);
const now = () => harness.clock.now().getTime();

/** What a seller sends on of a request. */
const received = (request: Request): Json => ({
  method: request.method,
  url: request.url,
  headers: Object.fromEntries(request.headers),
});
const ask = (body: Json, client: Client = harness.test): Promise<Json> => client.make('/v1/signatures/verify', body);
const signed = (agent: TestAgent, init: RequestInit = {}, key: Partial<SigningKey> = {}) =>
  signRequest(new Request(url, init), { ...keyOf(agent), ...key }, { now: now() });
/** A request with one header field changed. */
const changed = (body: Json, name: string, change: (value: string) => string): Json => ({
  ...body,
  headers: { ...body.headers, [name]: change(body.headers[name]) },
});

describe('POST /v1/signatures/verify', () => {
  it('200: says which agent signed by the SDK, to any tenant, once for each nonce', async () => {
    const agent = await enrol(harness.test);
    const request = received(await signed(agent));
    const found = await ask(request);
    expect(found).toEqual({
      outcome: 'verified',
      profile: 'wba-01',
      key_id: thumbprintOf(agent),
      signature_agent: directory(agent),
      tag: 'web-bot-auth',
      covers: ['"@method"', '"@authority"', '"@path"', '"signature-agent";key="sig1"'],
      agent_id: agent.id,
    });
    expect(await ask(request)).toMatchObject({ outcome: 'invalid', reason: 'replayed_nonce' });
    expect(await ask(request, harness.other)).toMatchObject({ outcome: 'verified', agent_id: agent.id });
    expect(await ask(request, harness.live)).toMatchObject({ outcome: 'unverified', reason: 'unknown_key' });
    const frozen = received(await signed(agent));
    await harness.test.post(`/v1/agents/${agent.id}/revoke`, {});
    expect(await ask(frozen)).toMatchObject({ outcome: 'unverified', reason: 'unknown_key' });
  });

  it('200: says so of a key that signs elsewhere, of a seed alone, and of a body', async () => {
    const agent = await enrol(harness.test);
    const seed = Buffer.from(agent.privateKey, 'base64').subarray(0, 32);
    expect(await ask(received(await signed(agent, {}, { privateKey: seed.toString('base64') })))).toMatchObject({ outcome: 'verified' });
    const key = await cryptoKeyOf(agent);
    const elsewhere = async (text: Uint8Array) => new Uint8Array(await webcrypto.subtle.sign('Ed25519', key, text));
    const publicKey = Buffer.from(jwkOf(agent).x, 'base64url').toString('base64');
    expect(await ask(received(await signed(agent, {}, { privateKey: elsewhere, publicKey })))).toMatchObject({ outcome: 'verified' });
    await expect(signed(agent, {}, { privateKey: elsewhere })).rejects.toThrow(TypeError);

    const body = '{"amount":"1.00"}';
    const post = () => signed(agent, { method: 'POST', body, headers: { 'Content-Digest': contentDigest(body) } });
    const found = await ask({ ...received(await post()), content_digest: contentDigest(body) });
    expect(found).toMatchObject({ outcome: 'verified', covers: expect.arrayContaining(['"content-digest"']) });
    const other = { ...received(await post()), content_digest: contentDigest('{"amount":"2.00"}') };
    expect(await ask(other)).toMatchObject({ outcome: 'invalid', reason: 'digest_mismatch' });
  });

  it('200: reads what stock signers make', async () => {
    const agent = await enrol(harness.test);
    const [key, keyId] = [await cryptoKeyOf(agent), thumbprintOf(agent)];
    const context = () => ({ created: Math.floor(now() / 1000), nonce: webcrypto.randomUUID() });
    for (const [name, intent, named] of [
      ['agent-browser-auth', 'browse', keyId],
      ['agent-payer-auth', 'payment', agent.keyId],
    ] as const) {
      const request = await Tap.signer({ intent, key: key as never, keyId: named }).sign(new Request(url), context());
      const found = await ask(received(request));
      expect(found).toMatchObject({ outcome: 'verified', profile: 'tap', tag: name, key_id: named, agent_id: agent.id });
      expect(found.covers).toEqual(['"@authority"', '"@path"']);
    }
    const bot = WebBotAuth.signer({ key: key as never, keyId, signatureAgent: 'https://localhost' });
    const request = await bot.sign(new Request(url), context());
    expect(await ask(received(request))).toMatchObject({ outcome: 'verified', profile: 'wba-01', signature_agent: 'https://localhost' });
  });

  it('200: reads the member of the own label, whatever others say: with parameters beside it, or it with some beside one without', async () => {
    const agent = await enrol(harness.test);
    const [key, own] = [await cryptoKeyOf(agent), directory(agent)];
    const told = async (field: string): Promise<Json> => {
      const member = field
        .split(', ')
        .find((one) => one.startsWith('sig1='))
        ?.slice('sig1='.length);
      const created = Math.floor(now() / 1000);
      const parameters = `("@authority" "signature-agent";key="sig1");created=${created};expires=${created + 60};keyid="${thumbprintOf(agent)}";tag="web-bot-auth"`;
      const base = `"@authority": shop.example\n"signature-agent";key="sig1": ${member}\n"@signature-params": ${parameters}`;
      const signature = Buffer.from(await webcrypto.subtle.sign('Ed25519', key, Buffer.from(base))).toString('base64');
      const headers = { 'Signature-Agent': field, 'Signature-Input': `sig1=${parameters}`, Signature: `sig1=:${signature}:` };
      const { outcome, profile, signature_agent } = await ask({ method: 'GET', url, headers });
      return [outcome, profile, signature_agent];
    };
    expect(await told(`a="https://a.example/";type=jwks_uri, sig1="${own}"`)).toEqual(['verified', 'wba-01', own]);
    expect(await told(`a="https://a.example/", sig1="${own}";type=jwks_uri`)).toEqual(['verified', 'wba-00', own]);
    expect(await told(`a="${own}", sig1="https://a.example/"`)).toEqual(['unverified', 'wba-01', 'https://a.example/']);
    // Which of two it means nobody knows.
    expect((await told(`sig1="${own}", sig1="${own}"`))[0]).toBe('invalid');
  });

  it('200: nothing is known of a request without a signature, by another profile, or by a key of others', async () => {
    const agent = await enrol(harness.test);
    const outcome = async (body: Json) => Object.values(await ask(body)).slice(0, 2);
    expect(await ask({ method: 'GET', url, headers: {} })).toEqual({ outcome: 'unverified', reason: 'no_signature', covers: [] });
    const request = received(await signed(agent));
    const otherTag = changed(request, 'signature-input', (input) => input.replace('web-bot-auth', 'something-else'));
    expect(await outcome(otherTag)).toEqual(['unverified', 'unknown_profile']);
    for (const [address, keyId] of [
      ['https://bots.example/.well-known/http-message-signatures-directory/agt_x', undefined],
      [`https://bots.example/.well-known/http-message-signatures-directory/${agent.id}`, undefined],
      [`${harness.test.url}/.well-known/http-message-signatures-directory/agt_${nowhere}`, undefined],
      [`${harness.test.url}/elsewhere`, undefined],
      ['mailto:ada@example.com', undefined],
    ] as const)
      expect([address, keyId, ...(await outcome(received(await signed(agent, {}, { directory: address }))))]).toEqual([
        address,
        keyId,
        'unverified',
        'unknown_key',
      ]);
    const neighbour = await enrol(harness.test);
    expect(await outcome(received(await signed(agent, {}, { directory: directory(neighbour) })))).toEqual(['unverified', 'unknown_key']);
  });

  it('200: what was changed in anything is invalid', async () => {
    const agent = await enrol(harness.test);
    const request = received(await signed(agent));
    const input = (from: string | RegExp, to: string) => changed(request, 'signature-input', (value) => value.replace(from, to));
    const later = async (seconds: number, from = now()) =>
      received(await signRequest(new Request(url), keyOf(agent), { now: from, seconds }));
    const cases: [string, Json, string][] = [
      ['another host', { ...request, url: url.replace('shop', 'other') }, 'bad_signature'],
      ['another path', { ...request, url: url.replace('offers', 'orders') }, 'bad_signature'],
      ['another method', { ...request, method: 'POST' }, 'bad_signature'],
      [
        'a bit',
        changed(request, 'signature', (value) => value.replace(/:(.)/, (_, first) => `:${first === 'A' ? 'B' : 'A'}`)),
        'bad_signature',
      ],
      ['a time that was put off', input(/expires=\d+/, `expires=${Math.floor(now() / 1000) + 900}`), 'bad_signature'],
      ['HMAC', input('alg="ed25519"', 'alg="hmac-sha256"'), 'bad_signature'],
      ['another label', input('key="sig1"', 'key="sig2"'), 'not_covered'],
      ['no host', input('"@authority" ', ''), 'not_covered'],
      ['no agent', input(' "signature-agent";key="sig1"', ''), 'not_covered'],
      ['no end', input(/;expires=\d+/, ''), 'not_covered'],
      ['no key', input(/;keyid="[^"]+"/, ''), 'not_covered'],
      ['a component that is not there', input('"@path"', '"host"'), 'bad_signature'],
      ['a component that no request has', input('"@path"', '"@status"'), 'bad_signature'],
      ['one field alone', { ...request, headers: { ...request.headers, signature: '' } }, 'unreadable'],
      ['no field at all', changed(request, 'signature-input', () => '('), 'unreadable'],
      ['a day and a second', await later(86_401), 'expired'],
      ['an end before the begin', await later(-1), 'expired'],
      ['the past', await later(60, now() - 61_000), 'expired'],
      ['the future', await later(300, now() + 62_000), 'expired'],
    ];
    for (const [what, body, reason] of cases) {
      const found = await ask(body);
      expect([what, found.outcome, found.reason, found.agent_id]).toEqual([what, 'invalid', reason, undefined]);
    }
    // None of them has used the nonce up.
    expect(await ask(request)).toMatchObject({ outcome: 'verified' });
  });

  it('400 for what is no request, 401, and agents ask too', async () => {
    const agent = await enrol(harness.test);
    const request = received(await signed(agent));
    for (const [body, path] of [
      [{ ...request, url: '/offers' }, 'url'],
      [{ ...request, url: 'ftp://shop.example/' }, 'url'],
      [{ ...request, url: 'https://ada@shop.example/' }, 'url'],
      [{ ...request, url: `${url}#top` }, 'url'],
      [{ ...request, method: 'G T' }, 'method'],
      [{ ...request, headers: { Signature: ['a'] } }, 'headers'],
      [{ ...request, headers: { 'no name': 'a' } }, 'headers'],
      [{ ...request, headers: { Signature: 'a', signature: 'b' } }, 'headers'],
      [{ ...request, headers: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`a${at}`, ''])) }, 'headers'],
      [{ ...request, headers: 'Signature: a' }, 'headers'],
    ] as const)
      expectRefused(await harness.test.post('/v1/signatures/verify', body), 400, 'validation_failed', { fields: [{ path }] });
    expectRefused(await harness.test.post('/v1/signatures/verify', request, { as: null }), 401, 'missing_credential');
    const answer = await harness.test.post('/v1/signatures/verify', request, { as: agent.token });
    expect(answer.body.data).toMatchObject({ outcome: 'verified', agent_id: agent.id });
  });
});
