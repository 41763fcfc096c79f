// What a spend uses of the caps of a tier: a pure rule over caps, spender, currency, amount and time.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertPegged, type KyaCap, pegs, usesOf, windowsOf } from '../../../src/contexts/agents/kya-limit.js';
import { KyaLimitExceeded } from '../../../src/ledger/errors.js';
import { type Currency, currencies, scaleOf } from '../../../src/platform/money.js';

const spender = { id: '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d', kyaTier: 1 };
const at = new Date('2026-11-21T23:59:59.999Z');
const cap = (currency: Currency, perTx: bigint | null, perDay: bigint | null = null, perMonth: bigint | null = null, tier = 1): KyaCap => ({
  tier,
  currency,
  perTx,
  perDay,
  perMonth,
});
const refusal = (run: () => unknown): KyaLimitExceeded => {
  try {
    run();
  } catch (error) {
    if (error instanceof KyaLimitExceeded) return error;
    throw error;
  }
  throw new Error('was not refused');
};

describe('usesOf', () => {
  it('counts nothing where the tier has no caps', () => {
    expect(usesOf([], spender, 'USD', 10n ** 12n, at)).toEqual([]);
    expect(usesOf([cap('USD', 1n, 1n, 1n, 0)], spender, 'JPY', 10n ** 12n, at)).toEqual([]);
    expect(usesOf([cap('USD', null)], spender, 'JPY', 10n ** 12n, at)).toEqual([]);
  });

  it('uses the day and the month of the spend, as far as they are capped', () => {
    const counter = `kya:${spender.id}:USD`;
    expect(usesOf([cap('USD', 500n, 1_000n, 5_000n)], spender, 'USD', 500n, at)).toEqual([
      { counter, window: '2026-11-21', used: 500n, reserved: 0n, maximum: 1_000n },
      { counter, window: '2026-11', used: 500n, reserved: 0n, maximum: 5_000n },
    ]);
    expect(usesOf([cap('USD', null, null, 5_000n)], spender, 'USD', 9_999n, at)).toHaveLength(1);
    expect(usesOf([cap('USD', 500n)], spender, 'USD', 500n, at)).toEqual([]);
  });

  it('counts what stands one to one, in the currency of the cap', () => {
    const caps = [cap('USD', 500n, 1_000n), cap('EURC', null, 7_000_000n)];
    expect(usesOf(caps, spender, 'USDC', 4_000_000n, at)).toEqual([
      { counter: `kya:${spender.id}:USD`, window: '2026-11-21', used: 400n, reserved: 0n, maximum: 1_000n },
    ]);
    expect(usesOf(caps, spender, 'EUR', 600n, at)).toEqual([
      { counter: `kya:${spender.id}:EURC`, window: '2026-11-21', used: 6_000_000n, reserved: 0n, maximum: 7_000_000n },
    ]);
    expect(usesOf([...caps, cap('USDT', null, 9n)], spender, 'USDC', 4n, at)).toHaveLength(2);
  });

  it('refuses one spend that is larger than a spend may be, and says what is allowed', () => {
    expect(refusal(() => usesOf([cap('USD', 2_000n)], spender, 'USDC', 20_000_001n, at)).details).toEqual({
      limit: { kind: 'kya', per: 'tx', window: 'tx', currency: 'USD', max: '20.00', used: '0.00', requested: '20.01', remaining: '20.00' },
      agent_id: spender.id,
      next_actions: [{ rel: 'raise_limit', actor: 'api_key', method: 'PUT', path: '/v1/kya-limits' }],
    });
  });

  it('refuses a currency that no cap can count, unless it has a line of its own', () => {
    const caps = [cap('USD', 2_000n)];
    expect(refusal(() => usesOf(caps, spender, 'JPY', 1n, at)).details).toMatchObject({
      reason: 'no_rate',
      limit: { currency: 'JPY', capped_in: ['USD'] },
    });
    expect(usesOf([...caps, cap('JPY', null)], spender, 'JPY', 10n ** 9n, at)).toEqual([]);
  });

  it('lets nothing through under a cap of zero', () => {
    expect(refusal(() => usesOf([cap('USD', 0n)], spender, 'USDC', 1n, at))).toMatchObject({ code: 'kya_limit_exceeded', status: 403 });
    expect(usesOf([cap('USD', null, 0n)], spender, 'USD', 1n, at)).toMatchObject([{ used: 1n, maximum: 0n }]);
  });
});

describe('convertPegged', () => {
  it('never counts less than was spent, nor a whole unit more', () => {
    const pegged = fc.constantFrom(...pegs).chain((peg) => fc.record({ from: fc.constantFrom(...peg), to: fc.constantFrom(...peg) }));
    fc.assert(
      fc.property(pegged, fc.bigInt(1n, 10n ** 17n), ({ from, to }, minor) => {
        const counted = convertPegged(minor, from, to);
        const spent = minor * 10n ** BigInt(8 - scaleOf(from));
        const unit = 10n ** BigInt(8 - scaleOf(to));
        expect(counted * unit >= spent && (counted - 1n) * unit < spent).toBe(true);
      }),
    );
  });

  it('has every currency in one peg at most', () => {
    for (const currency of currencies) expect(pegs.filter((peg) => peg.includes(currency)).length).toBeLessThanOrEqual(1);
  });
});

describe('windowsOf', () => {
  it('takes the day and month of UTC', () => {
    expect(windowsOf(at)).toEqual({ day: '2026-11-21', month: '2026-11' });
    expect(windowsOf(new Date('2026-11-30T23:30:00-02:00'))).toEqual({ day: '2026-12-01', month: '2026-12' });
  });
});
