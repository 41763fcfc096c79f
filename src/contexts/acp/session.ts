// A checkout as a session of ACP: everything that is known of it, in every answer.
import type { Checkout, Merchant } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { printId } from '../../platform/schema/id.js';
import { type FulfillmentOption, maxOfferMinor, offerOf, paymentHandlers } from '../accounts/offer.js';
import { isOpenCheckout, type PostalAddress, printCheckoutId } from '../checkouts/checkout.js';
import type { Basket, PricedLine, Problem } from '../checkouts/offer.js';
import { basketOf, problemsNow } from '../checkouts/offered.js';
import { acpMessagesOf } from './message.js';
import { orderOf } from './order.js';
import { handlersOf } from './payment-handler.js';
import { acpAddressOf, type SessionDetails, sessionDetailsOf } from './session-details.js';
import type { AcpFulfillmentOption, AcpLineItem, AcpMessage, AcpSession, AcpStatus, AcpTotal } from './session-shape.js';
import { acpVersion } from './version.js';

export interface SessionView {
  origin: string;
  /** What is said besides, such as that a payment was declined just now. */
  besides?: readonly AcpMessage[];
}

// Gap G-273: A basket above 2^53 is 400 on a wire of integers; a checkout of such an amount is 404 there.
/** The session of a checkout. 404 for one whose amounts the numbers of JSON cannot tell exactly: ACP has no other. */
export async function printAcpSession(ctx: Ctx, row: Checkout, { origin, besides = [] }: SessionView): Promise<AcpSession> {
  if (row.total > maxOfferMinor) throw new NotFound();
  const merchant = await ctx.db.merchant.findFirstOrThrow({ where: { id: row.merchantId } });
  const offer = offerOf(merchant);
  const isDue = isOpenCheckout(row) && row.expiresAt > ctx.clock.now();
  const problems = isDue && row.status !== 'pending_payment' ? problemsNow(row, offer) : [];
  const basket = basketOf(row);
  const status = statusOf(row, { isDue, problems });
  const sessionDetails = sessionDetailsOf(row);
  const lines = basket.lines.map(lineItemOf(basket));
  const totals = totalsOf(basket, await refundedOf(ctx, row));
  return {
    id: printCheckoutId(row),
    protocol: { version: acpVersion },
    capabilities: {
      payment: {
        handlers: handlersOf({
          allowed: offer?.paymentHandlers ?? paymentHandlers,
          merchantId: printId('merchant', row.merchantId),
          environment: ctx.workspace.environment,
          origin,
        }),
      },
      interventions: { supported: [], required: [], enforcement: 'optional' },
    },
    ...(sessionDetails.buyer !== undefined && { buyer: sessionDetails.buyer }),
    status,
    currency: row.currency.toLowerCase(),
    ...(sessionDetails.locale !== undefined && { locale: sessionDetails.locale }),
    ...(sessionDetails.timezone !== undefined && { timezone: sessionDetails.timezone }),
    line_items: lines,
    ...fulfillmentOf(row, basket, sessionDetails),
    totals,
    messages: [...acpMessagesOf(row, status, problems, sessionDetails.discount_codes ?? []), ...besides],
    links: Object.entries(basket.offer.links).map(([type, url]) => ({ type, url })),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    metadata: row.metadata as Record<string, unknown>,
    ...(status === 'completed' && {
      order: orderOf(row, { basket, totals, sessionDetails, permalink: permalinkOf(merchant, row, basket, origin) }),
    }),
  };
}

/** The status of a session (CONTRACT.md 8); one whose time is over is expired, whether or not that was written yet. */
function statusOf({ status, approvalId }: Checkout, { isDue, problems }: { isDue: boolean; problems: readonly Problem[] }): AcpStatus {
  if (status === 'paid' || status === 'fulfilled') return 'completed';
  if (status === 'cancelled') return 'canceled';
  if (status === 'pending_payment') return approvalId === null ? 'complete_in_progress' : 'pending_approval';
  if (status === 'expired' || !isDue) return 'expired';
  return problems.length === 0 ? 'ready_for_payment' : 'not_ready_for_payment';
}

async function refundedOf({ db }: Ctx, { transferId, paidAt }: Checkout): Promise<bigint> {
  if (paidAt === null || transferId === null) return 0n;
  const paid = await db.transfer.findFirst({ where: { id: transferId }, select: { refundedAmount: true } });
  return paid?.refundedAmount ?? 0n;
}

