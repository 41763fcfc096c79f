// Balances of an account and of a wallet, now or at a point in time (CONTRACT.md 1).
import { type Balance, balances } from '../../ledger/account.js';
import { loadTogether } from '../../platform/batch.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { visibleAccounts } from './account.js';
import { visibleWallets, wallet } from './wallet.js';

/** One line per currency, as `balancesOf` sums them. 404 for an unknown account. */
export async function accountBalances(ctx: Ctx, accountId: string, at?: Date): Promise<Balance[]> {
  if ((await ctx.db.account.findFirst({ where: { AND: [{ id: accountId }, visibleAccounts.reach(ctx)] } })) === null) throw new NotFound();
  return balancesOf(ctx, accountId, at);
}

// Gap G-34: Account balances are one line per currency, over the wallets of the account and its agents that the actor may read.
/**
 * Sums per currency over the wallets of an account and of its agents that the actor sees, in order of currency. What one request asks for
 * is read together.
 */
export async function balancesOf(ctx: Ctx, accountId: string, at?: Date): Promise<Balance[]> {
  const name = `balances of accounts ${at?.toISOString() ?? 'now'}`;
  return (await loadTogether(ctx, name, accountId, (ids) => sumsByAccount(ctx, ids, at))) ?? [];
}

async function sumsByAccount(ctx: Ctx, accountIds: readonly string[], at: Date | undefined): Promise<Map<string, Balance[]>> {
  const owned = await ctx.db.wallet.findMany({
    where: { AND: [{ accountId: { in: [...accountIds] } }, visibleWallets.where(ctx)] },
    select: { id: true, accountId: true },
  });
  const found = await balances(
    ctx,
    owned.map(({ id }) => id),
    at,
  );
  const sums = new Map<string, Map<string, Balance>>();
  for (const { id, accountId } of owned) {
    const balance = found.get(id);
    if (balance === undefined) continue;
    const byCurrency = sums.get(accountId) ?? new Map<string, Balance>();
    byCurrency.set(balance.currency, added(byCurrency.get(balance.currency), balance));
    sums.set(accountId, byCurrency);
  }
  return new Map([...sums].map(([id, byCurrency]) => [id, [...byCurrency.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1))]));
}

function added(sum: Balance | undefined, balance: Balance): Balance {
  if (sum === undefined) return { ...balance };
  return {
    currency: sum.currency,
    available: sum.available + balance.available,
    held: sum.held + balance.held,
    wrapped: sum.wrapped + balance.wrapped,
    pendingIn: sum.pendingIn + balance.pendingIn,
  };
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
