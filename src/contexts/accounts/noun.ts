// What accounts, wallets and merchants are to everybody else.
import { defineNoun } from '../../manifest/noun.js';
import { newestRows, resetStep } from '../../manifest/reset.js';
import { accountLifecycle } from './account.js';
import { updateMerchant } from './merchant.js';
import { walletLifecycle } from './wallet.js';

export const account = defineNoun({
  id: { kind: 'account', prefix: 'acc', wire: 'bare' },
  scope: 'accounts:read',
  table: 'account',
  lifecycle: accountLifecycle,
});

export const wallet = defineNoun({
  id: { kind: 'wallet', prefix: 'wal', wire: 'bare' },
  scope: 'wallets:read',
  table: 'wallet',
  lifecycle: walletLifecycle,
});

export const merchant = defineNoun({
  id: { kind: 'merchant', prefix: 'mer', wire: 'prefixed' },
  scope: 'accounts:read',
  table: 'merchant',
  reset: [
    resetStep({
      stage: 'setting',
      rows: ({ db }, most) =>
        db.merchant.findMany({ where: { OR: [{ status: 'active' }, { shopHosts: { isEmpty: false } }] }, ...newestRows(most) }),
      end: (ctx, { id }) => updateMerchant(ctx, { id, status: 'inactive', shopHosts: [] }),
    }),
  ],
});

/** What moved together in the ledger, as entries name it. */
export const ledgerTransaction = defineNoun({ id: { kind: 'ledgerTransaction', prefix: 'ltx', wire: 'prefixed' }, scope: 'wallets:read' });
