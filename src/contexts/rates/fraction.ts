// Exact fractions of whole numbers, for rates: nothing is rounded before the end (CONTRACT.md 2 "Rates").

/** A number that is not below zero, in lowest terms. `den` is above zero. */
export interface Fraction {
  num: bigint;
  den: bigint;
}

export const one: Fraction = { num: 1n, den: 1n };

/** The fraction in lowest terms. */
export function fraction(num: bigint, den: bigint): Fraction {
  let [divisor, rest] = [num, den];
  while (rest > 0n) [divisor, rest] = [rest, divisor % rest];
  return { num: num / divisor, den: den / divisor };
}

/** The number that a decimal text such as `5.43` says. */
export function readDecimal(text: string): Fraction {
  const [whole = '', decimals = ''] = text.split('.');
  return fraction(BigInt(whole + decimals), 10n ** BigInt(decimals.length));
}

/** One divided by a fraction that is not zero. */
export function inverse({ num, den }: Fraction): Fraction {
  return { num: den, den: num };
}

/** The product of two fractions. */
export function product(a: Fraction, b: Fraction): Fraction {
  return fraction(a.num * b.num, a.den * b.den);
}

/** The least whole number that is not below `amount` times the fraction. */
export function timesUp(amount: bigint, { num, den }: Fraction): bigint {
  return (amount * num + den - 1n) / den;
}

/** The greatest whole number that is not above `amount` times the fraction. */
export function timesDown(amount: bigint, { num, den }: Fraction): bigint {
  return (amount * num) / den;
}

/** The fraction as decimal text of at most `digits` significant digits, rounded down: `0.1841620626`. */
export function printDecimal({ num, den }: Fraction, digits = 10): string {
  const whole = (num / den).toString();
  let places = whole === '0' ? 0 : digits - whole.length;
  // Zeros behind the point are no significant digits.
  if (whole === '0') for (let rest = num; rest > 0n && rest < den; rest *= 10n) places += 1;
  if (whole === '0') places += digits - 1;
  if (places <= 0) return whole;
  const scaled = ((num * 10n ** BigInt(places)) / den).toString().padStart(places + 1, '0');
  const point = scaled.length - places;
  return `${scaled.slice(0, point)}.${scaled.slice(point)}`.replace(/\.?0+$/, '');
}
