// Checkouts of both protocols, as tests of every operation need them.
import type { Example } from '../../example.js';
import { basket, checkoutSeeds } from '../../factories/checkout.js';

type Of<Part extends keyof Example> = Required<Example>[Part];

const fromWallet: Of<'bodies'>[string] = ({ wallet }) => ({ from_wallet_id: wallet });

function paid(protocol: string): Of<'before'>[string] {
  return ({ client }, { wallet, [`${protocol}_checkout`]: id }) =>
    client.make(`/v1/${protocol}/checkouts/${id}/complete`, { from_wallet_id: wallet });
}

/** It is paid once, so these do not fit beside each other. */
const ways = ['mandate_id', 'x402_payment_id'];

export const example: Example = {
  stored: ({ client, payee }) => checkoutSeeds(client, payee.account),
  bodies: {
    // One of several members is required, so that the document requires none.
    createUcpCheckout: () => ({ items: basket }),
    completeAcpCheckout: fromWallet,
    completeUcpCheckout: fromWallet,
  },
  before: {
    fulfillAcpCheckout: paid('acp'),
    fulfillUcpCheckout: paid('ucp'),
    refundAcpCheckout: paid('acp'),
    refundUcpCheckout: paid('ucp'),
  },
  free: { completeAcpCheckout: ways, completeUcpCheckout: ways, createAcpCheckoutBatch: 'all', createUcpCheckoutBatch: 'all' },
};
