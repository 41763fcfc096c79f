// What a provider may say wrongly: ID tokens, and what a browser brings back. Each is refused, and nothing else was wrong with it.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { begin, companyOf, who } from './company.js';
import { comeBack, type Draft, FakeProvider, ownerWith, wayBack } from './provider.js';

const provider = await FakeProvider.start();
afterAll(() => provider.stop());
const harness = useHarness({ env: { OIDC_ALLOW_HOSTS: provider.host } });
const { fresh, invite, joinAs } = companyOf(harness);

beforeAll(async () => {
  harness.clock.set(new Date().toISOString());
  await ownerWith(harness, provider);
  await joinAs(provider, 'bob-1', await invite());
});
beforeEach(() => {
  harness.clock.set(new Date().toISOString());
});
afterEach(() => {
  provider.reset();
  provider.subject = 'bob-1';
});

describe('an ID token is refused', () => {
  const unsigned = (token: string) => {
    const [, claims] = token.split('.');
    return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`;
  };
  const forged = (forge: (token: string) => string) => () => void Object.assign(provider, { forge });
  const claiming = (claims: (given: Json) => object) => () =>
    void Object.assign(provider, { change: (draft: Draft) => Object.assign(draft.claims, claims(draft.claims)) });
  const lies: [string, () => void][] = [
    ['with alg none', forged(unsigned)],
    [
      'with alg none, which the provider says it takes',
      () => void Object.assign(provider, { forge: unsigned, metadata: { id_token_signing_alg_values_supported: ['none', 'ES256'] } }),
    ],
    ['with the signature of another token', forged((token) => `${token.slice(0, -86)}${'A'.repeat(86)}`)],
    [
      'with a key that the provider does not have',
      () => void Object.assign(provider, { change: ({ header }: Draft) => Object.assign(header, { kid: 'x' }) }),
    ],
    ['for another audience', claiming(() => ({ aud: 'another' }))],
    ['for another audience too, without azp', claiming(() => ({ aud: ['agent-payments', 'another'] }))],
    ['with another nonce', claiming(() => ({ nonce: 'another' }))],
    ['without a nonce', claiming(() => ({ nonce: undefined }))],
    ['of another issuer', claiming(() => ({ iss: 'https://another.example' }))],
    ['that has expired', claiming(({ exp }) => ({ exp: exp - 3_600 }))],
    ['that is not good yet', claiming(({ iat }) => ({ nbf: iat + 3_600 }))],
    ['without sub', claiming(() => ({ sub: undefined }))],
    ['with an empty sub', claiming(() => ({ sub: '' }))],
    ['with a number as sub', claiming(() => ({ sub: 1 }))],
    ['that is none', forged(() => 'not.a.token')],
  ];
  it.each(lies)('%s', async (_name, lie) => {
    const browser = fresh();
    const begun = await begin(browser);
    lie();
    expectRefused(await comeBack(browser, begun), 401, 'sign_in_failed');
    expect([...browser.jar.keys()]).toEqual([]);
  });

  it('and nothing else was wrong with it', async () => {
    const browser = fresh();
    expect((await comeBack(browser, await begin(browser))).status).toBe(303);
  });
});

describe('an answer of the provider is refused', () => {
  const answers: [string, (path: string) => string, Json?][] = [
    ['with another state', (path) => path.replace(/state=[^&]+/, `state=${'A'.repeat(43)}`)],
    ['without a state', (path) => path.replace(/state=[^&]+/, '')],
    ['with two states', (path) => `${path}&state=other`],
    ['without a code', (path) => path.replace(/code=[^&]+/, '')],
    ['with an error', (path) => `${path.replace(/code=[^&]+/, 'error=access_denied')}`],
    ['of another iss', (path) => `${path}&iss=${encodeURIComponent('https://another.example')}`],
    ['without the iss that was announced', (path) => path, { authorization_response_iss_parameter_supported: true }],
    ['at another slug', (path) => path.replace('/acme/', '/another/')],
  ];
  it.each(answers)('%s', async (_name, change, metadata = {}) => {
    provider.metadata = metadata;
    const browser = fresh();
    const path = await wayBack((await begin(browser)).headers.get('location') ?? '', browser.origin);
    expectRefused(await browser.get(change(path)), 401, 'sign_in_failed');
    expect(await who(browser)).toBeUndefined();
  });

  it('in another browser, a second time, after ten minutes, and at the other listener', async () => {
    const browser = fresh();
    const path = await wayBack((await begin(browser)).headers.get('location') ?? '', browser.origin);
    expectRefused(await fresh().get(path), 401, 'sign_in_failed');
    const copy = fresh();
    for (const [name, value] of browser.jar) copy.jar.set(name, value);
    expectRefused(await fresh(harness.live).get(path, { headers: { Cookie: browser.cookie } }), 401, 'sign_in_failed');
    expect((await browser.get(path)).status).toBe(303);
    expectRefused(await copy.get(path), 401, 'sign_in_failed');
    const late = fresh();
    const place = await wayBack((await begin(late)).headers.get('location') ?? '', late.origin);
    harness.clock.advance(601);
    expectRefused(await late.get(place), 401, 'sign_in_failed');
  });
});
