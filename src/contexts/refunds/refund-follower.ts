// What follows a refund in the thing that was paid, in the transaction of the refund. Refunds know no such thing: its context declares it.
import type { Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';

/** Told of a transfer that was refunded, in whole or in part: `refundedAmount` says how much of it by now. Its lock is held. */
export type RefundFollower = (ctx: Ctx, tx: Tx, refunded: Transfer) => Promise<void>;

const followers: RefundFollower[] = [];

/** Declares what follows a refund. */
export function declareRefundFollower(follower: RefundFollower): void {
  followers.push(follower);
}

/** Lets everything follow that does. */
export async function followRefund(ctx: Ctx, tx: Tx, refunded: Transfer): Promise<void> {
  for (const follow of followers) await follow(ctx, tx, refunded);
}
