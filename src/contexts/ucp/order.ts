// Orders by UCP: checkouts that are paid, for who made them and for the tenant of their merchant.
import type { Checkout, Prisma, Refund } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { parseId } from '../../platform/schema/id.js';
import { Visibility } from '../../platform/visibility.js';
import { maxOfferMinor } from '../accounts/offer.js';
import type { Talk } from './conversation.js';
import { NothingFound } from './errors.js';

/** Refunds that an order shows, the oldest first. */
const mostRefunds = 100;

/** An agent sees the orders of checkouts that it made, and of no others. */
const visibleOrders = new Visibility<Prisma.CheckoutWhereInput>({ scope: 'checkouts:read', agent: ({ id }) => ({ creatorAgentId: id }) });

const prefix = 'ord_';

/** The checkout of an order of this merchant, which is paid. `not_found` for none, and for those of others. */
export async function getOrder(ctx: Ctx, { merchant }: Talk, text: string): Promise<Checkout> {
  const id = text.startsWith(prefix) ? parseId('ucpCheckout', `ucp_chk_${text.slice(prefix.length)}`) : null;
  const where = { id: id ?? '', protocol: 'ucp', merchantId: merchant.id, paidAt: { not: null }, total: { lte: maxOfferMinor } } as const;
  const row = id === null ? null : await ctx.db.checkout.findFirst({ where: { AND: [where, visibleOrders.where(ctx)] } });
  if (row === null) throw new NothingFound('There is no such order at this merchant.');
  return row;
}

/** What was given back of an order's payment until `at`, and what is to be. */
export async function refundsOf({ db }: Pick<Ctx, 'db'>, { transferId }: Checkout, at?: Date): Promise<Refund[]> {
  if (transferId === null) return [];
  const where = { originalTransferId: transferId, ...(at !== undefined && { createdAt: { lte: at } }) };
  return db.refund.findMany({ where, orderBy: { id: 'asc' }, take: mostRefunds });
}
