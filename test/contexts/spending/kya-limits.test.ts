import { describe, expect, it } from 'vitest';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { enrol, type TestAgent } from '../agents/identity.js';

const harness = useHarness();

/** A funded agent of a tier, and a wallet to pay. */
async function spender(
  tier: number,
  currency = 'USD',
  funded = '1000',
): Promise<TestAgent & { pay: (amount: string, as?: string) => Promise<Json> }> {
  const agent = await enrol(harness.test, { kya_tier: tier, wallet: { currency } });
  await harness.test.make(`/v1/wallets/${agent.agent.default_wallet_id}/fund`, { amount: funded });
  const { wallet } = await openWallet(harness.test, { currency });
  const body = { type: 'internal', from_wallet_id: agent.agent.default_wallet_id, to_wallet_id: wallet.id, currency };
  return { ...agent, pay: (amount, as = agent.token) => harness.test.post('/v1/transfers', { ...body, amount }, { as }) };
}
const limitsOf = async (id: string) => (await harness.test.get(`/v1/agents/${id}/limits`)).body.data.kya;

describe('PUT and GET /v1/kya-limits', () => {
  it('200: none by default, then those that were put, whole', async () => {
    expect((await harness.test.get('/v1/kya-limits')).body).toEqual({ data: { tiers: [] } });
    const tiers = [
      { tier: 0, currency: 'USD', per_tx: '20.00', per_day: '100.00', per_month: '500.00' },
      { tier: 1, currency: 'USDC', per_day: '0.0001' },
      { tier: 1, currency: 'USD', per_month: '0.00' },
    ];
    const answer = await harness.test.put('/v1/kya-limits', { tiers });
    expect([answer.status, answer.body]).toEqual([200, { data: { tiers: [tiers[0], tiers[2], tiers[1]] } }]);
    expect((await harness.test.get('/v1/kya-limits')).body).toEqual(answer.body);
    expect((await harness.other.get('/v1/kya-limits')).body).toEqual({ data: { tiers: [] } });
    expect((await harness.test.put('/v1/kya-limits', { tiers: [] })).body).toEqual({ data: { tiers: [] } });
  });

  it('200 for many at once: one after the other, none mixed', async () => {
    const put = (tier: number) =>
      harness.test.put('/v1/kya-limits', { tiers: ['USD', 'EUR', 'JPY'].map((currency) => ({ tier, currency, per_day: '7' })) });
    const answers = await Promise.all([0, 1, 2, 3].map(put));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { tiers } = (await harness.test.get('/v1/kya-limits')).body.data;
    expect(new Set(tiers.map(({ tier }: Json) => tier)).size).toBe(1);
    expect(tiers).toHaveLength(3);
    await harness.test.put('/v1/kya-limits', { tiers: [] });
  });

  it('400: with the place of each fault', async () => {
    const put = async (...tiers: object[]) =>
      (await harness.test.put('/v1/kya-limits', { tiers })).body.details.fields.map(({ path }: Json) => path);
    expect(await put({ tier: 4, currency: 'USD' }, { tier: 0, currency: 'XXX' })).toEqual(['tiers.0.tier', 'tiers.1.currency']);
    expect(await put({ tier: 0, currency: 'USD', per_day: '0.001' })).toEqual(['tiers.0.per_day']);
    expect(await put({ tier: 0, currency: 'USD', max_per_tx: '1' })).toEqual(['tiers.0.max_per_tx']);
    expect(await put({ tier: 0, currency: 'USD' }, { tier: 0, currency: 'USD' })).toEqual(['tiers.1']);
    expect(await put(...Array.from({ length: 33 }, () => ({ tier: 0, currency: 'USD' })))).toEqual(['tiers']);
    expect((await harness.test.put('/v1/kya-limits', {})).status).toBe(400);
  });

  it('401 without a credential, 403 for agents, and for a JWT session that writes', async () => {
    const { token } = await enrol(harness.test);
    const session = await harness.test.make('/v1/auth/session', { api_key: harness.test.key }, { as: null });
    expect((await harness.test.get('/v1/kya-limits', { as: null })).status).toBe(401);
    expect((await harness.test.get('/v1/kya-limits', { as: token })).body.code).toBe('forbidden');
    expect((await harness.test.get('/v1/kya-limits', { as: session.token })).status).toBe(200);
    for (const as of [token, session.token]) {
      expect((await harness.test.put('/v1/kya-limits', { tiers: [] }, { as })).body.code).toBe('api_key_required');
    }
  });
});

