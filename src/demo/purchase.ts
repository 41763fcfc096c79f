// The chapter of mandates and checkouts.
import { randomUUID } from 'node:crypto';
import type { Json, Teller } from './teller.js';

/** Who buys and who sells. */
interface Sides {
  /** The account and the agent that buy, with the agent's credential. */
  account: string;
  agent: string;
  session: string;
  /** The account that sells. */
  seller: string;
}

/** An agent buys from a shop by the wire of ACP, and pays by a mandate that says how much it may spend, and where. */
export async function buyByMandate(teller: Teller, company: string, { account, agent, session, seller }: Sides): Promise<void> {
  const walletOfA = { owner_type: 'agent', owner_id: agent, currency: 'USD' };
  const { data: wallet } = await teller.ask('A gets a wallet in dollars', 'POST', '/v1/wallets', company, walletOfA);
  await teller.ask('With money in it', 'POST', `/v1/wallets/${wallet.id}/fund`, company, { amount: '100.00' });
  const till = { owner_type: 'account', owner_id: seller, currency: 'USD' };
  const { data: settlement } = await teller.ask('The seller has a till', 'POST', '/v1/wallets', company, till);
  const { data: shop } = await teller.ask(
    'And opens a shop: what it sells, how it delivers, what tax it takes',
    'POST',
    '/v1/merchants',
    company,
    {
      name: 'Seller Mugs',
      category: 'retail',
      account_id: seller,
      settlement_wallet_id: settlement.id,
      metadata: { offer },
    },
  );
  const { data: mandate } = await teller.ask(
    'The company signs a mandate: A may spend 40.00 a day, in this shop',
    'POST',
    '/v1/ap2/mandates',
    company,
    {
      account_id: account,
      agent_id: agent,
      scope: { max_per_tx: '40.00', max_per_day: '40.00', currency: 'USD', allowed_merchants: [shop.id] },
      expires_at: aWeekAfter(wallet),
    },
  );

  const sessions = `/acp/${shop.id}/checkout_sessions`;
  const headers = () => ({ 'API-Version': '2026-04-17', 'Idempotency-Key': randomUUID() });
  const begun = await teller.ask('A puts two mugs into a basket, by the wire of ACP', 'POST', sessions, session, basket, headers());
  const path = `${sessions}/${begun['id']}`;
  const delivery = { selected_fulfillment_options: [{ type: 'shipping', option_id: 'standard', item_ids: ['mug'] }] };
  const ready = await teller.ask('And chooses how they come', 'POST', path, session, delivery, headers());
  if (ready['status'] !== 'ready_for_payment') throw new Error('the basket cannot be paid');
  const credential = { type: 'mandate_jwt', token: mandate.mandate_jwt };
  const payment = { payment_data: { handler_id: 'mandate', instrument: { type: 'mandate', credential } } };
  const bought = await teller.ask('A pays by its mandate', 'POST', `${path}/complete`, session, payment, headers());
  if (bought['status'] !== 'completed') throw new Error('the basket was not paid');
  const shipped = { tracking: '1Z999AA10123456784' };
  await teller.ask('The shop sends the mugs', 'POST', `/v1/acp/checkouts/${begun['id']}/fulfill`, company, shipped);
  const { data: used } = await teller.ask('The mandate knows what is left', 'GET', `/v1/ap2/mandates/${mandate.id}`, company);
  const again = await teller.ask('A fills another basket', 'POST', sessions, session, basket, headers());
  await teller.ask('And chooses again', 'POST', `${sessions}/${again['id']}`, session, delivery, headers());
  const refused = await teller.ask(
    'Which is more than the mandate lets A spend',
    'POST',
    `${sessions}/${again['id']}/complete`,
    session,
    payment,
    headers(),
  );
  if (refused['status'] !== 'ready_for_payment' || used.usage.executions !== 1) throw new Error('the mandate did not hold');
}

const offer = {
  currency: 'USD',
  items: [{ id: 'mug', title: 'Mug', unit_price: '12.50' }],
  fulfillment: [{ id: 'standard', type: 'shipping', title: 'Standard', amount: '4.99', min_days: 3, max_days: 5, countries: ['US'] }],
  tax: { rate_percent: '8.25' },
  links: { terms_of_use: 'https://shop.example/terms' },
};

const address = { name: 'Ada Lovelace', line_one: '1 Main Street', city: 'Springfield', state: 'IL', country: 'US', postal_code: '62701' };
const basket = {
  currency: 'usd',
  line_items: [{ id: 'mug' }, { id: 'mug' }],
  capabilities: {},
  fulfillment_details: { name: 'Ada Lovelace', email: 'ada@example.com', address },
};

/** Counted from when something was made, for the clock of a sandbox may have been moved. */
function aWeekAfter({ created_at }: Json): string {
  return new Date(new Date(created_at).getTime() + 7 * 86_400_000).toISOString();
}
