// Which posting of a set a fault is about: the first with which a sum passes, if they were posted one after the other.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../src/ledger/fault.js';
import { faultyPosting } from '../../src/ledger/fault-place.js';
import { type LimitUse, move, type Posting } from '../../src/ledger/posting.js';

const workspaceId = 'w';

function posting(parts: Partial<Posting>): Posting {
  return { id: 'p', workspaceId, at: new Date(0), transferId: null, legs: [], limits: [], guards: [], claims: [], records: {}, ...parts };
}
const pays = (amount: bigint, from = 'a') => posting({ legs: move('USD', amount, from, 'z') });
const use = (used: bigint, reserved = 0n): LimitUse => ({ counter: 'c', window: 'd', used, reserved, maximum: 0n });

const short = (available: bigint): Fault => ({
  kind: 'account',
  subject: 'w a',
  refusal: 'insufficient_balance',
  detail: { available: `${available}`, requested: '0' },
});
const passed = (used: bigint, maximum: bigint): Fault => ({
  kind: 'limit',
  subject: 'w c d',
  refusal: 'limit_exceeded',
  detail: { counter: 'c', window: 'd', used: `${used}`, maximum: `${maximum}` },
});

describe('the posting that a fault is about', () => {
  it('is the first with which a balance is not enough', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(1n, 50n), { minLength: 1, maxLength: 12 }), fc.bigInt(0n, 200n), (amounts, available) => {
        const sums = amounts.map((_, n) => amounts.slice(0, n + 1).reduce((a, b) => a + b, 0n));
        fc.pre((sums.at(-1) ?? 0n) > available);
        const set = amounts.flatMap((amount) => [pays(1n, 'other'), pays(amount)]);
        expect(faultyPosting(short(available), set)).toBe(2 * sums.findIndex((sum) => sum > available) + 1);
      }),
    );
  });

  it('is the first with which a limit is passed, by what is used and reserved', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(1n, 50n), { minLength: 1, maxLength: 12 }), fc.bigInt(0n, 100n), (amounts, used) => {
        const sums = amounts.map((_, n) => amounts.slice(0, n + 1).reduce((a, b) => a + b, used));
        const maximum = used + 40n;
        fc.pre((sums.at(-1) ?? 0n) > maximum);
        const set = amounts.map((amount, n) => posting({ limits: [n % 2 === 0 ? use(amount) : use(0n, amount)] }));
        expect(faultyPosting(passed(used, maximum), set)).toBe(sums.findIndex((sum) => sum > maximum));
      }),
    );
  });

  it('is the first that has the guard or the claim, and -1 where none has', () => {
    const set = [pays(1n), posting({ guards: [{ kind: 'agent', id: 'g' }] }), posting({ claims: [{ kind: 'reference', key: 'r' }] })];
    const fault = (kind: 'guard' | 'claim', subject: string): Fault => ({ kind, subject, refusal: 'x', detail: {} });
    expect(faultyPosting(fault('guard', 'w agent g'), set)).toBe(1);
    expect(faultyPosting(fault('claim', 'w reference r'), set)).toBe(2);
    expect(faultyPosting(fault('claim', 'w reference s'), set)).toBe(-1);
  });

  it('of a wallet that is frozen is the first that pays from it', () => {
    const frozen: Fault = { kind: 'account', subject: 'w a', refusal: 'wallet_frozen', detail: {} };
    const gets = posting({ legs: move('USD', 1n, 'b', 'a') });
    expect(faultyPosting(frozen, [gets, pays(1n), pays(1n)])).toBe(1);
  });
});
