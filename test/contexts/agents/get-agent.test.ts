import { describe, expect, it } from 'vitest';
import { nowhere, useHarness } from '../../harness.js';
import { enrol } from './identity.js';

const harness = useHarness();

describe('GET /v1/agents/{id}', () => {
  it('200: with and without the prefix, and by the agent itself', async () => {
    const { agent, id, uuid, token } = await enrol(harness.test);
    expect((await harness.test.get(`/v1/agents/${id}`)).body.data).toEqual(agent);
    expect((await harness.test.get(`/v1/agents/${uuid}`)).body.data).toEqual(agent);
    expect((await harness.test.get(`/v1/agents/${id}`, { as: token })).body.data).toEqual(agent);
  });

  it('200 over GraphQL, with its account and wallets', async () => {
    const { id, account } = await enrol(harness.test, { wallet: { currency: 'USD' } });
    const query =
      'query ($id: AgentId!) { agent(id: $id) { id status statusReason parentAccount { name } wallets { nodes { currency balance { available } } } } }';
    const answer = await harness.test.graphql(query, { id });
    expect(answer.body).toEqual({
      data: {
        agent: {
          id,
          status: 'active',
          statusReason: null,
          parentAccount: { name: account.name },
          wallets: { nodes: [{ currency: 'USD', balance: { available: '0.00' } }] },
        },
      },
    });
  });

  it('401 without a credential', async () => {
    expect((await harness.test.get(`/v1/agents/${nowhere}`, { as: null })).status).toBe(401);
  });

  it("404: missing, another tenant's, another agent's and malformed all look alike", async () => {
    const mine = await enrol(harness.test);
    const theirs = await enrol(harness.other);
    const sibling = await enrol(harness.test, { parent_account_id: mine.account.id });
    const bodies = await Promise.all(
      [
        harness.test.get(`/v1/agents/${nowhere}`),
        harness.test.get(`/v1/agents/${theirs.id}`),
        harness.test.get(`/v1/agents/${sibling.id}`, { as: mine.token }),
        harness.test.get(`/v1/agents/acc_${mine.uuid}`),
        harness.test.get('/v1/agents/none'),
      ].map(async (answer) => {
        const { status, body } = await answer;
        return { status, ...body, request_id: undefined };
      }),
    );
    for (const body of bodies) expect(body).toEqual({ ...bodies[0], status: 404, code: 'not_found' });
  });
});
