// What is asked of every request of UCP before a checkout is looked at: the profile of the agent, the version, capabilities, signatures.
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { activeCapabilities } from '../../../src/contexts/ucp/capability.js';
import { newSeller } from '../../factories/offer.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { ap2Name, checkoutName, current, currentProfile, fulfillmentName, ProfileHost, profileOf, songs, Talk, version } from './talk.js';

const host = await ProfileHost.start();
afterAll(() => host.stop());
const harness = useHarness({ allowHosts: [host.host] });
let merchant: Json;
let talk: Talk;
beforeAll(async () => {
  ({ merchant } = await newSeller(harness.test));
  talk = new Talk(harness.test, merchant, host.publish(profileOf()));
});

// A minute for each test: a workspace has so many profiles fetched in one.
beforeEach(() => harness.clock.advance(60));

const by = (profile: string) => talk.create(songs(), { agent: `profile="${profile}"` });

describe('UCP-Agent', () => {
  it('names a profile, beside members that are left alone', async () => {
    const url = host.publish(profileOf());
    expect((await talk.create(songs(), { agent: `version="x", profile="${url}";a=1` })).status).toBe(201);
  });
  it('401 comes first', async () => {
    const answer = await talk.create(songs(), { as: null, agent: null });
    expect(answer).toMatchObject({ status: 401, body: { code: 'missing_credential' } });
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
  });
  it('400 invalid_profile_url', async () => {
    const agents = [
      null, 'profile', 'profile=https://a.example', '"https://a.example"', 'profile="no url"', 'profile="http://a.example/p"',
      'profile="https://a.example/", profile="https://b.example/"', 'profile="https://127.0.0.1/"', 'profile="https://10.0.0.1/p"',
      'profile="https://[::1]/"', 'profile="https://localhost/"', 'profile="https://169.254.169.254/latest"', 'profile="https://a:b@c.example/"',
      'profile="ftp://a.example"', 'profile="file:///etc/passwd"',
    ]; // biome-ignore format: a table
    for (const agent of agents) {
      const { status, body } = await talk.create(songs(), { agent });
      expect([agent, status, body.code]).toEqual([agent, 400, 'invalid_profile_url']);
    }
  });
  it('production fetches nothing from a private host, whatever the sandbox has fetched', async () => {
    const url = host.publish(profileOf());
    expect((await by(url)).status).toBe(201);
    const live = new Talk(harness.live, (await newSeller(harness.live)).merchant, url);
    expect(await live.create(songs())).toMatchObject({ status: 400, body: { code: 'invalid_profile_url' } });
  });
});

