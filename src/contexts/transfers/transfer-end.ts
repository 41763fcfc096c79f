// What follows in the thing that a transfer pays for when it ends without its money. Transfers know no such thing: its context declares it.
import type { Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';

/** Notified of a transfer that was cancelled or has failed, in the transaction that ends it. Its lock is held. */
export type TransferEndFollower = (ctx: Ctx, tx: Tx, ended: Transfer) => Promise<void>;

const followers: TransferEndFollower[] = [];

/**
 * Declares what follows when endTransfer() ends a transfer. Those of payouts, funding, card charges and card refunds end with their order,
 * which notifies nobody here.
 */
export function declareTransferEndFollower(follower: TransferEndFollower): void {
  followers.push(follower);
}

/** Lets everything follow that does. */
export async function followTransferEnd(ctx: Ctx, tx: Tx, ended: Transfer): Promise<void> {
  for (const follow of followers) await follow(ctx, tx, ended);
}