describe('a capped agent', () => {
  it('spends up to its caps, per spend, day and month, and sees what is left', async () => {
    await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 0, currency: 'USD', per_tx: '20', per_day: '30', per_month: '45' }] });
    const agent = await spender(0);
    expect((await agent.pay('20.01')).body).toMatchObject({
      code: 'kya_limit_exceeded',
      details: {
        reason: 'max_amount',
        rule_id: 'kya.tier.0',
        limit: { kind: 'kya', per: 'tx', max: '20.00', requested: '20.01', remaining: '20.00', currency: 'USD' },
        next_actions: expect.arrayContaining([
          expect.objectContaining({ rel: 'limits', path: `/v1/agents/${agent.id}/limits` }),
          expect.objectContaining({ rel: 'change_limit', path: '/v1/kya-limits' }),
        ]),
      },
    });
    expect((await agent.pay('20')).status).toBe(201);
    const refused = await agent.pay('10.01');
    expect([refused.status, refused.body.details.limit]).toMatchObject([
      403,
      { per: 'day', max: '30.00', used: '20.00', remaining: '10.00', requested: '10.01' },
    ]);
    expect((await agent.pay('10')).status).toBe(201);
    expect(await limitsOf(agent.id)).toEqual([
      { per: 'tx', currency: 'USD', max: '20.00', used: '0.00', remaining: '20.00' },
      {
        per: 'day',
        currency: 'USD',
        max: '30.00',
        used: '30.00',
        remaining: '0.00',
        window: '2026-03-02',
        resets_at: '2026-03-03T00:00:00.000Z',
      },
      {
        per: 'month',
        currency: 'USD',
        max: '45.00',
        used: '30.00',
        remaining: '15.00',
        window: '2026-03',
        resets_at: '2026-04-01T00:00:00.000Z',
      },
    ]);
    harness.clock.set('2026-03-03T00:00:00.000Z');
    expect((await agent.pay('15')).status).toBe(201);
    expect((await agent.pay('0.01')).body.details.limit).toMatchObject({ per: 'month', used: '45.00', remaining: '0.00' });
    harness.clock.set('2026-04-01T00:00:00.000Z');
    expect((await agent.pay('0.01')).status).toBe(201);
    expect((await harness.test.get('/v1/me', { as: agent.token })).body.data.limits.kya[2]).toMatchObject({
      used: '0.01',
      window: '2026-04',
    });
  });

  it('is counted when an API key acts for it, and nobody else is', async () => {
    await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 1, currency: 'USD', per_day: '10' }] });
    const agent = await spender(1);
    const from = agent.agent.default_wallet_id;
    const { wallet: to } = await openWallet(harness.test);
    const pay = (extra: object) =>
      harness.test.post('/v1/transfers', {
        type: 'internal',
        from_wallet_id: from,
        to_wallet_id: to.id,
        amount: '8',
        currency: 'USD',
        ...extra,
      });
    expect((await pay({ agent_id: agent.id })).status).toBe(201);
    expect((await pay({ agent_id: agent.id })).body.code).toBe('kya_limit_exceeded');
    expect((await pay({})).status).toBe(201);
  });

  it('spends every currency under every cap of its tier, by the rate of the day, rounded up', async () => {
    const caps = [
      { tier: 2, currency: 'USD', per_day: '10' },
      { tier: 2, currency: 'JPY', per_tx: '1400', per_month: '2000' },
    ];
    await harness.test.put('/v1/kya-limits', { tiers: caps });
    const usdc = await spender(2, 'USDC');
    expect((await usdc.pay('8.909999')).status).toBe(201);
    expect((await limitsOf(usdc.id)).map(({ currency, per, used }: Json) => `${currency} ${per} ${used}`)).toEqual([
      'JPY tx 0',
      'JPY month 1397',
      'USD day 8.91',
    ]);
    expect((await usdc.pay('1.1')).body.details.limit).toMatchObject({ currency: 'USD', used: '8.91', requested: '1.10' });
    const euro = await spender(2, 'EUR');
    expect((await euro.pay('7.63')).body.details).toMatchObject({
      reason: 'max_amount',
      limit: { per: 'tx', currency: 'JPY', max: '1400', requested: '1402' },
    });
    expect((await euro.pay('7.62')).status).toBe(201);
    expect((await limitsOf(euro.id))[2]).toMatchObject({ currency: 'USD', used: '8.94' });
    const token = await spender(2, 'EURC');
    expect((await token.pay('7.62')).status).toBe(201);
  });

  it('is counted by a rate from the moment it is set, and what was counted before stays', async () => {
    await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 2, currency: 'USD', per_day: '10' }] });
    const euro = await spender(2, 'EUR');
    const used = async () => (await limitsOf(euro.id))[0].used;
    const set = (rate: string) => harness.test.put('/v1/rates', { rates: [{ from: 'EUR', to: 'USD', rate }] });
    expect([(await euro.pay('1')).status, await used()]).toEqual([201, '1.18']);
    expect((await set('2')).status).toBe(200);
    expect([(await euro.pay('1')).status, await used()]).toEqual([201, '3.18']);
    expect((await euro.pay('3.42')).body.details.limit).toMatchObject({ requested: '6.84', used: '3.18', remaining: '6.82' });
    expect([(await euro.pay('3.41')).status, await used()]).toEqual([201, '10.00']);
  });

  it('is refused a spend that is beyond all numbers in the currency of its cap', async () => {
    await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 2, currency: 'USDC', per_day: '10' }] });
    const most = '99999999999999999';
    const yen = await spender(2, 'JPY', most);
    const refused = await yen.pay(most);
    expect([refused.status, refused.body.code]).toEqual([403, 'kya_limit_exceeded']);
    expect(await limitsOf(yen.id)).toMatchObject([{ used: '0.00' }]);
  });

  it('is not capped any more once the caps are gone, in this process at once', async () => {
    await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 3, currency: 'USD', per_tx: '1' }] });
    const agent = await spender(3);
    expect((await agent.pay('2')).status).toBe(403);
    await harness.test.put('/v1/kya-limits', { tiers: [] });
    expect((await agent.pay('2')).status).toBe(201);
    await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 3, currency: 'USD', per_tx: '1' }] });
    await harness.test.patch(`/v1/agents/${agent.id}`, { kya_tier: 0 });
    expect((await agent.pay('2')).status).toBe(201);
  });

  it('of 200 spends at once exactly as many pass as the cap holds', async () => {
    await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 0, currency: 'USD', per_day: '17' }] });
    const agent = await spender(0);
    const answers = await Promise.all(Array.from({ length: 200 }, () => agent.pay('1')));
    expect(answers.filter(({ status }: Json) => status === 201)).toHaveLength(17);
    expect(answers.filter(({ body }: Json) => body.code === 'kya_limit_exceeded')).toHaveLength(183);
    expect((await limitsOf(agent.id))[0]).toMatchObject({ used: '17.00', remaining: '0.00' });
  });
});

