// What a book of rates makes of amounts: a pure rule over rates, held to arithmetic of whole numbers that is done here by itself.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtinRates } from '../../../src/contexts/rates/builtin.js';
import { bookOf, inForce, inMinorUnits, mostConverted, type Rate } from '../../../src/contexts/rates/rate.js';
import { type Currency, currencies, scaleOf } from '../../../src/platform/money.js';

let serial = 0;
/** A rate that a workspace has said at a moment. */
function said(from: Currency, to: Currency, rate: string, moment = 0): Rate {
  serial += 1;
  const id = `01994d3e-7a80-7c3a-9d55-${String(serial).padStart(12, '0')}`;
  return { id, from, to, rate, asOf: new Date(0), source: 'workspace', saidAt: new Date(moment) };
}

/** A rate in ten-digit whole numbers: `digits` over 10^`decimals`. */
interface Figure {
  digits: bigint;
  decimals: number;
}
const print = ({ digits, decimals }: Figure): string => {
  const text = digits.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? text : `${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
};
const figure = fc.record({ digits: fc.bigInt(1n, 10n ** 10n - 1n), decimals: fc.integer({ min: 0, max: 9 }) });
const currency = fc.constantFrom(...currencies);
const twoCurrencies = fc.uniqueArray(currency, { minLength: 2, maxLength: 2 }) as fc.Arbitrary<[Currency, Currency]>;
const amount = fc.bigInt(0n, 10n ** 12n);

/** The least number of minor units of `to` that is not below `spent` units of `from` times `num` over `den`, as far as is counted. */
function least(spent: bigint, from: Currency, to: Currency, num: bigint, den: bigint): bigint {
  const [exact, unit] = [spent * num * 10n ** BigInt(scaleOf(to)), den * 10n ** BigInt(scaleOf(from))];
  const units = exact / unit + (exact % unit === 0n ? 0n : 1n);
  return units > mostConverted ? mostConverted : units;
}

describe('convertUp', () => {
  it('rounds up once, to the minor unit of the other currency', () => {
    const book = bookOf([said('EUR', 'USD', '1.1'), said('USD', 'JPY', '150.5')]);
    const minor = (...args: Parameters<typeof book.convertUp>) => book.convertUp(...args)?.minor;
    expect(minor(1n, 'EUR', 'USD')).toBe(2n);
    expect(minor(10n, 'EUR', 'USD')).toBe(11n);
    expect(minor(11n, 'USD', 'EUR')).toBe(10n);
    expect(minor(12n, 'USD', 'EUR')).toBe(11n);
    expect(minor(100n, 'EUR', 'JPY')).toBe(166n);
    expect(minor(1n, 'JPY', 'EUR')).toBe(1n);
    // 5.32 dollar cents, which are 4.83 of the others: rounded up twice it would be 6.
    expect(minor(8n, 'JPY', 'EUR')).toBe(5n);
    expect(minor(0n, 'EUR', 'JPY')).toBe(0n);
  });

  it('says which rates it used: none, one, its inverse, or the two of a cross', () => {
    const [euro, yen] = [said('EUR', 'USD', '1.1'), said('USD', 'JPY', '150.5')];
    const book = bookOf([euro, yen]);
    const ids = (from: Currency, to: Currency) => book.convertUp(7n, from, to)?.rateIds;
    expect(ids('EUR', 'EUR')).toEqual([]);
    expect(ids('EUR', 'USD')).toEqual([euro.id]);
    expect(ids('USD', 'EUR')).toEqual([euro.id]);
    expect(ids('JPY', 'EUR')).toEqual([yen.id, euro.id]);
  });

  it('takes the rate of its own direction where both were said', () => {
    const book = bookOf([said('EUR', 'USD', '1.1'), said('USD', 'EUR', '0.8')]);
    expect([book.convertUp(100n, 'EUR', 'USD')?.minor, book.convertUp(100n, 'USD', 'EUR')?.minor]).toEqual([110n, 80n]);
  });

  it('prefers a rate of the pair to its cross', () => {
    const book = bookOf([said('EUR', 'USD', '1'), said('USD', 'JPY', '100'), said('JPY', 'EUR', '0.02')]);
    expect(book.convertUp(100n, 'EUR', 'JPY')?.minor).toBe(50n);
  });

  it('knows nothing without a rate, nor by a way over more than USD', () => {
    const book = bookOf([said('EUR', 'BRL', '6'), said('BRL', 'MXN', '3')]);
    expect(book.convertUp(1n, 'EUR', 'USD')).toBeNull();
    expect(book.convertUp(1n, 'EUR', 'MXN')).toBeNull();
    expect(book.rateOf('JPY', 'MXN')).toBeNull();
    expect(bookOf([]).convertUp(5n, 'JPY', 'JPY')).toEqual({ minor: 5n, rateIds: [] });
  });

  it('stops counting far above any limit, and far below what the database can add up', () => {
    const book = bookOf([said('JPY', 'USDC', '9999999999')]);
    expect(book.convertUp(10n ** 17n, 'JPY', 'USDC')?.minor).toBe(mostConverted);
    expect(mostConverted).toBeLessThan(2n ** 63n / 9n);
  });

  it('never counts less than the exact value, nor a whole unit more: by the pair and by its inverse', () => {
    fc.assert(
      fc.property(twoCurrencies, figure, amount, ([from, to], rate, spent) => {
        const book = bookOf([said(from, to, print(rate))]);
        const [num, den] = [rate.digits, 10n ** BigInt(rate.decimals)];
        expect(book.convertUp(spent, from, to)?.minor).toBe(least(spent, from, to, num, den));
        expect(book.convertUp(spent, to, from)?.minor).toBe(least(spent, to, from, den, num));
      }),
    );
  });

  it('never counts less than the exact value, nor a whole unit more: by the cross, whichever way round its legs were said', () => {
    const others = fc.uniqueArray(fc.constantFrom<Currency>('EUR', 'BRL', 'MXN', 'JPY'), { minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(others, figure, figure, fc.boolean(), fc.boolean(), amount, ([from, to], a, b, turnA, turnB, spent) => {
        if (from === undefined || to === undefined) throw new Error('two currencies');
        const first = turnA ? said('USD', from, print(a)) : said(from, 'USD', print(a));
        const last = turnB ? said(to, 'USD', print(b)) : said('USD', to, print(b));
        const [scaleA, scaleB] = [10n ** BigInt(a.decimals), 10n ** BigInt(b.decimals)];
        const num = (turnA ? scaleA : a.digits) * (turnB ? scaleB : b.digits);
        const den = (turnA ? a.digits : scaleA) * (turnB ? b.digits : scaleB);
        const found = bookOf([last, first]).convertUp(spent, from, to);
        expect(found).toEqual({ minor: least(spent, from, to, num, den), rateIds: [first.id, last.id] });
      }),
    );
  });

  it('there and back never loses, over every pair of the built-in table and of what is said over it', () => {
    const own = fc.uniqueArray(fc.record({ pair: twoCurrencies, rate: figure }), {
      selector: ({ pair }) => [...pair].sort().join(),
      maxLength: 6,
    });
    fc.assert(
      fc.property(own, twoCurrencies, amount, (stored, [from, to], spent) => {
        const book = bookOf(inForce(stored.map(({ pair, rate }) => said(...pair, print(rate)))));
        const there = book.convertUp(spent, from, to)?.minor ?? -1n;
        const back = book.convertUp(there, to, from)?.minor ?? -1n;
        expect(there === mostConverted || back >= spent).toBe(true);
      }),
    );
  });
});

describe('rateOf', () => {
  it('is exact and in lowest terms: of a pair, its inverse and a cross', () => {
    const [euro, yen] = [said('EUR', 'USD', '1.10'), said('USD', 'JPY', '150.50')];
    const book = bookOf([euro, yen]);
    expect(book.rateOf('EUR', 'USD')).toEqual({ num: 11n, den: 10n, rateIds: [euro.id] });
    expect(book.rateOf('USD', 'EUR')).toEqual({ num: 10n, den: 11n, rateIds: [euro.id] });
    expect(book.rateOf('EUR', 'JPY')).toEqual({ num: 3311n, den: 20n, rateIds: [euro.id, yen.id] });
    expect(book.rateOf('BRL', 'BRL')).toEqual({ num: 1n, den: 1n, rateIds: [] });
  });

  it('and back is one, where a pair has one rate', () => {
    fc.assert(
      fc.property(twoCurrencies, figure, ([from, to], rate) => {
        const book = bookOf([said(from, to, print(rate))]);
        const [there, back] = [book.rateOf(from, to), book.rateOf(to, from)];
        expect(there?.num === back?.den && there?.den === back?.num).toBe(true);
      }),
    );
  });

  it('is what convertUp() counts with, in minor units', () => {
    fc.assert(
      fc.property(twoCurrencies, fc.bigInt(0n, 10n ** 12n), ([from, to], spent) => {
        const book = bookOf(inForce([]));
        const { num, den } = inMinorUnits(book.rateOf(from, to) ?? { num: 0n, den: 1n }, from, to);
        const [exact, unit] = [spent * num, den];
        const minor = book.convertUp(spent, from, to)?.minor ?? -1n;
        expect(minor * unit >= exact && (minor - 1n) * unit < exact).toBe(true);
      }),
    );
  });
});

describe('inForce', () => {
  const figures = (rates: readonly Rate[]) => rates.map(({ from, to, rate, source }) => `${from} ${to} ${rate} ${source}`);

  it('is the built-in table, in order, where nothing was said', () => {
    expect(figures(inForce([]))).toEqual([
      'EUR USD 1.172 builtin',
      'EURC EUR 1 builtin',
      'USD BRL 5.48 builtin',
      'USD JPY 156.7 builtin',
      'USD MXN 17.95 builtin',
      'USDC USD 1 builtin',
      'USDT USD 1 builtin',
    ]);
  });

  it('puts what was said over the built-in rate of the same two currencies, whichever way round', () => {
    expect(figures(inForce([said('USD', 'EUR', '0.9'), said('BRL', 'MXN', '3')]))).toEqual([
      'BRL MXN 3 workspace',
      'EURC EUR 1 builtin',
      'USD BRL 5.48 builtin',
      'USD EUR 0.9 workspace',
      'USD JPY 156.7 builtin',
      'USD MXN 17.95 builtin',
      'USDC USD 1 builtin',
      'USDT USD 1 builtin',
    ]);
  });

  it('lets the last word of a pair count in both directions, and two that were said together each in its own', () => {
    const pair = (...rates: Rate[]) => figures(inForce(rates)).filter((line) => /EUR/.test(line) && /USD /.test(line));
    expect(pair(said('EUR', 'USD', '1.1', 1), said('USD', 'EUR', '0.8', 2))).toEqual(['USD EUR 0.8 workspace']);
    expect(pair(said('EUR', 'USD', '1.1', 2), said('USD', 'EUR', '0.8', 1))).toEqual(['EUR USD 1.1 workspace']);
    expect(pair(said('EUR', 'USD', '1.1', 2), said('USD', 'EUR', '0.8', 2))).toEqual(['EUR USD 1.1 workspace', 'USD EUR 0.8 workspace']);
  });
});

describe('the built-in table', () => {
  const book = bookOf(inForce([]));

  it('has a rate between any two currencies', () => {
    for (const from of currencies) for (const to of currencies) expect(book.rateOf(from, to), `${from} ${to}`).not.toBeNull();
  });

  it('has tokens at one to what they stand for, and to each other', () => {
    for (const peg of [['USD', 'USDC', 'USDT'] as const, ['EUR', 'EURC'] as const]) {
      for (const from of peg) for (const to of peg) expect(book.rateOf(from, to)).toMatchObject({ num: 1n, den: 1n });
    }
  });

  it('has tokens follow what is said of the money that they stand for, unless something is said of them', () => {
    const followed = bookOf(inForce([said('EUR', 'USD', '1.5')]));
    expect(followed.rateOf('EURC', 'USD')).toMatchObject({ num: 3n, den: 2n });
    expect(followed.rateOf('USDC', 'EURC')).toMatchObject({ num: 2n, den: 3n });
    const own = bookOf(inForce([said('EUR', 'USD', '1.5'), said('EURC', 'USD', '1.4'), said('USDT', 'USD', '0.5')]));
    expect(own.rateOf('EURC', 'JPY')).toEqual({ ...own.rateOf('EURC', 'JPY'), num: 10969n, den: 50n });
    expect(own.rateOf('USDC', 'USDT')).toMatchObject({ num: 2n, den: 1n });
  });

  it('never changes a row that decisions may have named, and gives each its own id', () => {
    const released = {
      '019b7c01-0400-7000-8000-000000000001': 'USDC USD 1 2026-01-02',
      '019b7c01-0400-7000-8000-000000000002': 'USDT USD 1 2026-01-02',
      '019b7c01-0400-7000-8000-000000000003': 'EURC EUR 1 2026-01-02',
      '019b7c01-0400-7000-8000-000000000004': 'EUR USD 1.172 2026-01-02',
      '019b7c01-0400-7000-8000-000000000005': 'USD BRL 5.48 2026-01-02',
      '019b7c01-0400-7000-8000-000000000006': 'USD MXN 17.95 2026-01-02',
      '019b7c01-0400-7000-8000-000000000007': 'USD JPY 156.7 2026-01-02',
    };
    const table = Object.fromEntries(
      builtinRates.map(({ id, from, to, rate, asOf }) => [id, `${from} ${to} ${rate} ${asOf.toISOString().slice(0, 10)}`]),
    );
    expect(table).toMatchObject(released);
    expect(Object.keys(table)).toHaveLength(builtinRates.length);
  });
});
