// POST /v1/api-keys/{id}/roll
import { describe, expect, it } from 'vitest';
import { nowhere, useHarness } from '../../harness.js';
import { expectRefused, issueKey, sameBody, signIn } from './sign-in.js';

const harness = useHarness();
const roll = (id: string, body?: unknown, options = {}) => harness.test.post(`/v1/api-keys/${id}/roll`, body, options);
const works = async (key: string) => (await harness.test.get('/v1/accounts', { as: key })).status === 200;
const inSeconds = (seconds: number) => new Date(harness.clock.now().getTime() + seconds * 1000).toISOString();

describe('201', () => {
  it('replaces the key at once', async () => {
    const old = await issueKey(harness.test, { name: 'Till', expires_at: inSeconds(3600) });
    expect(await works(old.key)).toBe(true);
    const { status, body } = await roll(old.id);
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ name: 'Till', scopes: ['*'], status: 'active', expires_at: old.expires_at });
    expect(body.data.id).not.toBe(old.id);
    expect(await works(body.data.key)).toBe(true);
    expectRefused(await harness.test.get('/v1/accounts', { as: old.key }), 'invalid_api_key');
  });

  it('lets the old key live for the overlap, sessions too, and not a moment longer', async () => {
    const old = await issueKey(harness.test);
    const token = await signIn(harness.test, old.key);
    const { body } = await roll(old.id, { overlap_seconds: 60 });
    expect((await harness.test.get(`/v1/api-keys/${old.id}`)).body.data).toMatchObject({ status: 'active', expires_at: inSeconds(60) });
    harness.clock.advance(59);
    expect([await works(old.key), await works(token), await works(body.data.key)]).toEqual([true, true, true]);
    harness.clock.advance(1);
    expect([await works(old.key), await works(token), await works(body.data.key)]).toEqual([false, false, true]);
  });

  it('never makes the old key live longer than it would have', async () => {
    const old = await issueKey(harness.test, { expires_at: inSeconds(10) });
    await roll(old.id, { overlap_seconds: 86_400 });
    expect((await harness.test.get(`/v1/api-keys/${old.id}`)).body.data.expires_at).toBe(old.expires_at);
  });

  it('may replace the key that asks', async () => {
    const old = await issueKey(harness.test);
    const { status, body } = await roll(old.id, {}, { as: old.key });
    expect(status).toBe(201);
    expect([await works(old.key), await works(body.data.key)]).toEqual([false, true]);
  });

  it('makes one key of one Idempotency-Key, and a replay does not tell it again', async () => {
    const old = await issueKey(harness.test);
    const headers = { 'Idempotency-Key': 'roll-once' };
    const first = await roll(old.id, {}, { headers });
    const again = await roll(old.id, {}, { headers });
    const { key, ...rest } = first.body.data;
    expect(key).toMatch(/^pk_test_/);
    expect(again).toMatchObject({ status: 201 });
    expect(again.body).toEqual({ data: rest });
  });
});

describe('400', () => {
  for (const overlap of [-1, 86_401, 1.5, '60']) {
    it(`an overlap of ${JSON.stringify(overlap)}`, async () => {
      const { id, key } = await issueKey(harness.test);
      const answer = await roll(id, { overlap_seconds: overlap });
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', details: { fields: [{ path: 'overlap_seconds' }] } },
      });
      expect(await works(key)).toBe(true);
    });
  }
});

describe('401', () => {
  it('without a credential', async () => {
    expectRefused(await roll(nowhere, {}, { as: null }), 'missing_credential');
  });
});

describe('403', () => {
  it('a session', async () => {
    const { id } = await issueKey(harness.test);
    expect(await roll(id, {}, { as: await signIn(harness.test) })).toMatchObject({ status: 403, body: { code: 'api_key_required' } });
  });
});

describe('403 of scopes', () => {
  it('a key that may do more than the one that rolls it, which goes on', async () => {
    const strong = await issueKey(harness.test, { scopes: ['keys:write', 'transfers:write'] });
    const weak = await issueKey(harness.test, { scopes: ['keys:write', 'transfers:read'] });
    expect(await roll(strong.id, {}, { as: weak.key })).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope', details: { required_scope: 'transfers:write' } },
    });
    expect((await harness.test.get('/v1/api-keys', { as: strong.key })).status).toBe(200);
    const rolled = await roll(weak.id, {}, { as: strong.key });
    expect(rolled.body.data).toMatchObject({ scopes: weak.scopes, created_by: strong.id });
  });

  it('of two keys that roll each other at once one does, and nobody waits for ever', async () => {
    const [one, two] = [await issueKey(harness.test), await issueKey(harness.test)];
    const answers = await Promise.all([roll(one.id, {}, { as: two.key }), roll(two.id, {}, { as: one.key })]);
    for (const { status } of answers) expect([201, 401, 403]).toContain(status);
  });
});

describe('404', () => {
  it("missing and another tenant's, with one body, and the other's lives", async () => {
    const foreign = await issueKey(harness.other);
    const missing = await roll(nowhere);
    expect(missing).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(sameBody(await roll(foreign.id))).toEqual(sameBody(missing));
    expect((await harness.other.get('/v1/accounts', { as: foreign.key })).status).toBe(200);
  });
});

describe('409', () => {
  it('a key that has ended', async () => {
    const revoked = await issueKey(harness.test);
    await harness.test.delete(`/v1/api-keys/${revoked.id}`);
    const expired = await issueKey(harness.test, { expires_at: inSeconds(1) });
    harness.clock.advance(1);
    for (const [id, status] of [
      [revoked.id, 'revoked'],
      [expired.id, 'expired'],
    ]) {
      expect(await roll(id)).toMatchObject({
        status: 409,
        body: { code: 'state_conflict', details: { current_status: status, allowed_from: ['active'] } },
      });
    }
  });

  it('of rolls at once exactly one succeeds', async () => {
    const { id } = await issueKey(harness.test);
    const answers = await Promise.all(Array.from({ length: 6 }, () => roll(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });
});
