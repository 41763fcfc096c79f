import nacl from 'tweetnacl';
import { describe, expect, it } from 'vitest';
import { nowhere, useHarness } from '../../harness.js';
import { authenticate, enrol } from './identity.js';

const harness = useHarness();
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const provision = (id: string, body: object = {}, options = {}) => harness.test.post(`/v1/agents/${id}/auth-keys`, body, options);

describe('POST /v1/agents/{id}/auth-keys', () => {
  it('201: a generated pair that signs in', async () => {
    const { id } = await enrol(harness.test, { generate_keypair: false });
    const answer = await provision(id);
    expect([answer.status, answer.body.data]).toEqual([
      201,
      {
        keyId: expect.stringMatching(/^auth_/),
        publicKey: expect.any(String),
        privateKey: expect.any(String),
        algorithm: 'ed25519',
        warning: expect.any(String),
      },
    ]);
    expect((await authenticate(harness.test, id, answer.body.data.privateKey)).status).toBe(200);
    expect((await harness.test.get(`/v1/agents/${id}`)).body.data.public_key).toBe(answer.body.data.publicKey);
  });

  it('201: your own key, whose private half nobody else has', async () => {
    const { id } = await enrol(harness.test, { generate_keypair: false });
    const pair = nacl.sign.keyPair();
    const answer = await provision(id, { public_key: base64(pair.publicKey) });
    expect(answer.body.data).toEqual({
      keyId: expect.any(String),
      publicKey: base64(pair.publicKey),
      algorithm: 'ed25519',
      warning: expect.any(String),
    });
    expect((await authenticate(harness.test, id, base64(pair.secretKey))).status).toBe(200);
  });

  it('201 after a revocation lets the agent sign in again, and its token of before stays ended', async () => {
    const { id, token } = await enrol(harness.test);
    await harness.test.delete(`/v1/agents/${id}/auth-keys`);
    expect((await harness.test.get('/v1/me', { as: token })).body.code).toBe('key_revoked');
    const { body } = await provision(id);
    expect((await authenticate(harness.test, id, body.data.privateKey)).status).toBe(200);
    expect((await harness.test.get('/v1/me', { as: token })).body.code).toBe('invalid_agent_token');
  });

  it('201 again with the same Idempotency-Key: the same key, its private half left out', async () => {
    const { id } = await enrol(harness.test, { generate_keypair: false });
    const options = { headers: { 'Idempotency-Key': 'key-once' } };
    const first = await provision(id, {}, options);
    const again = await provision(id, {}, options);
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([201, 'true']);
    expect(again.body.data).toMatchObject({ keyId: first.body.data.keyId, publicKey: first.body.data.publicKey });
    expect(again.body.data).not.toHaveProperty('privateKey');
  });

  it('400: malformed, of low order, not canonical, and a key of before', async () => {
    const { id, agent } = await enrol(harness.test);
    await harness.test.delete(`/v1/agents/${id}/auth-keys`);
    const key = Buffer.from(nacl.sign.keyPair().publicKey);
    const faults: [string, RegExp][] = [
      ['', /32 bytes/],
      [key.toString('hex'), /32 bytes/],
      [key.toString('base64').replace('=', ''), /32 bytes/],
      [key.subarray(1).toString('base64'), /32 bytes/],
      [Buffer.alloc(32).toString('base64'), /low order/],
      [Buffer.from('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', 'hex').toString('base64'), /low order/],
      [Buffer.from(`${'ee'}${'ff'.repeat(30)}7f`, 'hex').toString('base64'), /canonical/],
      [agent.public_key, /had already/],
    ];
    for (const [public_key, message] of faults) {
      const { status, body } = await provision(id, { public_key });
      expect([status, body.details.fields]).toEqual([
        400,
        [{ path: 'public_key', message: expect.stringMatching(message), rule: expect.any(String) }],
      ]);
    }
  });

  it('401 without a credential, 403 api_key_required for the agent', async () => {
    const { id, token } = await enrol(harness.test);
    expect((await provision(id, {}, { as: null })).status).toBe(401);
    const refused = await provision(id, {}, { as: token });
    expect([refused.status, refused.body.code]).toEqual([403, 'api_key_required']);
  });

  it("404: missing, and another tenant's", async () => {
    const theirs = await enrol(harness.other);
    for (const id of [nowhere, theirs.id]) expect((await provision(id)).status).toBe(404);
  });

  it('409 already_exists while a key is active, also for all but one of many at once; 409 for a revoked agent', async () => {
    const { id } = await enrol(harness.test);
    expect((await provision(id)).body.code).toBe('already_exists');
    const { id: keyless } = await enrol(harness.test, { generate_keypair: false });
    const answers = await Promise.all(Array.from({ length: 8 }, () => provision(keyless)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    await harness.test.post(`/v1/agents/${id}/revoke`, {});
    expect((await provision(id)).body.code).toBe('state_conflict');
  });
});
