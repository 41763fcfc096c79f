// Who a credential stands for, and what it can reach: the first call of every client (CONTRACT.md 5).
import type { Wallet } from '../../generated/prisma/client.js';
import type { Actor, Ctx } from '../../platform/ctx.js';
import { printId } from '../../platform/schema/id.js';
import { wallets } from '../accounts/wallet.js';

/** Wallets in the answer. */
export const mostWallets = 50;

/** The id of an actor as it is printed elsewhere. */
export function actorId({ type, id }: Pick<Actor, 'type' | 'id'>): string {
  if (type === 'agent') return printId('agent', id);
  return type === 'api_key' || type === 'user' ? printId('apiKey', id) : id;
}

/** The newest wallets that the actor sees: an agent's own and its account's, everybody else the workspace's (Gap G-67). */
export async function myWallets(ctx: Ctx, query: object = {}): Promise<Wallet[]> {
  const { nodes } = await wallets(ctx, { limit: mostWallets }, query);
  return nodes;
}