describe('the profile', () => {
  const unreachable = { status: 424, body: { code: 'profile_unreachable' } };
  const malformed = { status: 422, body: { code: 'profile_malformed' } };

  it('424 where it does not come', async () => {
    const moved = host.publish((response) => response.writeHead(302, { Location: host.publish(profileOf()) }).end());
    const broken = host.publish((response) => response.socket?.destroy());
    for (const url of [`http://${host.host}/nobody`, moved, broken]) expect(await by(url)).toMatchObject(unreachable);
    expect(await by(host.publish((response) => response.writeHead(500).end('{}')))).toMatchObject(unreachable);
  });
  it('422 where it is none', async () => {
    const wrong: unknown[] = [
      [],
      {},
      { ucp: {} },
      { ucp: { version: 'latest' } },
      { ucp: { version } },
      { ...profileOf(), signing_keys: [{ kty: 'EC' }] },
      profileOf([], { ucp: { services: null } }),
      profileOf([], { ucp: { capabilities: [{ name: checkoutName, version }] } }),
      profileOf([], { ucp: { capabilities: { Checkout: [{ version }] } } }),
      profileOf([], { ucp: { services: { 'dev.ucp.shopping': [{ version, transport: 'fax' }] } } }),
    ];
    for (const profile of wrong) expect([profile, await by(host.publish(profile as Json))]).toMatchObject([profile, malformed]);
    expect(await by(host.publish((response) => response.end('{')))).toMatchObject(malformed);
    expect(await by(host.publish((response) => response.end(`{"a": "${'x'.repeat(140_000)}"}`)))).toMatchObject(malformed);
  });
  it('422 version_unsupported, whatever shape a profile of that version has', async () => {
    for (const other of ['2026-01-11', '2099-01-01']) {
      const { status, body } = await by(host.publish({ ucp: { version: other, capabilities: [] } }));
      expect([status, body.code, body.details.supported_versions]).toEqual([422, 'version_unsupported', [current, version]]);
    }
  });
  it('speaks its own version, whatever others it names: none of them is fetched, in a leaf neither', async () => {
    const leaf = host.publish(profileOf(undefined, { ucp: { supported_versions: { [current]: `http://${host.host}/of-a-leaf` } } }));
    const whole = host.publish({
      ...currentProfile(),
      ucp: { ...currentProfile().ucp, supported_versions: { [version]: `http://${host.host}/of-a-whole`, 'no version': 7 } },
    });
    expect((await by(leaf)).body.ucp.version).toBe(version);
    expect((await by(whole)).body.ucp.version).toBe(current);
    expect(host.fetched.filter((path) => path.startsWith('/of-a-'))).toEqual([]);
  });
  it('is fetched once a minute, and one that failed again soon', async () => {
    const url = host.publish(profileOf());
    const path = new URL(url).pathname;
    const fetches = () => host.fetched.filter((fetched) => fetched === path).length;
    for (let i = 0; i < 3; i += 1) expect((await by(url)).status).toBe(201);
    expect(fetches()).toBe(1);
    const late = `http://${host.host}/late`;
    expect((await by(late)).status).toBe(424);
    host.publish(profileOf(), '/late');
    expect((await by(late)).status).toBe(424);
    harness.clock.advance(5);
    expect((await by(late)).status).toBe(201);
  });
});

describe('capabilities', () => {
  it('are those of both sides in one version, without extensions of nothing', () => {
    const active = (entries: Record<string, string[]>) => activeCapabilities(new Map(Object.entries(entries)), version);
    expect(active({ [fulfillmentName]: [version], [checkoutName]: ['2026-01-11', version], 'com.other.thing': [version] })).toEqual([
      checkoutName,
      fulfillmentName,
    ]);
    expect(active({ [fulfillmentName]: [version], [ap2Name]: [version], [checkoutName]: ['2026-01-11'] })).toEqual([]);
    expect(active({ [checkoutName]: [version], [fulfillmentName]: ['2026-01-11'] })).toEqual([checkoutName]);
  });
  it('are told in every answer', async () => {
    const { body } = await talk.create(songs());
    expect(body.ucp.capabilities).toEqual({ [checkoutName]: [{ version }], [fulfillmentName]: [{ version }] });
    const bare = await by(host.publish(profileOf([checkoutName, 'dev.ucp.shopping.order'])));
    expect(bare.body.ucp.capabilities).toEqual({ [checkoutName]: [{ version }] });
  });
  it('200 capabilities_incompatible without that of checkouts', async () => {
    for (const names of [[], [fulfillmentName], ['dev.ucp.shopping.order']]) {
      const answer = await by(host.publish(profileOf(names)));
      expect(answer).toMatchObject({ status: 200, body: { ucp: { status: 'error' }, messages: [{ code: 'capabilities_incompatible' }] } });
    }
  });
  it('200 capabilities_incompatible where goods have to be delivered, and the agent cannot say how', async () => {
    const bare = new Talk(harness.test, merchant, host.publish(profileOf([checkoutName])));
    const answer = await bare.create();
    expect(answer).toMatchObject({ status: 200, body: { messages: [{ code: 'capabilities_incompatible', severity: 'unrecoverable' }] } });
    expect(answer.body.messages[0].content).toContain(fulfillmentName);
  });
});

