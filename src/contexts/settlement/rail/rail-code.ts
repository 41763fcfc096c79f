// The codes with which rails reject or return an order, and what each means.

interface Meaning {
  reason: string;
  /** What is shown as `error_code`. */
  errorCode: string;
}

// Gap G-162: `error_code` is a word such as `account_closed`, `return.code` the rail's own code; unknown is `rejected_by_rail`.
const meanings: Readonly<Record<string, Meaning>> = {
  R01: { reason: 'insufficient funds', errorCode: 'insufficient_funds' },
  R02: { reason: 'account closed', errorCode: 'account_closed' },
  R03: { reason: 'no account', errorCode: 'no_account' },
  AC01: { reason: 'incorrect account number', errorCode: 'incorrect_account_number' },
  AC04: { reason: 'closed account number', errorCode: 'account_closed' },
  AB09: { reason: "error at the payee's bank", errorCode: 'payee_bank_error' },
  '14': { reason: 'mandatory information is missing', errorCode: 'missing_information' },
  insufficient_funds: { reason: 'the card has not enough funds', errorCode: 'insufficient_funds' },
  expired_card: { reason: 'the card has expired', errorCode: 'card_expired' },
  card_declined: { reason: 'the card was declined', errorCode: 'card_declined' },
  reverted: { reason: 'the transaction was reverted', errorCode: 'reverted' },
  expired: { reason: 'the chain did not carry the payment in its time', errorCode: 'expired' },
  cancelled: { reason: 'the payment was cancelled before the chain carried it', errorCode: 'cancelled' },
  address_blocked: { reason: 'the token does not pay this address', errorCode: 'address_blocked' },
  treasury_short: { reason: 'the treasury had too little money for as long as the payment was good', errorCode: 'treasury_short' },
  reorged: { reason: 'the chain has taken its block back', errorCode: 'reorged' },
  paid_by_x402: { reason: 'it is the money of an x402 payment', errorCode: 'paid_by_x402' },
  token_paused: { reason: 'the token was paused for as long as the payment was good', errorCode: 'token_paused' },
};

/** What a code of a rail says to people. */
export function reasonOfCode(code: string): string {
  return meanings[code]?.reason ?? 'rejected by the rail';
}

/** What a code of a rail says to programs. */
export function errorCodeOf(code: string): string {
  return meanings[code]?.errorCode ?? 'rejected_by_rail';
}
