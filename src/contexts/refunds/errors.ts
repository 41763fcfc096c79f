// Errors that are the refunds' own.
import { declareError, type NextAction } from '../../platform/errors.js';
import { formatMinor } from '../../platform/money.js';

/** 422: more than is left of what was paid. `action`: what the caller may do about it. */
export class RefundExceedsOriginal extends declareError(422, 'refund_exceeds_original') {
  constructor(rest: bigint, currency: string, action?: NextAction) {
    const refundable = formatMinor(rest, currency);
    super(`Only ${refundable} ${currency} of this transfer can still be refunded.`, {
      details: { refundable, currency, ...(action === undefined ? { terminal: true } : { next_actions: [action] }) },
    });
  }
}

/** 403: an agent acts for its own side of a transfer only. */
export class NotYourSide extends declareError(403, 'forbidden') {
  constructor(message: string) {
    super(message, { details: { terminal: true } });
  }
}
