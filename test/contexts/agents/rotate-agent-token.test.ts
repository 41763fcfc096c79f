import { describe, expect, it } from 'vitest';
import { nowhere, useHarness } from '../../harness.js';
import { enrol, signIn } from './identity.js';

const harness = useHarness();
const reads = async (as: string) => (await harness.test.get('/v1/me', { as })).body.code ?? 'ok';

describe('POST /v1/agents/{id}/token/rotate', () => {
  it('200: a new token, the old one refused at once', async () => {
    const { id, token } = await enrol(harness.test);
    expect(await reads(token)).toBe('ok');
    const rotated = await harness.test.post(`/v1/agents/${id}/token/rotate`, {});
    expect(rotated.body.data).toEqual({
      token: expect.stringMatching(/^agent_[\w-]{43}$/),
      previous_expires_at: harness.clock.now().toISOString(),
      warning: expect.any(String),
    });
    expect(await reads(token)).toBe('invalid_agent_token');
    expect(await reads(rotated.body.data.token)).toBe('ok');
  });

  it('200: both work for the overlap, then the new one alone; by the agent itself', async () => {
    const { id, token } = await enrol(harness.test);
    const { body } = await harness.test.post(`/v1/agents/${id}/token/rotate`, { overlap_seconds: 60 }, { as: token });
    harness.clock.advance(59);
    expect([await reads(token), await reads(body.data.token)]).toEqual(['ok', 'ok']);
    harness.clock.advance(1);
    expect([await reads(token), await reads(body.data.token)]).toEqual(['invalid_agent_token', 'ok']);
  });

  it('200 again with the same Idempotency-Key: no second token, and the first is not told again', async () => {
    const { id } = await enrol(harness.test);
    const options = { headers: { 'Idempotency-Key': 'token-once' } };
    const first = await harness.test.post(`/v1/agents/${id}/token/rotate`, { overlap_seconds: 5 }, options);
    const again = await harness.test.post(`/v1/agents/${id}/token/rotate`, { overlap_seconds: 5 }, options);
    const { token, ...rest } = first.body.data;
    expect(again.body.data).toEqual(rest);
    expect(await reads(token)).toBe('ok');
    // Over GraphQL nothing is stored: the replay is made of the reference.
    const mutation = 'mutation ($id: AgentId!) { rotateAgentToken(id: $id, input: { overlapSeconds: 7 }) { token previousExpiresAt } }';
    const graphql = () => harness.test.graphql(mutation, { id }, { headers: { 'Idempotency-Key': 'token-graphql' } });
    const made = (await graphql()).body.data.rotateAgentToken;
    expect((await graphql()).body.data.rotateAgentToken).toEqual({ token: null, previousExpiresAt: made.previousExpiresAt });
  });

  it('400 for an overlap out of range', async () => {
    const { id } = await enrol(harness.test);
    for (const overlap_seconds of [-1, 86_401, '60']) {
      expect((await harness.test.post(`/v1/agents/${id}/token/rotate`, { overlap_seconds })).status).toBe(400);
    }
  });

  it('401 without a credential, 403 api_key_required for a JWT session', async () => {
    const { id } = await enrol(harness.test);
    expect((await harness.test.post(`/v1/agents/${id}/token/rotate`, {}, { as: null })).status).toBe(401);
    const session = await harness.test.make('/v1/auth/session', { api_key: harness.test.key }, { as: null });
    const refused = await harness.test.post(`/v1/agents/${id}/token/rotate`, {}, { as: session.token });
    expect([refused.status, refused.body.code]).toEqual([403, 'api_key_required']);
  });

  it('403 forbidden for a session of the agent: it gets nothing that outlives it', async () => {
    const agent = await enrol(harness.test);
    const session = await signIn(harness.test, agent);
    const refused = await harness.test.post(`/v1/agents/${agent.id}/token/rotate`, {}, { as: session });
    expect([refused.status, refused.body]).toEqual([
      403,
      expect.objectContaining({
        code: 'forbidden',
        details: {
          reason: 'session_credential',
          next_actions: [{ rel: 'rotate', actor: 'api_key', method: 'POST', path: `/v1/agents/${agent.id}/token/rotate` }],
        },
      }),
    ]);
    const mutation = 'mutation ($id: AgentId!) { rotateAgentToken(id: $id, input: {}) { token } }';
    const { body } = await harness.test.graphql(mutation, { id: agent.id }, { as: session });
    expect(body.errors[0].extensions).toMatchObject({ code: 'forbidden', details: { reason: 'session_credential' } });
    expect([await reads(agent.token), (await harness.test.get(`/v1/agents/${agent.id}/tokens`)).body.data.length]).toEqual(['ok', 1]);
  });

  it("404: missing, another tenant's, another agent's", async () => {
    const mine = await enrol(harness.test);
    const theirs = await enrol(harness.other);
    const sibling = await enrol(harness.test);
    expect((await harness.test.post(`/v1/agents/${nowhere}/token/rotate`, {})).status).toBe(404);
    expect((await harness.test.post(`/v1/agents/${theirs.id}/token/rotate`, {})).status).toBe(404);
    expect((await harness.test.post(`/v1/agents/${sibling.id}/token/rotate`, {}, { as: mine.token })).status).toBe(404);
  });

  it('409 for a revoked agent', async () => {
    const { id } = await enrol(harness.test);
    await harness.test.post(`/v1/agents/${id}/revoke`, {});
    expect((await harness.test.post(`/v1/agents/${id}/token/rotate`, {})).body.code).toBe('state_conflict');
  });

  it('409 for an agent whose last key was revoked, until it has a new one', async () => {
    const { id } = await enrol(harness.test);
    await harness.test.delete(`/v1/agents/${id}/auth-keys`);
    const refused = await harness.test.post(`/v1/agents/${id}/token/rotate`, {});
    const provision = { rel: 'provision', actor: 'api_key', method: 'POST', path: `/v1/agents/${id}/auth-keys` };
    expect([refused.status, refused.body.code, refused.body.details.next_actions]).toEqual([409, 'state_conflict', [provision]]);
    await harness.test.make(provision.path, {});
    const { token } = await harness.test.make(`/v1/agents/${id}/token/rotate`, {});
    expect(await reads(token)).toBe('ok');
  });
});
