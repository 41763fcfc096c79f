// A sandbox with money in every place that the treasury tells apart, worked out by hand.
import { newQuote, quotedBody, setHalfRate } from '../../factories/exchange.js';
import { pay, twoWallets } from '../../factories/payment.js';
import { disputeBody } from '../../factories/refund.js';
import { streamBody } from '../../factories/stream.js';
import { moveOut, newSandbox } from '../../factories/treasury.js';
import { type Client, type Harness, type Json, openWallet } from '../../harness.js';

export interface Books {
  client: Client;
  from: Json;
  to: Json;
  disputed: Json;
}

export async function newBooks(harness: Harness): Promise<Books> {
  const client = await newSandbox(harness);
  await setHalfRate(client);
  const { from, to } = await twoWallets(client, { funded: '1000.00' });
  const { wallet: euros } = await openWallet(client, { currency: 'EUR' });
  await client.make('/v1/streams', streamBody(from, to));
  await client.make(`/v1/wallets/${from.id}/wrap`, { amount: '50.00' });
  await pay(client, from, to, '30.00', { capture: 'manual' });
  await pay(client, from, to, '5.00', { scheduled_for: '2030-01-01T00:00:00Z' });
  const paid = await pay(client, from, to, '20.00');
  const disputed = await client.make('/v1/disputes', disputeBody(paid, { amount_disputed: '12.00' }));
  await client.make('/v1/transfers', quotedBody(from, euros, await newQuote(client)));
  await moveOut(harness, client, from, 40_00n);
  await moveOut(harness, client, from, 7_00n, 'rail.clearing:wire');
  return { client, from, to, disputed };
}

/** 1000.00 less 100.00 in a stream, 50.00 wrapped, 30.00 held, 100.00 sent abroad (0.50 of it the fee) and 47.00 paid out. */
const dollars = {
  currency: 'USD',
  available: '673.00',
  held: '30.00',
  wrapped: '50.00',
  streams: '100.00',
  escrows: '0.00',
  reserve: '0.00',
  fees: '0.50',
  clearing: '146.50',
  world: '-1000.00',
  liabilities: '853.00',
};
/** 99.50 USD at 0.5. */
const euros = {
  ...Object.fromEntries(Object.keys(dollars).map((member) => [member, '0.00'])),
  currency: 'EUR',
  available: '49.75',
  clearing: '-49.75',
  liabilities: '49.75',
};
export const balances = [euros, dollars];

const nothing = { active_mandates: '0.00', scheduled: '0.00', streams: '0.00', holds: '0.00', disputes: '0.00', reserve: '0.00' };
export const exposure = [
  { ...nothing, currency: 'EUR' },
  { ...nothing, currency: 'USD', scheduled: '5.00', streams: '100.00', holds: '30.00', disputes: '12.00' },
];
