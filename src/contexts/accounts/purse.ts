// What never changes about a wallet, kept in the process: with it a warm transfer reads nothing before it posts. Whatever may
// change (status, balance) is checked inside the posting.
import { type WalletAccounts, walletAccounts } from '../../ledger/account.js';
import type { Ctx } from '../../platform/ctx.js';

export interface Purse {
  walletId: string;
  accountId: string;
  agentId: string | null;
  currency: string;
  ledger: WalletAccounts;
}

/** The purse of a wallet of this workspace, or null. */
export function purse(ctx: Ctx, walletId: string): Promise<Purse | null> {
  const key = `purse:${ctx.workspace.id}:${walletId}`;
  return ctx.platform.cache.get(key, async () => ({ value: await loadPurse(ctx, walletId), tags: [] }));
}

async function loadPurse(ctx: Ctx, walletId: string): Promise<Purse | null> {
  const select = { accountId: true, agentId: true, currency: true };
  const [wallet, accounts] = await Promise.all([
    ctx.db.wallet.findFirst({ where: { id: walletId }, select }),
    walletAccounts(ctx, [walletId]),
  ]);
  const ledger = accounts.get(walletId);
  return wallet === null || ledger === undefined ? null : { walletId, ...wallet, ledger };
}

/**
 * The wallet that an account pays from and is paid to when only the account is named: its oldest active one in the currency
 * (Gap G-28), or else its oldest frozen one, which still takes money.
 */
export async function defaultPurse(ctx: Ctx, accountId: string, currency: string): Promise<Purse | null> {
  const wallet = await ctx.db.wallet.findFirst({
    where: { accountId, currency, ownerType: 'account', status: { not: 'closed' } },
    orderBy: [{ status: 'asc' }, { id: 'asc' }],
    select: { id: true },
  });
  return wallet === null ? null : purse(ctx, wallet.id);
}
