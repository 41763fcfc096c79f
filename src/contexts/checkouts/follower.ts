// What follows a checkout in what it was made from, in the transaction of its change. Checkouts know no such thing: its context says it.
import type { Checkout } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { manyParts } from '../../platform/extension.js';
import type { Tx } from '../../platform/postgres/database.js';

/** Told of a checkout whose items, address or buyer were changed. Its lock is held. */
export type CheckoutFollower = (ctx: Ctx, tx: Tx, changed: Checkout) => Promise<void>;

/** What follows checkouts. */
export const checkoutFollowers = manyParts<CheckoutFollower>('what follows a checkout');

/** Lets everything follow that does. */
export async function followCheckout(ctx: Ctx, tx: Tx, changed: Checkout): Promise<void> {
  for (const follow of ctx.platform.extensions.of(checkoutFollowers)) await follow(ctx, tx, changed);
}
