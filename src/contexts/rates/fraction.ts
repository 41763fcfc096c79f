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
