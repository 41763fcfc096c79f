// Things that tests of checkouts need: a merchant that sells, an agent with money that buys, and a checkout between them.
import { enrol, type TestAgent } from '../contexts/agents/identity.js';
import type { Answer, CallOptions, Client, Json } from '../harness.js';
import { newCard } from './card.js';
import { newSeller } from './mandate.js';
import { balanceOf } from './payment.js';

export type Protocol = 'acp' | 'ucp';

/** Two mugs and a spoon: 27.50. */
export const basket = [
  { sku: 'MUG', quantity: 2, unit_price: '12.50', currency: 'USD' },
  { sku: 'SPOON', quantity: 1, unit_price: '2.50', currency: 'USD' },
];

export const address = { line1: '1 Main Street', city: 'Springfield', postal_code: '12345', country: 'US' };

export function checkoutBody(merchant: Json, extra: object = {}): Json {
  return { merchant_id: merchant.id, items: basket, ...extra };
}

/** A buyer with 1,000.00 in its own wallet, and a shop. */
export interface Shop extends TestAgent {
  wallet: Json;
  merchant: Json;
  protocol: Protocol;
  path: string;
  /** Begins a checkout, as the agent unless `as` says otherwise. */
  begin(extra?: object, options?: CallOptions): Promise<Json>;
  /** Pays one from the wallet of the agent. */
  complete(checkout: Json, extra?: object, options?: CallOptions): Promise<Answer>;
  /** Reads one as the tenant. */
  read(checkout: Json): Promise<Json>;
}

export async function newShop(client: Client, { protocol = 'acp' as Protocol, funded = '1000.00' } = {}): Promise<Shop> {
  const agent = await enrol(client, { wallet: { currency: 'USD' } });
  const wallet = { id: agent.agent.default_wallet_id, currency: 'USD' };
  await client.make(`/v1/wallets/${wallet.id}/fund`, { amount: funded });
  const merchant = await newSeller(client);
  const path = `/v1/${protocol}/checkouts`;
  return {
    ...agent,
    wallet,
    merchant,
    protocol,
    path,
    begin: (extra = {}, options = {}) => client.make(path, checkoutBody(merchant, extra), { as: agent.token, ...options }),
    complete: (checkout, extra = {}, options = {}) =>
      client.post(`${path}/${checkout.id}/complete`, { from_wallet_id: wallet.id, ...extra }, { as: agent.token, ...options }),
    read: async (checkout) => (await client.get(`${path}/${checkout.id}`)).body.data,
  };
}

/** A shop, and a card of its buyer's account. */
export async function newCardShop(client: Client, { token = 'tok_ok', protocol = 'acp' as Protocol } = {}) {
  const shop = await newShop(client, { protocol });
  const addCard = (processor_token: string): Promise<Json> => newCard(client, { processor_token }, shop.account);
  const card = await addCard(token);
  /** Pays a checkout by the card. */
  const pay = (checkout: Json, extra: object = {}, options: CallOptions = {}) =>
    shop.complete(checkout, { from_wallet_id: undefined, payment_method_id: card.id, ...extra }, options);
  const received = async (): Promise<string> => (await balanceOf(client, { id: shop.merchant.settlement_wallet_id })).available;
  return { ...shop, card, addCard, pay, received };
}

/** An agent of the account that the merchant belongs to. */
export function sellerAgent(client: Client, merchant: Json): Promise<TestAgent> {
  return enrol(client, { parent_account_id: merchant.account_id });
}

/** The UUID in a printed id. */
export const uuidOf = ({ id }: Json): string => id.slice(-36);

/** A checkout of each protocol at a merchant of the account, as paths call them. */
export async function checkoutSeeds(client: Client, account: Json): Promise<Record<string, string>> {
  const seller = await client.make('/v1/merchants', { name: 'Seller', category: 'retail', account_id: account.id });
  const begin = async (protocol: Protocol): Promise<string> => (await client.make(`/v1/${protocol}/checkouts`, checkoutBody(seller))).id;
  return { acp_checkout: await begin('acp'), ucp_checkout: await begin('ucp') };
}
