// Errors that are the transfers' own.
import { declareError } from '../../platform/errors.js';

/** 422: money does not move from a wallet to itself. */
export class SameWallet extends declareError(422, 'same_wallet') {
  constructor() {
    super('The payer and the payee are the same wallet.', {
      details: { next_actions: [{ rel: 'wallets', actor: 'any', method: 'GET', path: '/v1/wallets' }] },
    });
  }
}
/** 409: what was held goes back to the payer, and is not captured any more. */
export class HoldExpired extends declareError(409, 'hold_expired') {
  constructor() {
    super('The hold has expired; the money goes back to the payer.', { details: { terminal: true } });
  }
}
