// Errors that are those of MPP alone.
import { declareError, StateConflict } from '../../platform/errors.js';
import { formatMinor } from '../../platform/money.js';
import { printId } from '../../platform/schema/id.js';
import { InsufficientBalance } from '../spending/errors.js';

/** 403: vouchers and deposits are made by the payer's side of a session. */
export class OtherSide extends declareError(403, 'forbidden') {
  constructor(id: string) {
    const path = `/v1/mpp/sessions/${printId('mppSession', id)}`;
    super('Only the payer of this session may do that.', {
      details: { next_actions: [{ rel: 'read', actor: 'any', method: 'GET', path }] },
    });
  }
}

/** 409: a session has had all the deposits that one may have. */
export function tooManyDeposits(id: string, most: number): StateConflict {
  const path = `/v1/mpp/sessions/${printId('mppSession', id)}/close`;
  return new StateConflict(`The session has reached its limit of ${most} deposits: close it and open a new one.`, 'open', [], {
    next_actions: [{ rel: 'close', actor: 'any', method: 'POST', path, body: {} }],
  });
}

/** 422: the request_id was given to a voucher of another amount. */
export class RequestIdReused extends declareError(422, 'idempotency_key_reused') {
  constructor() {
    super('This request_id was used for a voucher of another amount. Take a new one for a new voucher.', {
      details: { retry: { safe: true, same_key: false } },
    });
  }
}

// Gap G-309: A voucher beyond the deposit is 422 `insufficient_balance`; one above `max_voucher_amount` is 400.
/** 422: a voucher would promise more than the deposit, minor units. */
export function overDeposit(
  id: string,
  currency: string,
  { deposited, accepted }: { deposited: bigint; accepted: bigint },
): InsufficientBalance {
  const print = (minor: bigint) => formatMinor(minor, currency);
  const printed = printId('mppSession', id);
  return new InsufficientBalance(`The deposit has ${print(deposited - accepted)} ${currency} left; this voucher would promise more.`, {
    details: {
      session_id: printed,
      currency,
      deposit_amount: print(deposited),
      accepted_cumulative: print(accepted),
      available: print(deposited - accepted),
      next_actions: [
        { rel: 'read', actor: 'any', method: 'GET', path: `/v1/mpp/sessions/${printed}` },
        // Any amount that is enough does.
        { rel: 'top_up', actor: 'any', method: 'POST', path: `/v1/mpp/sessions/${printed}/top-up`, body: { amount: print(deposited) } },
      ],
    },
  });
}
