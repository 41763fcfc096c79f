// What the credentials of agents are worth: looked up once, dropped at once when they end, in this process and in others.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Client, useHarness } from '../../harness.js';
import { startSecond } from '../../second-server.js';
import { countQueries, enrol, sign, signIn } from './identity.js';

const harness = useHarness();
const code = async (as: string, client = harness.test) => (await client.get('/v1/kya-limits', { as })).body.code;
/** What an accepted agent gets from an operation of the tenant's, which asks the database nothing. */
const accepted = 'forbidden';

describe('an agent token and a session', () => {
  it('are checked without a query once they are known', async () => {
    const agent = await enrol(harness.test);
    const session = await signIn(harness.test, agent);
    for (const as of [agent.token, session]) expect(await code(as)).toBe(accepted);
    const used = async () => (await harness.test.get(`/v1/agents/${agent.id}/sessions`)).body.data[0].last_used_at;
    await expect.poll(used).toBe(harness.clock.now().toISOString());
    const count = await countQueries(harness.platform, async () => {
      for (const as of [agent.token, session, agent.token, session]) expect(await code(as)).toBe(accepted);
    });
    expect(count).toBe(0);
  });

  it('write last_used_at at most once a minute', async () => {
    const agent = await enrol(harness.test);
    const session = await signIn(harness.test, agent);
    const used = async () => (await harness.test.get(`/v1/agents/${agent.id}/sessions`)).body.data[0].last_used_at;
    const first = harness.clock.now().toISOString();
    await code(session);
    await expect.poll(used).toBe(first);
    harness.clock.advance(59);
    expect(await countQueries(harness.platform, async () => void (await code(session)))).toBe(0);
    harness.clock.advance(1);
    await code(session);
    await expect.poll(used).toBe(harness.clock.now().toISOString());
  });

  it('say in which way they are no good', async () => {
    const agent = await enrol(harness.test);
    const session = await signIn(harness.test, agent);
    expect(await code('agent_unknown')).toBe('invalid_agent_token');
    expect(await code('sess_unknown')).toBe('invalid_session_token');
    expect(await code('sess_~')).toBe('malformed_credential');
    expect(await code(`agent_${'x'.repeat(300)}`)).toBe('malformed_credential');
    for (const as of [agent.token, session]) expect(await code(as, harness.live)).toBe('environment_mismatch');
    harness.clock.advance(3_599);
    expect(await code(session)).toBe(accepted);
    harness.clock.advance(1);
    expect(await code(session)).toBe('session_expired');
    expect(await code(agent.token)).toBe(accepted);
  });

  it('are 401 with WWW-Authenticate', async () => {
    const answer = await harness.test.get('/v1/me', { as: 'sess_unknown' });
    expect([answer.status, answer.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer error="invalid_token"']);
  });

  it('end within a second in another process, whatever ends them', async () => {
    const other = await startSecond(harness);
    onTestFinished(() => other.stop());
    const there = new Client(other.urls.test ?? '', harness.test.key);
    const endings: [string, (id: string, privateKey: string) => Promise<unknown>, string, string][] = [
      ['suspended', (id) => harness.test.post(`/v1/agents/${id}/suspend`, {}), 'agent_suspended', 'agent_suspended'],
      ['key revoked', (id) => harness.test.delete(`/v1/agents/${id}/auth-keys`), 'key_revoked', 'session_revoked'],
      [
        'key rotated',
        (id, privateKey) =>
          harness.test.post(`/v1/agents/${id}/auth-keys/rotate`, { proof: sign(`rotate:${id}`, privateKey) }, { as: null }),
        accepted,
        'session_revoked',
      ],
      ['token rotated', (id) => harness.test.post(`/v1/agents/${id}/token/rotate`, {}), 'invalid_agent_token', accepted],
      [
        'session ended',
        async (id) => {
          const [session] = (await harness.test.get(`/v1/agents/${id}/sessions`)).body.data;
          await harness.test.delete(`/v1/agents/${id}/sessions/${session.id}`);
        },
        accepted,
        'session_revoked',
      ],
    ];
    for (const [name, end, token, session] of endings) {
      const agent = await enrol(harness.test);
      const opened = await signIn(harness.test, agent);
      for (const as of [agent.token, opened]) expect(await code(as, there), name).toBe(accepted);
      await end(agent.id, agent.privateKey);
      await vi.waitFor(async () => expect([await code(agent.token, there), await code(opened, there)], name).toEqual([token, session]), {
        timeout: 1_000,
        interval: 20,
      });
    }
  });
});
