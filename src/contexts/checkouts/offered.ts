// Checkouts that the wire of a protocol makes from a merchant's offer. What was agreed is kept with the checkout, so that its prices hold
// while the merchant changes its offer; what is sold out since then keeps it from being paid.
import type { Checkout, Merchant } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { type FieldIssue, NotFound, StateConflict, ValidationFailed } from '../../platform/errors.js';
import { emptyOffer, maxOfferMinor, type Offer, offerFor, offerOf, readOffer } from '../accounts/offer.js';
import { type CheckoutProtocol, checkoutPath, type PostalAddress, pricedBy } from './checkout.js';
import {
  type CheckoutChange,
  type Claim,
  checkMetadata,
  createCheckout,
  createClaimed,
  type IssuedCheckout,
  type NewCheckout,
  updateCheckout,
} from './checkout-request.js';
import { NoOffer } from './errors.js';
import { type CheckoutItem, chargesOf, itemsOf } from './item.js';
import { type Basket, type BasketLine, type BasketRequest, type PricedLine, type Problem, priceBasket, type Selection } from './offer.js';

/** A merchant that sells by the wires of protocols. */
export interface Seller {
  merchant: Merchant;
  offer: Offer;
}

/** A merchant as a seller. 422 `no_offer` for one without an offer. */
export function sellerOf(merchant: Merchant): Seller {
  const offer = offerOf(merchant);
  if (offer === null) throw new NoOffer(merchant.id);
  return { merchant, offer };
}

/** What a buyer asks for. `wire` is what only the protocol knows, kept as it is. */
export interface OfferedRequest {
  lines: readonly BasketLine[];
  selections: readonly Selection[];
  shippingAddress: PostalAddress | null;
  wire: Readonly<Record<string, unknown>>;
}

/** `details` of such a checkout. */
interface OfferedDetails {
  /** The part of the offer that was agreed, as the merchant wrote it. */
  offer: unknown;
  selections: Selection[];
  wire: Record<string, unknown>;
}

type Offered = Pick<Checkout, 'items' | 'currency' | 'details' | 'shippingAddress'>;

/** True for a checkout that was made from an offer. */
export function isOffered(row: Pick<Checkout, 'details'>): boolean {
  return pricedBy(row) === 'merchant';
}

/** What was asked for in a checkout. One that was not made from an offer has chosen nothing. */
export function offeredRequestOf(row: Offered): OfferedRequest {
  const { selections, wire } = isOffered(row) ? (row.details as unknown as OfferedDetails) : { selections: [], wire: {} };
  const lines = itemsOf(row).map(({ sku, quantity }) => ({ id: sku, quantity }));
  return { lines, selections, shippingAddress: row.shippingAddress as PostalAddress | null, wire };
}

/** The basket of a checkout, by what was agreed: it comes to the total of the checkout. */
export function basketOf(row: Checkout): Basket {
  return isOffered(row) ? agreedBasket(row) : plainBasket(row);
}

function agreedBasket(row: Offered): Basket {
  return priceBasket(readOffer((row.details as unknown as OfferedDetails).offer), basketRequest(offeredRequestOf(row)));
}

// Gap G-282: A checkout of /v1 can be read, paid and cancelled on a wire; prices of the buyer are kept until the merchant refuses them.
/** The basket of a checkout that was made without an offer, as through /v1: items at the prices that it was made with, and its charges. */
function plainBasket(row: Checkout): Basket {
  const { fulfillment, tax } = chargesOf(row);
  const priced = itemsOf(row).map(({ sku: id, title, unitPrice, quantity }) => ({
    item: { id, title: title ?? id, unitPrice, digital: true },
    quantity,
  }));
  const lines = priced.map(({ item, quantity }): PricedLine => {
    const base = item.unitPrice * BigInt(quantity);
    return { item, quantity, base, tax: 0n, total: base };
  });
  const items = new Map(lines.map(({ item }) => [item.id, item]));
  const offer: Offer = { ...emptyOffer(row.currency as Offer['currency']), items };
  const subtotal = row.total - fulfillment - tax;
  const { total } = row;
  const charges = { fulfillment, tax };
  const isTooLarge = total > maxOfferMinor;
  return { offer, lines, options: [], selections: [], subtotal, ...charges, charges, total, isTooLarge, problems: [] };
}

// Gap G-279: Prices are valid as long as the checkout; stock is checked again at payment; new items have today's prices.
/** What keeps a checkout from being paid now: what is still to be chosen, and what the merchant no longer has (null: it sells no more). */
export function problemsNow(row: Checkout, offer: Offer | null): readonly Problem[] {
  if (!isOffered(row)) return [];
  const request = offeredRequestOf(row);
  const ofLine = ({ line }: Problem) => line !== undefined;
  const gone = request.lines.map(({ id }, line): Problem => ({ code: 'unknown_item', line, message: `${id} is not sold any more.` }));
  const ofStock = offer === null ? gone : priceBasket(offer, basketRequest(request)).problems.filter(ofLine);
  return [...ofStock, ...basketOf(row).problems.filter((problem) => !ofLine(problem))];
}

function basketRequest({ lines, selections, shippingAddress }: OfferedRequest): BasketRequest {
  return { lines, selections, country: shippingAddress?.country ?? null };
}

/** Beside the request itself, what a new checkout has. */
export interface NewOffered extends OfferedRequest {
  protocol: CheckoutProtocol;
  metadata?: Record<string, unknown> | undefined;
  expiresAt: Date;
}

/**
 * Begins a checkout at the prices of the offer. 400 with paths below `lines` and `selections`, and rules that are the codes of problems,
 * for what the offer does not have; what is sold out or still to be chosen is no error. Otherwise as `createCheckout`.
 */
