// What a checkout by UCP keeps beside its items and its total, in `details`: what was agreed with the agent, and everything that the
// merchant said at that time. A checkout is printed from it alone, so what was offered does not change while it is open.
import type { Checkout, Prisma } from '../../generated/prisma/client.js';
import type { FulfillmentOption, Offer, OfferLink, PaymentHandler } from '../accounts/offer.js';
import type { Basket } from '../checkouts/offer.js';
import { type Delivery, deliveryMessages, type Method, type MethodType, optionsOf, waysOf } from './delivery.js';
import type { Message } from './message.js';
import type { BuyerShape, FulfillmentRequest } from './request.js';

/** A line as both sides call it; what is sold stands in the item of the same place. */
interface KeptLine {
  id: string;
  imageUrl?: string | undefined;
}

interface KeptOption {
  id: string;
  title: string;
  description?: string | undefined;
  carrier?: string | undefined;
  /** Minor units, as decimal text. */
  amount: string;
  minDays?: number | undefined;
  maxDays?: number | undefined;
}

export interface KeptMethod extends Method {
  options: KeptOption[];
}

export interface KeptSession {
  /** The profile of the agent that began it. */
  profile: string;
  /** True once AP2 was agreed on: nothing less is taken afterwards. */
  isLocked: boolean;
  buyer?: BuyerShape | undefined;
  lines: KeptLine[];
  /** What was asked for, to be applied to other lines when they change. */
  fulfillment: FulfillmentRequest;
  methods: KeptMethod[];
  ways: MethodType[];
  /** All tax, contained in the prices or not; minor units, as decimal text. */
  tax: { title: string; amount: string; isIncluded: boolean } | null;
  messages: Message[];
  links: Partial<Record<OfferLink, string>>;
  handlers: PaymentHandler[];
  orderUrl: string | null;
}

/** What is said on both sides of one request. */
export interface Agreement {
  profile: string;
  isLocked: boolean;
  buyer: BuyerShape | undefined;
  lines: readonly { id: string; itemId: string }[];
  fulfillment: FulfillmentRequest;
}

/** What is kept of a basket that was priced. */
export function keepSession({ lines, ...agreed }: Agreement, offer: Offer, basket: Basket, delivery: Delivery): KeptSession {
  const { tax, links, paymentHandlers, orderUrl } = offer;
  return {
    ...agreed,
    lines: lines.map(({ id, itemId }) => ({ id, imageUrl: offer.items.get(itemId)?.image_url })),
    methods: delivery.methods.map((method) => ({ ...method, options: optionsOf(method, basket.options).map(keepOption) })),
    ways: delivery.methods.length === 0 ? [] : waysOf(offer),
    tax: tax === null ? null : { title: tax.title, amount: String(basket.tax), isIncluded: tax.included },
    messages: deliveryMessages(delivery, basket.problems),
    links,
    handlers: [...paymentHandlers],
    orderUrl,
  };
}

function keepOption({
  id,
  title,
  description,
  carrier,
  amount,
  min_days: minDays,
  max_days: maxDays,
  location,
}: FulfillmentOption): KeptOption {
  const place = location && [location.name, location.address.line1, location.address.city].join(', ');
  const said = [description, place].filter((part) => part !== undefined).join(' ');
  return { id, title, ...(said !== '' && { description: said }), carrier, amount: String(amount), minDays, maxDays };
}

/** As the column `details` takes it. */
export function storedSession(kept: KeptSession): Record<string, unknown> {
  return { ucp: JSON.parse(JSON.stringify(kept)) as Prisma.JsonObject };
}

/** What a checkout has kept; null for one that was made under /v1, by no agent of UCP. */
export function keptSession({ details }: Pick<Checkout, 'details'>): KeptSession | null {
  return (details as { ucp?: KeptSession } | null)?.ucp ?? null;
}
