// Carts by UCP: what somebody may want to buy of a merchant, at the prices of its offer now. A cart holds nothing and moves nothing.
import { type Cart, type Checkout, Prisma } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { type FieldIssue, NotFound, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Lifecycle } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { newId, parseId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { Visibility } from '../../platform/visibility.js';
import type { Offer } from '../accounts/offer.js';
import { refuseInactive } from '../checkouts/checkout-request.js';
import { priceBasket } from '../checkouts/offer.js';
import { sellerOf } from '../checkouts/offered.js';
import type { Talk } from './conversation.js';
import { NothingFound } from './errors.js';
import type { BuyerShape, CartRequest, LineRequest } from './request.js';
import { lineIdsOf } from './wire.js';

/** How long a cart lives after its last change. */
const ttlSeconds = 7 * 86_400;

export const cartLifecycle: Lifecycle<Cart['status']> = {
  noun: 'cart',
  path: '/ucp/{merchant_id}/carts/{id}',
  steps: { active: ['cancelled', 'expired'], cancelled: [], expired: [] },
  requests: [{ to: 'cancelled', rel: 'cancel', actor: 'any', method: 'POST', path: '/cancel' }],
};

/** An agent sees the carts that it made. */
export const visibleCarts = new Visibility<Prisma.CartWhereInput>({ scope: 'checkouts:read', agent: ({ id }) => ({ creatorAgentId: id }) });

/** Carts, newest first; those that have ended too. */
export const carts = listOf('cart', { visible: visibleCarts });

/** The cart, also one that has ended, or 404. */
export async function cart(ctx: Ctx, id: string, query: object = {}): Promise<Cart> {
  const found = await ctx.db.cart.findFirst({ ...query, where: { AND: [{ id }, visibleCarts.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** A line as a cart keeps it: what both sides call it, and the item as it was offered when the line was written. */
export interface CartLine {
  name: string;
  id: string;
  quantity: number;
  title: string;
  /** Minor units. */
  unitPrice: string;
}

/** The lines of a cart. */
export const linesOfCart = ({ lines }: Pick<Cart, 'lines'>): CartLine[] => lines as unknown as CartLine[];

/** There is no such cart for this caller: one that has ended, or that was bought, is none. */
class NoCart extends NothingFound {
  constructor() {
    super('There is no such cart at this merchant.');
  }
}

/** Begins a cart. Refuses items that the offer does not have; what is sold out is no error. */
export async function createCart(ctx: Ctx, talk: Talk, request: CartRequest): Promise<Cart> {
  const content = contentOf(talk, request);
  const at = ctx.clock.now();
  const made = await transact(ctx, (tx) =>
    tx.cart.create({
      data: {
        id: newId(at),
        merchantId: talk.merchant.id,
        ...content,
        creatorAgentId: ctx.actor.agent?.id ?? null,
        createdAt: at,
        ...livingFrom(at),
      },
    }),
  );
  ringAt(ctx, 'cart', made.expiresAt);
  return made;
}

/** A cart as it shall be from now on. `not_found` for none. */
export function updateCart(ctx: Ctx, talk: Talk, text: string, request: CartRequest): Promise<Cart> {
  return transact(ctx, async (tx) => {
    const row = await lockCart(ctx, tx, talk, text);
    return tx.cart.update({ where: rowKey(ctx, row.id), data: { ...contentOf(talk, request), ...changedAt(ctx) } });
  });
}

/** Ends a cart; a checkout that was made of it goes on. */
export function cancelCart(ctx: Ctx, talk: Talk, text: string): Promise<Cart> {
  return transact(ctx, async (tx) => endCart(ctx, tx, await lockCart(ctx, tx, talk, text)));
}

/** Ends a cart at the reset of a sandbox. */
export function closeCart(ctx: Ctx, id: string): Promise<Cart> {
  return transact(ctx, async (tx) => endCart(ctx, tx, await lockRow(tx.cart, id, { where: { status: 'active' } })));
}

const endCart = (ctx: Ctx, tx: Tx, { id }: Cart) =>
  tx.cart.update({ where: rowKey(ctx, id), data: { status: 'cancelled', updatedAt: ctx.clock.now(), dueAt: null } });

/** The due step of a cart: nobody has changed it for so long. */
export async function expireCart(ctx: Ctx, id: string): Promise<void> {
  await transact(ctx, async (tx) => {
    const row = await lockRow(tx.cart, id);
    const isOver = row.status === 'active' && row.expiresAt <= ctx.clock.now();
    const ended = { status: 'expired', dueAt: null, leaseUntil: null } as const;
    return tx.cart.update({ where: rowKey(ctx, id), data: isOver ? ended : { leaseUntil: null } });
  });
}

/** The cart of this merchant, or `not_found`. */
export async function getCart(ctx: Ctx, talk: Talk, text: string): Promise<Cart> {
  const row = await ctx.db.cart.findFirst({ where: { AND: [{ id: idOf(text), merchantId: talk.merchant.id }, visibleCarts.where(ctx)] } });
  if (row === null || !(await isLiving(ctx, ctx.db, row))) throw new NoCart();
  return row;
}

/** The cart that a request has made, changed or ended, for its answer. */
export async function cartMade(ctx: Ctx, id: string): Promise<Cart> {
  const row = await ctx.db.cart.findFirst({ where: { AND: [{ id }, visibleCarts.where(ctx)] } });
  if (row === null) throw new NoCart();
  return row;
}

/** The cart under its lock, or `not_found`. */
export async function lockCart(ctx: Ctx, tx: Tx, { merchant }: Pick<Talk, 'merchant'>, text: string): Promise<Cart> {
  const where = { AND: [{ merchantId: merchant.id }, visibleCarts.where(ctx)] };
  const row = await lockRow(tx.cart, idOf(text), { where }).catch((error: unknown) => {
    throw error instanceof NotFound ? new NoCart() : error;
  });
  if (!(await isLiving(ctx, tx, row))) throw new NoCart();
  return row;
}

// Gap G-742: A cart is gone once a checkout of it is paid; while one is open, its changes are the cart's, and not the other way round.
async function isLiving({ clock }: Ctx, db: Pick<Tx, 'checkout'>, { status, expiresAt, checkoutId }: Cart): Promise<boolean> {
  if (status !== 'active' || expiresAt <= clock.now()) return false;
  const made = checkoutId === null ? null : await db.checkout.findFirst({ where: { id: checkoutId }, select: { paidAt: true } });
  return made === null || made.paidAt === null;
}

function idOf(text: string): string {
  const id = parseId('cart', text);
  if (id === null) throw new NoCart();
  return id;
}

/** What a request puts into a cart. */
function contentOf({ merchant, codec }: Talk, request: CartRequest) {
  refuseInactive(merchant);
  const { offer } = sellerOf(merchant);
  codec.settle(request, { offer, kept: {} });
  return {
    lines: agreedLines(offer, request.line_items) as unknown as Prisma.InputJsonArray,
    currency: offer.currency,
    buyer: storedBuyer(request.buyer),
  };
}

/** Null where the request has none: a cart is replaced as a whole. */
const storedBuyer = (buyer: BuyerShape | undefined): Prisma.InputJsonObject | typeof Prisma.DbNull =>
  buyer === undefined ? Prisma.DbNull : (JSON.parse(JSON.stringify(buyer)) as Prisma.InputJsonObject);

/** The lines by the offer. 400 for items that it does not have, and for more than JSON can count. */
function agreedLines(offer: Offer, requested: readonly LineRequest[]): CartLine[] {
  const lines = requested.map(({ item, quantity }) => ({ id: item.id, quantity }));
  const basket = priceBasket(offer, { lines, selections: [], country: null });
  const unknown = basket.problems.filter(({ code }) => code === 'unknown_item');
  const faults = unknown.map(({ code, line = 0, message }): FieldIssue => ({ path: ['lines', line, 'id'], message, rule: code }));
  if (basket.isTooLarge) faults.push({ path: ['lines'], message: 'come to more than a number of JSON can tell exactly', rule: 'max' });
  if (faults.length > 0) throw new ValidationFailed(faults);
  const names = lineIdsOf(requested);
  return basket.lines.map(({ item: { id, title, unitPrice }, quantity }, at) => ({
    name: names[at] ?? '',
    id,
    quantity,
    title,
    unitPrice: `${unitPrice}`,
  }));
}

const livingFrom = (at: Date) => ({ updatedAt: at, expiresAt: addSeconds(at, ttlSeconds), dueAt: addSeconds(at, ttlSeconds) });

/** What every change of a cart writes. */
export function changedAt({ clock }: Pick<Ctx, 'clock'>) {
  return { revision: { increment: 1 }, ...livingFrom(clock.now()) };
}

/** The checkout that a cart has become, while it can be paid; null for none. */
export function openCheckoutOf(tx: Tx, { checkoutId }: Cart): Promise<Checkout | null> {
  if (checkoutId === null) return Promise.resolve(null);
  return tx.checkout.findFirst({ where: { id: checkoutId, status: { in: ['created', 'pending_payment', 'failed'] } } });
}