describe('a frozen or suspended agent', () => {
  it('does not spend, by whatever credential', async () => {
    await harness.test.put('/v1/kya-limits', { tiers: [] });
    const agent = await spender(0);
    await harness.test.post(`/v1/agents/${agent.id}/freeze`, {});
    expect((await agent.pay('1')).body.code).toBe('agent_frozen');
    await harness.test.post(`/v1/agents/${agent.id}/suspend`, {});
    expect((await agent.pay('1')).body.code).toBe('agent_suspended');
  });
});

describe('GET /v1/agents/{id}/limits', () => {
  it('200: empty without caps, and by the agent itself', async () => {
    await harness.test.put('/v1/kya-limits', { tiers: [] });
    const { id, uuid, token } = await enrol(harness.test, { kya_tier: 2 });
    expect((await harness.test.get(`/v1/agents/${id}/limits`, { as: token })).body).toMatchObject({
      data: { agent_id: uuid, kya_tier: 2, kya: [] },
    });
  });

  it("401 without a credential, 404: another tenant's and another agent's", async () => {
    const mine = await enrol(harness.test);
    const sibling = await enrol(harness.test);
    const theirs = await enrol(harness.other);
    expect((await harness.test.get(`/v1/agents/${mine.id}/limits`, { as: null })).status).toBe(401);
    expect((await harness.test.get(`/v1/agents/${theirs.id}/limits`)).status).toBe(404);
    expect((await harness.test.get(`/v1/agents/${sibling.id}/limits`, { as: mine.token })).status).toBe(404);
  });
});
