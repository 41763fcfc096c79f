// Decimal strings and minor units, either way.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ValidationFailed } from '../../src/platform/errors.js';
import {
  amountPattern,
  centsOfMinor,
  currencies,
  currencyScales,
  formatMinor,
  isCurrency,
  maxAmountMinor,
  parseMinor,
  scaleOf,
} from '../../src/platform/money.js';

const parse = (amount: string, currency: string) => parseMinor(amount, currency, ['amount']);
const currencyArbitrary = fc.constantFrom(...currencies);
const minorArbitrary = fc.bigInt({ min: 1n, max: maxAmountMinor });

describe('parseMinor', () => {
  for (const [amount, currency, minor] of [
    ['42.00', 'USD', 4_200n],
    ['42', 'USD', 4_200n],
    ['42.5', 'EUR', 4_250n],
    ['0.01', 'BRL', 1n],
    ['1.50000000', 'MXN', 150n],
    ['000000000000000001', 'USD', 100n],
    ['7', 'JPY', 7n],
    ['7.00', 'JPY', 7n],
    ['0.000001', 'USDC', 1n],
    ['0.0035', 'USDT', 3_500n],
    ['1000000000000000.00', 'USD', maxAmountMinor],
  ] as const) {
    it(`${amount} ${currency} is ${minor}`, () => expect(parse(amount, currency)).toBe(minor));
  }

  for (const [name, amount, currency] of [
    ['zero', '0.00', 'USD'],
    ['more digits than the currency has', '0.005', 'USD'],
    ['a fraction of a yen', '0.5', 'JPY'],
    ['a seventh digit', '0.0000001', 'USDC'],
    ['more than the most', '1000000000000000.01', 'USD'],
    ['a sign', '+1.00', 'USD'],
    ['a minus', '-1.00', 'USD'],
    ['an exponent', '1e2', 'USD'],
    ['white space', ' 1.00', 'USD'],
    ['a line feed at the end', '1.00\n', 'USD'],
    ['a comma', '1,00', 'USD'],
    ['a point alone', '.', 'USD'],
    ['nothing before the point', '.50', 'USD'],
    ['nothing after the point', '1.', 'USD'],
    ['hexadecimal', '0x10', 'USD'],
    ['words', 'Infinity', 'USD'],
    ['nineteen digits', '1234567890123456789', 'USDC'],
    ['nothing', '', 'USD'],
  ] as const) {
    it(`refuses ${name}`, () => {
      try {
        parse(amount, currency);
      } catch (error) {
        expect(error).toBeInstanceOf(ValidationFailed);
        expect((error as ValidationFailed).fields).toMatchObject([{ path: ['amount'], rule: 'amount' }]);
        return;
      }
      expect.fail('was taken');
    });
  }

  it('takes zero where zero may be', () => expect(parseMinor('0', 'USD', [], 0n)).toBe(0n));

  it('refuses or reads, and never rounds', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,18}(\.\d{1,8})?$/), currencyArbitrary, (amount, currency) => {
        let minor: bigint;
        try {
          minor = parse(amount, currency);
        } catch (error) {
          expect(error).toBeInstanceOf(ValidationFailed);
          return;
        }
        const scale = 10n ** 8n;
        const [whole = '', fraction = ''] = amount.split('.');
        const exact = BigInt(whole) * scale + BigInt(fraction.padEnd(8, '0'));
        expect(minor * 10n ** BigInt(8 - scaleOf(currency))).toBe(exact);
      }),
    );
  });
});

describe('formatMinor', () => {
  for (const [minor, currency, amount] of [
    [4_200n, 'USD', '42.00'],
    [1n, 'USD', '0.01'],
    [0n, 'USD', '0.00'],
    [-1n, 'USD', '-0.01'],
    [-123_456n, 'EUR', '-1234.56'],
    [0n, 'JPY', '0'],
    [-7n, 'JPY', '-7'],
    [1n, 'USDC', '0.000001'],
    [3_500n, 'USDC', '0.0035'],
    [1_000_000n, 'USDC', '1.00'],
    [1_500_000n, 'EURC', '1.50'],
    [10n ** 18n, 'USDT', '1000000000000.00'],
  ] as const) {
    it(`${minor} of ${currency} is ${amount}`, () => expect(formatMinor(minor, currency)).toBe(amount));
  }

  it('is read back as what it was', () => {
    fc.assert(fc.property(minorArbitrary, currencyArbitrary, (minor, currency) => parse(formatMinor(minor, currency), currency) === minor));
  });

  it('has the form of the wire, at least two and at most the currency’s digits', () => {
    fc.assert(
      fc.property(minorArbitrary, currencyArbitrary, (minor, currency) => {
        const text = formatMinor(minor, currency);
        expect(text).toMatch(amountPattern);
        const digits = text.split('.')[1]?.length ?? 0;
        expect(digits).toBeGreaterThanOrEqual(Math.min(2, currencyScales[currency]));
        expect(digits).toBeLessThanOrEqual(currencyScales[currency]);
        expect(formatMinor(-minor, currency)).toBe(`-${text}`);
      }),
    );
  });
});

describe('cents', () => {
  it.each([
    [150n, 'USD', 150n],
    [-3n, 'JPY', -300n],
    [4_999n, 'USDC', 0n],
    [5_000n, 'USDC', 0n],
    [5_001n, 'USDC', 1n],
    [15_000n, 'USDC', 2n],
    [-15_000n, 'USDC', -2n],
    [-25_000n, 'USDC', -2n],
  ])('of %s %s are %s, rounded half to even', (minor, currency, cents) => {
    expect(centsOfMinor(minor, currency)).toBe(cents);
  });
});

describe('currencies', () => {
  it('are those of the specification, and no property of an object', () => {
    expect(currencyScales).toEqual({ USD: 2, EUR: 2, BRL: 2, MXN: 2, JPY: 0, USDC: 6, EURC: 6, USDT: 6 });
    for (const currency of currencies) expect(isCurrency(currency)).toBe(true);
    for (const text of ['usd', 'XAU', '', 'toString', '__proto__', 'constructor']) expect(isCurrency(text)).toBe(false);
    expect(() => scaleOf('XAU')).toThrow();
  });
});
