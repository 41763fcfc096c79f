// Signing in at the identity provider of a company: GET /v1/login/oidc/{slug}, its callback, and POST /v1/login/oidc.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTenant } from '../../../src/contexts/identity/tenant.js';
import { type Answer, type Json, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { type Browser, join, type Person, password, tokenOf } from './browser.js';
import { begin, companyOf, who } from './company.js';
import { comeBack, FakeProvider, ownerWith, RealProvider, setSignIn } from './provider.js';

const provider = await FakeProvider.start();
const real = await RealProvider.start();
afterAll(() => Promise.all([provider.stop(), real.stop()]));
const harness = useHarness({ env: { OIDC_ALLOW_HOSTS: [provider, real].map(({ host }) => host).join() } });

let owner: Person;
let bob: Browser;
const { fresh, invite, joinAs } = companyOf(harness);

beforeAll(async () => {
  // Tokens are signed by the time of this machine.
  harness.clock.set(new Date().toISOString());
  owner = await ownerWith(harness, provider);
  bob = await joinAs(provider, 'bob-1', await invite());
});
beforeEach(() => {
  harness.clock.set(new Date().toISOString());
});
afterEach(() => {
  provider.reset();
  provider.subject = 'bob-1';
});

describe('GET /v1/login/oidc/{slug}', () => {
  it('303: leads to the provider with code, PKCE, state and nonce, by a cookie of ten minutes', async () => {
    const browser = fresh();
    const answer = await begin(browser);
    const place = new URL(answer.headers.get('location') ?? '');
    expect([answer.status, place.origin + place.pathname]).toEqual([303, `${provider.issuer}/authorize`]);
    expect(Object.fromEntries(place.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'agent-payments',
      redirect_uri: `${browser.origin}/v1/login/oidc/acme/callback`,
      scope: 'openid',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^ap_oidc_[\w-]{16}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/),
    ]);
    expect(answer.body).toBeUndefined();
  });

  it('303: asks first in the console where a page of another origin leads here', async () => {
    const answer = await fresh().get('/v1/login/oidc/acme', { headers: { 'Sec-Fetch-Site': 'cross-site' } });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${fresh().origin}/console?company=acme`]);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  it('401 for a slug of nobody, of a tenant without a provider, and for one that does not answer; a page for browsers', async () => {
    const { tenantId } = await createTenant(harness.platform, { name: 'Plain' });
    const plain = await join(harness, 'owner', { tenantId });
    expect((await setSignIn(plain, { slug: 'plain', methods: ['password'] })).body.errors).toBeUndefined();
    for (const slug of ['nobody', 'plain', 'Acme', 'a/../acme', 'a'.repeat(200)]) {
      expectRefused(await begin(fresh(), encodeURIComponent(slug)), 401, 'sign_in_failed');
    }
    provider.discovery = (response) => response.writeHead(500).end();
    expectRefused(await begin(fresh()), 401, 'sign_in_failed');
    const shown = await fresh().get('/v1/login/oidc/nobody', { headers: { Accept: 'text/html,*/*;q=0.8' } });
    expect([shown.status, shown.headers.get('location')]).toEqual([303, `${fresh().origin}/console?sign_in=failed`]);
  });
});

describe('a member who signs in at the provider', () => {
  it('is the one who joined as this subject, whatever e-mail the token says, and in this tenant alone', async () => {
    const browser = fresh();
    const back = await comeBack(browser, await begin(browser, 'acme', '?return_to=/console/approvals'));
    expect([back.status, back.headers.get('location')]).toEqual([303, `${browser.origin}/console/approvals`]);
    expect(await who(browser)).toMatchObject({ name: 'bob-1', role: 'viewer' });
    const { body } = await browser.graphql('{ me { session { method } } browserSessions { method current } }');
    expect(body.data.me.session.method).toBe('oidc');
    // The cookie of the round is gone.
    expect([...browser.jar.keys()]).toEqual(['ap_test']);
    expect((await harness.test.get('/v1/members')).body.data.find(({ name }: Json) => name === 'bob-1').methods).toEqual(['oidc']);
  });

  it('is nobody new: a subject that nobody joined as is refused', async () => {
    provider.subject = 'stranger';
    const browser = fresh();
    expectRefused(await comeBack(browser, await begin(browser)), 401, 'sign_in_failed');
    expect([...browser.jar.keys()]).toEqual([]);
  });

  it('is nobody who is suspended', async () => {
    const eve = await joinAs(provider, 'eve-1', await invite());
    const { id } = await who(eve);
    const suspend = 'mutation ($id: MemberId!) { updateMember(id: $id, input: { status: suspended }) { status } }';
    await owner.browser.post('/v1/login/step-up', { password });
    await owner.browser.ask(suspend, { id });
    expectRefused(await comeBack(fresh(), await begin(fresh())), 401, 'sign_in_failed');
    const browser = fresh();
    provider.subject = 'eve-1';
    expectRefused(await comeBack(browser, await begin(browser)), 401, 'sign_in_failed');
  });

  it('comes by one link, once', async () => {
    const token = await invite();
    const [first, second] = [fresh(), fresh()];
    const rounds = await Promise.all(
      [first, second].map((browser) => browser.post('/v1/login/oidc', { purpose: 'join', token, name: 'Carol' })),
    );
    provider.subject = 'carol-1';
    expect((await comeBack(first, rounds[0] as Answer)).status).toBe(303);
    provider.subject = 'carol-2';
    expectRefused(await comeBack(second, rounds[1] as Answer), 401, 'sign_in_failed');
    expectRefused(await fresh().post('/v1/login/oidc', { purpose: 'join', token, name: 'Carol' }), 401, 'sign_in_failed');
  });

  it('is not two members: a subject joins once', async () => {
    const token = await invite();
    const browser = fresh();
    provider.subject = 'bob-1';
    expectRefused(
      await comeBack(browser, await browser.post('/v1/login/oidc', { purpose: 'join', token, name: 'Twin' })),
      401,
      'sign_in_failed',
    );
    // The invitation is still good.
    expect((await fresh().post('/v1/login/join', { token, name: 'Dan', password })).status).toBe(201);
  });

  it('comes back by a link of recovery as another subject', async () => {
    const dora = await joinAs(provider, 'dora-1', await invite());
    await owner.browser.post('/v1/login/step-up', { password });
    const { id } = await who(dora);
    const { recoverMember } = await owner.browser.ask('mutation ($id: MemberId!) { recoverMember(id: $id) { link } }', { id });
    const browser = fresh();
    provider.subject = 'dora-2';
    const begun = await browser.post('/v1/login/oidc', { purpose: 'join', token: tokenOf(recoverMember.link) });
    expect((await comeBack(browser, begun)).status).toBe(303);
    expect(await who(browser)).toMatchObject({ id });
    provider.subject = 'dora-1';
    const old = fresh();
    expectRefused(await comeBack(old, await begin(old)), 401, 'sign_in_failed');
  });
});

describe('POST /v1/login/oidc', () => {
  it('400 for what is missing, before anybody is led away', async () => {
    expectInvalid(await fresh().post('/v1/login/oidc', { purpose: 'sign_in' }), 'slug');
    expectInvalid(await fresh().post('/v1/login/oidc', { purpose: 'join' }), 'token');
    expectInvalid(await fresh().post('/v1/login/oidc', { purpose: 'join', token: await invite() }), 'name');
    expectInvalid(await fresh().post('/v1/login/oidc', { purpose: 'remember' }), 'purpose');
  });

  it('403 for a page of another origin, for nobody, and without a step-up', async () => {
    const headers = { Origin: 'http://evil.example' };
    expectRefused(await fresh().post('/v1/login/oidc', { purpose: 'sign_in', slug: 'acme' }, { headers }), 403, 'forbidden', {
      reason: 'csrf',
    });
    expectRefused(await fresh().post('/v1/login/oidc', { purpose: 'step_up' }), 403, 'person_required');
    expectRefused(await bob.post('/v1/login/oidc', { purpose: 'add' }), 403, 'step_up_required', { methods: ['oidc'] });
  });
});

describe('a step-up', () => {
  const change = (browser: Browser) =>
    browser.graphql('mutation { setPassword(input: { password: "lamp olive quartz tide" }) { changedAt } }');
  const refusal = ({ body }: Answer) => body.errors?.[0].extensions;
  let person: Browser;
  beforeEach(async () => {
    person = fresh();
    await comeBack(person, await begin(person));
  });

  it('is asked of whoever came without being asked by the provider, and is given by it alone', async () => {
    expect(refusal(await change(person))).toMatchObject({ code: 'step_up_required', details: { methods: ['oidc'] } });
    expectRefused(await person.post('/v1/login/step-up', { password }), 401, 'sign_in_failed');
    const begun = await person.post('/v1/login/oidc', { purpose: 'step_up', return_to: '/console/my-sign-in' });
    const place = new URL(begun.body.data.redirect_to);
    expect([place.searchParams.get('prompt'), place.searchParams.get('max_age')]).toEqual(['login', '0']);
    const cookie = person.jar.get('ap_test');
    const back = await comeBack(person, begun);
    expect(back.headers.get('location')).toBe(`${person.origin}/console/my-sign-in`);
    expect(person.jar.get('ap_test')).not.toBe(cookie);
    const { browser: elsewhere } = await join(harness, 'viewer');
    expect(refusal(await change(elsewhere))).toBeUndefined();
    expect(
      refusal(await person.graphql('mutation { deletePasskey(id: "psk_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d") { deleted } }'))?.code,
    ).toBe('not_found');
    harness.clock.advance(301);
    expectRefused(await person.post('/v1/login/oidc', { purpose: 'add' }), 403, 'step_up_required');
  });

  it.each<[string, (claims: Json) => object]>([
    ['without auth_time', () => ({ auth_time: undefined })],
    ['of an hour ago', ({ auth_time: at }) => ({ auth_time: at - 3_600 })],
    ['of a moment before the round', ({ auth_time: at }) => ({ auth_time: at - 60 })],
    ['as somebody else', () => ({ sub: 'carol-1' })],
  ])('fails %s', async (_name, lie) => {
    const begun = await person.post('/v1/login/oidc', { purpose: 'step_up' });
    provider.change = ({ claims }) => Object.assign(claims, lie(claims));
    expectRefused(await comeBack(person, begun), 401, 'sign_in_failed');
    expect(refusal(await change(person))).toMatchObject({ code: 'step_up_required' });
  });

  it('fails once the person has signed out', async () => {
    const begun = await person.post('/v1/login/oidc', { purpose: 'step_up' });
    await person.delete('/v1/sessions/current');
    expectRefused(await comeBack(person, begun), 401, 'sign_in_failed');
  });
});

describe('property 14, revocation, as far as the provider is asked', () => {
  it('a session of a provider lasts at most absolute_seconds, however it is used', async () => {
    const browser = fresh();
    await comeBack(browser, await begin(browser));
    for (let passed = 0; passed < 43_200 - 3_000; passed += 3_000) {
      harness.clock.advance(3_000);
      expect((await browser.get('/v1/me')).status).toBe(200);
    }
    harness.clock.advance(3_001);
    expectRefused(await browser.get('/v1/me'), 401, 'login_expired');
  });
});

describe('by oidc-provider', () => {
  it('joins, signs in, steps up, goes on after new keys, and ends with the user', async () => {
    const { tenantId } = await createTenant(harness.platform, { name: 'Real' });
    const origin = fresh().origin;
    await real.restart([`${origin}/v1/login/oidc/real/callback`]);
    await ownerWith(harness, real, { slug: 'real', tenantId });
    const jar = new Map<string, string>();
    const browser = fresh();
    const begun = await browser.post('/v1/login/oidc', { purpose: 'join', token: await invite('viewer', tenantId), name: 'Ada' });
    expect((await comeBack(browser, begun, jar)).status).toBe(303);
    expect(await who(browser)).toMatchObject({ name: 'Ada', role: 'viewer' });

    const again = fresh();
    expect((await comeBack(again, await begin(again, 'real'), jar)).status).toBe(303);
    const before = (await again.get('/v1/me')).body.data.session.id;
    expect((await comeBack(again, await again.post('/v1/login/oidc', { purpose: 'step_up' }), jar)).status).toBe(303);
    expect((await again.get('/v1/me')).body.data.session.id).not.toBe(before);

    await real.restart([`${origin}/v1/login/oidc/real/callback`]);
    const rotated = fresh();
    expect((await comeBack(rotated, await begin(rotated, 'real'))).status).toBe(303);

    real.deleted.add('ada');
    const gone = fresh();
    const answer = await begin(gone, 'real')
      .then((round) => comeBack(gone, round))
      .catch((error: Error) => error.message);
    if (typeof answer !== 'string') expectRefused(answer, 401, 'sign_in_failed');
    expect(await who(gone)).toBeUndefined();
  });
});
