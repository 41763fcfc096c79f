// How a checkout is paid on the wire of a protocol: by a handler of this platform, with one token that says by what. No token is a card
// number, and none is delegated.
import { decodeJwt } from 'jose';
import { parseId } from '../../platform/schema/id.js';
import type { PaymentHandler } from '../accounts/offer.js';
import type { CheckoutPayment } from './payment.js';

// Gap G-272: Handlers take one credential `{type, token}`: `wallet_id`, `mandate_jwt` or `card_id`; delegated tokens are refused.
/** The handlers that pay, with what their token is: the id of a wallet or of a vaulted card, or the `mandate_jwt` of an AP2 mandate. */
export const tokenKinds = { wallet: 'wallet_id', mandate: 'mandate_jwt', card: 'card_id' } as const;
export type PayingHandler = keyof typeof tokenKinds;

const paying = Object.keys(tokenKinds) as PayingHandler[];

/** Those of `allowed` that pay, in one order. */
export function payingHandlers(allowed: readonly PaymentHandler[]): PayingHandler[] {
  return paying.filter((id) => (allowed as readonly string[]).includes(id));
}

/** The payment that a token means; null for one that cannot be such a token. Whether it is good is asked when it pays. */
export function paymentByToken(handler: PayingHandler, token: string): CheckoutPayment | null {
  if (handler === 'wallet') {
    const walletId = parseId('wallet', token);
    return walletId === null ? null : { kind: 'wallet', walletId };
  }
  if (handler === 'card') {
    const cardId = parseId('vaultedCard', token);
    return cardId === null ? null : { kind: 'card', cardId };
  }
  const mandateId = mandateIn(token);
  return mandateId === null ? null : { kind: 'mandate', mandateId, mandateJwt: token };
}

/** The mandate that a JWT names. */
function mandateIn(jwt: string): string | null {
  try {
    return parseId('mandate', decodeJwt(jwt).jti);
  } catch {
    return null;
  }
}
