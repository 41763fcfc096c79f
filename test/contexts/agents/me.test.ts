import { describe, expect, it } from 'vitest';
import { useHarness } from '../../harness.js';
import { enrol, signIn } from './identity.js';

const harness = useHarness();

describe('GET /v1/me', () => {
  it('200 for an agent: itself, its wallets and those of its account, its limits', async () => {
    const agent = await enrol(harness.test, { wallet: { currency: 'USDC' } });
    const stranger = await enrol(harness.test, { wallet: { currency: 'USD' } });
    const shared = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: agent.account.id, currency: 'USD' });
    const session = await signIn(harness.test, agent);
    for (const as of [agent.token, session]) {
      const { body } = await harness.test.get('/v1/me', { as });
      expect(body.data).toMatchObject({
        actor: { type: 'agent', id: agent.id, name: 'Agent' },
        tenant_id: harness.tenantId,
        environment: 'test',
        scopes: [],
        agent: agent.agent,
        limits: { agent_id: agent.uuid, kya_tier: 0, kya: [] },
        server_time: harness.clock.now().toISOString(),
      });
      expect(body.data.wallets.map(({ id }: { id: string }) => id)).toEqual([shared.id, agent.agent.default_wallet_id]);
      expect(body.data.wallets).not.toContainEqual(expect.objectContaining({ id: stranger.agent.default_wallet_id }));
      expect(body.data.wallets[0].balance).toMatchObject({ available: '0.00', total: '0.00' });
    }
  });

  it('200 for an API key and a JWT session: the key, no agent', async () => {
    const session = await harness.live.make('/v1/auth/session', { api_key: harness.live.key }, { as: null });
    const key = (await harness.live.get('/v1/me')).body.data;
    expect(key).toMatchObject({
      actor: { type: 'api_key', id: expect.stringMatching(/^key_/) },
      tenant_id: harness.tenantId,
      environment: 'live',
      wallets: [],
    });
    expect(key).not.toHaveProperty('agent');
    expect(key).not.toHaveProperty('limits');
    const user = (await harness.live.get('/v1/me', { as: session.token })).body.data;
    expect(user).toMatchObject({ actor: { type: 'user', id: key.actor.id }, environment: 'live' });
  });

  it('401 without a credential', async () => {
    expect((await harness.test.get('/v1/me', { as: null })).status).toBe(401);
  });
});
