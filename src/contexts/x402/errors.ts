// The codes that are x402's own (CONTRACT.md 0 "Errors").
import { declareError, type ErrorDetails, type WayOut } from '../../platform/errors.js';

/** 422: a payment is no good. `details.reason` is a word of the x402 specification. */
export class PaymentInvalid extends declareError(422, 'payment_invalid') {
  readonly reason: string;

  constructor(reason: string, message: string, wayOut: ErrorDetails & WayOut = { retry: { safe: true, same_key: false } }) {
    super(message, { details: { reason, ...wayOut } });
    this.reason = reason;
  }
}

/** 422: nobody serves the network here. */
export class UnsupportedNetwork extends declareError(422, 'unsupported_network') {
  constructor(network: string) {
    super(`Payments on the network ${network} are not supported.`, {
      details: {
        network,
        next_actions: [{ rel: 'supported', actor: 'any', method: 'GET', path: '/v1/x402/facilitator/supported' }],
      },
    });
  }
}

/** 409: the payer has paid something else with this id of the extension payment-identifier. */
export class PaymentIdentifierUsed extends declareError(409, 'already_exists') {
  constructor() {
    super('Another payload has paid with this payment-identifier: take a new one for a new payment.', {
      details: {
        reason: 'payment_identifier_used',
        next_actions: [{ rel: 'payments', actor: 'any', method: 'GET', path: '/v1/x402/payments' }],
      },
    });
  }
}
