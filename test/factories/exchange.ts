// Things that tests of several currencies need: wallets in two of them, and transfers at a quoted rate.
import type { Client, Json } from '../harness.js';
import { openWallet } from '../harness.js';

/** A rate that comes out even: 1 USD is 0.50 EUR. */
export async function setHalfRate(client: Client): Promise<void> {
  const { status } = await client.put('/v1/rates', { rates: [{ from: 'USD', to: 'EUR', rate: '0.5' }] });
  if (status !== 200) throw new Error(`the rates were not set: ${status}`);
}

/** A wallet of USD with money, and one of EUR without, of two accounts. */
export async function walletsOfTwo(client: Client, funded = '1000.00'): Promise<{ from: Json; to: Json }> {
  const [payer, payee] = await Promise.all([
    openWallet(client, { currency: 'USD', funded, name: 'Payer' }),
    openWallet(client, { currency: 'EUR', name: 'Payee' }),
  ]);
  return { from: payer.wallet, to: payee.wallet };
}

export function newQuote(client: Client, extra: object = {}): Promise<Json> {
  return client.make('/v1/quotes', { from_currency: 'USD', to_currency: 'EUR', amount: '100.00', amount_side: 'send', ...extra });
}

/** The body of a transfer at the rate of a quote. */
export function quotedBody(from: Json, to: Json, quote: Json, extra: object = {}): object {
  return { type: 'cross_border', from_wallet_id: from.id, to_wallet_id: to.id, quote_id: quote.id, ...extra };
}

/** 100.00 USD, of which 0.50 is the fee, paid as 49.75 EUR. */
export async function payAbroad(client: Client, extra: object = {}): Promise<{ from: Json; to: Json; transfer: Json }> {
  await setHalfRate(client);
  const { from, to } = await walletsOfTwo(client);
  return { from, to, transfer: await client.make('/v1/transfers', quotedBody(from, to, await newQuote(client), extra)) };
}
