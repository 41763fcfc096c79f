// A checkout as UCP prints it (checkout.json with the fulfilment and AP2 extensions). Amounts are whole numbers of minor units.
import type { Checkout } from '../../generated/prisma/client.js';
import { printId } from '../../platform/schema/id.js';
import type { FulfillmentOption, Offer, OfferLink } from '../accounts/offer.js';
import { checkoutPath, isOpenCheckout, printCheckoutId } from '../checkouts/checkout.js';
import type { Basket, PricedLine, Problem } from '../checkouts/offer.js';
import { basketOf } from '../checkouts/offered.js';
import { printCapabilities } from './capability.js';
import type { Codec, PrintedPlaces } from './codec.js';
import type { Conversation } from './conversation.js';
import { type Delivery, type DeliveryMethod, deliveryMessages, type NamedLine, optionsOf, planDelivery, waysOf } from './delivery.js';
import { lineMessages, recoverable, type UcpMessage } from './message.js';
import { printHandlers } from './payment-handler.js';
import { cartCapability, fulfillmentCapability } from './version.js';
import type { Wire } from './wire.js';

export type SessionStatus = 'incomplete' | 'requires_escalation' | 'ready_for_complete' | 'complete_in_progress' | 'completed' | 'canceled';

export interface SessionParts {
  row: Checkout;
  wire: Wire;
  /** What keeps it from being paid now. */
  problems: readonly Problem[];
  /** What else is to be said: why a request had no effect. */
  messages: readonly UcpMessage[];
  now: Date;
}

export type PrintedSession = { ucp: object; id: string; status: SessionStatus } & Record<string, unknown>;

/** The checkout as an answer to this agent, without its AP2 extension. */
export function printSession(
  { row, wire, problems, messages, now }: SessionParts,
  { codec, active, origin }: Conversation,
): PrintedSession {
  const basket = basketOf(row);
  const delivery = planDelivery(basket.offer, linesOf(basket, wire), wire.fulfillment);
  const missing = [...lineMessages(problems), ...deliveryMessages(delivery, problems)];
  const status = statusOf(row, missing.length > 0, now);
  const isDone = status === 'completed' || status === 'canceled';
  const said = [...(isDone ? [] : missing), ...(messages.some(isError) ? [] : stateMessages(row, status)), ...messages];
  const continueUrl = status === 'requires_escalation' && `${origin}/v1/approvals/${printId('approval', row.approvalId ?? '')}`;
  return {
    ucp: {
      version: codec.version,
      status: 'success',
      capabilities: printCapabilities(active, codec.version),
      payment_handlers: printHandlers(basket.offer.paymentHandlers, origin, codec.version),
    },
    id: printCheckoutId(row),
    status,
    currency: row.currency,
    line_items: basket.lines.map((line, index) => printLine(line, wire.lineIds[index] ?? '')),
    ...(wire.buyer !== undefined && { buyer: wire.buyer }),
    ...(wire.cartId !== undefined && active.includes(cartCapability) && { cart_id: wire.cartId }),
    totals: totalsOf(basket),
    ...(said.length > 0 && { messages: said }),
    links: linksOf(basket.offer),
    expires_at: row.expiresAt.toISOString(),
    ...(continueUrl !== false && { continue_url: continueUrl }),
    ...(active.includes(fulfillmentCapability) &&
      delivery.methods.length > 0 && {
        fulfillment: printFulfillment(codec, basket, delivery, row.paidAt ?? now),
      }),
    ...(status === 'completed' && { order: orderOf(row, basket.offer, origin) }),
  };
}

const isError = ({ type }: UcpMessage): boolean => type === 'error';

/** The lines of a basket by their names. */
export function linesOf({ lines }: Basket, { lineIds }: Wire): NamedLine[] {
  return lines.map(({ item: { id: itemId, digital } }, index) => ({ id: lineIds[index] ?? '', itemId, digital }));
}

/** CONTRACT.md 8: an approval that is waited for is an escalation, and what failed may be tried again. */
function statusOf(row: Checkout, isMissing: boolean, now: Date): SessionStatus {
  if (isOpenCheckout(row) && row.status !== 'pending_payment' && row.expiresAt <= now) return 'canceled';
  switch (row.status) {
    case 'created':
    case 'failed':
      return isMissing ? 'incomplete' : 'ready_for_complete';
    case 'pending_payment':
      return row.approvalId === null ? 'complete_in_progress' : 'requires_escalation';
    case 'paid':
    case 'fulfilled':
      return 'completed';
    default:
      return 'canceled';
  }
}

const instrumentPath = '$.payment.instruments[0]';

/** Why a payment did not work. `reason`: our own code of it. */
export function paymentFailed(reason: string, content: string): UcpMessage {
  return { ...recoverable('payment_failed', content, instrumentPath), reason };
}

