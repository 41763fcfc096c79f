// Who a credential stands for, and what it can reach: the first call of every client (CONTRACT.md 5).
import type { Wallet } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { wallets } from '../accounts/wallet.js';

/** Wallets in the answer. */
export const mostWallets = 50;

// Gap G-67: `GET /v1/me` shows actor, tenant, environment, scopes, the newest 50 wallets and an agent's caps.
/** The newest wallets that the actor sees: an agent's own and its account's, everybody else the workspace's. */
export async function myWallets(ctx: Ctx, query: object = {}): Promise<Wallet[]> {
  const { nodes } = await wallets(ctx, { limit: mostWallets }, query);
  return nodes;
}
