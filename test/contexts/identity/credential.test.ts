// Who the Authorization header stands for: API keys, JWT sessions and portal tokens (SPEC.md "Authentication").
import { base64url, decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { apiKeyCredential, jwtCredential } from '../../../src/contexts/identity/credential.js';
import { signingKey } from '../../../src/contexts/identity/signing-key.js';
import { useHarness } from '../../harness.js';
import { expectRefused, issueKey, signIn } from './sign-in.js';

const harness = useHarness();
const as = (credential: string, client = harness.test) => client.get('/v1/accounts', { as: credential });

describe('API keys', () => {
  it('stand for the key, in its own workspace', async () => {
    const { actor, workspace } = await apiKeyCredential.resolve(harness.platform, harness.test.key, 'test');
    expect(actor).toMatchObject({ type: 'api_key', scopes: ['*'], credential: { kind: 'api_key', id: actor.id } });
    expect(workspace).toMatchObject({ tenantId: harness.tenantId, environment: 'test', clockOffsetMs: 0 });
  });

  it('cost no query when warm', async () => {
    await apiKeyCredential.resolve(harness.platform, harness.test.key, 'test');
    const query = vi.spyOn(harness.platform.database.pool, 'query');
    const connect = vi.spyOn(harness.platform.database.pool, 'connect');
    for (let n = 0; n < 10; n += 1) await apiKeyCredential.resolve(harness.platform, harness.test.key, 'test');
    expect(query).not.toHaveBeenCalled();
    expect(connect).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it('carry the moved clock of their workspace as soon as it moves', async () => {
    const { id, key } = await issueKey(harness.other);
    const { elsewhere: platform } = harness;
    const offset = async () => (await apiKeyCredential.resolve(platform, key, 'test')).workspace.clockOffsetMs;
    expect(await offset()).toBe(0);
    const { workspaceId } = await platform.database.unscoped.apiKey.findFirstOrThrow({ where: { id: id.slice(4) } });
    await platform.database.unscoped.workspace.update({ where: { id: workspaceId }, data: { clockOffsetMs: 90_000n } });
    await expect.poll(offset, { interval: 5 }).toBe(90_000);
  });

  it('401: unknown, of the other environment, malformed', async () => {
    expectRefused(await as('pk_test_unknown'), 'invalid_api_key');
    expectRefused(await as(harness.live.key), 'environment_mismatch');
    expectRefused(await as('pk_live_unknown'), 'environment_mismatch');
    expectRefused(await as(harness.test.key, harness.live), 'environment_mismatch');
    for (const key of ['pk_', 'pk_test_', 'pk_prod_abcdefgh', 'pk_test_a.b', `pk_test_${'a'.repeat(201)}`]) {
      expectRefused(await as(key), 'malformed_credential');
    }
  });

  it('401 from the moment they expire, warm or not', async () => {
    const { key } = await issueKey(harness.test, { expires_at: new Date(harness.clock.now().getTime() + 10_000).toISOString() });
    harness.clock.advance(9);
    expect((await as(key)).status).toBe(200);
    harness.clock.advance(1);
    expectRefused(await as(key), 'invalid_api_key');
  });
});

describe('JWT sessions', () => {
  it('stand for a user with the rights of the key', async () => {
    const key = await apiKeyCredential.resolve(harness.platform, harness.test.key, 'test');
    const { actor, workspace } = await jwtCredential.resolve(harness.platform, await signIn(harness.test), 'test');
    expect(actor).toEqual({ ...key.actor, type: 'user', credential: { kind: 'jwt', id: expect.not.stringMatching(key.actor.id) } });
    expect(workspace).toEqual(key.workspace);
  });

  it('cost no query when warm', async () => {
    const token = await signIn(harness.test);
    expect((await as(token)).status).toBe(200);
    const query = vi.spyOn(harness.platform.database.pool, 'query');
    const connect = vi.spyOn(harness.platform.database.pool, 'connect');
    await jwtCredential.resolve(harness.platform, token, 'test');
    expect(query).not.toHaveBeenCalled();
    expect(connect).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it('401 after an hour of real time, warm or not, and in the other environment', async () => {
    const [warm, cold] = [await signIn(harness.test), await signIn(harness.test)];
    expectRefused(await as(warm, harness.live), 'environment_mismatch');
    harness.clock.advance(3_599);
    expect((await as(warm)).status).toBe(200);
    harness.clock.advance(1);
    expectRefused(await as(warm), 'invalid_jwt');
    expectRefused(await as(cold), 'invalid_jwt');
  });

  it('401 when anything in them was changed or another key signed them', async () => {
    const token = await signIn(harness.test);
    const [head = '', body = '', signature = ''] = token.split('.');
    const claims = decodeJwt(token);
    const { kid, privateKey } = await signingKey(harness.platform);
    const stranger = await generateKeyPair('ES256', { extractable: true });
    const jwk = await exportJWK(stranger.publicKey);
    const other = (change: object) => base64url.encode(JSON.stringify({ ...claims, ...change }));
    const signed = (payload: object, header: object, key = privateKey) =>
      new SignJWT({ ...claims, ...payload }).setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT', ...header }).sign(key);
    const secret = new TextEncoder().encode(JSON.stringify(jwk));
    const forged = [
      `${head}.${other({ workspace_id: harness.tenantId })}.${signature}`,
      `${head}.${body}.${signature.slice(0, -6)}AAAAAA`,
      `${base64url.encode('{"alg":"none"}')}.${body}.${signature}`,
      await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid, typ: 'JWT' }).sign(secret),
      await signed({}, {}, stranger.privateKey),
      await signed({}, { kid: 'unknown', jwk }, stranger.privateKey),
      await signed({ iss: 'somebody' }, {}),
      await signed({ aud: 'something' }, {}),
      await signed({ exp: undefined }, {}),
      await signed({ sub: 'key_1' }, {}),
      await signed({ workspace_id: harness.tenantId }, {}),
      'a.b.c',
    ];
    expect((await as(await signed({}, {}))).status).toBe(200);
    for (const credential of forged) expectRefused(await as(credential), 'invalid_jwt');
  });
});

describe('portal tokens', () => {
  it('401: unknown; malformed ones are told apart', async () => {
    expectRefused(await as('portal_abc'), 'portal_token_expired');
    for (const token of ['portal_', 'portal_a.b']) expectRefused(await as(token), 'malformed_credential');
  });
});
