// Check digits: whatever one digit is changed to, or which two neighbours change places, the account is not taken for another one.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isBic,
  isClabe,
  isIban,
  isPixKey,
  isRoutingNumber,
  isTaxId,
  last4Of,
  readDetails,
} from '../../../src/contexts/settlement/payout/bank-details.js';

const digits = (count: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: count, maxLength: count }).map((list) => list.join(''));
/** The one last digit (or pair) that makes a number right. */
const completed = (start: string, length: number, isRight: (text: string) => boolean) =>
  Array.from({ length: 10 ** length }, (_, n) => start + String(n).padStart(length, '0')).filter(isRight);

const changed = (text: string, at: number, by: number) => text.slice(0, at) + String((Number(text[at]) + by) % 10) + text.slice(at + 1);

const kinds = {
  'a routing number': { isRight: isRoutingNumber, start: digits(6).map((rest) => `02${rest}`), length: 1, firstFree: 2 },
  'a CLABE': { isRight: isClabe, start: digits(17), length: 1, firstFree: 0 },
  'a CPF': { isRight: isTaxId, start: digits(9).filter((text) => !/^(\d)\1*$/.test(text)), length: 2, firstFree: 0 },
  'a CNPJ': { isRight: isTaxId, start: digits(12).filter((text) => !/^(\d)\1*$/.test(text)), length: 2, firstFree: 0 },
};

describe('check digits', () => {
  it.each(Object.entries(kinds))('of %s: exactly one end is right', (_name, { isRight, start, length }) => {
    fc.assert(
      fc.property(start, (text) => {
        expect(completed(text, length, isRight)).toHaveLength(1);
      }),
    );
  });

  // The registers of Brazil take a rest of 1 for one of 0, and so do not find every wrong digit.
  it.each(Object.entries(kinds).slice(0, 2))('of %s: one wrong digit is found', (_name, { isRight, start, length, firstFree }) => {
    fc.assert(
      fc.property(start, fc.nat(), fc.integer({ min: 1, max: 9 }), (text, place, by) => {
        const [right = ''] = completed(text, length, isRight);
        const at = firstFree + (place % (right.length - firstFree));
        expect(isRight(changed(right, at, by))).toBe(false);
      }),
    );
  });

  it('of an IBAN: 97 leaves 1, for one end of a hundred, and two digits that changed places are found', () => {
    const ibans = digits(18).map((account) => {
      const rest = BigInt(`${account}131400`) % 97n;
      return `DE${String(98n - rest).padStart(2, '0')}${account}`;
    });
    fc.assert(
      fc.property(ibans, fc.integer({ min: 4, max: 20 }), (iban, at) => {
        expect(isIban(iban)).toBe(true);
        const [a, b] = [iban[at] ?? '', iban[at + 1] ?? ''];
        const swapped = iban.slice(0, at) + b + a + iban.slice(at + 2);
        expect(isIban(swapped)).toBe(a === b);
      }),
    );
  });

  it.each([
    [isIban, 'GB82WEST12345698765432', 'GB82WEST1234569876543'],
    [isIban, 'FR1420041010050500013M02606', 'BR1800360305000010009795493C1'],
    [isBic, 'DEUTDEFF', 'DEUTDEF'],
    [isPixKey, 'ada@example.com', 'ada@example'],
    [isPixKey, '+5511987654321', '+1987654321'],
    [isPixKey, '123e4567-e89b-12d3-a456-426655440000', '123e4567e89b12d3a456426655440000'],
    [isTaxId, '11222333000181', '00000000000000'],
    [isRoutingNumber, '011401533', '991401537'],
  ])('%o takes %s and not %s', (isRight, good, bad) => {
    expect([isRight(good), isRight(bad)]).toEqual([true, false]);
  });

  it('no text makes them fail otherwise', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (text) => {
        for (const isRight of [isRoutingNumber, isIban, isBic, isClabe, isTaxId, isPixKey]) expect([true, false]).toContain(isRight(text));
      }),
    );
  });
});

describe('readDetails()', () => {
  it('reads them as people write them', () => {
    const details = readDetails('sepa', { iban: ' de89 3704 0044 0532 0130 00 ' });
    expect([details, last4Of('sepa', details)]).toEqual([{ iban: 'DE89370400440532013000' }, '3000']);
  });
});
