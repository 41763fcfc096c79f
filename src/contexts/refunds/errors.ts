// Errors that are the refunds' own.
import { declareError } from '../../platform/errors.js';
import { formatMinor } from '../../platform/money.js';

/** 422: more than is left of what was paid. */
export class RefundExceedsOriginal extends declareError(422, 'refund_exceeds_original') {
  constructor(transferId: string, rest: bigint, currency: string) {
    const refundable = formatMinor(rest, currency);
    const body = { original_transfer_id: transferId, amount: refundable, reason: 'other' };
    super(`Of this transfer ${refundable} ${currency} can still be refunded.`, {
      details: {
        refundable,
        currency,
        ...(rest > 0n
          ? { next_actions: [{ rel: 'refund_rest', actor: 'any', method: 'POST', path: '/v1/refunds', body }] }
          : { terminal: true }),
      },
    });
  }
}

/** 403: an agent acts for its own side of a transfer only. */
export class NotYourSide extends declareError(403, 'forbidden') {
  constructor(message: string) {
    super(message, { details: { terminal: true } });
  }
}
