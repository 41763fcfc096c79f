// The division of a payment, for any amount and any shares.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diverted, divide } from '../../../src/contexts/settlement/reserve/holdback.js';
import { checkPosting, move } from '../../../src/ledger/posting.js';
import { maxAmountMinor } from '../../../src/platform/money.js';

const amounts = fc.bigInt({ min: 1n, max: maxAmountMinor });
const shares = fc.record({ fee: fc.nat(10_000), holdback: fc.nat(10_000) });

describe('a payment', () => {
  it.each([
    [10_000n, { fee: 250, holdback: 1_000 }, [250n, 975n, 8_775n]],
    [1n, { fee: 9_999, holdback: 9_999 }, [0n, 0n, 1n]],
    [99n, { fee: 100, holdback: 100 }, [0n, 0n, 99n]],
    [100n, { fee: 10_000, holdback: 10_000 }, [100n, 0n, 0n]],
    [100n, { fee: 0, holdback: 10_000 }, [0n, 100n, 0n]],
  ])('of %d by %o', (amount, given, [fee, heldBack, rest]) => {
    expect(divide(amount, given)).toEqual({ fee, heldBack, rest });
  });

  it('is divided without a rest: nobody gets less than nothing, and the payee what rounding leaves', () => {
    fc.assert(
      fc.property(amounts, shares, (amount, given) => {
        const { fee, heldBack, rest } = divide(amount, given);
        expect(fee + heldBack + rest).toBe(amount);
        for (const part of [fee, heldBack, rest]) expect(part).toBeGreaterThanOrEqual(0n);
        expect(fee * 10_000n).toBeLessThanOrEqual(amount * BigInt(given.fee));
        expect(heldBack * 10_000n).toBeLessThanOrEqual((amount - fee) * BigInt(given.holdback));
      }),
    );
  });

  it('has legs that sum to zero and move nothing twice, when it is paid and when it is given back', () => {
    fc.assert(
      fc.property(amounts, shares, fc.boolean(), (amount, given, back) => {
        const { fee, heldBack, rest } = divide(amount, given);
        const legs = back ? move('USD', amount, 'payee', 'payer') : move('USD', amount, 'payer', 'payee');
        const parts = [
          { accountId: 'fees', amount: fee },
          { accountId: 'reserve', amount: heldBack },
        ];
        const divided = diverted(legs, 'payee', parts);
        checkPosting({ legs: divided });
        const moved = (id: string) => divided.filter(({ accountId }) => accountId === id).reduce((sum, leg) => sum + leg.amount, 0n);
        const sign = back ? -1n : 1n;
        expect(['payer', 'payee', 'fees', 'reserve'].map(moved)).toEqual([-sign * amount, sign * rest, sign * fee, sign * heldBack]);
      }),
    );
  });

  it('of which more is diverted than it moves is a fault', () => {
    expect(() => diverted(move('USD', 5n, 'payer', 'payee'), 'payee', [{ accountId: 'fees', amount: 6n }])).toThrow(/more/);
    expect(() => diverted(move('USD', 5n, 'payer', 'payee'), 'nobody', [])).toThrow(/no leg/);
  });
});
