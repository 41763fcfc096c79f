import { describe, expect, it } from 'vitest';
import { hasCells, nowhere, useHarness } from '../../harness.js';
import { countQueries, enrol } from './identity.js';

const harness = useHarness();
const challenge = (id: string, client = harness.test) => client.post(`/v1/agents/${id}/challenge`, undefined, { as: null });

describe('POST /v1/agents/{id}/challenge', () => {
  it('200: a text to sign, unwrapped, kept as its hash', async () => {
    const { id, uuid } = await enrol(harness.test);
    const answer = await challenge(id);
    const seconds = harness.clock.now().getTime() / 1000 + 60;
    expect(answer.body).toEqual({
      challenge: expect.stringMatching(new RegExp(`^svc-auth:v1:${id}:[\\w-]{43}:${seconds}$`)),
      expiresIn: 60,
      algorithm: 'ed25519',
    });
    expect((await challenge(uuid)).body.challenge).toContain(`svc-auth:v1:${id}:`);
    const rows = await harness.platform.database.pool.query('SELECT * FROM challenge');
    expect(rows.rowCount).toBe(2);
    expect(JSON.stringify(rows.rows)).not.toContain(answer.body.challenge);
  });

  // What is in no cell is asked of the directory each time (G-761).
  it.skipIf(hasCells)('200 of the same shape, by the same questions to the database, for an agent that nobody knows here', async () => {
    const here = await enrol(harness.test);
    const elsewhere = await enrol(harness.live);
    const shape = (id: string, text: string) => text.replace(id, '').replace(/:[\w-]{43}:\d{10}$/, '');
    const answers = await Promise.all([here.id, elsewhere.id, `agt_${nowhere}`].map(async (id) => ({ id, ...(await challenge(id)) })));
    for (const { id, status, body } of answers) {
      expect([status, Object.keys(body), shape(id, body.challenge), body.challenge.length]).toEqual([
        200,
        ['challenge', 'expiresIn', 'algorithm'],
        'svc-auth:v1:',
        answers[0]?.body.challenge.length,
      ]);
    }
    const counts: number[] = [];
    for (const { id } of answers) counts.push(await countQueries(harness.platform, async () => void (await challenge(id))));
    expect(counts[0]).toBeGreaterThan(0);
    expect(counts).toEqual(counts.map(() => counts[0]));
  });

  it('200 with a credential, which is looked at: 401 for one that is not good', async () => {
    const { id, token } = await enrol(harness.test);
    expect((await harness.test.post(`/v1/agents/${id}/challenge`, undefined, { as: token })).status).toBe(200);
    const refused = await harness.test.post(`/v1/agents/${id}/challenge`, undefined, { as: 'sess_unknown' });
    expect([refused.status, refused.body.code]).toEqual([401, 'invalid_session_token']);
  });

  it('400 for a body, which it does not take', async () => {
    const answer = await harness.test.post(`/v1/agents/${nowhere}/challenge`, { nonce: 'mine' }, { as: null });
    expect(answer.body.details.fields).toMatchObject([{ path: 'nonce' }]);
  });

  it('404 for what cannot be the id of an agent', async () => {
    expect((await challenge('nobody')).status).toBe(404);
  });
});

describe('the budget of POST /v1/agents/{id}/challenge and /authenticate', () => {
  const tight = useHarness({ limits: { auth: 5 } });

  it('429 after five a minute, together, on each listener by itself', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      statuses.push((await challenge(nowhere, tight.test)).status);
      statuses.push((await tight.test.post(`/v1/agents/${nowhere}/authenticate`, { challenge: 'x', signature: 'y' }, { as: null })).status);
    }
    expect(statuses).toEqual([200, 401, 200, 401, 200, 429]);
    expect((await challenge(nowhere, tight.live)).status).toBe(200);
    const graphql = await tight.test.graphql(
      'mutation ($id: AgentId!) { createChallenge(id: $id) { challenge } }',
      { id: nowhere },
      { as: null },
    );
    expect(graphql.status).toBe(429);
  });
});
