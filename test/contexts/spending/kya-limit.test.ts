// What the caps of a tier say of a spend: a pure rule over caps, spender, amount, time and rates.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bookOf, inForce, type Rate } from '../../../src/contexts/rates/rate.js';
import type { SpendFacts } from '../../../src/contexts/spending/pipeline/rule-result.js';
import { type KyaCap, kyaLayer } from '../../../src/contexts/spending/policy/kya-limit.js';
import { type Currency, currencies } from '../../../src/platform/money.js';

const agent = { id: '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d', kyaTier: 1 };
const account = '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6e';
const wallet = '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6f';
const at = new Date('2026-11-21T23:59:59.999Z');

const said = (id: string, from: Currency, to: Currency, rate: string): Rate => {
  return { id, from, to, rate, asOf: at, source: 'workspace', saidAt: at };
};
const book = bookOf(inForce([said('euro', 'EUR', 'USD', '1.25'), said('yen', 'USD', 'JPY', '150')]));

function spend(currency: Currency, amount: bigint, more: Partial<SpendFacts> = {}): SpendFacts {
  const facts = { at, amount, currency, agent, protocol: 'internal', payee: null } as const;
  const payer = { walletId: wallet, accountId: account, agentId: agent.id };
  return { ...facts, payer, traceId: null, mandateId: null, breakerTripId: null, lifted: null, ...more };
}
const cap = (currency: Currency, perTx: bigint | null, perDay: bigint | null = null, perMonth: bigint | null = null, tier = 1): KyaCap => {
  return { tier, currency, perTx, perDay, perMonth };
};
const counter = (currency: Currency) => `kya:${agent.id}:${currency}`;

describe('kyaLayer', () => {
  it('says nothing without caps for the tier, without a maximum, or when no agent spends', () => {
    const nothing = { uses: [], results: [], rateIds: [] };
    expect(kyaLayer(spend('USD', 10n ** 12n), [], book)).toEqual(nothing);
    expect(kyaLayer(spend('JPY', 10n ** 12n), [cap('USD', 1n, 1n, 1n, 0), cap('USD', null)], book)).toEqual(nothing);
    expect(kyaLayer(spend('USD', 10n ** 12n, { agent: null }), [cap('USD', 1n, 1n, 1n)], book)).toEqual(nothing);
  });

  it('uses the day and the month of the spend, as far as they are capped', () => {
    const use = { counter: counter('USD'), used: 500n, reserved: 0n, layer: 'kya', ruleId: 'kya.tier.1', currency: 'USD', action: 'deny' };
    const day = { ...use, per: 'day', window: '2026-11-21', maximum: 1_000n, resetsAt: new Date('2026-11-22T00:00:00Z') };
    const month = { ...use, per: 'month', window: '2026-11', maximum: 5_000n, resetsAt: new Date('2026-12-01T00:00:00Z') };
    const usesOf = (one: KyaCap) => kyaLayer(spend('USD', 500n), [one], book).uses;
    expect(usesOf(cap('USD', 500n, 1_000n, 5_000n))).toEqual([day, month]);
    expect(usesOf(cap('USD', null, null, 5_000n))).toEqual([month]);
    expect(usesOf(cap('USD', null, 1_000n))).toEqual([day]);
    expect(usesOf(cap('USD', 500n))).toEqual([]);
  });

  it('counts a spend under every cap of the tier, in the currency of each, by the rates that it names', () => {
    const caps = [cap('USD', null, 1_000n), cap('EURC', null, 7_000_000n), cap('JPY', null, null, 9_000n)];
    const { uses, results, rateIds } = kyaLayer(spend('EUR', 333n), caps, book);
    expect(uses.map(({ currency, used, per }) => [currency, used, per])).toEqual([
      // 4.1625, 3.33 and 624.375, each rounded up to what its currency has.
      ['USD', 417n, 'day'],
      ['EURC', 3_330_000n, 'day'],
      ['JPY', 625n, 'month'],
    ]);
    expect(results).toEqual([]);
    const [eurc] = inForce([]).filter(({ from }) => from === 'EURC');
    expect(new Set(rateIds)).toEqual(new Set(['euro', eurc?.id, 'yen']));
  });

  it.each([
    ['USD', 2_000n, []],
    ['USD', 2_001n, ['max_amount']],
    ['USDC', 20_000_000n, []],
    ['USDC', 20_000_001n, ['max_amount']],
    ['EUR', 1_600n, []],
    ['EUR', 1_601n, ['max_amount']],
    ['JPY', 3_000n, []],
    ['JPY', 3_001n, ['max_amount']],
  ] as const)('of %s lets %s pass under a cap of 20.00 USD at a time: %j', (currency, amount, reasons) => {
    const { uses, results } = kyaLayer(spend(currency, amount), [cap('USD', 2_000n)], book);
    expect(results.map(({ reason }) => reason)).toEqual(reasons);
    expect(uses).toEqual([]);
  });

  it('words a spend that is too large in the currency of the cap', () => {
    const [result] = kyaLayer(spend('EUR', 1_601n), [cap('USD', 2_000n)], book).results;
    expect(result).toEqual({
      layer: 'kya',
      ruleId: 'kya.tier.1',
      outcome: 'fail',
      code: 'kya_limit_exceeded',
      reason: 'max_amount',
      message: 'This agent may spend 20.00 USD at a time; this is 20.02.',
      limit: { kind: 'kya', per: 'tx', currency: 'USD', max: 2_000n, used: 0n, requested: 2_002n, resetsAt: null },
    });
  });

  it('refuses a currency that has no rate to the currency of a cap, and goes on with the other caps', () => {
    const bare = bookOf(inForce([]).filter(({ from, to }) => from !== 'JPY' && to !== 'JPY'));
    const { uses, results, rateIds } = kyaLayer(spend('JPY', 1n), [cap('USD', 2_000n, 3_000n), cap('JPY', null, 5n)], bare);
    expect(results).toEqual([
      {
        layer: 'kya',
        ruleId: 'kya.tier.1',
        outcome: 'fail',
        code: 'kya_limit_exceeded',
        reason: 'no_rate',
        message: expect.stringMatching(/USD.*JPY/),
        facts: { currency: 'JPY', limit_currency: 'USD' },
      },
    ]);
    expect(uses).toMatchObject([{ counter: counter('JPY'), used: 1n, maximum: 5n }]);
    expect(rateIds).toEqual([]);
  });

  it('lets nothing through under a cap of zero', () => {
    expect(kyaLayer(spend('USDC', 1n), [cap('USD', 0n)], book).results).toMatchObject([{ reason: 'max_amount' }]);
    expect(kyaLayer(spend('USD', 1n), [cap('USD', null, 0n)], book).uses).toMatchObject([{ used: 1n, maximum: 0n }]);
  });

  it('never counts more for two spends together than for each, nor less than for one', () => {
    const currency = fc.constantFrom(...currencies);
    const amount = fc.bigInt(1n, 10n ** 9n);
    fc.assert(
      fc.property(currency, currency, amount, amount, (spent, counted, a, b) => {
        const used = (minor: bigint) => kyaLayer(spend(spent, minor), [cap(counted, null, 1n)], book).uses[0]?.used ?? -1n;
        const [one, other, both] = [used(a), used(b), used(a + b)];
        expect(one >= 1n && both >= one && both <= one + other).toBe(true);
      }),
    );
  });
});