export function createOffered(ctx: Ctx, seller: Seller, value: NewOffered): Promise<IssuedCheckout> {
  return createCheckout(ctx, offeredCheckout(seller, value));
}

/** The same for something that becomes one checkout at a time: see `createClaimed`. */
export function createClaimedOffered(ctx: Ctx, seller: Seller, value: NewOffered, claim: Claim): Promise<Checkout> {
  return createClaimed(ctx, offeredCheckout(seller, value), claim);
}

function offeredCheckout({ merchant, offer }: Seller, value: NewOffered): NewCheckout {
  const { protocol, metadata, expiresAt, shippingAddress } = value;
  checkMetadata(metadata);
  const { items, charges, details } = agree(merchant, offer, value);
  const { currency } = offer;
  return { protocol, merchantId: merchant.id, items, currency, charges, shippingAddress, metadata, expiresAt, details };
}

/**
 * Changes a checkout that nobody has begun to pay. `change` is given what was asked for so far, and the offer that was agreed. New items
 * are agreed anew, at the prices of today; anything else leaves the prices as they were. Refuses as `createOffered` and `updateCheckout`;
 * 404 for a checkout of another seller.
 */
export function updateOffered(
  ctx: Ctx,
  { merchant, offer }: Seller,
  protocol: CheckoutProtocol,
  id: string,
  change: (asked: OfferedRequest, agreed: Offer) => Partial<OfferedRequest>,
): Promise<Checkout> {
  return updateCheckout(ctx, protocol, id, (row): CheckoutChange => {
    if (row.merchantId !== merchant.id) throw new NotFound();
    if (!isOffered(row)) throw new MadeWithoutOffer(row);
    const before = offeredRequestOf(row);
    const kept = readOffer((row.details as unknown as OfferedDetails).offer);
    const made = change(before, kept);
    const after = { ...before, ...made };
    const present = new Set(after.lines.map((line) => line.id));
    const selections = made.selections ?? pruned(before.selections, present);
    if (made.lines !== undefined && offer.currency !== row.currency) throw otherCurrency(offer);
    const agreed = made.lines === undefined ? kept : offer;
    const { items, charges, details } = agree(merchant, agreed, { ...after, selections });
    const ofOffer = made.lines === undefined ? { ...details, offer: (row.details as unknown as OfferedDetails).offer } : details;
    return { items, charges, details: ofOffer, shippingAddress: after.shippingAddress };
  });
}

// Gap G-293: A checkout keeps its currency: items of a merchant that now sells in another currency are 400.
function otherCurrency({ currency }: Offer): ValidationFailed {
  return new ValidationFailed([{ path: ['lines'], message: `are sold in ${currency} by now: begin another checkout`, rule: 'currency' }]);
}

/** 409: its items have prices of their own, which no wire may change. */
class MadeWithoutOffer extends StateConflict {
  constructor(row: Checkout) {
    super('The checkout was not made from an offer: change it under /v1.', row.status, [], {
      next_actions: [{ rel: 'update', actor: 'any', method: 'PATCH', path: checkoutPath(row) }],
    });
  }
}

/** Selections without the items that have left the basket. */
function pruned(selections: readonly Selection[], present: ReadonlySet<string>): Selection[] {
  return selections
    .map(({ optionId, itemIds }) => ({ optionId, itemIds: itemIds.filter((id) => present.has(id)) }))
    .filter(({ itemIds }) => itemIds.length > 0);
}

interface Agreed {
  items: CheckoutItem[];
  charges: Basket['charges'];
  details: Record<string, unknown>;
}

function agree(merchant: Merchant, offer: Offer, request: OfferedRequest): Agreed {
  const { lines, isTooLarge, charges, problems } = priceBasket(offer, basketRequest(request));
  const faults = problems.flatMap(faultOf);
  if (isTooLarge) faults.push({ path: ['lines'], message: 'come to more than a number of JSON can tell exactly', rule: 'max' });
  if (faults.length > 0) throw new ValidationFailed(faults);
  const { currency } = offer;
  const items = lines.map(({ item, quantity }) => ({ sku: item.id, title: item.title, quantity, unitPrice: item.unitPrice, currency }));
  const ids = new Set(request.lines.map(({ id }) => id));
  return { items, charges, details: { offer: offerFor(merchant, ids), selections: request.selections, wire: request.wire } };
}

/** Problems that a request is refused for: it names what is not there. */
function faultOf({ code, line, selection, message }: Problem): FieldIssue[] {
  if (code === 'unknown_item') return [{ path: ['lines', line ?? 0, 'id'], message, rule: code }];
  if (code === 'unknown_option') return [{ path: ['selections', selection ?? 0, 'optionId'], message, rule: code }];
  if (code === 'option_unsuited' || code === 'option_repeated') {
    return [{ path: ['selections', selection ?? 0, 'itemIds'], message, rule: code }];
  }
  return [];
}

/** Throws 409 while something keeps a checkout from an offer from being paid. `merchant` is as it is now; null for one that is gone. */
export function refuseUnready(merchant: Pick<Merchant, 'metadata'> | null, row: Checkout): void {
  const problems = problemsNow(row, merchant === null ? null : offerOf(merchant));
  if (problems.length > 0) throw notReady(row, problems);
}

/** 409: it cannot be paid as it is. `problems`: why, at least one. */
export function notReady(row: Checkout, problems: readonly { code: string; message: string }[]): StateConflict {
  return new StateConflict(`The checkout is not ready to be paid. ${problems[0]?.message}`, row.status, ['created', 'failed'], {
    reason: 'not_ready',
    problems: problems.map(({ code, message }) => ({ code, message })),
    next_actions: [{ rel: 'read', actor: 'any', method: 'GET', path: checkoutPath(row) }],
  });
}
