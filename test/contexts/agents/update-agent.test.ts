import { describe, expect, it } from 'vitest';
import { nowhere, useHarness } from '../../harness.js';
import { enrol } from './identity.js';

const harness = useHarness();

describe('PATCH /v1/agents/{id}', () => {
  it('200: changes what is named, clears what is null', async () => {
    const { agent, id } = await enrol(harness.test, { description: 'Old.', skills: ['read', 'count'] });
    harness.clock.advance(5);
    const answer = await harness.test.patch(`/v1/agents/${id}`, { name: 'New', description: null, kya_tier: 3, skills: ['count'] });
    const { description: _, ...rest } = agent;
    const updated_at = harness.clock.now().toISOString();
    const skill = { id: 'count', name: 'count', description: 'count', tags: [], created_at: updated_at, updated_at };
    expect(answer.body.data).toEqual({ ...rest, name: 'New', kya_tier: 3, skills: [skill], updated_at });
  });

  it('200: an agent changes itself, and its credential shows the new name at once', async () => {
    const { id, token } = await enrol(harness.test);
    await harness.test.get('/v1/me', { as: token });
    const answer = await harness.test.patch(`/v1/agents/${id}`, { name: 'Me', metadata: { mood: 'good' } }, { as: token });
    expect(answer.body.data).toMatchObject({ name: 'Me', metadata: { mood: 'good' } });
    expect((await harness.test.get('/v1/me', { as: token })).body.data.actor.name).toBe('Me');
  });

  it('400: a tier out of range, an account that cannot change', async () => {
    const { id, account } = await enrol(harness.test);
    const answer = await harness.test.patch(`/v1/agents/${id}`, { kya_tier: -1, parent_account_id: account.id });
    expect(answer.body.details.fields.map(({ path }: { path: string }) => path).sort()).toEqual(['kya_tier', 'parent_account_id']);
  });

  it('401 without a credential', async () => {
    expect((await harness.test.patch(`/v1/agents/${nowhere}`, {}, { as: null })).status).toBe(401);
  });

  it('403: an agent does not raise its own tier', async () => {
    const { id, token } = await enrol(harness.test);
    const answer = await harness.test.patch(`/v1/agents/${id}`, { kya_tier: 3 }, { as: token });
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
    expect((await harness.test.get(`/v1/agents/${id}`)).body.data.kya_tier).toBe(0);
  });

  it("404: missing, another tenant's, another agent's", async () => {
    const mine = await enrol(harness.test);
    const theirs = await enrol(harness.other);
    expect((await harness.test.patch(`/v1/agents/${nowhere}`, { name: 'X' })).status).toBe(404);
    expect((await harness.test.patch(`/v1/agents/${theirs.id}`, { name: 'X' })).status).toBe(404);
    expect((await harness.test.patch(`/v1/agents/${theirs.id}`, { name: 'X' }, { as: mine.token })).status).toBe(404);
  });

  it('409 for a revoked agent', async () => {
    const { id } = await enrol(harness.test);
    await harness.test.post(`/v1/agents/${id}/revoke`, { reason: 'over' });
    expect((await harness.test.patch(`/v1/agents/${id}`, { name: 'X' })).body).toMatchObject({
      code: 'state_conflict',
      details: { current_status: 'revoked' },
    });
  });
});
