// An agent pays another one: it signs in with its own key, pays, pays the same again without paying twice, and tries to spend too much.
// Start the platform (npm start), then:   node examples/pay-another-agent.mjs --key pk_test_...
import { ApiError, createClient } from '@agent-payments/sdk';
import { begin, hire } from './example.mjs';

const { url, key, step } = begin(import.meta.url);
const company = createClient({ baseUrl: url, credential: key });

step('Two companies, each with an agent that has a wallet and a key of its own');
const buyer = await hire(company, 'Buyer Ltd');
const seller = await hire(company, 'Seller Ltd');
await company.POST('/v1/wallets/{id}/fund', { params: { path: { id: buyer.walletId } }, body: { amount: '100.00' } });

step('The first agent signs in with its key, and pays the second one');
const agent = createClient({ baseUrl: url, credential: buyer.credential });
const payment = /** @type {const} */ ({
  type: 'internal',
  from_wallet_id: buyer.walletId,
  to_wallet_id: seller.walletId,
  currency: 'USDC',
});
const idempotencyKey = `invoice-7-of-${seller.account.id}`;
const { data: paid } = await agent.POST('/v1/transfers', { body: { ...payment, amount: '12.50' }, idempotencyKey });
console.log(`   ${paid.amount} ${paid.currency}: ${paid.status}`);

step('It pays the same invoice again: the answer is the same, and no more money moves');
const { data: again } = await agent.POST('/v1/transfers', { body: { ...payment, amount: '12.50' }, idempotencyKey });
console.log(`   the same transfer: ${again.id === paid.id}`);

step('It tries to spend what it has not');
await agent.POST('/v1/transfers', { body: { ...payment, amount: '500.00' } }).catch((error) => {
  if (!(error instanceof ApiError)) throw error;
  console.log(`   ${error.status} ${error.code}: ${error.message}`);
  for (const { method, path } of error.nextActions) console.log(`   what would help: ${method} ${path}`);
});

step('Its company looks at the wallet of the second agent');
const { data: wallet } = await company.GET('/v1/wallets/{id}', { params: { path: { id: seller.walletId } } });
console.log(`   available: ${wallet.balance.available} ${wallet.currency}`);
