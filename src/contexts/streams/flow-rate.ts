// The rate of a stream: an amount for each second, minute, hour, day or 30 days. All rates are whole numbers of one unit, so that
// nothing is rounded however long money flows (CONTRACT.md 3 "Math").
import type { RatePeriod } from '../../generated/prisma/client.js';
import { scaleOf } from '../../platform/money.js';

/** Digits after the point of a rate. */
export const rateDigits = 18;

/** Milliseconds of each period. A month has 30 days. */
const periodMs = {
  second: 1_000n,
  minute: 60_000n,
  hour: 3_600_000n,
  day: 86_400_000n,
  month30: 2_592_000_000n,
} as const satisfies Record<RatePeriod, bigint>;

/** A multiple of every period: what each of them makes of its last digit in a millisecond is a whole part of it. */
const longest = periodMs.month30;

// Gap G-129: `rate.amount` has up to 18 decimals; `flow_rate` is printed to 18, rounded down, and money flows by the exact rate.
/** A rate as it was given, in major units: `{ amount: '5000.00', per: 'month30' }`. */
export interface GivenRate {
  amount: string;
  per: RatePeriod;
}

/** Units of a major unit of any currency: every rate makes a whole number of them in a millisecond. */
const unitsPerMajor = 10n ** BigInt(rateDigits) * longest;

/** Units of a minor unit of a currency. */
export function unitsPerMinor(currency: string): bigint {
  return unitsPerMajor / 10n ** BigInt(scaleOf(currency));
}

/** Units that flow in a millisecond. The amount has at most 18 digits after the point. */
export function unitsPerMs({ amount, per }: GivenRate): bigint {
  return digitsOf(amount) * (longest / periodMs[per]);
}

/** A rate in major units per second, of at most 18 digits after the point, rounded down. */
export function printFlowRate(rate: GivenRate): string {
  return printDigits((digitsOf(rate.amount) * periodMs.second) / periodMs[rate.per]);
}

/** `1.5` as a whole number of its eighteenth digit. */
function digitsOf(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(rateDigits, '0'));
}

function printDigits(digits: bigint): string {
  const text = digits.toString().padStart(rateDigits + 1, '0');
  const fraction = text.slice(-rateDigits).replace(/0+$/, '');
  return fraction === '' ? text.slice(0, -rateDigits) : `${text.slice(0, -rateDigits)}.${fraction}`;
}
