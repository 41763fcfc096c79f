// Carts, as tests of every operation need them.
import type { Example } from '../../example.js';
import { storedCart } from '../../factories/cart.js';

export const example: Example = {
  async stored({ harness, client, payee }) {
    const merchant = await client.make('/v1/merchants', { name: 'Carts', category: 'retail', account_id: payee.account.id });
    return { cart: (await storedCart(harness, { merchant: merchant.id })).id };
  },
};
