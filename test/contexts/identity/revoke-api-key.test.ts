// DELETE /v1/api-keys/{id}
import { describe, expect, it } from 'vitest';
import { apiKeyCredential } from '../../../src/contexts/identity/credential.js';
import { openPlatform } from '../../../src/server.js';
import { nowhere, useHarness } from '../../harness.js';
import { expectRefused, issueKey, sameBody, signIn } from './sign-in.js';

const harness = useHarness();

describe('200', () => {
  it('ends the key and its sessions at once', async () => {
    const { id, key } = await issueKey(harness.test);
    const token = await signIn(harness.test, key);
    expect((await harness.test.get('/v1/accounts', { as: key })).status).toBe(200);
    expect((await harness.test.get('/v1/accounts', { as: token })).status).toBe(200);

    expect(await harness.test.delete(`/v1/api-keys/${id}`)).toMatchObject({ status: 200, body: { data: { id, deleted: true } } });
    expectRefused(await harness.test.get('/v1/accounts', { as: key }), 'invalid_api_key');
    expectRefused(await harness.test.get('/v1/accounts', { as: token }), 'invalid_jwt');
    expect((await harness.test.get(`/v1/api-keys/${id}`)).body.data).toMatchObject({
      status: 'revoked',
      revoked_at: harness.clock.now().toISOString(),
    });
  });

  it('may end the key that asks', async () => {
    const { id, key } = await issueKey(harness.test);
    expect((await harness.test.delete(`/v1/api-keys/${id}`, { as: key })).status).toBe(200);
    expectRefused(await harness.test.delete(`/v1/api-keys/${id}`, { as: key }), 'invalid_api_key');
  });

  it('changes nothing the second time', async () => {
    const { id } = await issueKey(harness.test);
    await harness.test.delete(`/v1/api-keys/${id}`);
    const before = (await harness.test.get(`/v1/api-keys/${id}`)).body;
    harness.clock.advance(10);
    expect(await harness.test.delete(`/v1/api-keys/${id}`)).toMatchObject({ status: 200, body: { data: { id, deleted: true } } });
    expect((await harness.test.get(`/v1/api-keys/${id}`)).body.data).toEqual(before.data);
  });

  it('replays under its Idempotency-Key', async () => {
    const { id } = await issueKey(harness.test);
    const headers = { 'Idempotency-Key': 'revoke-once' };
    const first = await harness.test.delete(`/v1/api-keys/${id}`, { headers });
    const again = await harness.test.delete(`/v1/api-keys/${id}`, { headers });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('reaches a process that has the key in its memory', async () => {
    const { config, log, clock } = harness.platform;
    const { databaseUrl, secretsKey } = config;
    if (databaseUrl === null || secretsKey === null) throw new Error('the harness fills both in');
    const second = await openPlatform({ config: { ...config, databaseUrl, secretsKey }, log, clock });
    try {
      const { id, key } = await issueKey(harness.test);
      const resolve = () => apiKeyCredential.resolve(second.cells.named(harness.platform.cell), key, 'test');
      expect((await resolve()).actor.id).toBe(id.slice(4));
      await harness.test.delete(`/v1/api-keys/${id}`);
      await expect.poll(() => resolve().catch((error) => error.code), { interval: 5, timeout: 1_000 }).toBe('invalid_api_key');
    } finally {
      await second.cache.close();
      await second.database.close();
    }
  });
});

describe('401', () => {
  it('without a credential', async () => {
    expectRefused(await harness.test.delete(`/v1/api-keys/${nowhere}`, { as: null }), 'missing_credential');
  });
});

describe('403', () => {
  it('a session, and the key lives', async () => {
    const { id, key } = await issueKey(harness.test);
    const refused = await harness.test.delete(`/v1/api-keys/${id}`, { as: await signIn(harness.test) });
    expect(refused).toMatchObject({ status: 403, body: { code: 'api_key_required' } });
    expect((await harness.test.get('/v1/accounts', { as: key })).status).toBe(200);
  });
});

describe('404', () => {
  it("missing and another tenant's, with one body, and the other's lives", async () => {
    const foreign = await issueKey(harness.other);
    const missing = await harness.test.delete(`/v1/api-keys/${nowhere}`);
    expect(missing).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(sameBody(await harness.test.delete(`/v1/api-keys/${foreign.id}`))).toEqual(sameBody(missing));
    expect((await harness.other.get('/v1/accounts', { as: foreign.key })).status).toBe(200);
  });
});
