import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sweepLogins } from '../../../src/contexts/agents/session.js';
import { transferBody } from '../../factories/payment.js';
import { Client, type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { startSecond } from '../../second-server.js';
import { countQueries, enrol, signIn } from './identity.js';

const harness = useHarness();
const list = async (id: string, as = harness.test.key) => (await harness.test.get(`/v1/agents/${id}/tokens`, { as })).body.data;
const reads = async (as: string, client = harness.test) => (await client.get('/v1/me', { as })).body.code ?? 'ok';
const apiKeyId = async () => (await harness.test.get('/v1/me')).body.data.actor.id;

describe('GET /v1/agents/{id}/tokens', () => {
  it('200: newest first, with who made each, when it was used, and whether it is good; never its text', async () => {
    const { id, token } = await enrol(harness.test);
    const made = harness.clock.now().toISOString();
    harness.clock.advance(1);
    const { body } = await harness.test.post(`/v1/agents/${id}/token/rotate`, { overlap_seconds: 60 }, { as: token });
    const used = harness.clock.now().toISOString();
    const both = [
      { id: expect.stringMatching(/^atk_/), created_at: used, created_by: id, status: 'active' },
      {
        id: expect.stringMatching(/^atk_/),
        created_at: made,
        created_by: await apiKeyId(),
        expires_at: body.data.previous_expires_at,
        last_used_at: used,
        status: 'active',
      },
    ];
    await expect.poll(() => list(id)).toEqual(both);
    harness.clock.advance(60);
    expect((await list(id)).map(({ status }: Json) => status)).toEqual(['active', 'rotated']);
  });

  it('200: to a session of the API key, and to the agent by its token or a session', async () => {
    const agent = await enrol(harness.test);
    const { token: jwt } = await harness.test.make('/v1/auth/session', { api_key: harness.test.key }, { as: null });
    for (const as of [jwt, agent.token, await signIn(harness.test, agent)]) expect(await list(agent.id, as)).toHaveLength(1);
  });

  it("401 without a credential, 404: missing, another tenant's, another agent's", async () => {
    const mine = await enrol(harness.test);
    const theirs = await enrol(harness.other);
    const sibling = await enrol(harness.test);
    expect((await harness.test.get(`/v1/agents/${mine.id}/tokens`, { as: null })).status).toBe(401);
    for (const id of [nowhere, theirs.id]) expect((await harness.test.get(`/v1/agents/${id}/tokens`)).status).toBe(404);
    expect((await harness.test.get(`/v1/agents/${sibling.id}/tokens`, { as: mine.token })).status).toBe(404);
  });
});

describe('DELETE /v1/agents/{id}/tokens/{token_id}', () => {
  it('200: that token is refused at once, the other one lives on; again changes nothing', async () => {
    const { id, token: ended } = await enrol(harness.test);
    const { body } = await harness.test.post(`/v1/agents/${id}/token/rotate`, { overlap_seconds: 600 });
    for (const as of [ended, body.data.token]) expect(await reads(as)).toBe('ok');
    const [, { id: tokenId }] = await list(id);
    const answer = await harness.test.delete(`/v1/agents/${id}/tokens/${tokenId}`);
    expect([answer.status, answer.body]).toEqual([200, { data: { id: tokenId, deleted: true } }]);
    expect([await reads(ended), await reads(body.data.token)]).toEqual(['invalid_agent_token', 'ok']);
    const revoked = (await list(id))[1];
    expect(revoked).toMatchObject({ status: 'revoked', expires_at: harness.clock.now().toISOString() });
    harness.clock.advance(1);
    expect((await harness.test.delete(`/v1/agents/${id}/tokens/${tokenId}`)).status).toBe(200);
    expect((await list(id))[1]).toEqual(revoked);
  });

  it('200: refused within a second in every process', async () => {
    const other = await startSecond(harness);
    onTestFinished(() => other.stop());
    const there = new Client(other.urls.test ?? '', harness.test.key);
    const { id, token } = await enrol(harness.test);
    expect(await reads(token, there)).toBe('ok');
    await harness.test.delete(`/v1/agents/${id}/tokens/${(await list(id))[0].id}`);
    await vi.waitFor(async () => expect(await reads(token, there)).toBe('invalid_agent_token'), { timeout: 1_000, interval: 20 });
  });

  it('200: it moves no money, also where a process has not heard of it yet', async () => {
    const { id, token } = await enrol(harness.test);
    const purse = await harness.test.make('/v1/wallets', { owner_type: 'agent', owner_id: id, currency: 'USD' });
    await harness.test.make(`/v1/wallets/${purse.id}/fund`, { amount: '10.00' });
    const { wallet } = await openWallet(harness.test, {});
    const pay = () => harness.test.post('/v1/transfers', transferBody(purse, wallet, '1.00'), { as: token });
    const paid = await pay();
    expect(paid.status, JSON.stringify(paid.body)).toBe(201);
    // As when another process ends it, before this one is told: its cache still lets the token in.
    const drop = vi.spyOn(harness.platform.cache, 'drop').mockImplementation(() => undefined);
    onTestFinished(() => drop.mockRestore());
    await harness.test.delete(`/v1/agents/${id}/tokens/${(await list(id))[0].id}`);
    expect((await pay()).body.code).toBe('invalid_agent_token');
    expect((await harness.test.get(`/v1/wallets/${purse.id}`)).body.data.balance.available).toBe('9.00');
  });

  it("401, 403 api_key_required for the agent and for a session of the key, 404: missing, another agent's, another tenant's", async () => {
    const mine = await enrol(harness.test);
    const sibling = await enrol(harness.test);
    const theirs = await enrol(harness.other);
    const { token: jwt } = await harness.test.make('/v1/auth/session', { api_key: harness.test.key }, { as: null });
    const [{ id }] = await list(mine.id);
    const [{ id: foreign }] = (await harness.other.get(`/v1/agents/${theirs.id}/tokens`)).body.data;
    const end = (agent: string, token: string, as: string | null = harness.test.key) =>
      harness.test.delete(`/v1/agents/${agent}/tokens/${token}`, { as });
    expect((await end(mine.id, id, null)).status).toBe(401);
    for (const as of [mine.token, jwt, await signIn(harness.test, mine)])
      expect((await end(mine.id, id, as)).body.code).toBe('api_key_required');
    for (const [agent, token] of [
      [mine.id, nowhere],
      [sibling.id, id],
      [theirs.id, foreign],
      [nowhere, id],
    ] as const)
      expect((await end(agent, token)).status).toBe(404);
  });
});

describe('a token', () => {
  it('writes last_used_at at most once a minute, and is checked without a query', async () => {
    const { id, token } = await enrol(harness.test);
    const used = async () => (await list(id))[0].last_used_at;
    expect(await used()).toBeUndefined();
    const first = harness.clock.now().toISOString();
    expect(await reads(token)).toBe('ok');
    await expect.poll(used).toBe(first);
    const code = async () => (await harness.test.get('/v1/kya-limits', { as: token })).body.code;
    harness.clock.advance(59);
    expect(await countQueries(harness.platform, async () => void (await code()))).toBe(0);
    harness.clock.advance(1);
    await code();
    await expect.poll(used).toBe(harness.clock.now().toISOString());
  });

  it('that ended is shown for a day', async () => {
    const { id } = await enrol(harness.test);
    await harness.test.delete(`/v1/agents/${id}/tokens/${(await list(id))[0].id}`);
    harness.clock.advance(86_399);
    await sweepLogins(harness.platform);
    expect(await list(id)).toHaveLength(1);
    harness.clock.advance(1);
    await sweepLogins(harness.platform);
    expect(await list(id)).toHaveLength(0);
  });
});
