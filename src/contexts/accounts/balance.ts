// Balances of an account and of a wallet, now or at a point in time (CONTRACT.md 1).
import { type Balance, balances } from '../../ledger/account.js';
import type { Ctx } from '../../platform/ctx.js';
import { account } from './account.js';
import { wallet } from './wallet.js';

/** One line per currency, summed over the account's wallets and those of its agents (Gap G-29). 404 for an unknown account. */
export async function accountBalances(ctx: Ctx, accountId: string, at?: Date): Promise<Balance[]> {
  await account(ctx, accountId);
  const owned = await ctx.db.wallet.findMany({ where: { accountId }, select: { id: true } });
  const byCurrency = new Map<string, Balance>();
  for (const one of (
    await balances(
      ctx,
      owned.map(({ id }) => id),
      at,
    )
  ).values()) {
    const sum = byCurrency.get(one.currency);
    if (sum === undefined) byCurrency.set(one.currency, { ...one });
    else for (const bucket of ['available', 'held', 'wrapped', 'pendingIn'] as const) sum[bucket] += one[bucket];
  }
  return [...byCurrency.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

export interface WalletBalance extends Balance {
  walletId: string;
  at: Date;
}

/** The balance of a wallet at `at`, by default now. 404 for an unknown wallet. */
export async function walletBalance(ctx: Ctx, walletId: string, at?: Date): Promise<WalletBalance> {
  await wallet(ctx, walletId);
  const found = (await balances(ctx, [walletId], at)).get(walletId);
  if (found === undefined) throw new Error(`wallet ${walletId} has no ledger accounts`);
  return { ...found, walletId, at: at ?? ctx.clock.now() };
}
