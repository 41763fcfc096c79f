// GET /v1/config
import { describe, expect, it } from 'vitest';
import { type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';
import { issueKey } from '../identity/sign-in.js';
import { acmeWallet, foundCompany, perDay, researcher, wholeConfig } from './company.js';

const harness = useHarness();
const read = async (options: object = {}): Promise<Json> => (await harness.test.get('/v1/config', options)).body.data;

describe('200', () => {
  it('shows a new workspace as it is set up', async () => {
    const { version, revision, config, managed } = await read();
    expect({ version, managed }).toEqual({ version: 1, managed: [] });
    expect(revision).toMatch(/^[0-9a-f]{16}$/);
    expect(Object.keys(config)).toEqual([
      'rates',
      'kya_limits',
      'breakers',
      'budgets',
      'policies',
      'approval_notices',
      'settlement',
      'webhooks',
      'x402_endpoints',
    ]);
    expect(config).toMatchObject({ rates: [], kya_limits: { tiers: [] }, budgets: [], policies: [], webhooks: [], x402_endpoints: [] });
    expect(config.settlement).toMatchObject({ config: { holdback_percentage: 0 }, windows: [], rules: [] });
  });

  it('shows what was applied with names in place of ids, in a fixed order, without secrets', async () => {
    await foundCompany(harness.test);
    const { body } = await harness.test.put('/v1/config', { config: wholeConfig });
    const { config, revision } = await read();
    expect(revision).toBe(body.data.revision);
    expect(config.budgets.map(({ name }: Json) => name)).toEqual(['All', 'Search']);
    expect(config.budgets[1]).toEqual({
      name: 'Search',
      scope: { type: 'agent', id: researcher },
      parent_id: { budget: 'All' },
      amount: '50.00',
      currency: 'USD',
      period: 'month',
      timezone: 'UTC',
      alerts_at: expect.any(Array),
    });
    expect(config.policies[0].rules).toEqual([
      perDay('100.00', { action: 'deny' }),
      { kind: 'merchants', allow: [{ merchant: 'Bookshop' }], action: 'deny' },
    ]);
    expect(config.settlement.rules[0]).toMatchObject({
      name: 'Sweep',
      wallet_id: { wallet: { owner: { account: 'shop' }, currency: 'USD' } },
      action_config: { destination_wallet_id: acmeWallet },
    });
    expect(config.webhooks).toEqual([
      { name: 'erp', url: 'https://hooks.example.com/in', events: ['transfer.*'], description: 'The books' },
    ]);
    expect(JSON.stringify(config)).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|whsec_/);
  });

  it('changes its revision with every change by hand, and by nothing else', async () => {
    const { revision } = await read();
    expect((await read()).revision).toBe(revision);
    await harness.test.make('/v1/policies', { name: 'More', target: { type: 'tenant' }, rules: [perDay('1')] });
    expect((await read()).revision).not.toBe(revision);
  });

  it('gives what has no name, or the name of another thing, a name of its own', async () => {
    for (const amount of ['1', '2'])
      await harness.test.make('/v1/policies', { name: 'Same', target: { type: 'tenant' }, rules: [perDay(amount)] });
    await harness.test.make('/v1/webhooks', { url: 'https://erp.example.com/hook?token=abc', events: ['*'] });
    const { config } = await read();
    expect(config.policies.map(({ name }: Json) => name)).toEqual(['Careful', 'More', 'Same', 'Same (2)']);
    expect(config.webhooks.map(({ name }: Json) => name)).toEqual(['erp', 'erp.example.com/hook']);
    expect((await harness.test.put('/v1/config', { config })).body.data.changes).toEqual([]);
  });

  it('writes an id where no name is the thing alone', async () => {
    const [one] = [await enrol(harness.test, { name: 'twin' }), await enrol(harness.test, { name: 'twin' })];
    await harness.test.make('/v1/policies', { name: 'Of a twin', target: { type: 'agent', id: one.id }, rules: [perDay('1')] });
    const { config } = await read();
    expect(config.policies.find(({ name }: Json) => name === 'Of a twin').target).toEqual({ type: 'agent', id: one.uuid });
    expect((await harness.test.put('/v1/config', { config })).body.data.changes).toEqual([]);
  });

  it('leaves out budgets of what comes and goes by itself', async () => {
    const scope = { type: 'trace', id: 'a'.repeat(32) };
    await harness.test.make('/v1/budgets', { name: 'One run', scope, amount: '1', currency: 'USD', period: 'once' });
    expect((await read()).config.budgets.map(({ name }: Json) => name)).not.toContain('One run');
  });

  it('shows the kinds that the scopes of the caller open', async () => {
    const { key } = await issueKey(harness.test, { scopes: ['config:read', 'webhooks:read'] });
    const { config } = await read({ as: key });
    expect(config).toEqual({ webhooks: (await read()).config.webhooks });
    const { key: all } = await issueKey(harness.test, { scopes: ['*:read'] });
    expect(await read({ as: all })).toEqual(await read());
  });
});

describe('403', () => {
  it('shows it to nobody without config:read', async () => {
    const { key } = await issueKey(harness.test, { scopes: ['policies:read'] });
    expectRefused(await harness.test.get('/v1/config', { as: key }), 403, 'insufficient_scope');
    const { token } = await enrol(harness.test, {});
    expectRefused(await harness.test.get('/v1/config', { as: token }), 403, 'forbidden');
  });
});
