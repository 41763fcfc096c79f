// A merchant with an offer, as the doors of ACP and UCP need it.
import type { Client, Json } from '../harness.js';
import { openWallet } from '../harness.js';

/** Metadata with an offer; `changes` replace its members. */
export function offerMetadata(changes: object = {}): Json {
  return {
    offer: {
      currency: 'USD',
      items: [
        {
          id: 'mug',
          title: 'Mug',
          description: 'Holds coffee.',
          unit_price: '12.50',
          available_quantity: 10,
          image_url: 'https://shop.example/mug.png',
        },
        { id: 'pen', title: 'Pen', unit_price: '0.99', max_quantity_per_order: 50 },
        { id: 'gone', title: 'Rare print', unit_price: '99.00', available_quantity: 0 },
        { id: 'song', title: 'Song', unit_price: '1.00', digital: true },
      ],
      fulfillment: [
        { id: 'standard', type: 'shipping', title: 'Standard', amount: '4.99', carrier: 'Post', min_days: 3, max_days: 5 },
        { id: 'express', type: 'shipping', title: 'Express', amount: '15.00', min_days: 1, max_days: 1, countries: ['US'] },
        {
          id: 'shop',
          type: 'pickup',
          title: 'Pick it up',
          amount: '0.00',
          location: {
            name: 'The shop',
            address: { line1: '1 Main St', city: 'Springfield', state: 'IL', postal_code: '62701', country: 'US' },
          },
        },
        { id: 'download', type: 'digital', title: 'Download', amount: '0.00' },
      ],
      tax: { rate_percent: '8.25' },
      links: { terms_of_use: 'https://shop.example/terms', return_policy: 'https://shop.example/returns' },
      order_url: 'https://shop.example/orders/',
      ...changes,
    },
  };
}

/** A merchant with an offer and a wallet for what it sells. */
export async function newSeller(client: Client, changes: object = {}): Promise<{ merchant: Json; wallet: Json }> {
  const { account, wallet } = await openWallet(client, { name: 'Shop' });
  const merchant = await client.make('/v1/merchants', {
    name: 'Shop',
    category: 'household',
    account_id: account.id,
    settlement_wallet_id: wallet.id,
    metadata: offerMetadata(changes),
  });
  return { merchant, wallet };
}
