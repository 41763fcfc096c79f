// POST /v1/login/passkey/options and POST /v1/login/passkey, for each purpose; and the passkeys of a person.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Json, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { Authenticator, type Wrong } from './authenticator.js';
import { Browser, inviteByPlatform, join, type Person, password, tokenOf } from './browser.js';

const harness = useHarness();
let ada: Person;
const key = new Authenticator();

async function options(browser: Browser, purpose: string, more: object = {}): Promise<Json> {
  const { status, body } = await browser.post('/v1/login/passkey/options', { purpose, ...more });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.options;
}
async function signIn(browser: Browser, authenticator: Authenticator, wrong: Wrong = {}, purpose = 'sign_in'): Promise<Answer> {
  const asked = await options(browser, purpose);
  return browser.post('/v1/login/passkey', { purpose, response: authenticator.get(asked, browser.origin, wrong) });
}

beforeAll(async () => {
  ada = await join(harness, 'owner');
  const response = key.create(await options(ada.browser, 'add'), ada.browser.origin);
  const added = await ada.browser.post('/v1/login/passkey', { purpose: 'add', response, name: 'Laptop' });
  expect([added.status, added.body.data.member.methods]).toEqual([200, ['password', 'passkey']]);
});

describe('a passkey', () => {
  it('signs in alone, and asks for a verified user and for a passkey that it finds by itself', async () => {
    const browser = new Browser(harness.test);
    const asked = await options(browser, 'sign_in');
    expect(asked).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
    expect(asked.allowCredentials ?? []).toEqual([]);
    const answer = await signIn(browser, key);
    expect([answer.status, answer.body.data.member.id]).toEqual([200, ada.id]);
    expect((await browser.get('/v1/me/passkeys')).body.data).toEqual([
      { id: expect.stringMatching(/^psk_/), name: 'Laptop', created_at: expect.any(String), last_used_at: expect.any(String) },
    ]);
  });

  const wrongs: [string, Wrong][] = [
    ['another origin', { origin: 'http://evil.example' }],
    ['another port of the same host', { origin: 'http://localhost:1' }],
    ['another RP id', { rpId: 'evil.example' }],
    ['another challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['a user who was not verified', { unverified: true }],
    ['a counter that fell', { counter: 1 }],
    ['the type of a registration', { type: 'webauthn.create' }],
  ];
  it.each(wrongs)('401 for %s', async (_name, wrong) => {
    const browser = new Browser(harness.test);
    expectRefused(await signIn(browser, key, wrong), 401, 'sign_in_failed');
    expect(browser.jar.size).toBe(0);
  });

  it('401 for a passkey that nobody has, for a copy of an id with another key, and for nonsense', async () => {
    const browser = new Browser(harness.test);
    expectRefused(await signIn(browser, new Authenticator()), 401, 'sign_in_failed');
    const stolen = new Authenticator();
    key.id.copy(stolen.id);
    stolen.counter = 1_000;
    expectRefused(await signIn(browser, stolen), 401, 'sign_in_failed');
    for (const response of [{}, { id: 'x', response: { clientDataJSON: 'x' } }, { response: null }])
      expectRefused(await browser.post('/v1/login/passkey', { purpose: 'sign_in', response }), 401, 'sign_in_failed');
  });

  it('is good once, of 20 at the same moment, and for its own purpose', async () => {
    const browser = new Browser(harness.test);
    const response = key.get(await options(browser, 'sign_in'), browser.origin);
    const send = () => new Browser(harness.test).post('/v1/login/passkey', { purpose: 'sign_in', response });
    const statuses = (await Promise.all(Array.from({ length: 20 }, send))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    const other = key.get(await options(browser, 'sign_in'), browser.origin);
    expectRefused(await ada.browser.post('/v1/login/passkey', { purpose: 'step_up', response: other }), 401, 'sign_in_failed');
    const late = key.get(await options(browser, 'sign_in'), browser.origin);
    harness.clock.advance(301);
    expectRefused(await browser.post('/v1/login/passkey', { purpose: 'sign_in', response: late }), 401, 'sign_in_failed');
  });

  it('signs in while failed passwords have closed the e-mail', async () => {
    for (let guess = 0; guess < 10; guess += 1) await new Browser(harness.test).signIn(ada.email, `guess number ${guess}`);
    expect((await new Browser(harness.test).signIn(ada.email)).status).toBe(429);
    expect((await signIn(new Browser(harness.test), key)).status).toBe(200);
    harness.clock.advance(3_601);
  });
});

describe('a step-up', () => {
  it('is by passkey for who has one: a password, however fresh, is not enough', async () => {
    const browser = new Browser(harness.test);
    expect((await browser.signIn(ada.email)).status).toBe(200);
    const change = () => browser.call('PUT', '/v1/me/password', { body: { password: 'another olive quartz tide' } });
    expectRefused(await change(), 403, 'step_up_required', { methods: ['passkey'] });
    expectRefused(await browser.post('/v1/login/step-up', { password }), 401, 'sign_in_failed');
    expectRefused(await signIn(browser, new Authenticator(), {}, 'step_up'), 401, 'sign_in_failed');
    expect((await signIn(browser, key, {}, 'step_up')).status).toBe(200);
    expect((await change()).status).toBe(200);
  });
});

describe('joining', () => {
  it('goes by a passkey in place of a password, which is then the last method and stays', async () => {
    const token = tokenOf(await inviteByPlatform(harness, 'grace@example.com', 'viewer'));
    const [browser, own] = [new Browser(harness.test), new Authenticator()];
    expectInvalid(await browser.post('/v1/login/passkey/options', { purpose: 'join' }), 'token');
    const response = own.create(await options(browser, 'join', { token }), browser.origin);
    const joined = await browser.post('/v1/login/passkey', { purpose: 'join', token, name: 'Grace', response });
    expect([joined.status, joined.body.data?.member.methods]).toEqual([200, ['passkey']]);
    const [passkey] = (await browser.get('/v1/me/passkeys')).body.data;
    expectRefused(await browser.delete(`/v1/me/passkeys/${passkey.id}`), 409, 'state_conflict', { reason: 'last_method' });
    const other = await join(harness, 'viewer');
    expectRefused(await other.browser.delete(`/v1/me/passkeys/${passkey.id}`), 404, 'not_found');
    expectRefused(await new Browser(harness.test).signIn('grace@example.com'), 401, 'sign_in_failed');
    expect((await signIn(new Browser(harness.test), own)).status).toBe(200);
  });

  it('403 for who adds a passkey without being signed in', async () => {
    const browser = new Browser(harness.test);
    for (const purpose of ['add', 'step_up'])
      expectRefused(await browser.post('/v1/login/passkey/options', { purpose }), 403, 'person_required');
  });
});
