// A sandbox that is filled with a world worth looking at, and emptied again (CONTRACT.md 19).
import { describe, expect, it } from 'vitest';
import { type Json, useHarness } from '../../harness.js';
import { sign } from '../agents/identity.js';

const harness = useHarness();
const seed = (scenario: string, headers = {}) => harness.test.post('/v1/test/seed', { scenario }, { headers });
const list = async (path: string): Promise<Json[]> => (await harness.test.get(path)).body.data;
const statuses = (rows: Json[]) => rows.map(({ status }) => status).sort();

describe('POST /v1/test/seed', () => {
  it('201: basic: a policy that let through, held up and refused, and an agent that can sign in', async () => {
    const answer = await seed('basic', { 'Idempotency-Key': 'seed' });
    expect(answer.status).toBe(201);
    const { accounts, wallets, agents, merchants, things } = answer.body.data;
    expect([accounts.length, wallets.length, agents.length, merchants.length]).toEqual([2, 3, 1, 1]);
    const [agent] = agents;
    const me = (await harness.test.get('/v1/me', { as: agent.token })).body.data;
    expect(me.actor).toMatchObject({ type: 'agent', id: agent.id });
    const { challenge } = (await harness.test.post(`/v1/agents/${agent.id}/challenge`, undefined, { as: null })).body;
    const proof = { challenge, signature: sign(challenge, agent.private_key) };
    expect((await harness.test.post(`/v1/agents/${agent.id}/authenticate`, proof, { as: null })).status).toBe(200);
    expect(statuses(await list(`/v1/transfers?wallet_id=${agent.wallet_id}`))).toEqual(['completed', 'completed', 'completed', 'pending']);
    expect(things.filter(({ type }: Json) => type === 'approval')).toHaveLength(1);
    await expect.poll(async () => (await list(`/v1/decisions?agent_id=${agent.id}&outcome=deny`)).length, { interval: 5 }).toBe(1);

    const again = await seed('basic', { 'Idempotency-Key': 'seed' });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body.data.agents).toEqual([{ id: agent.id, name: agent.name, wallet_id: agent.wallet_id }]);
    expect(await list('/v1/accounts')).toHaveLength(2);
  });

  it('201: marketplace and treasury, beside each other and twice', async () => {
    for (const scenario of ['marketplace', 'treasury', 'marketplace']) expect((await seed(scenario)).status).toBe(201);
    const paid = ['cancelled', 'created', 'paid', 'paid'];
    expect(statuses(await list('/v1/acp/checkouts'))).toEqual([...paid, ...paid, ...paid, ...paid].sort());
    expect(statuses(await list('/v1/streams'))).toEqual(['active']);
    expect(await list('/v1/audit-log?action=seedSandbox&limit=1')).toHaveLength(1);
    const references = (await list('/v1/accounts?limit=200')).map(({ customer_reference }) => customer_reference);
    expect(new Set(references).size).toBe(references.length);
  });

  it('400: no scenario of ours; 403: in production, and for who is no API key', async () => {
    expect((await seed('nonsense')).status).toBe(400);
    for (const path of ['/v1/test/seed', '/v1/test/reset']) {
      expect(await harness.live.post(path, {})).toMatchObject({ status: 403, body: { code: 'test_mode_only' } });
    }
  });

  it('403: one that fails on the way says so, and is made whole when it is sent again with its key', async () => {
    const seedOther = () => harness.other.post('/v1/test/seed', { scenario: 'marketplace' }, { headers: { 'Idempotency-Key': 'half' } });
    await harness.other.make('/v1/spending/freeze', { reason: 'Look' });
    expect(await seedOther()).toMatchObject({ status: 403, body: { code: 'workspace_frozen' } });
    await harness.other.make('/v1/spending/unfreeze', {});
    const { status, body } = await seedOther();
    expect([status, body.data.agents.every(({ token }: Json) => typeof token === 'string')]).toEqual([201, true]);
  });
});

