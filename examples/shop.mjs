// A shop with an ACP checkout: an agent opens a basket, changes its mind about it, pays, and the shop delivers and refunds a part.
// Start the platform (npm start), then:   node examples/shop.mjs --key pk_test_...
import { createClient } from '@agent-payments/sdk';
import { begin, hire } from './example.mjs';

const { url, key, step } = begin(import.meta.url);
const company = createClient({ baseUrl: url, credential: key });

step('A shop, and an agent that has 100.00 USDC to spend');
const shop = await hire(company, 'Corner Shop');
const { data: merchant } = await company.POST('/v1/merchants', {
  body: { name: 'Corner Shop', category: 'grocery', account_id: shop.account.id, settlement_wallet_id: shop.walletId },
});
const buyer = await hire(company, 'Buyer Ltd');
await company.POST('/v1/wallets/{id}/fund', { params: { path: { id: buyer.walletId } }, body: { amount: '100.00' } });
const agent = createClient({ baseUrl: url, credential: buyer.credential });

/** @param {number} quantity */
const tea = (quantity) => ({ sku: 'TEA', quantity, unit_price: '7.25', currency: /** @type {const} */ ('USDC') });

step('The agent opens a checkout with one tea');
const { data: basket } = await agent.POST('/v1/acp/checkouts', {
  body: { merchant_id: merchant.id, items: [tea(1)], currency: 'USDC', agent_id: buyer.credential.agentId },
});
const path = { id: basket.id };
console.log(`   ${basket.status}: ${basket.total} ${basket.currency}`);

step('Two would be better');
const { data: changed } = await agent.PATCH('/v1/acp/checkouts/{id}', { params: { path }, body: { items: [tea(2)] } });
console.log(`   ${changed.status}: ${changed.total} ${changed.currency}`);

step('It pays from its wallet');
const { data: paid } = await agent.POST('/v1/acp/checkouts/{id}/complete', { params: { path }, body: { from_wallet_id: buyer.walletId } });
console.log(`   ${paid.status}`);

step('The shop delivers, and gives 1.00 back because a part was missing');
const { data: delivered } = await company.POST('/v1/acp/checkouts/{id}/fulfill', { params: { path }, body: { tracking: 'BIKE-1' } });
await company.POST('/v1/acp/checkouts/{id}/refund', { params: { path }, body: { amount: '1.00', reason: 'service_not_rendered' } });
console.log(`   ${delivered.status}`);

step('Both look at their wallets');
for (const [name, id] of [
  ['the shop', shop.walletId],
  ['the agent', buyer.walletId],
]) {
  const { data: wallet } = await company.GET('/v1/wallets/{id}', { params: { path: { id: id ?? '' } } });
  console.log(`   ${name}: ${wallet.balance.available} ${wallet.currency}`);
}
