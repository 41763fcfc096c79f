import { describe, expect, it } from 'vitest';
import { nowhere, useHarness } from '../../harness.js';
import { authenticate, enrol, signIn } from './identity.js';

const harness = useHarness();
const step = (id: string, verb: string, body: object = {}) => harness.test.post(`/v1/agents/${id}/${verb}`, body);

describe('POST /v1/agents/{id}/freeze, /unfreeze, /suspend, /activate, /revoke', () => {
  it('200: each step and its reason', async () => {
    const { id } = await enrol(harness.test);
    const walk: [string, string][] = [
      ['freeze', 'frozen'],
      ['unfreeze', 'active'],
      ['freeze', 'frozen'],
      ['suspend', 'suspended'],
      ['activate', 'active'],
      ['suspend', 'suspended'],
      ['revoke', 'revoked'],
    ];
    for (const [verb, status] of walk) {
      const answer = await step(id, verb, { reason: `because ${verb}` });
      expect(answer.body.data, verb).toMatchObject({ id, status });
      const read = await harness.test.graphql('query ($id: AgentId!) { agent(id: $id) { statusReason } }', { id });
      expect(read.body.data.agent.statusReason).toBe(`because ${verb}`);
    }
  });

  it('200: a frozen agent still reads and signs in', async () => {
    const agent = await enrol(harness.test);
    await harness.test.get('/v1/me', { as: agent.token });
    await step(agent.id, 'freeze');
    expect((await harness.test.get('/v1/me', { as: agent.token })).body.data.agent.status).toBe('frozen');
    const session = await signIn(harness.test, agent);
    expect((await harness.test.get(`/v1/agents/${agent.id}`, { as: session })).status).toBe(200);
  });

  it('200: suspending refuses every credential at once, activating takes them back', async () => {
    const agent = await enrol(harness.test);
    const session = await signIn(harness.test, agent);
    for (const as of [agent.token, session]) expect((await harness.test.get('/v1/me', { as })).status).toBe(200);
    await step(agent.id, 'suspend');
    for (const as of [agent.token, session]) {
      const refused = await harness.test.get('/v1/me', { as });
      expect([refused.status, refused.body.code]).toEqual([403, 'agent_suspended']);
    }
    const signed = await authenticate(harness.test, agent.id, agent.privateKey);
    expect([signed.status, signed.body.code]).toEqual([403, 'agent_suspended']);
    await step(agent.id, 'activate');
    for (const as of [agent.token, session]) expect((await harness.test.get('/v1/me', { as })).status).toBe(200);
  });

  it('200: revoking is final: credentials, key and sessions end', async () => {
    const agent = await enrol(harness.test);
    const session = await signIn(harness.test, agent);
    const revoked = await step(agent.id, 'revoke');
    expect(revoked.body.data).not.toHaveProperty('public_key');
    for (const as of [agent.token, session]) {
      const refused = await harness.test.get('/v1/me', { as });
      expect([refused.status, refused.body.code]).toEqual([403, 'agent_suspended']);
    }
    expect((await authenticate(harness.test, agent.id, agent.privateKey)).body.code).toBe('agent_suspended');
    expect((await harness.test.get(`/v1/agents/${agent.id}/sessions`)).body.data).toEqual([]);
    for (const verb of ['activate', 'unfreeze', 'freeze', 'suspend', 'revoke']) expect((await step(agent.id, verb)).status, verb).toBe(409);
  });

  it('200 once for one Idempotency-Key', async () => {
    const { id } = await enrol(harness.test);
    const options = { headers: { 'Idempotency-Key': 'freeze-once' } };
    const first = await harness.test.post(`/v1/agents/${id}/freeze`, {}, options);
    const again = await harness.test.post(`/v1/agents/${id}/freeze`, {}, options);
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true']);
    expect(again.body).toEqual(first.body);
  });

  it('400 for a reason that is none', async () => {
    const { id } = await enrol(harness.test);
    expect((await step(id, 'freeze', { reason: 7 })).status).toBe(400);
    expect((await step(id, 'freeze', { reasons: 'x' })).status).toBe(400);
  });

  it('401 without a credential, 403 for the agent itself', async () => {
    const { id, token } = await enrol(harness.test);
    expect((await harness.test.post(`/v1/agents/${id}/freeze`, {}, { as: null })).status).toBe(401);
    const refused = await harness.test.post(`/v1/agents/${id}/unfreeze`, {}, { as: token });
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
  });

  it("404: missing, and another tenant's", async () => {
    const theirs = await enrol(harness.other);
    for (const id of [nowhere, theirs.id]) for (const verb of ['freeze', 'revoke']) expect((await step(id, verb)).status).toBe(404);
    expect((await harness.other.get(`/v1/agents/${theirs.id}`)).body.data.status).toBe('active');
  });

  it('409: a step from a status that does not allow it says which do', async () => {
    const { id } = await enrol(harness.test);
    expect((await step(id, 'unfreeze')).body).toMatchObject({
      code: 'state_conflict',
      details: { current_status: 'active', allowed_from: ['frozen'] },
    });
    await step(id, 'suspend');
    expect((await step(id, 'unfreeze')).body.details).toEqual({ current_status: 'suspended', allowed_from: ['frozen'], terminal: true });
    expect((await step(id, 'freeze')).body.details).toEqual({
      current_status: 'suspended',
      allowed_from: ['active'],
      next_actions: [{ rel: 'activate', actor: 'api_key', method: 'POST', path: `/v1/agents/${id}/activate` }],
    });
  });

  it('409: of many freezes at once exactly one wins', async () => {
    const { id } = await enrol(harness.test);
    const answers = await Promise.all(Array.from({ length: 10 }, () => step(id, 'freeze')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });
});
