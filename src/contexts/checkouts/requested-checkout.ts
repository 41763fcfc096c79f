// Checkouts as requests under /v1 spell them, read into what the rules take. Amounts are read in the currency of their item.
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { ApiError, type FieldIssue, ValidationFailed } from '../../platform/errors.js';
import { parseMinor } from '../../platform/money.js';
import { checkPresentation } from '../spending/pipeline/mandate.js';
import type { CreateUcpCheckoutInput, UpdateUcpCheckoutInput } from './checkout.input.js';
import type { CheckoutProtocol } from './checkout.js';
import { type CheckoutChange, checkMetadata, type NewCheckout } from './checkout-request.js';
import type { CompleteCheckoutInput } from './completion.input.js';
import { type CheckoutItem, checkoutTotalOf, noCharges } from './item.js';
import type { CheckoutPayment, CompleteCheckout } from './payment.js';

/** Seconds for which a checkout is open, unless the request says otherwise. */
export const defaultCheckoutSeconds = 1_800;

// Gap G-253: `line_items` of a UCP checkout is another name for `items`.
/** UCP has two names for its items, ACP the first of them. */
type Basket = Pick<UpdateUcpCheckoutInput, 'items' | 'lineItems'>;

/** A new checkout as the request asks for it. 400 for a basket that is missing, named twice, or adds up to no total. */
export function newCheckout(ctx: Pick<Ctx, 'clock'>, protocol: CheckoutProtocol, input: CreateUcpCheckoutInput): NewCheckout {
  const items = itemsIn(input);
  if (items === undefined) throw new ValidationFailed([{ path: ['items'], message: 'is required', rule: 'required' }]);
  const currency = input.currency ?? items[0]?.currency ?? '';
  checkoutTotalOf(items, currency, noCharges, memberOf(input));
  checkMetadata(input.metadata);
  const { expiresIn, ...rest } = input;
  return {
    ...rest,
    protocol,
    items,
    member: memberOf(input),
    currency,
    charges: noCharges,
    expiresAt: addSeconds(ctx.clock.now(), expiresIn ?? defaultCheckoutSeconds),
  };
}

const memberOf = ({ lineItems }: Basket): string => (lineItems == null ? 'items' : 'lineItems');

/** The items of a request; undefined where it names none. */
function itemsIn({ items, lineItems }: Basket): CheckoutItem[] | undefined {
  if (items != null && lineItems != null) {
    throw new ValidationFailed([{ path: ['lineItems'], message: 'is another name for items: give one of them', rule: 'exclusive' }]);
  }
  const [member, given] = lineItems == null ? ['items', items] : ['lineItems', lineItems];
  if (given == null) return undefined;
  const issues: FieldIssue[] = [];
  const read = given.map((item, index): CheckoutItem => {
    const { currency, unitPrice, ...rest } = item;
    const path = [member, index, 'unitPrice'];
    try {
      return { ...rest, currency, unitPrice: parseMinor(unitPrice, currency, path) };
    } catch (error) {
      if (!(error instanceof ApiError) || error.fields === undefined) throw error;
      issues.push(...error.fields);
      return { ...rest, currency, unitPrice: 0n };
    }
  });
  if (issues.length > 0) throw new ValidationFailed(issues);
  return read;
}

/** What a request changes. */
export function checkoutChange(input: UpdateUcpCheckoutInput): CheckoutChange {
  const { shippingAddress, paymentMethod, metadata } = input;
  checkMetadata(metadata);
  return {
    items: itemsIn(input),
    member: memberOf(input),
    shippingAddress,
    paymentMethod: paymentMethod ?? undefined,
    metadata: metadata ?? undefined,
  };
}

// Gap G-259: Beside a mandate `from_wallet_id` is the wallet that the mandate spends from.
// Gap G-266: `payment_method_id` beside `from_wallet_id` is 400; beside a mandate the card pays under it.
/**
 * The payment that a request names. 400 for none, for a card and a wallet, for a mandate without its JWT or a JWT without its mandate, and
 * for an x402 payment beside anything else.
 */
export function completionOf(input: CompleteCheckoutInput): CompleteCheckout {
  const { fromWalletId, paymentMethodId, mandateId, mandateJwt, x402PaymentId: paymentId, ...rest } = input;
  const others = { fromWalletId, paymentMethodId, mandateId, mandateJwt };
  if (paymentId == null) return { ...rest, payment: paymentIn(others) };
  if (Object.values(others).every((other) => other == null)) return { ...rest, payment: { kind: 'x402', paymentId } };
  const message = 'has paid already: leave out the other ways to pay';
  throw new ValidationFailed([{ path: ['x402PaymentId'], message, rule: 'exclusive' }]);
}

function paymentIn({ fromWalletId, paymentMethodId: cardId, mandateId, mandateJwt }: CompleteCheckoutInput): CheckoutPayment {
  checkPresentation({ mandateId, mandateJwt });
  const mandate = mandateId != null && mandateJwt != null ? { mandateId, mandateJwt } : undefined;
  if (cardId != null) {
    if (fromWalletId == null) return { kind: 'card', cardId, mandate };
    const message = 'is a card: leave out from_wallet_id, or pay from the wallet without it';
    throw new ValidationFailed([{ path: ['paymentMethodId'], message, rule: 'exclusive' }]);
  }
  if (mandate !== undefined) return { kind: 'mandate', ...mandate, walletId: fromWalletId };
  if (fromWalletId == null) {
    const message = 'or payment_method_id, or mandate_id and mandate_jwt, or x402_payment_id are required: they say how it is paid';
    throw new ValidationFailed([{ path: ['fromWalletId'], message, rule: 'required' }]);
  }
  return { kind: 'wallet', walletId: fromWalletId };
}
