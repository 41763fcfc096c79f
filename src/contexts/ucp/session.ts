// Checkouts by UCP: what an agent asks for, in terms of checkouts that come from a merchant's offer (CONTRACT.md 8).
import { isDeepStrictEqual } from 'node:util';
import type { Checkout, Merchant } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { parseId } from '../../platform/schema/id.js';
import { maxOfferMinor, type Offer, offerOf } from '../accounts/offer.js';
import { checkout, isOpenCheckout } from '../checkouts/checkout.js';
import { readMerchant } from '../checkouts/checkout-request.js';
import { completeCheckout } from '../checkouts/completion.js';
import { cancelCheckout } from '../checkouts/ending.js';
import type { BasketLine } from '../checkouts/offer.js';
import {
  basketOf,
  createClaimedOffered,
  createOffered,
  type NewOffered,
  type OfferedRequest,
  problemsNow,
  type Seller,
  sellerOf,
  updateOffered,
} from '../checkouts/offered.js';
import { convertCart } from './cart-conversion.js';
import { checkMandate, MandateRefused } from './checkout-mandate.js';
import { codecOf } from './codec-table.js';
import type { Talk } from './conversation.js';
import { type NamedLine, needsDelivery, planDelivery } from './delivery.js';
import { CapabilitiesIncompatible, PaymentRefused } from './errors.js';
import { authorizeTerms } from './merchant-authorization.js';
import type { UcpMessage } from './message.js';
import { noteOrderWebhook } from './order-webhook.js';
import { ucpPaymentOf } from './payment-handler.js';
import type { CheckoutRequest, CompleteRequest, LineRequest } from './request.js';
import { type PrintedSession, printSession } from './session-view.js';
import { ap2Capability, cartCapability, fulfillmentCapability } from './version.js';
import { lineIdsOf, storedWire, type Wire, wireIn, wireOf } from './wire.js';

/** How long a checkout may be paid: what UCP takes for granted where nobody says. */
const ttlSeconds = 6 * 3_600;

/** Begins a checkout at the prices of the offer. 422 `no_offer` for a merchant without one; otherwise as `createOffered`. */
export async function createUcpSession(ctx: Ctx, talk: Talk, request: CheckoutRequest): Promise<Checkout> {
  const { cart_id: cart } = request;
  if (cart === undefined || !talk.active.includes(cartCapability)) {
    const { value, seller } = newSession(ctx, talk, { ...request, cart_id: undefined });
    return createOffered(ctx, seller, value);
  }
  return convertCart(ctx, talk, { ...request, cart_id: cart }, (content, claim) => {
    const { value, seller } = newSession(ctx, talk, content);
    return createClaimedOffered(ctx, seller, value, claim);
  });
}

function newSession(ctx: Ctx, talk: Talk, request: CheckoutRequest): { value: NewOffered; seller: Seller } {
  const seller = sellerOf(talk.merchant);
  const fulfillment = talk.codec.settle(request, { offer: seller.offer, kept: {} });
  const wire: Wire = {
    profile: talk.profile.url,
    cartId: request.cart_id,
    isLocked: talk.active.includes(ap2Capability),
    buyer: request.buyer,
    lineIds: lineIdsOf(request.line_items),
    fulfillment: fulfillment ?? {},
  };
  const asked = askedFor(seller.offer, talk, request.line_items, wire);
  return { seller, value: { ...asked, protocol: 'ucp', expiresAt: addSeconds(ctx.clock.now(), ttlSeconds) } };
}

/** A checkout as it shall be from now on. Prices stay where lines are the same; what is left out stays as it was. */
export async function updateUcpSession(ctx: Ctx, talk: Talk, id: string, request: CheckoutRequest): Promise<Checkout> {
  const seller = sellerOf(talk.merchant);
  return updateOffered(ctx, seller, 'ucp', checkoutIdOf(id), (before, agreed) => {
    const kept = wireIn(before);
    const isAgreed = isSame(basketLines(request), before.lines);
    const offer = isAgreed ? agreed : seller.offer;
    const fulfillment = talk.codec.settle(request, { offer, kept: kept.fulfillment });
    const wire: Wire = {
      ...kept,
      isLocked: kept.isLocked || talk.active.includes(ap2Capability),
      buyer: request.buyer ?? kept.buyer,
      lineIds: lineIdsOf(request.line_items),
      fulfillment: fulfillment ?? kept.fulfillment,
    };
    const { lines, ...asked } = askedFor(offer, talk, request.line_items, wire);
    return isAgreed ? asked : { ...asked, lines };
  });
}

function askedFor(offer: Offer, { codec, active }: Talk, requested: readonly LineRequest[], wire: Wire): OfferedRequest {
  const named = nameLines(offer, requested, wire.lineIds);
  if (needsDelivery(offer, named) && !active.includes(fulfillmentCapability)) {
    throw new CapabilitiesIncompatible(fulfillmentCapability, codec.version);
  }
  const { selections, address } = planDelivery(offer, named, wire.fulfillment);
  return { lines: basketLines({ line_items: requested }), selections, shippingAddress: address, wire: storedWire(wire) };
}

