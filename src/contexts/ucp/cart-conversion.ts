// A cart becomes a checkout, one at a time; what is changed in that checkout is changed in the cart.
import { isDeepStrictEqual } from 'node:util';
import type { Cart, Checkout, Prisma } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { rowKey } from '../../platform/postgres/row.js';
import { printId } from '../../platform/schema/id.js';
import { refuseExpired } from '../checkouts/checkout.js';
import type { Claim } from '../checkouts/checkout-request.js';
import type { CheckoutFollower } from '../checkouts/follower.js';
import { itemsOf } from '../checkouts/item.js';
import { type CartLine, changedAt, getCart, linesOfCart, lockCart, openCheckoutOf } from './cart.js';
import type { Talk } from './conversation.js';
import type { BuyerShape, CheckoutRequest } from './request.js';
import { wireOf } from './wire.js';

/** How often a cart is read anew that is changed meanwhile. */
const mostReads = 3;

/** The cart was changed after it was read. */
class CartChanged extends Error {}

/** Makes the checkout of a request; `claim` takes what it is made of. */
export type Conversion = (request: CheckoutRequest, claim: Claim) => Promise<Checkout>;

/**
 * The checkout of a cart: its lines and its buyer, whatever the request says of them. One that is open comes back as it is. `not_found` for a
 * cart that is none.
 */
export async function convertCart(
  ctx: Ctx,
  talk: Talk,
  request: CheckoutRequest & { cart_id: string },
  make: Conversion,
): Promise<Checkout> {
  for (let reads = 1; ; reads += 1) {
    const cart = await getCart(ctx, talk, request.cart_id);
    try {
      return await make(contentOf(cart, request), claimOf(ctx, talk, cart));
    } catch (error) {
      if (!(error instanceof CartChanged) || reads === mostReads) throw error;
    }
  }
}

function contentOf(cart: Cart, request: CheckoutRequest): CheckoutRequest {
  const lines = linesOfCart(cart).map(({ name, id, quantity }) => ({ id: name, item: { id }, quantity }));
  return { ...request, cart_id: printId('cart', cart.id), line_items: lines, buyer: (cart.buyer as BuyerShape | null) ?? undefined };
}

const claimOf =
  (ctx: Ctx, talk: Talk, read: Cart): Claim =>
  async (tx, planned) => {
    const cart = await lockCart(ctx, tx, talk, printId('cart', read.id));
    const before = await openCheckoutOf(tx, cart);
    if (before !== null && !isOver(ctx, before)) return before;
    if (cart.revision !== read.revision) throw new CartChanged();
    await tx.cart.update({ where: rowKey(ctx, cart.id), data: { checkoutId: planned.id } });
    return null;
  };

function isOver(ctx: Ctx, row: Checkout): boolean {
  try {
    refuseExpired(ctx, row);
    return false;
  } catch {
    return true;
  }
}

/** A cart has the lines and the buyer of its open checkout. */
export const followCartCheckout: CheckoutFollower = async (ctx, tx, changed) => {
  if (changed.protocol !== 'ucp') return;
  const cart = await tx.cart.findFirst({ where: { checkoutId: changed.id, status: 'active' } });
  if (cart === null) return;
  const { lineIds, buyer = null } = wireOf(changed);
  const lines = itemsOf(changed).map(
    ({ sku: id, title, quantity, unitPrice }, at): CartLine => ({
      name: lineIds[at] ?? '',
      id,
      quantity,
      title: title ?? id,
      unitPrice: `${unitPrice}`,
    }),
  );
  if (isDeepStrictEqual([linesOfCart(cart), cart.buyer], [lines, buyer])) return;
  await tx.cart.update({
    where: rowKey(ctx, cart.id),
    data: {
      lines: lines as unknown as Prisma.InputJsonArray,
      ...(buyer !== null && { buyer: buyer as Prisma.InputJsonObject }),
      ...changedAt(ctx),
    },
  });
};
