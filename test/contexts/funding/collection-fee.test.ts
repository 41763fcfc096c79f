// What a rail takes of money that it brings in.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { collectionFee } from '../../../src/contexts/settlement/rail/rail.js';

const minor = fc.bigInt({ min: 0n, max: 10n ** 15n });

it('is its fee, and the least that is no less than its share of the amount', () => {
  fc.assert(
    fc.property(minor, minor, fc.bigInt({ min: 0n, max: 10_000n }), (amount, fee, share) => {
      const taken = collectionFee({ fee, share }, amount) - fee;
      expect(taken * 10_000n).toBeGreaterThanOrEqual(amount * share);
      expect((taken - 1n) * 10_000n).toBeLessThan(amount * share);
    }),
  );
});

it('is its fee alone where it has no share', () => {
  fc.assert(
    fc.property(minor, minor, (amount, fee) => {
      expect(collectionFee({ fee }, amount)).toBe(fee);
    }),
  );
});
