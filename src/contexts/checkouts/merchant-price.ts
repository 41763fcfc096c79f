// Checkouts under /v1 at the prices of their merchant: what it offers, it sells at its own price, from its own stock (CONTRACT.md 8). A
// merchant without an offer is paid what the buyer names, unless it refuses that.
import type { Checkout, Merchant } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { type FieldIssue, ValidationFailed } from '../../platform/errors.js';
import { formatMinor } from '../../platform/money.js';
import { type Offer, offerFor, offerOf, readOffer } from '../accounts/offer.js';
import { type CheckoutProtocol, checkoutPath, type PostalAddress, pricedBy, requestAnew } from './checkout.js';
import {
  type CheckoutChange,
  createCheckout,
  type IssuedCheckout,
  type NewCheckout,
  readMerchant,
  refuseInactive,
  updateCheckout,
} from './checkout-request.js';
import { BuyerPricesRefused, OutOfStock, PriceChanged } from './errors.js';
import { type Charges, type CheckoutItem, itemsOf } from './item.js';
import { type BasketLine, priceBasket, type Selection } from './offer.js';
import { notReady, refuseUnready } from './offered.js';

/** `details` of a checkout that was made under /v1 from an offer. */
interface AutomaticDetails extends Record<string, unknown> {
  offer: unknown;
  selections: Selection[];
  wire: object;
  // Gap G-404: Under /v1 the cheapest shipping to `shipping_address` is chosen, or a pickup without an address.
  /** Nobody chooses under /v1 how goods are delivered: the cheapest way that goes there is taken. */
  delivery: 'cheapest';
}

interface Priced {
  items: CheckoutItem[];
  charges: Charges;
  details: AutomaticDetails;
}

/** Begins a checkout at the prices of its merchant. Otherwise as `createCheckout`. */
export async function createPriced(ctx: Ctx, value: NewCheckout): Promise<IssuedCheckout> {
  const merchant = await readMerchant(ctx, value.merchantId);
  return createCheckout(ctx, merchant === null ? value : priceByMerchant(merchant, value), async () => merchant);
}

/**
 * A new checkout at the prices of its merchant. 400 for an sku and a currency that the offer does not have, 409 `price_changed` with the
 * true prices, `out_of_stock`, and `buyer_prices_refused` where the merchant has no offer and takes no other prices.
 */
export function priceByMerchant(merchant: Merchant, value: NewCheckout): NewCheckout {
  refuseInactive(merchant);
  const offer = offerOf(merchant);
  if (offer === null) {
    if (!merchant.acceptsBuyerPrices) throw new BuyerPricesRefused(merchant.id);
    return value;
  }
  checkLines(offer, value.items, value.member);
  const items = withPrices(offer, value.items);
  const again = requestAnew({ ...value, items: items.map(stored), merchantId: merchant.id });
  refuseOtherPrices(items, value.items, { rel: 'create', method: 'POST', path: `/v1/${value.protocol}/checkouts`, body: again });
  refuseMissing(offer, value.items);
  return { ...value, ...priced(merchant, offer, items, value.shippingAddress ?? null) };
}

/**
 * Changes a checkout under /v1. Other items take the prices of today, and another address the way of delivery that goes there. Refuses as
 * `updateCheckout` and `priceByMerchant`.
 */
export async function updatePriced(ctx: Ctx, protocol: CheckoutProtocol, id: string, change: CheckoutChange): Promise<Checkout> {
  if (change.items === undefined && change.shippingAddress === undefined) return updateCheckout(ctx, protocol, id, change);
  const merchant = await merchantOf(ctx, id);
  return updateCheckout(ctx, protocol, id, (row) => (merchant === null ? change : pricedChange(merchant, row, change)));
}

async function merchantOf(ctx: Ctx, checkoutId: string): Promise<Merchant | null> {
  const found = await ctx.db.checkout.findFirst({ where: { id: checkoutId }, select: { merchantId: true } });
  return found === null ? null : readMerchant(ctx, found.merchantId);
}

function pricedChange(merchant: Merchant, row: Checkout, change: CheckoutChange): CheckoutChange {
  const details = row.details as AutomaticDetails | null;
  // What a wire has agreed on is changed through that wire.
  if (pricedBy(row) === 'merchant' && details?.delivery === undefined) return change;
  const address = change.shippingAddress === undefined ? (row.shippingAddress as unknown as PostalAddress | null) : change.shippingAddress;
  if (change.items === undefined) {
    return details === null ? change : { ...change, ...delivered(readOffer(details.offer), details.offer, itemsOf(row), address) };
  }
  const offer = offerOf(merchant);
  if (offer === null) {
    if (!merchant.acceptsBuyerPrices) throw new BuyerPricesRefused(merchant.id);
    return change;
  }
  if (offer.currency !== row.currency) {
    const message = `are sold in ${offer.currency} by now: begin another checkout`;
    throw new ValidationFailed([{ path: [change.member ?? 'items'], message, rule: 'currency' }]);
  }
  checkLines(offer, change.items, change.member);
  const items = withPrices(offer, change.items);
  const body = { items: requestAnew({ ...row, items: items.map(stored) })['items'] };
  refuseOtherPrices(items, change.items, { rel: 'update', method: 'PATCH', path: checkoutPath(row), body });
  refuseMissing(offer, change.items);
  return { ...change, ...priced(merchant, offer, items, address) };
}

/** What of a merchant says at which prices it sells. */
export type Seller = Pick<Merchant, 'id' | 'metadata' | 'acceptsBuyerPrices'>;

