// What never changes about a wallet, kept in the process: with it a warm transfer reads nothing before it posts. Whatever may
// change (status, balance) is checked inside the posting.
import { type WalletAccounts, walletAccounts } from '../../ledger/account.js';
import type { Ctx } from '../../platform/ctx.js';

export interface WalletRef {
  walletId: string;
  accountId: string;
  agentId: string | null;
  currency: string;
  ledger: WalletAccounts;
}

/** What is kept of a wallet of this workspace, or null. */
export function walletRef(ctx: Ctx, walletId: string): Promise<WalletRef | null> {
  const key = `wallet_ref:${ctx.workspace.id}:${walletId}`;
  return ctx.platform.cache.get(key, async () => ({ value: await loadWalletRef(ctx, walletId), tags: [] }));
}

async function loadWalletRef(ctx: Ctx, walletId: string): Promise<WalletRef | null> {
  const select = { accountId: true, agentId: true, currency: true };
  const [wallet, accounts] = await Promise.all([
    ctx.db.wallet.findFirst({ where: { id: walletId }, select }),
    walletAccounts(ctx, [walletId]),
  ]);
  const ledger = accounts.get(walletId);
  return wallet === null || ledger === undefined ? null : { walletId, ...wallet, ledger };
}

// Gap G-33: Paying an account means its own oldest active wallet in the currency, else its oldest frozen one.
/**
 * The wallet that an account pays from and is paid to when only the account is named: its oldest active one in the currency, or else its
 * oldest frozen one, which still takes money.
 */
export async function defaultWalletRef(ctx: Ctx, accountId: string, currency: string): Promise<WalletRef | null> {
  const wallet = await ctx.db.wallet.findFirst({
    where: { accountId, currency, ownerType: 'account', status: { not: 'closed' } },
    orderBy: [{ status: 'asc' }, { id: 'asc' }],
    select: { id: true },
  });
  return wallet === null ? null : walletRef(ctx, wallet.id);
}

/**
 * The oldest wallet of an agent in a currency: an active one, or else a frozen one. Which one it is is kept in the process until a wallet
 * of the agent is opened or changes its status.
 */
export async function agentWalletRef(ctx: Ctx, agentId: string, currency: string): Promise<WalletRef | null> {
  const id = await ctx.platform.cache.get(`agent_wallet:${ctx.workspace.id}:${agentId}:${currency}`, async () => {
    const wallet = await ctx.db.wallet.findFirst({
      where: { agentId, currency, status: { not: 'closed' } },
      orderBy: [{ status: 'asc' }, { id: 'asc' }],
      select: { id: true },
    });
    return { value: wallet?.id ?? null, tags: [`agent_wallet:${agentId}`] };
  });
  return id === null ? null : walletRef(ctx, id);
}
