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
    super('The checkout has expired: begin another one.', {
      details: { next_actions: [{ rel: 'create', actor: 'any', method: 'POST', ...again }] },
    });
  }
}

/** 422: the wires of protocols sell from offers, and the merchant has none (Gap G-410). */
export class NoOffer extends declareError(422, 'no_offer') {
  constructor(merchantId: string) {
    const path = `/v1/merchants/${printId('merchant', merchantId)}`;
    const mend = `the merchant adds metadata.offer with PATCH ${path}, or the checkout is begun with its prices at /v1/acp|ucp/checkouts`;
    super(`This merchant has no offer: ${mend}.`, {
      details: { next_actions: [{ rel: 'add_offer', actor: 'api_key', method: 'PATCH', path }] },
    });
  }
}