/** Throws 409 for a checkout that its merchant, as it is now, does not sell as it is. */
export async function refuseUnsold(ctx: Ctx, row: Checkout): Promise<void> {
  refuseUnsoldBy(await readMerchant(ctx, row.merchantId), row);
}

/** The same for the merchant as it was read. */
export function refuseUnsoldBy(merchant: Seller | null, row: Checkout): void {
  if (pricedBy(row) === 'merchant') refuseUnready(merchant, row);
  else if (merchant !== null) refuseBuyerPrices(merchant, row);
}

/**
 * Throws 409 for a checkout at the prices of its buyer where the merchant takes none by now: `buyer_prices_refused`, and where it has an
 * offer by now `price_changed` with the true prices, also for equal ones: tax, delivery and stock are the offer's too (see G-282).
 */
export function refuseBuyerPrices(merchant: Seller, row: Checkout): void {
  if (pricedBy(row) === 'merchant') return;
  const offer = offerOf(merchant);
  if (offer === null) {
    if (!merchant.acceptsBuyerPrices) throw new BuyerPricesRefused(merchant.id);
    return;
  }
  if (offer.currency !== row.currency) {
    throw notReady(row, [{ code: 'currency', message: `The merchant now sells in ${offer.currency}.` }]);
  }
  const asked = itemsOf(row);
  const gone = asked.filter(({ sku }) => !offer.items.has(sku));
  if (gone.length > 0)
    throw notReady(
      row,
      gone.map(({ sku }) => ({ code: 'unknown_item', message: `${sku} is not sold any more.` })),
    );
  const items = withPrices(offer, asked);
  const again = requestAnew({ ...row, items: items.map(stored) });
  const isOpen = row.status === 'created';
  throw new PriceChanged(
    pricesOf(items),
    isOpen
      ? { rel: 'update', method: 'PATCH', path: checkoutPath(row), body: { items: again['items'] } }
      : { rel: 'create', method: 'POST', path: `/v1/${row.protocol}/checkouts`, body: again },
  );
}

const stored = ({ unitPrice, currency: _, ...item }: CheckoutItem) => ({ ...item, unitPrice: `${unitPrice}` });
const lineOf = ({ sku: id, quantity }: CheckoutItem): BasketLine => ({ id, quantity });

/** 400 for what the offer does not have. */
function checkLines({ items: offered, currency: sold }: Offer, items: readonly CheckoutItem[], member = 'items'): void {
  const issues = items.flatMap(({ sku, currency }, index): FieldIssue[] => {
    if (!offered.has(sku))
      return [{ path: [member, index, 'sku'], message: `names nothing that the merchant offers: ${sku}`, rule: 'unknown_item' }];
    return currency === sold
      ? []
      : [{ path: [member, index, 'currency'], message: `is not that of the merchant, ${sold}`, rule: 'currency' }];
  });
  const [first] = issues;
  if (first !== undefined) throw new ValidationFailed(issues, `The request is not valid: ${first.path.join('.')} ${first.message}.`);
}

function withPrices({ items: offered, currency }: Offer, items: readonly CheckoutItem[]): CheckoutItem[] {
  return items.map(({ sku, title, quantity, unitPrice }) => {
    const item = offered.get(sku);
    return { sku, title: item?.title ?? title, quantity, unitPrice: item?.unitPrice ?? unitPrice, currency };
  });
}

function refuseOtherPrices(
  items: readonly CheckoutItem[],
  asked: readonly CheckoutItem[],
  again: { rel: string; method: string; path: string; body: Record<string, unknown> },
): void {
  if (items.every(({ unitPrice }, index) => asked[index]?.unitPrice === unitPrice)) return;
  throw new PriceChanged(pricesOf(items), again);
}

function pricesOf(items: readonly CheckoutItem[]) {
  return items.map(({ sku, unitPrice, currency }) => ({ sku, unit_price: formatMinor(unitPrice, currency), currency }));
}

// Gap G-403: What the merchant's offer does not have is 409 `out_of_stock` with `details.problems`, or `not_ready` when it is paid.
/** 409 for more than the merchant has, or sells in one order. */
function refuseMissing(offer: Offer, items: readonly CheckoutItem[]): void {
  const { problems } = priceBasket(offer, { lines: items.map(lineOf), selections: [], country: null });
  const missing = problems.filter(({ line }) => line !== undefined);
  if (missing.length > 0) throw new OutOfStock(missing.map(({ line, code, message }) => ({ item: line, code, message })));
}

function priced(merchant: Merchant, offer: Offer, items: readonly CheckoutItem[], address: PostalAddress | null): Priced {
  return delivered(offer, offerFor(merchant, new Set(items.map(({ sku }) => sku))), items, address);
}

/** What items come to when they are delivered to an address. `written` is the part of the offer that is kept with the checkout. */
function delivered(offer: Offer, written: unknown, items: readonly CheckoutItem[], address: PostalAddress | null): Priced {
  const request = { lines: items.map(lineOf), country: address?.country ?? null };
  const { lines, options } = priceBasket(offer, { ...request, selections: [] });
  const goods = [...new Set(lines.filter(({ item }) => !item.digital).map(({ item }) => item.id))];
  const [way] = options
    .filter(({ type }) => goods.length > 0 && type === (address === null ? 'pickup' : 'shipping'))
    .sort((a, b) => Number(a.amount - b.amount));
  const selections = way === undefined ? [] : [{ optionId: way.id, itemIds: goods }];
  const { charges } = priceBasket(offer, { ...request, selections });
  return { items: [...items], charges, details: { offer: written, selections, wire: {}, delivery: 'cheapest' } };
}
