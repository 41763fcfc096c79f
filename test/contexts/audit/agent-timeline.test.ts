// What happened to an agent and by it, merged by time (CONTRACT.md 5).
import { beforeAll, describe, expect, it } from 'vitest';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { enrol, signIn, type TestAgent } from '../agents/identity.js';

const harness = useHarness();
let agent: TestAgent;
let own: string;
let shop: Json;
const pay = (amount: string) =>
  harness.test.post(
    '/v1/transfers',
    { type: 'internal', from_wallet_id: own, to_wallet_id: shop.id, amount, currency: 'USD' },
    { as: agent.token },
  );

beforeAll(async () => {
  agent = await enrol(harness.test, { wallet: { currency: 'USD' } });
  own = agent.agent.default_wallet_id;
  ({ wallet: shop } = await openWallet(harness.test));
  const rules = [
    { kind: 'max_amount', per: 'tx', amount: '50.00', currency: 'USD' },
    { kind: 'max_amount', per: 'day', amount: '20.00', currency: 'USD', action: 'approve' },
  ];
  await harness.test.make('/v1/policies', { name: 'Shop', target: { type: 'agent', id: agent.id }, rules });
  // Each a moment after the one before.
  for (const step of [
    () => harness.test.make(`/v1/wallets/${own}/fund`, { amount: '100.00' }),
    () => signIn(harness.test, agent),
    () => pay('1.00'),
    () => pay('30.00'),
    () => pay('60.00'),
    () => harness.test.make(`/v1/agents/${agent.id}/token/rotate`, { overlap_seconds: 60 }),
  ]) {
    await step();
    harness.clock.advance(1);
  }
  const foreign = await enrol(harness.test, { wallet: { currency: 'USD' } });
  await signIn(harness.test, foreign);
});

describe('GET /v1/agents/{id}/timeline', () => {
  it('200: logins, decisions, transfers and approvals, newest first', async () => {
    await expect
      .poll(async () => (await harness.test.get(`/v1/decisions?agent_id=${agent.id}&outcome=deny`)).body.data.length, { interval: 5 })
      .toBe(1);
    const { data, pagination } = (await harness.test.get(`/v1/agents/${agent.id}/timeline`)).body;
    const told = data.map(({ kind, summary }: Json) => `${kind}: ${summary}`);
    expect(told[0]).toBe('auth: rotate agent token');
    expect(told[1]).toMatch(/^decision: deny 60.00 USD: /);
    expect(told.slice(2, 5).sort()).toEqual([
      'approval: pending 30.00 USD',
      expect.stringMatching(/^decision: \w+ 30.00 USD/),
      'transfer: internal of 30.00 USD: pending',
    ]);
    expect(told.slice(5, 7).sort()).toEqual(['decision: allow 1.00 USD', 'transfer: internal of 1.00 USD: completed']);
    expect(told.slice(7)).toEqual(['auth: authenticate agent', 'transfer: internal of 100.00 USD: completed']);
    expect(pagination).toMatchObject({ total: 9, totalPages: 1, has_more: false });
    for (const { at, id, kind, data: facts } of data) {
      expect([at, id, kind, typeof facts]).toEqual([expect.any(String), expect.any(String), expect.any(String), 'object']);
    }
    expect([...data].sort((a: Json, b: Json) => Date.parse(b.at) - Date.parse(a.at))).toEqual(data);
  });

  it('200: the same in pages by cursor, by number and after an id, and between two times', async () => {
    const get = async (query: string) => (await harness.test.get(`/v1/agents/${agent.id}/timeline?${query}`)).body;
    const { data: whole } = await get('');
    const paged: Json[] = [];
    for (let after = ''; paged.length < 20; ) {
      const { data, pagination } = await get(`limit=2${after}`);
      paged.push(...data);
      expect(pagination.total).toBe(9);
      if (!pagination.has_more) break;
      after = `&starting_after=${pagination.next_cursor}`;
    }
    expect(paged).toEqual(whole);
    expect((await get('limit=4&page=2')).data).toEqual(whole.slice(4, 8));
    expect((await get(`limit=3&starting_after=${whole[3].id}`)).data).toEqual(whole.slice(4, 7));
    const since = whole[4].at;
    expect((await get(`since=${since}`)).data).toEqual(whole.filter(({ at }: Json) => at >= since));
  });

  it('200: tasks of both sides', async () => {
    const [sender, worker] = [await enrol(harness.test), await enrol(harness.test)];
    const body = { from_agent_id: sender.id, to_agent_id: worker.id, skill_id: 'translate', payload: {} };
    const { id } = await harness.test.make('/v1/a2a/tasks', body);
    for (const side of [sender, worker]) {
      const { data } = (await harness.test.get(`/v1/agents/${side.id}/timeline`)).body;
      expect(data[0]).toMatchObject({ kind: 'task', id, summary: 'translate: pending', data: { skill_id: 'translate', payment: null } });
    }
  });

  it('403: the agent itself; 404: unknown, and another tenant’s', async () => {
    const path = `/v1/agents/${agent.id}/timeline`;
    expect((await harness.test.get(path, { as: agent.token })).status).toBe(403);
    expect((await harness.other.get(path)).status).toBe(404);
    expect((await harness.test.get(`/v1/agents/agt_${nowhere}/timeline`)).status).toBe(404);
  });
});
