// Mandates, as tests of every operation need them.
import type { Example, World } from '../../example.js';
import { inAMonth, mandateBody } from '../../factories/mandate.js';

const newMandate = ({ client, agent, account }: World) => client.make('/v1/ap2/mandates', mandateBody({ ...agent, account }));

export const example: Example = {
  stored: async (world) => ({ mandate: (await newMandate(world)).id }),
  made: async (world) => {
    const { client, agent, payee } = world;
    const { id, mandate_jwt } = await newMandate(world);
    // A mandate pays somebody else's merchant, out of the wallet of its agent.
    const shop = await client.make('/v1/merchants', { name: 'Shop', category: 'retail', account_id: payee.account.id });
    const purse = await client.make('/v1/wallets', { owner_type: 'agent', owner_id: agent.id, currency: 'USD' });
    await client.make(`/v1/wallets/${purse.id}/fund`, { amount: '100.00' });
    return { mandate: id, mandate_jwt, shop: shop.id, purse: purse.id };
  },
  bodies: {
    createMandate: () => ({ scope: { max_per_tx: '1.00', currency: 'USD' }, expires_at: inAMonth }),
    verifyMandate: ({ mandate_jwt }) => ({ mandate_jwt }),
    executeMandate: ({ mandate_jwt, shop, purse }) => ({
      ...{ mandate_jwt, merchant_id: shop, from_wallet_id: purse },
      ...{ amount: '1.00', currency: 'USD' },
    }),
  },
};
