// POST /v1/auth/session
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { useHarness } from '../../harness.js';
import { expectRefused, issueKey, signIn } from './sign-in.js';

const harness = useHarness();
const sign = (body: unknown, client = harness.test) => client.post('/v1/auth/session', body, { as: null });

describe('201', () => {
  it('turns an API key into an hour of JWT', async () => {
    const answer = await sign({ api_key: harness.test.key });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      data: { token: expect.any(String), expires_in: 3600, tenant_id: harness.tenantId, environment: 'test' },
    });
    const live = await sign({ api_key: harness.live.key }, harness.live);
    expect(live.body.data).toMatchObject({ tenant_id: harness.tenantId, environment: 'live' });
  });

  it('is signed with ES256 by a key of the JWKS, which anybody can check', async () => {
    const token = await signIn(harness.test);
    const key = createRemoteJWKSet(new URL(`${harness.test.url}/.well-known/jwks.json`));
    const { payload } = await jwtVerify(token, key, {
      issuer: 'agent-payments',
      audience: 'agent-payments',
      currentDate: harness.clock.now(),
    });
    expect(payload).toMatchObject({ sub: expect.stringMatching(/^key_/), environment: 'test', workspace_id: expect.any(String) });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
    expect(decodeProtectedHeader(token).alg).toBe('ES256');
    const { body } = await harness.test.get('/.well-known/jwks.json', { as: null });
    expect(body.keys).toHaveLength(1);
    expect(body.keys[0]).not.toHaveProperty('d');
  });

  it('does what a key may do, apart from what needs the key itself', async () => {
    const token = await signIn(harness.test);
    expect((await harness.test.get('/v1/accounts', { as: token })).status).toBe(200);
    expect((await harness.test.get('/v1/api-keys', { as: token })).body.code).toBe('api_key_required');
  });

  it('is the same over GraphQL', async () => {
    const { body } = await harness.test.graphql(
      'mutation ($input: CreateAuthSessionInput!) { createAuthSession(input: $input) { token expiresIn tenantId environment } }',
      { input: { apiKey: harness.test.key } },
      { as: null },
    );
    expect(body.data.createAuthSession).toMatchObject({ expiresIn: 3600, tenantId: harness.tenantId, environment: 'test' });
    expect((await harness.test.get('/v1/accounts', { as: body.data.createAuthSession.token })).status).toBe(200);
  });
});

describe('400', () => {
  const cases: [string, unknown, string][] = [
    ['no key', {}, 'api_key'],
    ['an empty key', { api_key: '' }, 'api_key'],
    ['a key that is no text', { api_key: 5 }, 'api_key'],
    ['a key longer than any', { api_key: `pk_test_${'a'.repeat(300)}` }, 'api_key'],
    ['a misspelt member', { apikey: 'pk_test_x' }, 'apikey'],
  ];
  for (const [name, body, path] of cases) {
    it(name, async () => {
      const answer = await sign(body);
      expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
      expect(answer.body.details.fields.map((field: { path: string }) => field.path)).toContain(path);
    });
  }
});

describe('401', () => {
  it('unknown, malformed, revoked and expired keys, all alike', async () => {
    const revoked = await issueKey(harness.test);
    await harness.test.delete(`/v1/api-keys/${revoked.id}`);
    const expired = await issueKey(harness.test, { expires_at: new Date(harness.clock.now().getTime() + 1000).toISOString() });
    harness.clock.advance(1);
    for (const key of ['pk_test_unknown', 'pk_test_', 'pk_test_#', 'secret', revoked.key, expired.key]) {
      expectRefused(await sign({ api_key: key }), 'invalid_api_key');
    }
  });

  it('a key of the other environment, known or not', async () => {
    for (const key of [harness.live.key, 'pk_live_unknown']) expectRefused(await sign({ api_key: key }), 'environment_mismatch');
    expectRefused(await sign({ api_key: harness.test.key }, harness.live), 'environment_mismatch');
  });
});

describe('429', () => {
  const limited = useHarness({ limits: { auth: 2 } });

  it('has the budget of the auth class, wrong keys included, and leaves the general one alone', async () => {
    const attempt = () => limited.test.post('/v1/auth/session', { api_key: 'pk_test_guess' }, { as: null });
    expect((await attempt()).status).toBe(401);
    expect((await attempt()).headers.get('x-ratelimit-remaining')).toBe('0');
    const refused = await attempt();
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({ error: 'rate_limit_exceeded', retry_after: expect.any(Number) });
    expect(Number(refused.headers.get('retry-after'))).toBe(refused.body.retry_after);
    expect((await limited.test.get('/v1/accounts')).status).toBe(200);
  });
});

describe('renewAuthSession', () => {
  const renew = (as: string) => harness.test.graphql('mutation { renewAuthSession { token expiresIn } }', {}, { as });

  it('is another hour of the same session, until twelve hours have passed', async () => {
    let token = await signIn(harness.test);
    for (let hour = 1; hour <= 11; hour += 1) {
      harness.clock.advance(3_500);
      const { body } = await renew(token);
      expect(body.data.renewAuthSession.expiresIn).toBe(3600);
      token = body.data.renewAuthSession.token;
    }
    expect((await harness.test.get('/v1/accounts', { as: token })).status).toBe(200);
    harness.clock.advance(3_500);
    token = (await renew(token)).body.data.renewAuthSession.token;
    harness.clock.advance(3_500);
    expect((await renew(token)).body.errors[0].extensions.code).toBe('invalid_jwt');
  });

  it('ends with its session, and is nothing for an API key', async () => {
    const first = await signIn(harness.test);
    const { token } = (await renew(first)).body.data.renewAuthSession;
    expect((await harness.test.post('/v1/auth/logout', {}, { as: token })).status).toBe(200);
    for (const ended of [first, token]) expect((await harness.test.get('/v1/accounts', { as: ended })).body.code).toBe('invalid_jwt');
    expect((await renew(harness.test.key)).body.errors[0].extensions.code).toBe('session_required');
  });
});
