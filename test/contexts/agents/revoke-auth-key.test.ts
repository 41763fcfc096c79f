import { describe, expect, it } from 'vitest';
import { nowhere, useHarness } from '../../harness.js';
import { authenticate, enrol, signIn } from './identity.js';

const harness = useHarness();

describe('DELETE /v1/agents/{id}/auth-keys', () => {
  it('200: sessions end at once, the token is refused, nobody signs in', async () => {
    const agent = await enrol(harness.test);
    const session = await signIn(harness.test, agent);
    for (const as of [session, agent.token]) expect((await harness.test.get('/v1/me', { as })).status).toBe(200);
    const answer = await harness.test.delete(`/v1/agents/${agent.id}/auth-keys`);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        data: {
          agent_id: agent.uuid,
          key_id: agent.keyId,
          status: 'revoked',
          sessions_revoked: 1,
          revoked_at: harness.clock.now().toISOString(),
        },
      },
    ]);
    expect((await harness.test.get('/v1/me', { as: session })).body.code).toBe('session_revoked');
    expect((await harness.test.get('/v1/me', { as: agent.token })).body.code).toBe('key_revoked');
    expect((await authenticate(harness.test, agent.id, agent.privateKey)).body.code).toBe('key_revoked');
    expect((await harness.test.get(`/v1/agents/${agent.id}`)).body.data).not.toHaveProperty('public_key');
  });

  it('200: tokens and sessions end for good, a new key does not revive them', async () => {
    const agent = await enrol(harness.test);
    const session = await signIn(harness.test, agent);
    await harness.test.delete(`/v1/agents/${agent.id}/auth-keys`);
    await harness.test.make(`/v1/agents/${agent.id}/auth-keys`, {});
    const code = async (as: string) => (await harness.test.get('/v1/me', { as })).body.code;
    expect([await code(agent.token), await code(session)]).toEqual(['invalid_agent_token', 'session_revoked']);
    const tokens = (await harness.test.get(`/v1/agents/${agent.id}/tokens`)).body.data;
    expect(tokens).toMatchObject([{ status: 'revoked' }]);
  });

  it('200 again with the same Idempotency-Key', async () => {
    const agent = await enrol(harness.test);
    await signIn(harness.test, agent);
    const options = { headers: { 'Idempotency-Key': 'revoke-once' } };
    const first = await harness.test.delete(`/v1/agents/${agent.id}/auth-keys`, options);
    expect((await harness.test.delete(`/v1/agents/${agent.id}/auth-keys`, options)).body).toEqual(first.body);
  });

  it('401 without a credential, 403 api_key_required for the agent', async () => {
    const { id, token } = await enrol(harness.test);
    expect((await harness.test.delete(`/v1/agents/${id}/auth-keys`, { as: null })).status).toBe(401);
    expect((await harness.test.delete(`/v1/agents/${id}/auth-keys`, { as: token })).body.code).toBe('api_key_required');
  });

  it("404: missing, another tenant's, and without a key", async () => {
    const theirs = await enrol(harness.other);
    const keyless = await enrol(harness.test, { generate_keypair: false });
    for (const id of [nowhere, theirs.id, keyless.id]) expect((await harness.test.delete(`/v1/agents/${id}/auth-keys`)).status).toBe(404);
  });

  it('409 when it is revoked already', async () => {
    const { id } = await enrol(harness.test);
    await harness.test.delete(`/v1/agents/${id}/auth-keys`);
    const { body } = await harness.test.delete(`/v1/agents/${id}/auth-keys`);
    expect(body).toMatchObject({ code: 'state_conflict', details: { current_status: 'revoked', allowed_from: ['active'] } });
  });
});
