// What follows in the thing that a transfer pays for when it ends without its money. Transfers know no such thing: its context says it.
import type { Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { manyParts } from '../../platform/extension.js';
import type { Tx } from '../../platform/postgres/database.js';

/** Notified of a transfer that was cancelled or has failed, in the transaction that ends it. Its lock is held. */
export type TransferEndFollower = (ctx: Ctx, tx: Tx, ended: Transfer) => Promise<void>;

/**
 * What follows when endTransfer() ends a transfer. Those of payouts, funding, card charges and card refunds end with their order, which
 * notifies nobody here.
 */
export const transferEndFollowers = manyParts<TransferEndFollower>('what follows the end of a transfer');

/** Lets everything follow that does. */
export async function followTransferEnd(ctx: Ctx, tx: Tx, ended: Transfer): Promise<void> {
  for (const follow of ctx.platform.extensions.of(transferEndFollowers)) await follow(ctx, tx, ended);
}
