// Bank accounts, payouts and settlement windows, as tests of every operation need them.
import type { Example } from '../../example.js';
import { newBankAccount, newPayout, rightDetails, storedPayout } from '../../factories/payout.js';
import { newWindow } from '../../factories/window.js';

export const example: Example = {
  stored: async ({ harness, client, account }) => ({
    bank_account: (await newBankAccount(client, account.id)).id,
    payout: (await storedPayout(harness, client)).id,
    settlement_window: (await newWindow(client, { enabled: false })).id,
  }),
  made: async ({ client, account, wallet }) => {
    const bank = await newBankAccount(client, account.id);
    return {
      bank_account: bank.id,
      payout: (await newPayout(client, { account, wallet, bank }, { amount: '1.00' })).id,
      rail: 'ach',
      settlement_window: (await newWindow(client, { enabled: false })).id,
    };
  },
  bodies: {
    createBankAccount: () => ({ rail: 'ach', details: rightDetails['ach'] }),
    createPayout: ({ wallet, bank_account }) => ({ wallet_id: wallet, amount: '1.00', destination: { type: 'bank', ref: bank_account } }),
    createSettlementWindow: () => ({ rail: 'ach', currency: 'USD', enabled: false }),
  },
};