const basketLines = ({ line_items: lines }: { line_items: readonly LineRequest[] }): BasketLine[] =>
  lines.map(({ item, quantity }) => ({ id: item.id, quantity }));

function nameLines({ items }: Offer, requested: readonly LineRequest[], lineIds: readonly string[]): NamedLine[] {
  return requested.map(({ item }, index) => ({ id: lineIds[index] ?? '', itemId: item.id, digital: items.get(item.id)?.digital ?? false }));
}

function isSame(lines: readonly BasketLine[], before: readonly BasketLine[]): boolean {
  return (
    lines.length === before.length && lines.every(({ id, quantity }, at) => before[at]?.id === id && before[at]?.quantity === quantity)
  );
}

/** The checkout of this merchant, or 404. */
export async function getUcpSession(ctx: Ctx, talk: Talk, id: string): Promise<Checkout> {
  const row = await checkout(ctx, 'ucp', checkoutIdOf(id));
  // An amount that a number of JSON cannot tell exactly is not told.
  if (row.merchantId !== talk.merchant.id || row.total > maxOfferMinor) throw new NotFound();
  return row;
}

/** Pays a checkout with the one instrument of the request. 422 for what is no payment here; otherwise as `completeCheckout`. */
export async function completeUcpSession(ctx: Ctx, talk: Talk, id: string, { payment, ap2 }: CompleteRequest): Promise<Checkout> {
  const row = await getUcpSession(ctx, talk, id);
  const [instrument, ...others] = payment.instruments;
  if (instrument === undefined || others.length > 0) throw new PaymentRefused('Send exactly one payment instrument.');
  // Gap G-291: Once AP2 was agreed on, the UCP wire always needs the mandate; /v1 and GraphQL do not.
  const isBound = talk.active.includes(ap2Capability) || wireOf(row).isLocked;
  // What was signed has the shape of the version in which it was answered.
  const termsIn = (version: unknown) => printRow(ctx, { ...talk, codec: codecOf(version) ?? talk.codec }, row);
  if (isOpenCheckout(row) && isBound) await checkMandate(ctx.platform, ap2?.checkout_mandate, talk.profile, termsIn);
  const paid = ucpPaymentOf(instrument, basketOf(row).offer.paymentHandlers);
  if (typeof paid === 'string') throw new PaymentRefused(paid);
  if (isOpenCheckout(row)) await noteOrderWebhook(ctx, talk, row);
  const check = (held: Checkout) => {
    if ((isBound || wireOf(held).isLocked) && !isDeepStrictEqual(agreedIn(held), agreedIn(row))) throw new TermsChanged();
  };
  return (await completeCheckout(ctx, 'ucp', row.id, { payment: paid, check })).checkout;
}

/** What a mandate agrees to, as the row has it. */
const agreedIn = ({ items, total, shippingAddress, details }: Checkout) => ({ items, total, shippingAddress, details });

/** The checkout was changed after its mandate was read, before it was paid. */
class TermsChanged extends MandateRefused {
  constructor() {
    super('mandate_scope_mismatch', 'The checkout was changed meanwhile: the mandate is about other terms of it.');
  }
}

/** Calls a checkout off that is not paid. */
export async function cancelUcpSession(ctx: Ctx, talk: Talk, id: string): Promise<Checkout> {
  const row = await getUcpSession(ctx, talk, id);
  return cancelCheckout(ctx, 'ucp', row.id, {});
}

/** The checkout as it is answered, with the signature of its terms where AP2 was agreed on. `messages`: what else is to be said. */
export async function answerSession(ctx: Ctx, talk: Talk, row: Checkout, messages: readonly UcpMessage[] = []): Promise<PrintedSession> {
  const printed = await printRow(ctx, talk, row, messages);
  if (!talk.active.includes(ap2Capability)) return printed;
  return { ...printed, ap2: { merchant_authorization: await authorizeTerms(ctx.platform, printed) } };
}

async function printRow(ctx: Ctx, talk: Talk, row: Checkout, messages: readonly UcpMessage[] = []): Promise<PrintedSession> {
  const problems = isOpenCheckout(row) ? problemsNow(row, offerOf(talk.merchant)) : [];
  return printSession({ row, wire: wireOf(row), problems, messages, now: ctx.clock.now() }, talk);
}

/** The merchant that a path names; null for none of this workspace. */
export async function merchantNamed(ctx: Ctx, text: string): Promise<Merchant | null> {
  const id = parseId('merchant', text);
  return id === null ? null : readMerchant(ctx, id);
}

function checkoutIdOf(text: string): string {
  const id = parseId('ucpCheckout', text);
  if (id === null) throw new NotFound();
  return id;
}