const total = (type: AcpTotal['type'], text: string, amount: bigint): AcpTotal => ({ type, display_text: text, amount: Number(amount) });

function lineItemOf({ offer }: Basket): (line: PricedLine, index: number) => AcpLineItem {
  return ({ item, quantity, base, tax, total: whole }, index) => {
    const { available_quantity: left, max_quantity_per_order: most, image_url: image } = item;
    const isTaxed = offer.tax !== null && !offer.tax.included;
    return {
      id: `li_${index + 1}`,
      item: { id: item.id, name: item.title, unit_amount: Number(item.unitPrice) },
      quantity,
      name: item.title,
      ...(item.description !== undefined && { description: item.description }),
      ...(image !== undefined && { images: [image] }),
      unit_amount: Number(item.unitPrice),
      ...(left !== undefined && { availability_status: left === 0 ? 'out_of_stock' : 'in_stock', available_quantity: left }),
      ...(most !== undefined && { max_quantity_per_order: most }),
      totals: [
        total('items_base_amount', 'Base amount', base),
        total('subtotal', 'Subtotal', base),
        ...(isTaxed ? [total('tax', offer.tax?.title ?? 'Tax', tax)] : []),
        total('total', 'Total', whole),
      ],
    };
  };
}

/** The totals add up: subtotal, fulfillment and tax to the total. A tax that prices contain is told with the total. */
function totalsOf(
  { offer: { tax: rule }, subtotal, fulfillment, selections, tax, charges, total: whole }: Basket,
  refunded: bigint,
): AcpTotal[] {
  const contained = rule?.included === true ? { description: `Includes ${rule.title} of ${tax} minor units (${rule.ratePercent} %).` } : {};
  return [
    total('items_base_amount', 'Item(s) total', subtotal),
    total('subtotal', 'Subtotal', subtotal),
    ...(selections.length > 0 || fulfillment > 0n ? [total('fulfillment', 'Fulfillment', fulfillment)] : []),
    ...(charges.tax > 0n || (rule !== null && !rule.included) ? [total('tax', rule?.title ?? 'Tax', charges.tax)] : []),
    { ...total('total', 'Total', whole), ...contained },
    ...(refunded > 0n ? [total('amount_refunded', 'Refunded', refunded)] : []),
  ];
}

type Fulfillment = Pick<AcpSession, 'fulfillment_details' | 'fulfillment_options' | 'selected_fulfillment_options'>;

function fulfillmentOf(row: Checkout, { options, selections }: Basket, { fulfillment, recipient }: SessionDetails): Fulfillment {
  const address = row.shippingAddress as PostalAddress | null;
  const details = { ...fulfillment, ...(address !== null && { address: acpAddressOf(address, recipient) }) };
  const selected = selections.map(({ option: { type, id }, itemIds }) => ({ type, option_id: id, item_ids: [...itemIds] }));
  return {
    ...(Object.keys(details).length > 0 && { fulfillment_details: details }),
    fulfillment_options: options.map((option) => optionOf(option, row.updatedAt)),
    ...(selected.length > 0 && { selected_fulfillment_options: selected }),
  };
}

const daySeconds = 86_400;

/** A way of delivery; its days count from the last change of the session. */
function optionOf(option: FulfillmentOption, from: Date): AcpFulfillmentOption {
  const { type, id, title, description, carrier, min_days: least, max_days: most, location, amount } = option;
  const after = (days: number) => addSeconds(from, days * daySeconds).toISOString();
  const isShipped = type === 'shipping';
  return {
    type,
    id,
    title,
    ...(description !== undefined && { description }),
    ...(isShipped && carrier !== undefined && { carrier }),
    ...(isShipped && least !== undefined && { earliest_delivery_time: after(least) }),
    ...(isShipped && most !== undefined && { latest_delivery_time: after(most) }),
    ...(location !== undefined && { location: { name: location.name, address: placeOf(location) } }),
    totals: [total('total', title, amount)],
  };
}

function placeOf({ name, address }: NonNullable<FulfillmentOption['location']>) {
  const { postal_code: postalCode, ...place } = address;
  return acpAddressOf({ ...place, postalCode }, { name, company: undefined });
}

/** Where the order is shown: by the merchant, else here. */
function permalinkOf(merchant: Merchant, row: Checkout, { offer }: Basket, origin: string): string {
  if (offer.orderUrl !== null) return `${offer.orderUrl}${printCheckoutId(row)}`;
  return merchant.url ?? `${origin}/v1/acp/checkouts/${printCheckoutId(row)}`;
}
