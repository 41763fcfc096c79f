// The scenarios of a sandbox: worlds worth looking at, each with something that was paid, something that waits and something that was
// refused (CONTRACT.md 19).
import { addSeconds } from '../../platform/clock.js';
import { createCheckout } from '../checkouts/checkout-request.js';
import { completeCheckout } from '../checkouts/completion.js';
import { cancelCheckout } from '../checkouts/ending.js';
import { noCharges } from '../checkouts/item.js';
import { completionOf } from '../checkouts/requested-checkout.js';
import { createFundingTransaction } from '../funding/funding-request.js';
import { createBankAccount } from '../settlement/payout/bank-account.js';
import { createPayout } from '../settlement/payout/payout-request.js';
import { createBudget } from '../spending/budget/budget.js';
import { createPolicy } from '../spending/policy/policy.js';
import { streamMutation } from '../streams/stream-request.js';
import { takeSnapshot } from '../treasury/snapshot.js';
import type { SeedAgent, SeedMerchant, SeedWorld } from './seed-world.js';

export const scenarios = ['basic', 'marketplace', 'treasury'] as const;
export type Scenario = (typeof scenarios)[number];

/** Makes the things of each scenario. */
export const scenes: Readonly<Record<Scenario, (world: SeedWorld) => Promise<void>>> = { basic, marketplace, treasury };

/** A person with an agent that buys at a shop, under a policy. */
async function basic(world: SeedWorld): Promise<void> {
  const ada = await world.account('person', 'Ada Lovelace', 'GB');
  const shop = await world.account('business', 'Corner Shop');
  const [own, till] = [await world.wallet(ada, 'USD', '500.00'), await world.wallet(shop, 'USD')];
  const agent = await world.agent(ada, 'Shopping agent', 'USD', '200.00');
  await world.merchant(shop, till, 'grocery');
  const policy = await createPolicy(world.ctx, {
    name: 'What the shopping agent may spend',
    target: { type: 'agent', id: agent.id },
    rules: [{ kind: 'max_amount', per: 'tx', amount: '50.00', currency: 'USD' }],
    approval: { threshold: '30.00', currency: 'USD', timeoutSeconds: 86_400 },
  });
  world.note('policy', policy.id);
  const buy = (amount: string, description: string) =>
    world.pay(agent.walletId, till.id, amount, { currency: 'USD', agentId: agent.id, description });
  await buy('12.50', 'Bread and coffee');
  await buy('8.20', 'Milk');
  await buy('35.00', 'A week of vegetables, which waits for an approval');
  await buy('60.00', 'A hamper, which the policy refuses');
  await world.pay(own.id, till.id, '40.00', { currency: 'USD', description: 'The bill of last month' });
  await world.pay(own.id, till.id, '25.00', { currency: 'USD', capture: 'manual', description: 'A deposit, which is held' });
}

const goods: readonly { seller: string; category: string; sku: string; cents: bigint }[] = [
  { seller: 'Paper & Ink', category: 'stationery', sku: 'NOTEBOOK', cents: 1_250n },
  { seller: 'Byte Bazaar', category: 'electronics', sku: 'CABLE', cents: 999n },
  { seller: 'Green Cup', category: 'food', sku: 'TEA', cents: 725n },
];

/** Three sellers and two companies whose agents buy from them by ACP, under budgets. */
async function marketplace(world: SeedWorld): Promise<void> {
  const merchants: { merchant: SeedMerchant; sku: string; cents: bigint }[] = [];
  for (const { seller, category, sku, cents } of goods) {
    const account = await world.account('business', seller);
    const till = await world.wallet(account, 'USD');
    merchants.push({ merchant: await world.merchant(account, till, category), sku, cents });
  }
  for (const name of ['North Studio', 'South Works']) {
    const buyer = await world.account('business', name);
    await world.wallet(buyer, 'USD', '2000.00');
    const agent = await world.agent(buyer, `${name} buyer`, 'USD', '300.00');
    const budget = await createBudget(world.ctx, {
      name: `What the buyer of ${name} may spend in a day`,
      scope: { type: 'agent', id: agent.id },
      amount: '100.00',
      currency: 'USD',
      period: 'day',
      alertsAt: ['0.8'],
    });
    world.note('budget', budget.id);
    const [first, second, third] = merchants as [(typeof merchants)[0], (typeof merchants)[0], (typeof merchants)[0]];
    await checkout(world, agent, first, 'paid');
    await checkout(world, agent, second, 'paid');
    await checkout(world, agent, third, 'open');
    await checkout(world, agent, first, 'cancelled');
  }
}

async function checkout(
  world: SeedWorld,
  { id: agentId, walletId }: SeedAgent,
  { merchant, sku, cents }: { merchant: SeedMerchant; sku: string; cents: bigint },
  end: 'paid' | 'open' | 'cancelled',
): Promise<void> {
  const { ctx } = world;
  const { id } = await createCheckout(ctx, {
    protocol: 'acp',
    merchantId: merchant.id,
    items: [{ sku, quantity: 2, unitPrice: cents, currency: 'USD' }],
    currency: 'USD',
    charges: noCharges,
    agentId,
    expiresAt: addSeconds(ctx.clock.now(), 86_400),
  });
  world.note('acp_checkout', id);
  if (end === 'paid') await completeCheckout(ctx, 'acp', id, completionOf({ fromWalletId: walletId }));
  if (end === 'cancelled') await cancelCheckout(ctx, 'acp', id, { reason: 'Found it cheaper elsewhere.' });
}

/** A company that holds money in three currencies, pays salaries by the second, is paid by a bank, and pays out to one. */
async function treasury(world: SeedWorld): Promise<void> {
  const { ctx } = world;
  const company = await world.account('business', 'Harbour Ltd');
  const worker = await world.account('person', 'Grace Hopper');
  const dollars = await world.wallet(company, 'USD', '25000.00');
  await world.wallet(company, 'EUR', '8000.00');
  await world.wallet(company, 'BRL', '40000.00');
  const pay = await world.wallet(worker, 'USD');
  await world.agent(company, 'Treasury agent', 'USD', '1000.00', 3);
  const bank = await createBankAccount(ctx, {
    accountId: company.id,
    rail: 'ach',
    holderName: 'Harbour Ltd',
    details: { routingNumber: '021000021', accountNumber: '000123456789' },
  });
  world.note('bank_account', bank.id);
  const { payout } = await createPayout(ctx, {
    walletId: dollars.id,
    amount: '1250.00',
    currency: 'USD',
    destination: { type: 'bank', ref: bank.id },
    description: 'Rent',
  });
  world.note('payout', payout.id);
  const funding = await createFundingTransaction(ctx, {
    provider: 'simulated-us',
    type: 'bank_transfer',
    walletId: dollars.id,
    amount: '3000.00',
    currency: 'USD',
    sourceRef: 'customer-payment',
  });
  world.note('funding_transaction', funding.id);
  const { stream } = await streamMutation.create(ctx, {
    fromWalletId: dollars.id,
    toWalletId: pay.id,
    currency: 'USD',
    rate: { amount: '6000.00', per: 'month30' },
    initialDeposit: '2000.00',
    metadata: { purpose: 'salary' },
  });
  world.note('stream', stream.id);
  await world.pay(dollars.id, pay.id, '180.00', { currency: 'USD', description: 'Expenses' });
  const snapshot = await takeSnapshot(ctx, 'As it was seeded');
  world.note('snapshot', snapshot.id);
}
