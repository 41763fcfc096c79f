// Transfers and quotes, as tests of every operation need them.
import type { Example } from '../../example.js';
import { newQuote } from '../../factories/exchange.js';
import { transferBody, waitingTransfer } from '../../factories/payment.js';
import { openWallet } from '../../harness.js';

export const example: Example = {
  stored: async ({ client }) => ({ transfer: (await waitingTransfer(client)).id, quote: (await newQuote(client)).id }),
  made: async ({ client, wallet, payee }) => ({
    // A hold, which can still be captured or cancelled.
    transfer: (await client.make('/v1/transfers', transferBody(wallet, payee.wallet, '10.00', { capture: 'manual' }))).id,
    quote: (await newQuote(client)).id,
    wallet_abroad: (await openWallet(client, { currency: 'EUR' })).wallet.id,
  }),
  bodies: {
    createTransfer: ({ wallet, to_wallet, wallet_abroad, mandate_jwt }, member) =>
      member === 'quote_id'
        ? { type: 'cross_border', from_wallet_id: wallet, to_wallet_id: wallet_abroad }
        : {
            ...{ from_wallet_id: wallet, to_wallet_id: to_wallet, amount: '1.00', currency: 'USD' },
            ...(member === 'mandate_id' && { mandate_jwt }),
          },
    createQuote: () => ({ from_currency: 'USD', to_currency: 'EUR' }),
  },
};
