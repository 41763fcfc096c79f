// Errors that are the transfers' own.
import { declareError } from '../../platform/errors.js';

export class SameWallet extends declareError(422, 'same_wallet') {}
export class HoldExpired extends declareError(409, 'hold_expired') {}
/** An agent spends from its own wallets only. */
export class NotYourWallet extends declareError(403, 'forbidden') {}
