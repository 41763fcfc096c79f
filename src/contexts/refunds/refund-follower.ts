// What follows a refund in the thing that was paid, in the transaction of the refund. Refunds know no such thing: its context says it.
import type { Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { manyParts } from '../../platform/extension.js';
import type { Tx } from '../../platform/postgres/database.js';

/** Told of a transfer that was refunded, in whole or in part: `refundedAmount` says how much of it by now. Its lock is held. */
export type RefundFollower = (ctx: Ctx, tx: Tx, refunded: Transfer) => Promise<void>;

/** What follows refunds. */
export const refundFollowers = manyParts<RefundFollower>('what follows a refund');

/** Lets everything follow that does. */
export async function followRefund(ctx: Ctx, tx: Tx, refunded: Transfer): Promise<void> {
  for (const follow of ctx.platform.extensions.of(refundFollowers)) await follow(ctx, tx, refunded);
}
