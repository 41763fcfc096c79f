// PUT /v1/config
import { describe, expect, it } from 'vitest';
import { type Json, useHarness } from '../../harness.js';

const harness = useHarness();
const apply = (config: unknown, more: object = {}) => harness.test.put('/v1/config', { config, ...more });
const exported = async (): Promise<Json> => (await harness.test.get('/v1/config')).body.data;
const day = (amount: string) => ({ kind: 'max_amount', per: 'day', amount, currency: 'USD' });

describe('200', () => {
  it('makes what a document names, and applying it again changes nothing', async () => {
    const account = await harness.test.post('/v1/accounts', { name: 'Acme', type: 'business', customer_reference: 'acme' });
    expect(account.status).toBe(201);
    const agent = await harness.test.post('/v1/agents', { name: 'researcher', parent_account_id: account.body.data.id });
    const config = {
      kya_limits: { tiers: [{ tier: 0, currency: 'USD', per_tx: '5' }] },
      budgets: [
        { name: 'Search', scope: { type: 'agent', id: { agent: 'researcher' } }, parent_id: { budget: 'All' }, amount: '50', currency: 'USD', period: 'month' },
        { name: 'All', scope: { type: 'account', id: { account: 'acme' } }, amount: '500', currency: 'USD', period: 'month' },
      ],
      policies: [{ name: 'Careful', target: { type: 'agent', id: { agent: 'researcher' } }, rules: [day('100')] }],
      settlement: { config: { holdback_percentage: 5 } },
      webhooks: [{ name: 'erp', url: 'https://hooks.example.com/in', events: ['transfer.*'] }],
      rates: [{ name: 'USD/BRL', from: 'USD', to: 'BRL', rate: '5.43' }],
    };
    const answer = await apply(config);
    expect(answer.status).toBe(200);
    const again = await apply(config);
    expect(again.body.data.changes).toEqual([]);
  });
});
