// Accounts, wallets and merchants, as tests of every operation need them.
import type { Example } from '../../example.js';

export const example: Example = {
  stored: async ({ client, account, wallet, payee }) => ({
    account: account.id,
    to_account: payee.account.id,
    wallet: wallet.id,
    to_wallet: payee.wallet.id,
    payee_wallet: payee.wallet.id,
    merchant: (await client.make('/v1/merchants', { name: 'Shop', category: 'retail', account_id: account.id })).id,
  }),
  before: {
    unfreezeWallet: ({ client }, { wallet }) => client.make(`/v1/wallets/${wallet}/freeze`, {}),
  },
};
