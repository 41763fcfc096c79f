// Money: bigint minor units inside, decimal strings at the edge, one scale per currency (CONTRACT.md 0 "Money").
import { ValidationFailed } from './errors.js';

// Gap G-05: Each currency has a fixed scale; more digits than that, zero where it makes no sense, and over 10^17 minor units are 400.
/** Currencies and the number of decimal digits of their minor unit. */
export const currencyScales = { USD: 2, EUR: 2, BRL: 2, MXN: 2, JPY: 0, USDC: 6, EURC: 6, USDT: 6 } as const;
export type Currency = keyof typeof currencyScales;
export const currencies = Object.keys(currencyScales) as Currency[];

/** What an amount looks like on the wire. */
export const amountPattern = /^\d{1,18}(\.\d{1,8})?$/;
/** Largest single amount in minor units: far from the end of BIGINT even when many are added up. */
export const maxAmountMinor = 10n ** 17n;

/** True when the platform knows the currency. */
export function isCurrency(text: string): text is Currency {
  return Object.hasOwn(currencyScales, text);
}

/** Digits after the point of `currency`. An unknown currency is a fault of ours: input has been checked before. */
export function scaleOf(currency: string): number {
  if (!isCurrency(currency)) throw new Error(`unknown currency ${currency}`);
  return currencyScales[currency];
}

/**
 * Minor units of a decimal string. More digits than the currency has, zero, or too large is 400 at `path`.
 * `parseMinor('42.5', 'USD', ['amount'])` is `4250n`.
 */
export function parseMinor(amount: string, currency: string, path: readonly (string | number)[], least = 1n): bigint {
  const scale = scaleOf(currency);
  const refuse = (message: string): never => {
    throw new ValidationFailed([{ path, message, rule: 'amount' }]);
  };
  if (!amountPattern.test(amount)) refuse('must be a decimal string such as "42.00"');
  const [whole = '0', fraction = ''] = amount.split('.');
  const digits = fraction.replace(/0+$/, '');
  if (digits.length > scale) refuse(`has more than the ${scale} decimal digits of ${currency}`);
  const minor = BigInt(whole + digits.padEnd(scale, '0'));
  if (minor < least) refuse(least === 1n ? 'must be greater than 0' : `must be at least ${formatMinor(least, currency)}`);
  if (minor > maxAmountMinor) refuse(`must be at most ${formatMinor(maxAmountMinor, currency)}`);
  return minor;
}

/** `4250n` of USD is `"42.50"`: at least two digits after the point, at most the currency's scale. */
export function formatMinor(minor: bigint, currency: string): string {
  const scale = scaleOf(currency);
  const sign = minor < 0n ? '-' : '';
  const digits = (minor < 0n ? -minor : minor).toString().padStart(scale + 1, '0');
  if (scale === 0) return sign + digits;
  const point = digits.length - scale;
  let end = digits.length;
  while (end > point + 2 && digits.charCodeAt(end - 1) === 48) end -= 1;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point, end)}`;
}

/** Minor units of hundredths of a major unit, as members named `_cents` have them; null where they are no whole minor units. */
export function minorOfCents(cents: number, currency: string): bigint | null {
  const scale = scaleOf(currency);
  if (scale >= 2) return BigInt(cents) * 10n ** BigInt(scale - 2);
  const part = 10n ** BigInt(2 - scale);
  return BigInt(cents) % part === 0n ? BigInt(cents) / part : null;
}

/** Hundredths of a major unit, as members named `_cents` have them, rounded half to even. */
export function centsOfMinor(minor: bigint, currency: string): bigint {
  const scale = scaleOf(currency);
  if (scale <= 2) return minor * 10n ** BigInt(2 - scale);
  const cent = 10n ** BigInt(scale - 2);
  const [cents, rest] = [minor / cent, 2n * (minor % cent)];
  const away = minor < 0n ? -1n : 1n;
  const size = rest * away;
  return size > cent || (size === cent && cents % 2n !== 0n) ? cents + away : cents;
}
