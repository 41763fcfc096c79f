// An order as UCP prints it (order.json): the checkout that was paid, what of it was delivered, and what was given back.
import type { Checkout, Refund } from '../../generated/prisma/client.js';
import { printId } from '../../platform/schema/id.js';
import type { FulfillmentOption } from '../accounts/offer.js';
import { type PostalAddress, printCheckoutId } from '../checkouts/checkout.js';
import type { Basket } from '../checkouts/offer.js';
import { basketOf } from '../checkouts/offered.js';
import { printCapabilities } from './capability.js';
import { type DeliveryMethod, destinationOf, planDelivery } from './delivery.js';
import { linesOf, orderOf, printLine, totalsOf } from './session-view.js';
import { wireOf } from './wire.js';

export interface OrderParts {
  row: Checkout;
  /** What was given back of its payment, or is to be. */
  refunds: readonly Refund[];
  /** The version that is spoken, what both sides can do, and where we are reached. */
  version: string;
  active: readonly string[];
  origin: string;
}

/** The order of a checkout that is paid. */
export function printOrder({ row, refunds, version, active, origin }: OrderParts): Record<string, unknown> {
  const basket = basketOf(row);
  const { lineIds } = wireOf(row);
  const isRemoved = isTakenBack(row, refunds);
  const adjustments = refunds.map((refund) =>
    printRefund(refund, row, isRemoved && isWhole(refund, row) ? quantitiesOf(basket, lineIds) : []),
  );
  return {
    ucp: { version, status: 'success', capabilities: printCapabilities(active, version) },
    ...orderOf(row, basket.offer, origin),
    checkout_id: printCheckoutId(row),
    line_items: basket.lines.map((line, at) => {
      const quantity = quantityOf(line.quantity, row, isRemoved);
      return { ...printLine(line, lineIds[at] ?? ''), quantity, status: statusOf(quantity) };
    }),
    fulfillment: { expectations: expectationsOf(row, basket), events: eventsOf(row, basket) },
    ...(adjustments.length > 0 && { adjustments }),
    currency: row.currency,
    totals: totalsOf(basket),
  };
}

interface Quantity {
  original: number;
  total: number;
  fulfilled: number;
}

// Gap G-743: All of an order that is given back before it is delivered takes its lines away; any other refund moves money alone.
function isTakenBack(row: Checkout, refunds: readonly Refund[]): boolean {
  return row.fulfilledAt === null && refunds.some((refund) => isWhole(refund, row));
}

/** True for a refund with which all of the payment was given back. */
function isWhole(refund: Refund, { total, currency }: Checkout): boolean {
  return refund.status === 'completed' && refund.currency === currency && refund.amount === total;
}

function quantityOf(original: number, { fulfilledAt }: Checkout, isRemoved: boolean): Quantity {
  return { original, total: isRemoved ? 0 : original, fulfilled: fulfilledAt === null ? 0 : original };
}

/** As the specification derives it. */
function statusOf({ total, fulfilled }: Quantity): 'removed' | 'fulfilled' | 'partial' | 'processing' {
  if (total === 0) return 'removed';
  if (fulfilled === total) return 'fulfilled';
  return fulfilled > 0 ? 'partial' : 'processing';
}

const quantitiesOf = ({ lines }: Basket, lineIds: readonly string[], sign = -1) =>
  lines.map(({ quantity }, at) => ({ id: lineIds[at] ?? '', quantity: sign * quantity }));

/** What the buyer may expect: an entry for each way of delivery that was chosen. */
function expectationsOf(row: Checkout, basket: Basket): object[] {
  const wire = wireOf(row);
  const { methods } = planDelivery(basket.offer, linesOf(basket, wire), wire.fulfillment);
  const counts = new Map(quantitiesOf(basket, wire.lineIds, 1).map(({ id, quantity }) => [id, quantity]));
  return methods.flatMap((method) => {
    const option = basket.offer.options.find(({ id }) => id === method.optionId);
    const place = placeOf(row, method, option);
    const lines = method.lineIds.map((id) => ({ id, quantity: counts.get(id) ?? 0 })).filter(({ quantity }) => quantity > 0);
    if (place === undefined || lines.length === 0) return [];
    return [
      {
        id: `exp_${method.type}`,
        line_items: lines,
        method_type: method.type,
        destination: place,
        ...(option !== undefined && { description: option.title }),
        fulfillable_on: 'now',
      },
    ];
  });
}

function placeOf(row: Checkout, { type }: DeliveryMethod, option: FulfillmentOption | undefined): object | undefined {
  if (type === 'shipping') return row.shippingAddress === null ? undefined : destinationOf(row.shippingAddress as unknown as PostalAddress);
  if (option?.location === undefined) return undefined;
  const { line1, line2 = null, city, state, postal_code: postalCode, country } = option.location.address;
  return destinationOf({ line1, line2, city, state, postalCode, country });
}

// Gap G-744: An order is delivered as a whole: `shipped` with a tracking and no time of delivery, else `delivered`.
function eventsOf(row: Checkout, basket: Basket): object[] {
  const { fulfilledAt, deliveredAt, tracking } = row;
  if (fulfilledAt === null) return [];
  return [
    {
      id: `ful_${row.id}`,
      occurred_at: (deliveredAt ?? fulfilledAt).toISOString(),
      type: tracking !== null && deliveredAt === null ? 'shipped' : 'delivered',
      line_items: quantitiesOf(basket, wireOf(row).lineIds, 1),
      ...(tracking !== null && { tracking_number: tracking }),
      ...(tracking !== null && /^https?:/.test(tracking) && URL.canParse(tracking) && { tracking_url: new URL(tracking).href }),
    },
  ];
}

const statuses: Record<Refund['status'], 'pending' | 'completed' | 'failed'> = {
  pending: 'pending',
  processing: 'pending',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'failed',
};

function printRefund(refund: Refund, row: Checkout, lines: readonly { id: string; quantity: number }[]): object {
  const { id, status, createdAt, completedAt, amount, currency, reason } = refund;
  return {
    id: printId('refund', id),
    type: 'refund',
    occurred_at: (completedAt ?? createdAt).toISOString(),
    status: statuses[status],
    ...(lines.length > 0 && { line_items: lines }),
    // What the payer has sent may have been in another currency than the order's.
    ...(currency === row.currency && { totals: [{ type: 'total', amount: -Number(amount) }] }),
    description: reason.replaceAll('_', ' '),
  };
}
