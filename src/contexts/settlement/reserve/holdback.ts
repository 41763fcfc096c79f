// How a payment by a protocol is divided: the fee, what is kept back, and what the payee gets at once (CONTRACT.md 12 "Reserve").
import type { Leg } from '../../../ledger/posting.js';

/** Hundredths of a percent. */
export interface Shares {
  fee: number;
  holdback: number;
}

/** A payment, minor units. */
export interface Division {
  fee: bigint;
  heldBack: bigint;
  rest: bigint;
}

const whole = 10_000n;

// Gap G-179: The fee is taken first, and the holdback of the rest, both rounded down.
/** Divides a payment: the fee first, and of what is left what is kept back, both rounded down. The parts sum to the payment. */
export function divide(amount: bigint, { fee: feeShare, holdback }: Shares): Division {
  const fee = (amount * BigInt(feeShare)) / whole;
  const heldBack = ((amount - fee) * BigInt(holdback)) / whole;
  return { fee, heldBack, rest: amount - fee - heldBack };
}

/** A part of what a leg moves, and the account that it concerns instead. */
export interface HoldbackPart {
  accountId: string;
  amount: bigint;
}

/** Legs in which parts of what one account is credited, or debited, go to other accounts, or come from them. */
export function diverted(legs: readonly Leg[], accountId: string, parts: readonly HoldbackPart[]): Leg[] {
  const at = legs.findIndex((leg) => leg.accountId === accountId);
  const leg = legs[at];
  if (leg === undefined) throw new Error('an account of which a part is diverted has no leg');
  const sign = leg.amount < 0n ? -1n : 1n;
  const others = parts.map((part) => ({ accountId: part.accountId, currency: leg.currency, amount: sign * part.amount }));
  const own = { ...leg, amount: others.reduce((left, { amount }) => left - amount, leg.amount) };
  if (own.amount * sign < 0n) throw new Error('more is diverted than a leg moves');
  return [...legs.slice(0, at), own, ...others, ...legs.slice(at + 1)].filter(({ amount }) => amount !== 0n);
}
