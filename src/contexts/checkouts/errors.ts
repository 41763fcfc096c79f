// The codes that are the checkouts' own (CONTRACT.md 0 "Errors").
import { declareError } from '../../platform/errors.js';
import { printId } from '../../platform/schema/id.js';

/** 403: an agent acts for its own side of a checkout only. */
export class NotYourCheckout extends declareError(403, 'forbidden') {
  constructor(message: string) {
    super(message, { details: { terminal: true } });
  }
}

/** 409: the time of the checkout is over. `again`: the request that would begin it anew. */
export class CheckoutExpired extends declareError(409, 'checkout_expired') {
  constructor(again: { path: string; body: Record<string, unknown> }) {
    super('The checkout has expired: create a new one.', {
      details: { next_actions: [{ rel: 'create', actor: 'any', method: 'POST', ...again }] },
    });
  }
}

/** 409: the merchant sells at other prices. `again`: the request at its prices. */
export class PriceChanged extends declareError(409, 'price_changed') {
  constructor(
    prices: readonly { sku: string; unit_price: string; currency: string }[],
    again: { rel: string; method: string; path: string; body: Record<string, unknown> },
  ) {
    super('The merchant sells at other prices: see details.prices.', { details: { prices, next_actions: [{ actor: 'any', ...again }] } });
  }
}

/** 409: the merchant does not have as much, or does not sell as much in one order. */
export class OutOfStock extends declareError(409, 'out_of_stock') {
  constructor(problems: readonly { item: number | undefined; code: string; message: string }[]) {
    const message = problems.map((problem) => problem.message).join(' ');
    super(`The merchant cannot sell this. ${message}`.slice(0, 500), { details: { problems, retry: { safe: true, same_key: true } } });
  }
}

/** 409: the merchant has no offer, and takes no prices from buyers. */
export class BuyerPricesRefused extends declareError(409, 'buyer_prices_refused') {
  constructor(merchantId: string) {
    const path = `/v1/merchants/${printId('merchant', merchantId)}`;
    super('This merchant has no offer, and takes no prices from buyers.', {
      details: { next_actions: [{ rel: 'add_offer', actor: 'api_key', method: 'PATCH', path }] },
    });
  }
}

// Gap G-406: A merchant without an offer is 422 `no_offer` in ACP, and a message with that code in UCP.
/** 422: the wires of protocols sell from offers, and the merchant has none. */
export class NoOffer extends declareError(422, 'no_offer') {
  constructor(merchantId: string) {
    const path = `/v1/merchants/${printId('merchant', merchantId)}`;
    const mend = `the merchant adds metadata.offer with PATCH ${path}, or the checkout is begun with its prices at /v1/acp|ucp/checkouts`;
    super(`This merchant has no offer: ${mend}.`, {
      details: { next_actions: [{ rel: 'add_offer', actor: 'api_key', method: 'PATCH', path }] },
    });
  }
}
