// Endpoints and payments of x402, as tests of every operation need them.
import { randomBytes } from 'node:crypto';
import type { Example } from '../../example.js';
import { endpointBody, someAddress, storedPayment } from '../../factories/x402.js';
import type { Client, Json } from '../../harness.js';
import type { Seeds } from '../../operation.js';

/** An endpoint of the account with a wallet of its own, and a price for it. */
async function newEndpoint(client: Client, account: Json): Promise<{ till: string; endpoint: string; price: string }> {
  const { id: till } = await client.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USD' });
  const body = endpointBody(account, { currency: 'USD', receiver_wallet_id: till });
  const { id: endpoint } = await client.make('/v1/x402/endpoints', body);
  return { till, endpoint, price: (await client.make('/v1/x402/quote', { endpoint_id: endpoint })).payment_request_id };
}

/** As paths and ids of them call them. */
const named = ({ till, endpoint, price }: Awaited<ReturnType<typeof newEndpoint>>, payment: string): Seeds => ({
  ...{ receiver_wallet: till, endpoint, payment, payment_request: price },
  ...{ x402_endpoint: endpoint, x402_payment: payment, x402_quote: price },
});

/** What is paid: an endpoint, or the price of it that `member` names. */
const pricedBy = ({ endpoint }: Seeds, member: string) => (member === 'payment_request_id' ? {} : { endpoint_id: endpoint });

export const example: Example = {
  stored: async ({ harness, client, account }) => {
    const made = await newEndpoint(client, account);
    return named(made, (await storedPayment(harness, made.endpoint)).id);
  },
  made: async ({ client, account, wallet }) => {
    const made = await newEndpoint(client, account);
    const payment = await client.make('/v1/x402/pay', { from_wallet_id: wallet.id, endpoint_id: made.endpoint });
    return { ...named(made, payment.id), chain: someAddress, address: someAddress };
  },
  bodies: {
    createX402Endpoint: () => ({ path: '/weather', currency: 'USD' }),
    quoteX402Payment: pricedBy,
    payX402: (seeds, member) => ({
      ...pricedBy(seeds, member),
      from_wallet_id: seeds['purse'],
      ...(member === 'mandate_id' && { mandate_jwt: seeds['mandate_jwt'] }),
    }),
    verifyX402Payment: () => ({ proof: 'x' }),
    fundChainAccount: () => ({ address: `0x${randomBytes(20).toString('hex')}` }),
  },
};
