// Errors that are the streams' own.
import { declareError } from '../../platform/errors.js';
import { formatMinor } from '../../platform/money.js';
import { printId } from '../../platform/schema/id.js';
import { InsufficientBalance } from '../spending/errors.js';

/** 403: the payer's side changes a stream, the payee's side takes out what has flowed. */
export class OtherSide extends declareError(403, 'forbidden') {
  constructor(id: string, side: 'payer' | 'payee') {
    super(`Only the ${side} of this stream may do that.`, {
      details: { next_actions: [{ rel: 'read', actor: 'any', method: 'GET', path: `/v1/streams/${printId('stream', id)}` }] },
    });
  }
}

// Gap G-141: Withdrawing more than has flowed, or when nothing has, is 422 `insufficient_balance` with what there is.
/** 422: less has flowed than was asked for, or nothing. */
export function tooLittleStreamed(id: string, currency: string, available: bigint, requested: bigint): InsufficientBalance {
  const print = (minor: bigint) => formatMinor(minor, currency);
  const sentence =
    available > 0n
      ? `The stream has ${print(available)} ${currency} to withdraw; this asks for ${print(requested)}.`
      : 'Nothing has accrued yet that can be withdrawn.';
  return new InsufficientBalance(sentence, {
    details: {
      stream_id: printId('stream', id),
      currency,
      available: print(available),
      requested: print(requested),
      missing: print(requested - available),
      next_actions: [{ rel: 'read', actor: 'any', method: 'GET', path: `/v1/streams/${printId('stream', id)}` }],
    },
  });
}
