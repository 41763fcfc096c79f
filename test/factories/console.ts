// A workspace that is worth looking at: a day of payments by most protocols, agents of every kind, budgets, an approval that waits, and
// webhooks of which one has failed. Made through the public API.
import { enrol, type TestAgent } from '../contexts/agents/identity.js';
import { happen, type Receiver, subscribe } from '../contexts/webhooks/receiver.js';
import type { Client, Harness, Json } from '../harness.js';
import { trip } from './approval.js';
import { newBudget } from './budget.js';
import { newShop } from './checkout.js';
import { newHolder } from './mandate.js';
import { transferBody } from './payment.js';
import { line, reconcile, upload } from './reconciliation.js';
import { giveTask, newSides } from './task.js';
import { newBuyer, newEndpoint, payFor } from './x402.js';

/** An agent with money, and its wallet. */
interface Purse extends TestAgent {
  wallet: Json;
}

export interface ConsoleWorld {
  booking: TestAgent;
  /** Refunded in part, and disputed. */
  flight: Json;
  /** Waits to be captured. */
  held: Json;
  /** Pays as the booking agent. */
  pay(amount: string): Promise<Json>;
}

async function newPurse(client: Client, account: Json, name: string, extra: object = {}): Promise<Purse> {
  const agent = await enrol(client, { parent_account_id: account.id, name, wallet: { currency: 'USD' }, ...extra });
  const wallet = { id: agent.agent.default_wallet_id, currency: 'USD' };
  await client.make(`/v1/wallets/${wallet.id}/fund`, { amount: '2400.00' });
  return { ...agent, wallet, account };
}

async function deadLetters(harness: Harness, receiver: Receiver): Promise<void> {
  await subscribe(harness.test, receiver, '/orders', ['account.created']);
  await subscribe(harness.test, receiver, '/ledger', ['transfer.*']);
  receiver.answer('/orders', 500);
  for (const name of ['Umbrella Hotels', 'Harbour Ferries', 'Lakeside Rentals']) await happen(harness.test, name);
  await harness.runDue();
  for (const wait of [66, 330, 990, 3_960]) await harness.advance(wait);
  receiver.answer('/orders', 200);
}

/** Makes it all. The clock of the workspace stands a day later then. */
export async function newConsoleWorld(harness: Harness, receiver: Receiver): Promise<ConsoleWorld> {
  const { test } = harness;
  await deadLetters(harness, receiver);
  const [company, supplier] = [await happen(test, 'Northwind Travel'), await happen(test, 'Contoso Research')];
  const open = (account: Json, currency: string, name: string): Promise<Json> =>
    test.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency, name });
  const [till, euros] = [await open(supplier, 'USD', 'Research income'), await open(company, 'EUR', 'Travel in Europe')];
  await test.make(`/v1/wallets/${euros.id}/fund`, { amount: '12345678.90' });
  const booking = await newPurse(test, company, 'Booking agent', { kya_tier: 2 });
  const research = await newPurse(test, company, 'Research agent', { kya_tier: 1 });
  const watcher = await newPurse(test, company, 'Price watcher');
  await newBudget(test, { name: 'Company, daily', amount: '900.00', alerts_at: ['0.8'] });
  await newBudget(test, {
    name: 'Booking',
    amount: '400.00',
    period: 'month',
    scope: { type: 'agent', id: booking.uuid },
    alerts_at: ['0.5', '0.8'],
  });
  await newBudget(test, {
    name: 'Research',
    amount: '60.00',
    period: 'month',
    scope: { type: 'agent', id: research.uuid },
    alerts_at: ['0.8'],
  });

  const send = (from: Purse, amount: string, description: string, extra: object = {}) =>
    test.make('/v1/transfers', transferBody(from.wallet, till, amount, { description, ...extra }), { as: from.token });
  const [acp, ucp] = [await newShop(test), await newShop(test, { protocol: 'ucp' })];
  const [buyer, endpoint, holder] = [await newBuyer(test), await newEndpoint(test), await newHolder(test)];
  // What was paid in to begin with is no part of the day that is looked at.
  await harness.advance(90_000);
  for (let step = 0; step < 7; step += 1) {
    if (step % 2 === 0) await send(booking, `${18 + step * 2}.50`, 'Seat reservation');
    if (step % 3 !== 1) await acp.complete(await acp.begin());
    if (step % 4 === 1) await ucp.complete(await ucp.begin());
    if (step % 2 === 1) await payFor(test, buyer, endpoint);
    if (step % 5 === 2) await holder.spend('24.00');
    if (step === 5) await acp.begin();
    if (step === 6) {
      const hold = await send(research, '30.00', 'Report', { capture: 'manual' });
      await test.make(`/v1/transfers/${hold.id}/cancel`, {}, { as: research.token });
    }
    await harness.advance(11_000);
  }
  await send(research, '52.00', 'Market report');
  const abandoned = await acp.begin();
  await test.make(`${acp.path}/${abandoned.id}/cancel`, {}, { as: acp.token });
  await test.make(`/v1/agents/${watcher.id}/freeze`, { reason: 'Asked too often' });
  await trip(harness, watcher.uuid);
  await trip(harness, research.uuid);
  await test.post('/v1/transfers', transferBody(research.wallet, till, '4.75', { description: 'Survey of ferries' }), {
    as: research.token,
  });
  const flight = await send(booking, '48.00', 'Flight to Oslo', { reference: 'INV-2031' });
  await test.make('/v1/refunds', { original_transfer_id: flight.id, amount: '8.00', reason: 'amount_incorrect' });
  const complaint = { reason: 'quality_issue', description: 'The seat was another one.', amount_disputed: '20.00' };
  await test.make('/v1/disputes', { transfer_id: flight.id, ...complaint });
  const held = await send(booking, '15.00', 'Hotel deposit', { capture: 'manual' });
  await giveTask(test, await newSides(test));
  await upload(test, [line('statement-line-17')]);
  await reconcile(harness, test);
  await harness.runDue();
  return { flight, held, booking, pay: (amount) => send(booking, amount, 'Seat reservation') };
}
