// A small company that configurations are applied to: two accounts, two agents, a wallet each, a merchant.
import type { Client, Json } from '../../harness.js';

export interface Company {
  acme: Json;
  researcher: Json;
  buyer: Json;
  wallet: Json;
  merchant: Json;
}

export async function foundCompany(client: Client): Promise<Company> {
  const acme = await client.make('/v1/accounts', { name: 'Acme', type: 'business', customer_reference: 'acme' });
  const shop = await client.make('/v1/accounts', { name: 'Shop', type: 'business', customer_reference: 'shop' });
  const agent = (name: string) => client.make('/v1/agents', { name, parent_account_id: acme.id });
  const wallet = (owner: Json, type: string, currency = 'USD') =>
    client.make('/v1/wallets', { owner_type: type, owner_id: owner.id, currency });
  const [researcher, buyer] = [await agent('researcher'), await agent('buyer')];
  await wallet(shop, 'account');
  await wallet(shop, 'account', 'USDC');
  await wallet(researcher, 'agent');
  const merchant = await client.make('/v1/merchants', { name: 'Bookshop', category: 'books', account_id: shop.id });
  return { acme, researcher, buyer, wallet: await wallet(acme, 'account'), merchant };
}

export const perDay = (amount: string, more: object = {}) => ({ kind: 'max_amount', per: 'day', amount, currency: 'USD', ...more });
export const researcher = { agent: 'researcher' };
export const acmeWallet = { wallet: { owner: { account: 'acme' }, currency: 'USD' } };

/** A document with something of every kind. */
export const wholeConfig = {
  rates: [{ name: 'USD/BRL', from: 'USD', to: 'BRL', rate: '5.43' }],
  kya_limits: { tiers: [{ tier: 0, currency: 'USD', per_tx: '5.00' }] },
  breakers: { detectors: [{ kind: 'failures', action: 'freeze', count: 30, seconds: 60 }] },
  budgets: [
    {
      name: 'Search',
      scope: { type: 'agent', id: researcher },
      parent_id: { budget: 'All' },
      amount: '50.00',
      currency: 'USD',
      period: 'month',
    },
    { name: 'All', scope: { type: 'account', id: { account: 'acme' } }, amount: '500.00', currency: 'USD', period: 'month' },
  ],
  policies: [
    {
      name: 'Careful',
      target: { type: 'agent', id: researcher },
      rules: [perDay('100.00'), { kind: 'merchants', allow: [{ merchant: 'Bookshop' }] }],
      approval: { threshold: '20.00', currency: 'USD' },
    },
  ],
  approval_notices: { mail: true },
  settlement: {
    config: { holdback_percentage: 5, holdback_release_days: 3 },
    windows: [{ name: 'Nightly', rail: 'ach', currency: 'USD', frequency: 'daily', schedule_utc: ['22:00'] }],
    rules: [
      {
        name: 'Sweep',
        wallet_id: { wallet: { owner: { account: 'shop' }, currency: 'USD' } },
        trigger_type: 'manual',
        action_type: 'settle_to_wallet',
        action_config: { destination_wallet_id: acmeWallet, amount: 'all' },
      },
    ],
  },
  webhooks: [{ name: 'erp', url: 'https://hooks.example.com/in', events: ['transfer.*'], description: 'The books' }],
  x402_endpoints: [{ name: 'Search API', path: '/search', method: 'GET', account_id: { account: 'shop' }, base_price: '0.01' }],
};
