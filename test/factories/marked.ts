// A customer whose every member is marked, so that a leak of it is seen wherever it shows.
import { enrol, type TestAgent } from '../contexts/agents/identity.js';
import type { Client, Harness, Json } from '../harness.js';
import type { Seeds } from '../operation.js';
import { newCard } from './card.js';
import { storedInstruction } from './card-instruction.js';
import { storedCart } from './cart.js';
import { newFunding } from './funding.js';
import { payBody, sessionBody } from './mpp.js';

/** Stands in everything that customers keep for themselves. */
export const word = 'ZZMARK';
/** No amount of anybody else begins like this. */
export const amount = '73509';
export const marked = (more: object = {}) => ({ metadata: { secret: word }, ...more });

/** A customer whose every member is marked, with an agent, a merchant and transfers. */
export async function markedCustomer(harness: Harness, client: Client): Promise<Seeds> {
  const account = await client.make('/v1/accounts', {
    ...marked({ type: 'business', name: `${word} Ltd`, email: `${word}@example.com`, customer_reference: word }),
  });
  const agent = await enrol(client, {
    ...marked({ parent_account_id: account.id, name: word, description: word, wallet: { currency: 'USD' } }),
  });
  const open = () => client.make('/v1/wallets', marked({ owner_type: 'account', owner_id: account.id, currency: 'USD', name: word }));
  const [wallet, from, to] = [await open(), await open(), await open()];
  for (const { id } of [wallet, from, { id: agent.agent.default_wallet_id }])
    await client.make(`/v1/wallets/${id}/fund`, { amount: `${amount}20.13` });
  const funding = await newFunding(client, 'card-simulated-us', { amount: `${amount}.10`, source_ref: word }, wallet);
  const merchant = await client.make('/v1/merchants', {
    ...marked({ name: 'Shop', category: 'retail', account_id: account.id, settlement_wallet_id: wallet.id }),
  });
  const transfer = await client.make('/v1/transfers', {
    ...marked({ type: 'internal', from_wallet_id: from.id, to_wallet_id: to.id, amount: `${amount}.44`, currency: 'USD' }),
    description: word,
    reference: `${word} ${account.id}`,
    capture: 'manual',
  });
  const cap = { kind: 'max_amount', per: 'day', amount: `${amount}50.00`, currency: 'USD' };
  const policy = await client.make('/v1/policies', { name: word, target: { type: 'account', id: account.id }, rules: [cap] });
  const stream = await client.post('/v1/streams', {
    ...marked({ from_wallet_id: wallet.id, to_wallet_id: to.id, currency: 'USD', flow_rate: '0.01' }),
    initial_deposit: `${amount}.01`,
  });
  return {
    stream: stream.body.data.id,
    ...(await markedByMpp(client, agent, to)),
    account: account.id,
    to_account: account.id,
    wallet: wallet.id,
    to_wallet: to.id,
    agent: agent.uuid,
    merchant: merchant.id,
    cart: (await storedCart(harness, { merchant: merchant.id, agent: agent.uuid, buyer: { first_name: word } })).id,
    policy: policy.id,
    transfer: transfer.id,
    vaulted_card: (await newCard(client, { label: word, processor_token: word }, account)).id,
    card_instruction: (await storedInstruction(harness, client, word)).id,
    transaction: funding.id,
    funding_transaction: funding.id,
    session: '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d',
    token: (await client.get(`/v1/agents/${agent.id}/tokens`)).body.data[0].id,
  };
}

/** A session with a voucher, and a payment, of an agent, to a wallet. */
async function markedByMpp(client: Client, { uuid, agent }: TestAgent, to: Json): Promise<Seeds> {
  const parties = { wallet: agent.default_wallet_id, payee: to.id, agent: uuid };
  const service_url = `https://example.com/${word}`;
  const session = await client.make('/v1/mpp/sessions', sessionBody(parties, { service_url, deposit_amount: `${amount}.02` }));
  const voucher = { amount: `${amount}.01`, description: word, request_id: word };
  await client.make(`/v1/mpp/sessions/${session.id}/vouchers`, voucher);
  const payment = await client.make('/v1/mpp/pay', payBody(parties, { service_url, amount: `${amount}.03`, description: word }));
  return { mpp_session: session.id, mpp_payment: payment.id };
}
