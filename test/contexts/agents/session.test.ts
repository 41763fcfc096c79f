import { describe, expect, it } from 'vitest';
import { sweepLogins } from '../../../src/contexts/agents/session.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { challengeOf, enrol, signIn } from './identity.js';

const harness = useHarness();
const list = async (id: string, as?: string) =>
  (await harness.test.get(`/v1/agents/${id}/sessions`, as === undefined ? {} : { as })).body.data;

describe('GET /v1/agents/{id}/sessions', () => {
  it('200: the live ones, newest first, to an API key and to the agent', async () => {
    const agent = await enrol(harness.test);
    const opened = harness.clock.now();
    await signIn(harness.test, agent);
    harness.clock.advance(1_800);
    const session = await signIn(harness.test, agent);
    const both = await list(agent.id);
    expect(both).toHaveLength(2);
    expect(both[1]).toEqual({
      id: expect.stringMatching(/^ses_/),
      created_at: opened.toISOString(),
      expires_at: new Date(opened.getTime() + 3_600_000).toISOString(),
      ip: expect.stringMatching(/127\.0\.0\.1/),
      connected: false,
    });
    expect((await list(agent.id, session)).map(({ id }: Json) => id)).toEqual(both.map(({ id }: Json) => id));
    harness.clock.advance(1_800);
    expect(await list(agent.id)).toHaveLength(1);
  });

  it("401 without a credential, 404: missing, another tenant's, another agent's", async () => {
    const mine = await enrol(harness.test);
    const theirs = await enrol(harness.other);
    const sibling = await enrol(harness.test);
    expect((await harness.test.get(`/v1/agents/${mine.id}/sessions`, { as: null })).status).toBe(401);
    for (const id of [nowhere, theirs.id]) expect((await harness.test.get(`/v1/agents/${id}/sessions`)).status).toBe(404);
    expect((await harness.test.get(`/v1/agents/${sibling.id}/sessions`, { as: mine.token })).status).toBe(404);
  });
});

describe('DELETE /v1/agents/{id}/sessions/{session_id}', () => {
  it('200: that session ends at once, the others live on', async () => {
    const agent = await enrol(harness.test);
    const [kept, ended] = [await signIn(harness.test, agent), await signIn(harness.test, agent)];
    for (const as of [kept, ended]) expect((await harness.test.get('/v1/me', { as })).status).toBe(200);
    const [{ id }] = await list(agent.id);
    const answer = await harness.test.delete(`/v1/agents/${agent.id}/sessions/${id}`);
    expect([answer.status, answer.body]).toEqual([200, { data: { id, deleted: true } }]);
    expect((await harness.test.get('/v1/me', { as: ended })).body.code).toBe('session_revoked');
    expect((await harness.test.get('/v1/me', { as: kept })).status).toBe(200);
  });

  it('200: an agent signs itself out', async () => {
    const agent = await enrol(harness.test);
    const as = await signIn(harness.test, agent);
    const [{ id }] = await list(agent.id, as);
    expect((await harness.test.delete(`/v1/agents/${agent.id}/sessions/${id.slice('ses_'.length)}`, { as })).body.data).toEqual({
      id,
      deleted: true,
    });
    expect((await harness.test.get('/v1/me', { as })).body.code).toBe('session_revoked');
  });

  it("401 without a credential, 404: missing, ended, of another agent, of another tenant's", async () => {
    const mine = await enrol(harness.test);
    const sibling = await enrol(harness.test);
    const theirs = await enrol(harness.other);
    await signIn(harness.test, mine);
    await signIn(harness.test, sibling);
    await signIn(harness.other, theirs);
    const [{ id }] = await list(mine.id);
    const [{ id: siblings }] = await list(sibling.id);
    const [{ id: foreign }] = (await harness.other.get(`/v1/agents/${theirs.id}/sessions`)).body.data;
    expect((await harness.test.delete(`/v1/agents/${mine.id}/sessions/${id}`, { as: null })).status).toBe(401);
    const end = async (agent: string, session: string, as = harness.test.key) =>
      (await harness.test.delete(`/v1/agents/${agent}/sessions/${session}`, { as })).status;
    expect(await end(mine.id, nowhere)).toBe(404);
    expect(await end(mine.id, siblings)).toBe(404);
    expect(await end(theirs.id, foreign)).toBe(404);
    expect(await end(sibling.id, siblings, mine.token)).toBe(404);
    expect([await end(mine.id, id), await end(mine.id, id)]).toEqual([200, 404]);
  });
});

describe('sweepLogins', () => {
  it('deletes challenges that have expired, and sessions a day after', async () => {
    const agent = await enrol(harness.test);
    await sweepLogins(harness.platform);
    await signIn(harness.test, agent);
    await challengeOf(harness.test, agent.id);
    const count = async () => {
      const { rows } = await harness.platform.database.pool.query(
        'SELECT (SELECT count(*)::int FROM challenge WHERE agent_id = $1) AS challenges, (SELECT count(*)::int FROM agent_session WHERE agent_id = $1) AS sessions',
        [agent.uuid],
      );
      return [rows[0].challenges, rows[0].sessions];
    };
    expect(await count()).toEqual([2, 1]);
    harness.clock.advance(60);
    expect(await sweepLogins(harness.platform)).toBeGreaterThanOrEqual(2);
    expect(await count()).toEqual([0, 1]);
    harness.clock.advance(3_600 + 86_400);
    await sweepLogins(harness.platform);
    expect(await count()).toEqual([0, 0]);
  });
});