function stateMessages({ failureCode, failureMessage }: Checkout, status: SessionStatus): UcpMessage[] {
  if (status === 'requires_escalation') {
    const content = 'The payment is waiting for the approval of the owner of this budget.';
    return [{ type: 'error', code: 'approval_required', severity: 'requires_buyer_review', content }];
  }
  const hasFailed = failureCode !== null && (status === 'incomplete' || status === 'ready_for_complete');
  return hasFailed ? [paymentFailed(failureCode, failureMessage ?? 'The payment failed.')] : [];
}

interface Total {
  type: string;
  display_text?: string;
  amount: number;
  lines?: { display_text: string; amount: number }[];
}

/** The tax is told where the whole basket is: lines come to what their items cost. */
export function printLine({ item, quantity, base }: PricedLine, id: string): object {
  const totals: Total[] = ['subtotal', 'total'].map((type) => ({ type, amount: Number(base) }));
  const { id: itemId, title, unitPrice, image_url: image } = item;
  return { id, item: { id: itemId, title, price: Number(unitPrice), ...(image !== undefined && { image_url: image }) }, quantity, totals };
}

/** What the basket comes to. A tax that prices contain is no entry of its own, for it would be counted twice. */
export function totalsOf({ offer: { tax }, subtotal, fulfillment, selections, charges, tax: taxed, total }: Basket): Total[] {
  const delivery = selections.map(({ option }) => option.title).join(', ') || 'Fulfillment';
  const title = tax?.title ?? 'Tax';
  const parts = [
    { display_text: `Without ${title}`, amount: Number(total - taxed) },
    { display_text: title, amount: Number(taxed) },
  ];
  const isAdded = charges.tax > 0n || tax?.included === false;
  return [
    { type: 'subtotal', amount: Number(subtotal) },
    ...(selections.length > 0 || fulfillment > 0n ? [{ type: 'fulfillment', display_text: delivery, amount: Number(fulfillment) }] : []),
    ...(isAdded ? [{ type: 'tax', display_text: title, amount: Number(charges.tax) }] : []),
    { type: 'total', amount: Number(total), ...(tax?.included === true && { lines: parts }) },
  ];
}

/** How UCP calls the pages of a merchant; others keep their names. */
const linkTypes: Partial<Record<OfferLink, string>> = { terms_of_use: 'terms_of_service', return_policy: 'refund_policy' };

/** The pages of a merchant, as UCP calls them. */
export function linksOf({ links }: Offer): object[] {
  return Object.entries(links).map(([type, url]) => ({ type: linkTypes[type as OfferLink] ?? type, url }));
}

/** The group of a method is all of it: agents take one group unless they say otherwise. */
function printFulfillment(codec: Codec, { offer, options }: Basket, { methods }: Delivery, now: Date): object {
  const lineIds = methods.flatMap((method) => method.lineIds);
  return {
    methods: methods.map((method) => printMethod(codec, method, codec.printPlaces(method, optionsOf(method, options), offer), now)),
    available_methods: waysOf(offer).map((type) => ({ type, line_item_ids: lineIds, fulfillable_on: 'now' })),
  };
}

function printMethod(codec: Codec, { type, lineIds, optionId }: DeliveryMethod, { members, options }: PrintedPlaces, now: Date): object {
  return {
    id: type,
    type,
    line_item_ids: lineIds,
    ...members,
    groups: [
      {
        id: `${type}_group`,
        line_item_ids: lineIds,
        options: options.map((option) => printOption(codec, option, now)),
        selected_option_id: optionId,
      },
    ],
  };
}

const dayMs = 86_400_000;

function printOption(
  codec: Codec,
  { id, title, description, carrier, amount, min_days: least, max_days: most, location }: FulfillmentOption,
  now: Date,
): object {
  const place = location && `${location.name}, ${location.address.line1}, ${location.address.city}`;
  const said = codec.printDescription([description, place].filter((part) => part !== undefined).join(' '), title);
  const after = (days: number) => new Date(now.getTime() + days * dayMs).toISOString();
  return {
    id,
    title,
    ...(said !== undefined && { description: said }),
    ...(carrier !== undefined && { carrier }),
    ...(least !== undefined && { earliest_fulfillment_time: after(least) }),
    ...(most !== undefined && { latest_fulfillment_time: after(most) }),
    totals: [{ type: 'total', amount: Number(amount) }],
  };
}

/** The order is the checkout that was paid. */
export function orderOf(row: Checkout, { orderUrl }: Offer, origin: string): { id: string; permalink_url: string } {
  return { id: `ord_${row.id}`, permalink_url: orderUrl === null ? origin + checkoutPath(row) : orderUrl + printCheckoutId(row) };
}