describe('a signature', () => {
  interface Signer {
    kid: string;
    privateKey: KeyObject;
    jwk: Json;
  }
  const signer = (kid: string, type: 'ec' | 'ed25519'): Signer => {
    const { privateKey, publicKey } = type === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
    return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' } };
  };
  const ec = signer('ec', 'ec');
  const ed = signer('ed', 'ed25519');
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const foreign = { ...p384.publicKey.export({ format: 'jwk' }), kid: 'p384' };
  const unheardOf = { kid: 'later', kty: 'AKP', alg: 'ML-DSA-65', x: 'A'.repeat(2_600), key_ops: 'verify' };
  const url = () =>
    host.publish(profileOf(undefined, { keys: [ec.jwk, ed.jwk, foreign, unheardOf, { ...ec.jwk, kid: 'enc', use: 'enc' }] }), '/signed');

  const raw = JSON.stringify(songs());
  const digestOf = (text: string) => `sha-256=:${createHash('sha256').update(text).digest('base64')}:`;
  const covered = ['@method', '@authority', '@path', 'ucp-agent', 'idempotency-key', 'content-digest', 'content-type'];

  /** The request with its signature; `lie` changes what is signed, `params` what is said of it. */
  function signed({ kid, privateKey }: Signer, { components = covered, params = '', lie = {} as Record<string, string>, key = 'k' } = {}) {
    const values: Record<string, string> = {
      '@method': 'POST',
      '@authority': new URL(harness.test.url).host,
      '@path': talk.base,
      'ucp-agent': `profile="${url()}"`,
      'idempotency-key': key,
      'content-digest': digestOf(raw),
      'content-type': 'application/json',
      ...lie,
    };
    const input = `(${components.map((name) => `"${name}"`).join(' ')});keyid="${kid}"${params}`;
    const base = [...components.map((name) => `"${name}": ${values[name]}`), `"@signature-params": ${input}`].join('\n');
    const isEc = privateKey.asymmetricKeyType === 'ec';
    const bytes = sign(isEc ? 'sha256' : null, Buffer.from(base), isEc ? { key: privateKey, dsaEncoding: 'ieee-p1363' } : privateKey);
    const headers = {
      'Content-Digest': values['content-digest'] as string,
      'Signature-Input': `sig1=${input}`,
      Signature: `sig1=:${bytes.toString('base64')}:`,
    };
    return { raw, agent: `profile="${url()}"`, key, headers };
  }
  const send = (options: object) => talk.send('POST', '', undefined, options);

  it('is taken of either kind of key, and of one that is Web Bot Auth besides', async () => {
    expect((await send(signed(ec, { key: 'a' }))).status).toBe(201);
    expect((await send(signed(ed, { key: 'b', params: ';tag="web-bot-auth"' }))).status).toBe(201);
    const now = Math.floor(harness.clock.now().getTime() / 1000);
    expect((await send(signed(ed, { key: 'c', params: `;created=${now};expires=${now + 60}` }))).status).toBe(201);
  });
  it('covers a request without a body, and its query', async () => {
    const { body } = await talk.create(songs());
    const at = `${talk.base}/${body.id}`;
    const components = ['@method', '@authority', '@path', 'ucp-agent'];
    const read = (path: string, more: string[] = [], lie = {}) => {
      const { headers, agent } = signed(ec, { components: [...components, ...more], lie: { '@method': 'GET', '@path': at, ...lie } });
      const { 'Content-Digest': _, ...others } = headers;
      return talk.send('GET', path, undefined, { agent, headers: others });
    };
    expect((await read(`/${body.id}`)).status).toBe(200);
    expect((await read(`/${body.id}?x=1`)).body.code).toBe('signature_invalid');
    expect((await read(`/${body.id}?x=1`, ['@query'], { '@query': '?x=1' })).status).toBe(200);
    expect((await read(`/${body.id}`, [], { '@path': `${talk.base}/ucp_chk_${nowhere}` })).body.code).toBe('signature_invalid');
  });
  it('401 signature_invalid where anything that it covers is another', async () => {
    for (const name of ['@method', '@authority', '@path', 'ucp-agent', 'idempotency-key', 'content-type']) {
      expect([name, (await send(signed(ec, { lie: { [name]: 'other' } }))).body.code]).toEqual([name, 'signature_invalid']);
    }
    expect((await send(signed({ ...ec, privateKey: signer('x', 'ec').privateKey }))).body.code).toBe('signature_invalid');
  });
  it('401 signature_invalid where it leaves out what changes the request', async () => {
    for (const name of covered) {
      const answer = await send(signed(ec, { components: covered.filter((other) => other !== name) }));
      expect([name, answer.status, answer.body.code]).toEqual([name, 401, 'signature_invalid']);
    }
  });
  it('401 signature_invalid where it covers another member of a field than the one that is read', async () => {
    const other = 'content-digest";key="sha-512';
    const components = covered.map((name) => (name === 'content-digest' ? other : name));
    const lie = { 'content-digest': `${digestOf(raw)}, sha-512=:AAAA:`, [other]: ':AAAA:' };
    expect((await send(signed(ec, { components, lie, key: 'other' }))).body.code).toBe('signature_invalid');
    const read = 'content-digest";key="sha-256';
    const own = { components: covered.map((name) => (name === 'content-digest' ? read : name)), lie: { [read]: digestOf(raw).slice(8) } };
    expect((await send(signed(ec, { ...own, key: 'own' }))).status).toBe(201);
  });
  it('401 signature_invalid where its parameters say that it is no good', async () => {
    const now = Math.floor(harness.clock.now().getTime() / 1000);
    const params = [
      `;expires=${now}`,
      `;created=${now + 61}`,
      ';created="1"',
      ';tag="agent-payer-auth"',
      ';alg="hmac-sha256"',
      ';keyid="ec"',
    ];
    for (const text of params) expect([text, (await send(signed(ec, { params: text }))).body.code]).toEqual([text, 'signature_invalid']);
    for (const input of ['sig1=("@method"', 'sig2=();keyid="ec"', '"x"']) {
      const { headers, ...request } = signed(ec);
      expect((await send({ ...request, headers: { ...headers, 'Signature-Input': input } })).body.code).toBe('signature_invalid');
    }
  });
  it('401 signature_missing with one of its two fields', async () => {
    const { headers, ...request } = signed(ec);
    for (const name of ['Signature', 'Signature-Input'] as const) {
      const answer = await send({ ...request, headers: { [name]: headers[name] } });
      expect(answer).toMatchObject({ status: 401, body: { code: 'signature_missing' } });
    }
  });
  it('401 key_not_found for a key that the profile does not list for this', async () => {
    for (const kid of ['nobody', 'enc']) {
      expect(await send(signed({ ...ec, kid }))).toMatchObject({ status: 401, body: { code: 'key_not_found' } });
    }
  });
  it('400 algorithm_unsupported', async () => {
    expect(await send(signed({ ...ec, kid: 'p384' }))).toMatchObject({ status: 400, body: { code: 'algorithm_unsupported' } });
    expect(await send(signed({ ...ec, kid: 'later' }))).toMatchObject({ status: 401, body: { code: 'key_not_found' } });
  });
  it('400 digest_mismatch for another body, signed or not', async () => {
    const wrong = signed(ec, { lie: { 'content-digest': digestOf('{}') } });
    expect(await send(wrong)).toMatchObject({ status: 400, body: { code: 'digest_mismatch' } });
    expect(await send({ raw, headers: { 'Content-Digest': digestOf('{}') } })).toMatchObject({ body: { code: 'digest_mismatch' } });
  });
});
