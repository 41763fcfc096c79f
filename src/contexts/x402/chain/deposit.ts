// The addresses of wallets on chains. They are kept, so that an offer asks no chain, and so that what reaches one is found again.
import type { Ctx } from '../../../platform/ctx.js';
import { UnsupportedNetwork } from '../errors.js';
import type { ChainAddress } from './address.js';
import { chainAnswer, chainOf } from './chain.js';

/** The address of a wallet on a network, asked of the chain once. 422 `unsupported_network` where nobody serves it. */
export async function depositFor(ctx: Ctx, network: string, walletId: string): Promise<ChainAddress> {
  const chain = chainOf(ctx, network);
  if (chain === undefined) throw new UnsupportedNetwork(network);
  const kept = await depositOf(ctx, network, walletId);
  if (kept !== null) return kept;
  const address = (await chainAnswer(chain.depositAddress(ctx, walletId))).toLowerCase() as ChainAddress;
  await ctx.db.chainDeposit.createMany({ data: [{ network, walletId, address }], skipDuplicates: true });
  return address;
}

/** The address that is kept of a wallet; null before it was asked for. It never changes. */
export function depositOf(ctx: Ctx, network: string, walletId: string): Promise<ChainAddress | null> {
  return ctx.platform.cache.get(`chain_deposit:${ctx.workspace.id}:${network}:${walletId}`, async () => {
    const row = await ctx.db.chainDeposit.findFirst({ where: { network, walletId }, select: { address: true } });
    return { value: (row?.address as ChainAddress | undefined) ?? null, tags: [] };
  });
}

/** The wallet that an address belongs to; null for an address of somebody else. */
export async function walletOfDeposit({ db }: Ctx, network: string, address: ChainAddress): Promise<string | null> {
  const row = await db.chainDeposit.findFirst({ where: { network, address }, select: { walletId: true } });
  return row?.walletId ?? null;
}
