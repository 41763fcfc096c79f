// The order that a completed session has become.
import type { Checkout } from '../../generated/prisma/client.js';
import { printCheckoutId } from '../checkouts/checkout.js';
import type { Basket } from '../checkouts/offer.js';
import type { SessionDetails } from './session-details.js';
import type { AcpOrder, AcpTotal } from './session-shape.js';

export interface OrderParts {
  basket: Basket;
  totals: AcpTotal[];
  sessionDetails: SessionDetails;
  permalink: string;
}

// Gap G-278: An order is `ord_` and the UUID of its checkout; its page is the offer's `order_url`, else the merchant's `url`.
/** The order of a checkout that is paid. Its id is that of the checkout, in its own form. */
export function orderOf(row: Checkout, { basket, totals, sessionDetails, permalink }: OrderParts): AcpOrder {
  const isFulfilled = row.status === 'fulfilled';
  return {
    type: 'order',
    id: `ord_${row.id}`,
    checkout_session_id: printCheckoutId(row),
    permalink_url: permalink,
    status: isFulfilled ? 'completed' : 'confirmed',
    confirmation: {
      confirmation_number: row.id,
      ...(sessionDetails.order_notes !== undefined && { order_notes: sessionDetails.order_notes }),
    },
    line_items: basket.lines.map(({ item, quantity, base }, index) => ({
      id: `li_${index + 1}`,
      title: item.title,
      product_id: item.id,
      quantity: { ordered: quantity, current: quantity, fulfilled: isFulfilled ? quantity : 0 },
      unit_price: Number(item.unitPrice),
      subtotal: Number(base),
      status: isFulfilled ? 'fulfilled' : 'confirmed',
    })),
    fulfillments: basket.selections.map(({ option }, index) => ({
      id: `ful_${index + 1}`,
      type: option.type,
      status: isFulfilled ? 'delivered' : 'processing',
      ...(row.tracking !== null && { tracking_number: row.tracking }),
    })),
    totals,
  };
}
