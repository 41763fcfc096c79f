// The events of ACP checkouts, and what they say (SPEC.md "Data of acp.checkout.* events"). UCP checkouts emit none.
import { z } from 'zod';
import { currency, exampleId, id, money } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';
import type { EventRow } from '../../events/event.js';
import type { Checkout } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { formatMinor } from '../../platform/money.js';
import { printId } from '../../platform/schema/id.js';
import { pricedBy } from './checkout.js';
import { itemsOf } from './item.js';

const statuses = ['created', 'pending_payment', 'paid', 'fulfilled', 'expired'] as const;
const data = z.strictObject({
  checkout_id: id('acp_chk'),
  merchant_id: id('mer'),
  status: z.enum(statuses),
  total: money,
  currency,
  priced_by: z.enum(['buyer', 'merchant']),
  items: z.array(z.strictObject({ sku: z.string(), quantity: z.int().positive(), unit_price: money })),
});
type CheckoutData = z.infer<typeof data>;

const basket: CheckoutData = {
  checkout_id: exampleId('acp_chk'),
  merchant_id: exampleId('mer'),
  status: 'created',
  total: '59.98',
  currency: 'USD',
  priced_by: 'buyer',
  items: [{ sku: 'SKU-1', quantity: 2, unit_price: '29.99' }],
};
const subject = 'checkout_id';

export const { events, event } = declareEvents({
  'acp.checkout.created': { description: 'checkout session created', data, subject, example: basket },
  'acp.checkout.completed': { description: 'checkout completed with payment', data, subject, example: { ...basket, status: 'paid' } },
  'acp.checkout.expired': { description: 'session expired without completion', data, subject, example: { ...basket, status: 'expired' } },
  // Told to platforms of UCP that want to hear of their orders, and to nobody else.
  '_ucp.order.changed': {
    description: 'an order of UCP was placed, delivered or refunded',
    data: z.strictObject({ checkout_id: id('ucp_chk'), change: z.enum(['placed', 'fulfilled', 'refunded']) }),
    subject,
    example: { checkout_id: exampleId('ucp_chk'), change: 'placed' },
  },
});

type CheckoutEvent = 'acp.checkout.created' | 'acp.checkout.completed' | 'acp.checkout.expired';
const statusAt: Record<CheckoutEvent, CheckoutData['status']> = {
  'acp.checkout.created': 'created',
  'acp.checkout.completed': 'paid',
  'acp.checkout.expired': 'expired',
};

/** What is told of a step of a checkout; of one by UCP that it is an order now, where somebody wants to hear of that. */
export function checkoutEvents(ctx: Pick<Ctx, 'clock' | 'traceId'>, type: CheckoutEvent, row: Checkout, at: Date): EventRow[] {
  if (row.protocol !== 'acp') return type === 'acp.checkout.completed' ? orderEvents(ctx, 'placed', row, at) : [];
  const about = { at, objectId: row.id, agentId: row.agentId ?? row.creatorAgentId };
  return [event(ctx, type, checkoutData(row, statusAt[type]), about)];
}

/** What is told of a change of an order by UCP, where its platform wants to hear of that. */
export function orderEvents(
  ctx: Pick<Ctx, 'clock' | 'traceId'>,
  change: 'placed' | 'fulfilled' | 'refunded',
  row: Pick<Checkout, 'id' | 'protocol' | 'orderWebhook'>,
  at: Date,
): EventRow[] {
  if (row.protocol !== 'ucp' || row.orderWebhook === null) return [];
  return [event(ctx, '_ucp.order.changed', { checkout_id: printId('ucpCheckout', row.id), change }, { at, objectId: row.id })];
}

function checkoutData(row: Checkout, status: CheckoutData['status']): CheckoutData {
  return {
    checkout_id: printId('acpCheckout', row.id),
    merchant_id: printId('merchant', row.merchantId),
    status,
    total: formatMinor(row.total, row.currency),
    currency: row.currency,
    priced_by: pricedBy(row),
    items: itemsOf(row).map(({ sku, quantity, unitPrice }) => ({ sku, quantity, unit_price: formatMinor(unitPrice, row.currency) })),
  };
}
