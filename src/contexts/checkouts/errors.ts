// The codes that are the checkouts' own (CONTRACT.md 0 "Errors").
import { declareError } from '../../platform/errors.js';

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
