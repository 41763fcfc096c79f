// GET /v1/api-keys/{id}
import { describe, expect, it } from 'vitest';
import { nowhere, useHarness } from '../../harness.js';
import { expectRefused, issueKey, sameBody, signIn } from './sign-in.js';

const harness = useHarness();

describe('200', () => {
  it('reads a key by either form of its id, without its text', async () => {
    const { key, ...kept } = await issueKey(harness.test);
    expect(key).toMatch(/^pk_test_/);
    for (const id of [kept.id, kept.id.slice(4)]) {
      expect(await harness.test.get(`/v1/api-keys/${id}`)).toMatchObject({ status: 200, body: { data: kept } });
      expect((await harness.test.get(`/v1/api-keys/${id}`)).body.data).not.toHaveProperty('key');
    }
  });

  it('says when the key was last used, to the minute', async () => {
    const { id, key } = await issueKey(harness.test);
    const lastUsed = async () => (await harness.test.get(`/v1/api-keys/${id}`)).body.data.last_used_at;
    expect(await lastUsed()).toBeUndefined();
    const first = harness.clock.now().toISOString();
    await harness.test.get('/v1/accounts', { as: key });
    await expect.poll(lastUsed).toBe(first);

    harness.clock.advance(59);
    await harness.test.get('/v1/accounts', { as: key });
    harness.clock.advance(1);
    const second = harness.clock.now().toISOString();
    await harness.test.get('/v1/accounts', { as: key });
    await expect.poll(lastUsed).toBe(second);
  });

  it('says that a key has expired', async () => {
    const { id } = await issueKey(harness.test, { expires_at: new Date(harness.clock.now().getTime() + 5_000).toISOString() });
    expect((await harness.test.get(`/v1/api-keys/${id}`)).body.data.status).toBe('active');
    harness.clock.advance(5);
    expect((await harness.test.get(`/v1/api-keys/${id}`)).body.data.status).toBe('expired');
  });
});

describe('401', () => {
  it('without a credential', async () => {
    expectRefused(await harness.test.get(`/v1/api-keys/${nowhere}`, { as: null }), 'missing_credential');
  });
});

describe('403', () => {
  it('a session', async () => {
    const { id } = await issueKey(harness.test);
    expect(await harness.test.get(`/v1/api-keys/${id}`, { as: await signIn(harness.test) })).toMatchObject({
      status: 403,
      body: { code: 'api_key_required' },
    });
  });
});

describe('404', () => {
  it('missing, of another tenant, of the other environment and impossible ids, with one body', async () => {
    const foreign = await issueKey(harness.other);
    const live = await issueKey(harness.live);
    const missing = await harness.test.get(`/v1/api-keys/${nowhere}`);
    expect(missing).toMatchObject({ status: 404, body: { code: 'not_found' } });
    for (const id of [foreign.id, live.id, 'key_1', `acc_${nowhere}`]) {
      expect(sameBody(await harness.test.get(`/v1/api-keys/${id}`))).toEqual(sameBody(missing));
    }
  });
});
