// GET, PUT /v1/sign-in: who says how people sign in, what is taken, and what it holds people to. People say it over GraphQL, as the console
// does: REST takes no cookie there.
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTenant } from '../../../src/contexts/identity/tenant.js';
import { resetSignIn } from '../../../src/contexts/people/sign-in-setting.js';
import { systemCtx } from '../../../src/platform/due/step.js';
import { type Answer, Client, type Json, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { Browser, inviteByPlatform, join, type Person, password, tokenOf } from './browser.js';
import { comeBack, FakeProvider, ownerWith, setSignIn } from './provider.js';

const provider = await FakeProvider.start();
afterAll(() => provider.stop());
const harness = useHarness({ env: { OIDC_ALLOW_HOSTS: provider.host } });
let ada: Person;
beforeAll(async () => {
  ada = await join(harness, 'owner');
});
afterEach(() => provider.reset());

const plain = { slug: 'acme', methods: ['password', 'passkey', 'api_key'] };
const oidc = () => ({ issuer: provider.issuer, clientId: 'agent-payments', clientSecret: 'a secret of the company' });
const set = (input: object, person = ada) => setSignIn(person, { ...plain, ...input });
const refusal = ({ body }: Answer) => ({ code: body.errors?.[0].extensions.code, ...body.errors?.[0].extensions.details });
/** What was set. It has to be taken. */
async function taken(answer: Promise<Answer>): Promise<Json> {
  const { body } = await answer;
  expect(body.errors).toBeUndefined();
  return body.data.setSignInSettings;
}
/** The answer names exactly this member. */
async function expectWrong(answer: Promise<Answer>, path: string): Promise<void> {
  expect(refusal(await answer)).toMatchObject({ code: 'validation_failed', fields: [{ path, message: expect.stringMatching(/\S/) }] });
}

describe('GET /v1/sign-in', () => {
  it('200: in the beginning, and after somebody has said it; no secret', async () => {
    const other = await createTenant(harness.platform, { name: 'New' });
    const before = await new Client(harness.test.url, other.testKey).get('/v1/sign-in');
    const methods = ['password', 'passkey', 'api_key'];
    expect(before.body.data).toEqual({ slug: null, methods, idle_seconds: 3600, absolute_seconds: 43200, oidc: null });
    await taken(set({ methods: ['password', 'oidc'], idleSeconds: 900, absoluteSeconds: 7200, oidc: oidc() }));
    const { status, body } = await harness.test.get('/v1/sign-in');
    expect([status, body.data]).toEqual([
      200,
      {
        slug: 'acme',
        methods: ['password', 'oidc'],
        idle_seconds: 900,
        absolute_seconds: 7200,
        oidc: { issuer: provider.issuer, client_id: 'agent-payments' },
      },
    ]);
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it('403 for an agent and a credential without members:read', async () => {
    const key = await harness.live.make('/v1/api-keys', { name: 'x', scopes: ['wallets:read'] });
    expectRefused(await harness.live.get('/v1/sign-in', { as: key.key }), 403, 'insufficient_scope');
  });
});

describe('PUT /v1/sign-in', () => {
  it('200: keeps the secret sealed, out of the audit log, and the same where none is given', async () => {
    await taken(set({ oidc: oidc() }));
    const { clientSecret: _secret, ...without } = oidc();
    expect(await taken(set({ idleSeconds: 1000, oidc: without }))).toMatchObject({ idleSeconds: 1000 });
    await expectWrong(set({ oidc: { ...without, clientId: 'another' } }), 'oidc.clientSecret');
    const { rows } = await harness.platform.database.pool.query('SELECT client_secret FROM sign_in_setting WHERE tenant_id = $1', [
      harness.tenantId,
    ]);
    expect(String(rows[0].client_secret)).not.toContain('secret of the company');
    const { rows: log } = await harness.platform.database.pool.query("SELECT * FROM audit_entry WHERE action = 'setSignInSettings'");
    expect(log.length).toBeGreaterThan(0);
    expect(JSON.stringify(log)).not.toContain('secret of the company');
  });

  it('200: the provider is not asked again while it stays the same', async () => {
    await taken(set({ oidc: oidc() }));
    provider.discovery = (response) => response.writeHead(500).end();
    expect(await taken(set({ idleSeconds: 1200, oidc: oidc() }))).toMatchObject({ idleSeconds: 1200 });
  });

  it.each<[string, object, string]>([
    ['no method', { methods: [] }, 'methods'],
    ['a method twice', { methods: ['password', 'password'] }, 'methods'],
    ['keys alone', { methods: ['api_key'] }, 'methods'],
    ['the provider without one', { methods: ['oidc'] }, 'oidc'],
    ['a provider without a slug', { slug: null, oidc: { issuer: provider.issuer, clientId: 'a', clientSecret: 'b' } }, 'slug'],
    ['a short slug', { slug: 'ab' }, 'slug'],
    ['capitals', { slug: 'Acme' }, 'slug'],
    ['a hyphen at the end', { slug: 'acme-' }, 'slug'],
    ['a path', { slug: 'acme/callback' }, 'slug'],
    ['a long slug', { slug: 'a'.repeat(41) }, 'slug'],
    ['a short time', { idleSeconds: 899 }, 'idleSeconds'],
    ['more without use than at all', { idleSeconds: 3600, absoluteSeconds: 3599 }, 'idleSeconds'],
  ])('400 for %s', async (_name, change, field) => {
    await expectWrong(set(change), field);
  });

  // Whoever asks: nothing but the request is looked at.
  const provided = () => ({ issuer: provider.issuer, client_id: 'a', client_secret: 'b' });
  it.each<[string, object, string]>([
    ['a method that there is not', { methods: ['password', 'sms'] }, 'methods.1'],
    ['a role map, which is for later', { oidc: { ...provided(), role_map: {} } }, 'oidc.role_map'],
    ['a default role', { oidc: { ...provided(), default_role: 'viewer' } }, 'oidc.default_role'],
  ])('400 for %s', async (_name, change, field) => {
    expectInvalid(await harness.live.put('/v1/sign-in', { ...plain, ...change }), field);
  });

  describe('400 for a provider', () => {
    const at = (issuer: string) => set({ oidc: { ...oidc(), issuer } });
    it.each([
      'http://10.0.0.7/',
      'https://10.0.0.7/',
      'https://127.0.0.1:1/',
      'https://[::1]/',
      'https://localhost/',
      'https://metadata.internal/',
      'http://idp.example.com/',
      'ftp://idp.example.com/',
      'https://user:word@idp.example.com/',
      'https://169.254.169.254/latest/meta-data/',
      'javascript:alert(1)',
      'idp.example.com',
    ])('on a private address or of another kind: %s', async (issuer) => {
      await expectWrong(at(issuer), 'oidc.issuer');
    });

    const others: [string, () => void][] = [
      [
        'whose configuration has 10 MB',
        () =>
          (provider.discovery = (response: ServerResponse) =>
            response.writeHead(200, { 'Content-Type': 'application/json' }).end(Buffer.alloc(10_000_000, ' '))),
      ],
      ['that never answers', () => (provider.discovery = () => {})],
      [
        'that never ends',
        () =>
          (provider.discovery = (response: ServerResponse) =>
            void response.writeHead(200, { 'Content-Type': 'application/json' }).write('{')),
      ],
      [
        'that leads elsewhere',
        () =>
          (provider.discovery = (response: ServerResponse) => response.writeHead(302, { Location: `${provider.issuer}/elsewhere` }).end()),
      ],
      [
        'that is no provider',
        () => (provider.discovery = (response: ServerResponse) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>')),
      ],
      ['that calls itself otherwise', () => (provider.metadata = { issuer: 'https://somebody.example' })],
      ['that leads browsers to a script', () => (provider.metadata = { authorization_endpoint: 'javascript:alert(1)' })],
      ['that leads browsers to a private address', () => (provider.metadata = { authorization_endpoint: 'http://10.0.0.7/authorize' })],
    ];
    it.each(others)('%s', async (_name, lie) => {
      const owner = await join(harness, 'owner');
      await taken(set({ oidc: null }));
      lie();
      const asked = provider.asked.length;
      await expectWrong(set({ oidc: oidc() }, owner), 'oidc.issuer');
      expect(provider.asked.slice(asked)).toEqual(['/.well-known/openid-configuration']);
    });
  });

  it('403 for keys, for whoever is no owner, and without a step-up', async () => {
    expectRefused(await harness.test.put('/v1/sign-in', plain), 403, 'forbidden', { reason: 'live_key_required' });
    expectRefused(await harness.live.put('/v1/sign-in', plain), 403, 'person_required');
    const admin = await join(harness, 'admin');
    expect(refusal(await setSignIn(admin, plain))).toMatchObject({ code: 'forbidden', reason: 'role_exceeded' });
    const viewer = await join(harness, 'viewer');
    expect(refusal(await setSignIn(viewer, plain))).toMatchObject({ code: 'insufficient_scope' });
    harness.clock.advance(301);
    expect(refusal(await set({}))).toMatchObject({ code: 'step_up_required' });
    expect((await ada.browser.post('/v1/login/step-up', { password })).status).toBe(200);
    await taken(set({}));
  });

  it('409 for the slug of another tenant', async () => {
    const other = await createTenant(harness.platform, { name: 'Other' });
    const eve = await join(harness, 'owner', { tenantId: other.tenantId });
    expect((await setSignIn(eve, { ...plain, slug: 'taken' })).body.errors).toBeUndefined();
    expect(refusal(await set({ slug: 'taken' }))).toMatchObject({ code: 'already_exists', reason: 'slug_taken' });
    // Of both that want it at once one gets it.
    const both = await Promise.all([setSignIn(eve, { ...plain, slug: 'wanted' }), setSignIn(ada, { ...plain, slug: 'wanted' })]);
    expect(both.filter(({ body }) => body.errors === undefined)).toHaveLength(1);
  });

  it('property 4, the last owner stays: methods that would lock all owners out are refused', async () => {
    const { tenantId } = await createTenant(harness.platform, { name: 'Locked' });
    const owner = await join(harness, 'owner', { tenantId });
    const wanted = { slug: 'locked', oidc: { issuer: provider.issuer, clientId: 'agent-payments', clientSecret: 's' } };
    for (const methods of [['oidc'], ['passkey'], ['oidc', 'passkey', 'api_key']]) {
      expect(refusal(await setSignIn(owner, { ...wanted, methods }))).toMatchObject({ code: 'state_conflict', reason: 'last_owner' });
    }
    expect((await setSignIn(owner, { ...wanted, methods: ['password', 'oidc'] })).body.errors).toBeUndefined();
    // A second owner who has nothing but what is to be switched off does not help.
    await join(harness, 'owner', { tenantId });
    expect(refusal(await setSignIn(owner, { ...wanted, methods: ['oidc'] }))).toMatchObject({
      code: 'state_conflict',
      reason: 'last_owner',
    });
    // One who can sign in at the provider does, and may not be taken away then.
    provider.subject = 'owner-of-locked';
    expect((await comeBack(owner.browser, await owner.browser.post('/v1/login/oidc', { purpose: 'add' }))).status).toBe(303);
    expect((await setSignIn(owner, { ...wanted, methods: ['oidc'] })).body.errors).toBeUndefined();
    const suspend = 'mutation ($id: MemberId!) { updateMember(id: $id, input: { status: suspended }) { status } }';
    expect(refusal(await owner.browser.graphql(suspend, { id: owner.id }))).toMatchObject({ code: 'state_conflict', reason: 'last_owner' });
    // Another provider knows nobody.
    const issuer = 'http://127.0.0.1:1';
    expect((await setSignIn(owner, { ...wanted, methods: ['password'], oidc: null })).body.errors).toBeUndefined();
    expect(refusal(await setSignIn(owner, { ...wanted, methods: ['oidc'], oidc: { ...wanted.oidc, issuer } })).code).toBe(
      'validation_failed',
    );
  });
});

describe('a method that is off', () => {
  it('signs nobody in, with the one code, and ends what it began', async () => {
    const { tenantId, testKey } = await createTenant(harness.platform, { name: 'Strict' });
    const owner = await ownerWith(harness, provider, { slug: 'strict', tenantId });
    const bob = await join(harness, 'viewer', { tenantId });
    provider.subject = 'owner-of-strict';
    expect((await comeBack(owner.browser, await owner.browser.post('/v1/login/oidc', { purpose: 'add' }))).status).toBe(303);
    const kept = { issuer: provider.issuer, clientId: 'agent-payments' };
    const token = (await new Client(harness.test.url, testKey).make('/v1/auth/session', { api_key: testKey })).token;
    expect((await setSignIn(owner, { slug: 'strict', methods: ['oidc'], oidc: kept })).body.errors).toBeUndefined();
    // The session that asked goes on, the others by a password have ended.
    expect((await owner.browser.get('/v1/me')).status).toBe(200);
    expectRefused(await bob.browser.get('/v1/me'), 401, 'login_expired');
    expectRefused(await new Browser(harness.test).signIn(bob.email), 401, 'sign_in_failed');
    expectRefused(await owner.browser.post('/v1/login/step-up', { password }), 401, 'sign_in_failed');
    expectRefused(await harness.test.post('/v1/auth/session', { api_key: testKey }, { as: null }), 401, 'sign_in_failed');
    const renewed = await harness.test.graphql('mutation { renewAuthSession { token } }', {}, { as: token });
    expect(refusal(renewed)).toMatchObject({ code: 'sign_in_failed' });
    // The key itself is no sign-in.
    expect((await harness.test.get('/v1/wallets', { as: testKey })).status).toBe(200);
    const link = tokenOf(await inviteByPlatform(harness, 'joins@example.com', 'viewer', tenantId));
    expectRefused(await new Browser(harness.test).post('/v1/login/join', { token: link, name: 'Eve', password }), 401, 'sign_in_failed');
    // The link was not used up by that.
    const eve = new Browser(harness.test);
    provider.subject = 'eve';
    expect((await comeBack(eve, await eve.post('/v1/login/oidc', { purpose: 'join', token: link, name: 'Eve' }))).status).toBe(303);
    expect((await eve.get('/v1/me')).body.data.member).toMatchObject({ name: 'Eve', role: 'viewer' });

    // Who is locked out is let in by the command line.
    const workspace = (await harness.platform.database.unscoped.workspace.findFirst({ where: { tenantId, environment: 'live' } })) as never;
    const reset = await resetSignIn(
      systemCtx(harness.platform, { ...(workspace as object), clockOffsetMs: 0 } as never, { action: 'resetSignIn' }),
    );
    expect(reset.methods).toEqual(['password', 'passkey', 'api_key', 'oidc']);
    expect((await new Browser(harness.test).signIn(bob.email)).status).toBe(200);
  });

  it('is left out when one password is good for several tenants', async () => {
    const { tenantId } = await createTenant(harness.platform, { name: 'Second' });
    const owner = await ownerWith(harness, provider, { slug: 'second', tenantId });
    const person = await join(harness, 'owner');
    const link = tokenOf(await inviteByPlatform(harness, person.email, 'viewer', tenantId));
    expect((await new Browser(harness.test).post('/v1/login/join', { token: link, name: 'Same', password })).status).toBe(201);
    const browser = new Browser(harness.test);
    const names = (answer: Answer) => answer.body.data.tenants.map(({ name }: { name: string }) => name).sort();
    expect(names(await browser.signIn(person.email))).toEqual(['Second', 'Tenant']);
    provider.subject = 'owner-of-second';
    await comeBack(owner.browser, await owner.browser.post('/v1/login/oidc', { purpose: 'add' }));
    const kept = { issuer: provider.issuer, clientId: 'agent-payments' };
    expect((await setSignIn(owner, { slug: 'second', methods: ['oidc'], oidc: kept })).body.errors).toBeUndefined();
    if ((await browser.get('/v1/me')).status !== 200) await browser.signIn(person.email);
    expectRefused(await browser.post('/v1/sessions/switch', { tenant_id: tenantId }), 404, 'not_found');
    expect(names(await new Browser(harness.test).signIn(person.email))).toEqual(['Tenant']);
    expectRefused(
      await new Browser(harness.test).post('/v1/login/sign-in', { email: person.email, password, tenant: tenantId }),
      401,
      'sign_in_failed',
    );
  });
});

describe('how long a session lives', () => {
  it('is what the tenant says, for sessions that are there too', async () => {
    const { tenantId } = await createTenant(harness.platform, { name: 'Short' });
    const owner = await join(harness, 'owner', { tenantId });
    const bob = await join(harness, 'viewer', { tenantId });
    expect((await setSignIn(owner, { methods: ['password'], idleSeconds: 900, absoluteSeconds: 2_000 })).body.errors).toBeUndefined();
    harness.clock.advance(890);
    expect((await bob.browser.get('/v1/me')).status).toBe(200);
    harness.clock.advance(901);
    expectRefused(await bob.browser.get('/v1/me'), 401, 'login_expired');
    const { body } = await bob.browser.signIn(bob.email);
    expect(Date.parse(body.data.expires_at) - harness.clock.now().getTime()).toBe(2_000_000);
    for (const seconds of [800, 800]) {
      harness.clock.advance(seconds);
      expect((await bob.browser.get('/v1/me')).status).toBe(200);
    }
    harness.clock.advance(401);
    expectRefused(await bob.browser.get('/v1/me'), 401, 'login_expired');
  });
});