describe('POST /v1/test/reset', () => {
  it('200: ends everything by its rule, as far as it can be ended, and the rest when it has come to its end', async () => {
    await harness.test.make('/v1/webhooks', { url: 'https://hooks.example.com/in', events: ['*'] });
    await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 0, currency: 'USD', per_tx: '20.00' }] });
    const other = await harness.other.make('/v1/accounts', { type: 'person', name: 'Bo' });
    await harness.test.delete('/v1/payment-handlers/simulated');
    await harness.test.make('/v1/test/rails/ach/faults', { kind: 'latency' });
    await harness.test.patch('/v1/settlement/config', {
      x402_fee_percentage: 2.5,
      auto_settlement_enabled: true,
      settlement_schedule: 'daily',
    });
    const history = (await harness.test.get('/v1/transfers')).body.pagination.total;
    const [sender, worker] = await list('/v1/agents?status=active');
    const work = { from_agent_id: sender.id, to_agent_id: worker.id, skill_id: 'translate', payload: {} };
    await harness.test.make('/v1/a2a/tasks', { ...work, payment: { amount: '0.10', currency: 'USD', method: 'wallet' } });
    const disputed = await harness.test.make('/v1/a2a/tasks', { ...work, payment: { amount: '0.20', currency: 'USD', method: 'wallet' } });
    await harness.test.make(`/v1/a2a/tasks/${disputed.id}/respond`, { action: 'accept' });
    await harness.test.make(`/v1/a2a/tasks/${disputed.id}/complete`, { deliverable: {} });
    await harness.test.make(`/v1/a2a/tasks/${disputed.id}/dispute`, { reason: 'quality_issue', description: 'Not what was asked for.' });
    const reset = (key: string) => harness.test.post('/v1/test/reset', undefined, { headers: { 'Idempotency-Key': key } });
    const { pool } = harness.platform.database;
    const forget = async () => (await pool.query('DELETE FROM keyed_answer WHERE body LIKE \'%"complete"%\'')).rowCount;
    const first = (await reset('first')).body.data;
    await expect.poll(forget, { interval: 5 }).toBe(1);
    expect((await reset('first')).body.data).toEqual({ complete: false, ended: {}, open: [] });
    const settings = { payment_handler: 1, rail_fault: 1, settlement_config: 1, merchant: 7 };
    expect(first.ended).toMatchObject({
      ...settings,
      dispute: 1,
      approval: 1,
      task: 1,
      stream: 1,
      agent: 6,
      budget: 4,
      policy: 1,
      webhook: 1,
      kya_limits: 1,
    });
    for (let n = 0; n < 5; n += 1) {
      await harness.advance(7 * 86_400);
      const { complete, open } = (await harness.test.post('/v1/test/reset')).body.data;
      if (complete) break;
      expect(open.length).toBeGreaterThan(0);
    }
    const { data: last } = (await harness.test.post('/v1/test/reset')).body;
    expect(last).toEqual({ complete: true, ended: {}, open: [] });
    expect(new Set(statuses(await list('/v1/accounts?limit=200')))).toEqual(new Set(['closed']));
    expect(new Set(statuses(await list('/v1/wallets?limit=200')))).toEqual(new Set(['closed']));
    expect(new Set(statuses(await list('/v1/agents?limit=200')))).toEqual(new Set(['revoked']));
    for (const path of ['/v1/policies', '/v1/budgets', '/v1/webhooks']) expect(await list(path)).toEqual([]);
    expect((await harness.test.get('/v1/kya-limits')).body.data).toEqual({ tiers: [] });
    expect(await list('/v1/payment-handlers')).toMatchObject([{ processor: 'simulated', status: 'connected' }]);
    expect(await list('/v1/test/rails/ach/faults')).toEqual([]);
    expect((await harness.test.get('/v1/settlement/config')).body.data).toMatchObject({
      x402_fee_percentage: 0,
      auto_settlement_enabled: false,
    });
    expect((await list('/v1/disputes')).map(({ resolution }) => resolution)).toEqual(['withdrawn']);
    expect(new Set(statuses(await list('/v1/merchants?limit=200')))).toEqual(new Set(['inactive']));
    expect((await harness.test.get('/v1/transfers')).body.pagination.total).toBeGreaterThan(history);
    expect((await harness.other.get(`/v1/accounts/${other.id}`)).body.data.status).toBe('active');
    expect((await harness.test.get('/v1/audit-log/verify')).body.data.valid).toBe(true);
    expect((await seed('basic')).status).toBe(201);
  });
});
