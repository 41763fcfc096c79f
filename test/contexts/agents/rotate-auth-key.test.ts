import nacl from 'tweetnacl';
import { describe, expect, it } from 'vitest';
import { nowhere, useHarness } from '../../harness.js';
import { authenticate, challengeOf, enrol, sign, signIn } from './identity.js';

const harness = useHarness();
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const rotate = (id: string, body: object, as: string | null = null) => harness.test.post(`/v1/agents/${id}/auth-keys/rotate`, body, { as });

describe('POST /v1/agents/{id}/auth-keys/rotate', () => {
  it('200 by proof alone: a new pair, the old key and its sessions end at once', async () => {
    const agent = await enrol(harness.test);
    const sessions = [await signIn(harness.test, agent), await signIn(harness.test, agent)];
    for (const as of sessions) expect((await harness.test.get('/v1/me', { as })).status).toBe(200);
    const answer = await rotate(agent.id, { proof: sign(`rotate:${agent.id}`, agent.privateKey) });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        data: {
          keyId: expect.stringMatching(/^auth_/),
          publicKey: expect.any(String),
          privateKey: expect.any(String),
          algorithm: 'ed25519',
          warning: expect.any(String),
          previousKeyId: agent.keyId,
          sessionsRevoked: 2,
        },
      },
    ]);
    for (const as of sessions) expect((await harness.test.get('/v1/me', { as })).body.code).toBe('session_revoked');
    expect((await authenticate(harness.test, agent.id, agent.privateKey)).body.code).toBe('signature_invalid');
    expect((await authenticate(harness.test, agent.id, answer.body.data.privateKey)).status).toBe(200);
    expect((await harness.test.get('/v1/me', { as: agent.token })).status).toBe(200);
  });

  it('200 with the bare id in the proof, to a key of its own, beside a credential of its own', async () => {
    const agent = await enrol(harness.test);
    const pair = nacl.sign.keyPair();
    const proof = sign(`rotate:${agent.uuid}`, agent.privateKey);
    const answer = await rotate(agent.uuid, { proof, new_public_key: base64(pair.publicKey) }, agent.token);
    expect(answer.body.data).toMatchObject({ publicKey: base64(pair.publicKey), previousKeyId: agent.keyId, sessionsRevoked: 0 });
    expect(answer.body.data).not.toHaveProperty('privateKey');
    expect((await authenticate(harness.test, agent.id, base64(pair.secretKey))).status).toBe(200);
  });

  it('200 by an API key with a reason, when the agent lost its key', async () => {
    const agent = await enrol(harness.test);
    const session = await signIn(harness.test, agent);
    const answer = await rotate(agent.id, { reason: 'disk died' }, harness.test.key);
    expect(answer.body.data).toMatchObject({ previousKeyId: agent.keyId, sessionsRevoked: 1, privateKey: expect.any(String) });
    expect((await harness.test.get('/v1/me', { as: session })).body.code).toBe('session_revoked');
  });

  it('200 once: of many rotations by one proof exactly one wins, for the key that comes next did not sign it', async () => {
    const agent = await enrol(harness.test);
    const proof = sign(`rotate:${agent.id}`, agent.privateKey);
    const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(agent.id, { proof })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'signature_invalid')).toHaveLength(9);
    expect((await harness.test.get(`/v1/agents/${agent.id}/auth-keys`)).body.data).toHaveLength(2);
  });

  it('400: a weak new key, the current one again, a recovery without a reason', async () => {
    const { id, agent, privateKey } = await enrol(harness.test);
    const proof = sign(`rotate:${id}`, privateKey);
    for (const new_public_key of [Buffer.alloc(32).toString('base64'), 'short', agent.public_key]) {
      const { status, body } = await rotate(id, { proof, new_public_key });
      expect([status, body.details.fields[0].path]).toEqual([400, 'new_public_key']);
    }
    expect((await rotate(id, {}, harness.test.key)).body.details.fields).toMatchObject([{ path: 'reason', rule: 'required' }]);
    expect((await rotate(id, { proof })).status).toBe(200);
  });

  it('401 missing_credential with neither, 401 of a bearer that is no good even beside a proof', async () => {
    const { id, privateKey } = await enrol(harness.test);
    expect((await rotate(id, {})).body.code).toBe('missing_credential');
    const refused = await rotate(id, { proof: sign(`rotate:${id}`, privateKey) }, 'agent_unknown');
    expect([refused.status, refused.body.code]).toEqual([401, 'invalid_agent_token']);
  });

  it('401 signature_invalid: another text, another key, a signed challenge, an agent that nobody knows', async () => {
    const agent = await enrol(harness.test);
    const other = await enrol(harness.test);
    const challenge = await challengeOf(harness.test, agent.id);
    const proofs = [
      sign(`rotate:${other.id}`, agent.privateKey),
      sign(`rotate:${agent.id}`, other.privateKey),
      sign(challenge, agent.privateKey),
      sign(`rotate: ${agent.id}`, agent.privateKey),
      '',
    ];
    for (const proof of proofs) expect((await rotate(agent.id, { proof })).body.code).toBe('signature_invalid');
    expect((await rotate(nowhere, { proof: sign(`rotate:agt_${nowhere}`, agent.privateKey) })).body.code).toBe('signature_invalid');
    const live = await enrol(harness.live);
    expect((await rotate(live.id, { proof: sign(`rotate:${live.id}`, live.privateKey) })).body.code).toBe('signature_invalid');
  });

  it('401 key_revoked by a revoked key: it rotates nothing', async () => {
    const { id, privateKey } = await enrol(harness.test);
    await harness.test.delete(`/v1/agents/${id}/auth-keys`);
    expect((await rotate(id, { proof: sign(`rotate:${id}`, privateKey) })).body.code).toBe('key_revoked');
  });

  it('403 api_key_required for an agent or a JWT session without a proof, 403 agent_suspended with one', async () => {
    const agent = await enrol(harness.test);
    const session = await harness.test.make('/v1/auth/session', { api_key: harness.test.key }, { as: null });
    for (const as of [agent.token, session.token]) expect((await rotate(agent.id, { reason: 'x' }, as)).body.code).toBe('api_key_required');
    await harness.test.post(`/v1/agents/${agent.id}/suspend`, {});
    const refused = await rotate(agent.id, { proof: sign(`rotate:${agent.id}`, agent.privateKey) });
    expect([refused.status, refused.body.code]).toEqual([403, 'agent_suspended']);
    expect((await rotate(agent.id, { reason: 'before it comes back' }, harness.test.key)).status).toBe(200);
  });

  it('404 for an agent that the credential does not see', async () => {
    const mine = await enrol(harness.test);
    const theirs = await enrol(harness.other);
    expect((await rotate(theirs.id, { reason: 'mine now' }, harness.test.key)).status).toBe(404);
    expect((await rotate(theirs.id, { proof: sign(`rotate:${theirs.id}`, theirs.privateKey) }, mine.token)).status).toBe(404);
    const keyless = await enrol(harness.test, { generate_keypair: false });
    expect((await rotate(keyless.id, { reason: 'none yet' }, harness.test.key)).status).toBe(404);
  });

  it('409 for a recovery when the key is revoked, or the agent', async () => {
    const { id } = await enrol(harness.test);
    await harness.test.delete(`/v1/agents/${id}/auth-keys`);
    const { body } = await rotate(id, { reason: 'x' }, harness.test.key);
    expect(body).toMatchObject({ code: 'state_conflict', details: { current_status: 'revoked', allowed_from: ['active'] } });
    await harness.test.post(`/v1/agents/${id}/revoke`, {});
    expect((await rotate(id, { reason: 'x' }, harness.test.key)).body.code).toBe('state_conflict');
  });
});
