// What a mandate says of a spend: whom it lets be paid, and what of its limits is used, as a pure rule.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EnforcedMandate, mandateLayer, merchantResults } from '../../../src/contexts/spending/pipeline/mandate-rule.js';
import type { SpendFacts } from '../../../src/contexts/spending/pipeline/rule-result.js';

const ids = ['a', 'b', 'c'] as const;
const lists = fc.subarray([...ids]);
const limit = fc.option(fc.bigInt({ min: 1n, max: 1_000n }), { nil: null });
const mandates: fc.Arbitrary<EnforcedMandate> = fc.record({
  id: fc.constant('019cadfd-8900-7279-adcb-4ba068e94d69'),
  version: fc.constant(1),
  versionId: fc.constant('v'),
  jwtSha256: fc.constant('00'.repeat(32)),
  accountId: fc.constant('acc'),
  agentId: fc.constant('agt'),
  currency: fc.constant('USD'),
  maxPerTx: limit,
  maxPerDay: limit,
  maxPerMonth: limit,
  allowedCategories: fc.subarray(['retail', 'travel']),
  allowedMerchants: lists,
  blockedMerchants: lists,
});
const merchants = fc.option(fc.record({ id: fc.constantFrom(...ids), category: fc.constantFrom('retail', 'travel', 'food') }), {
  nil: null,
});

describe('whom a mandate lets be paid', () => {
  it('who is not blocked, and is in every list of what is allowed', () => {
    fc.assert(
      fc.property(mandates, merchants, (mandate, merchant) => {
        const { allowedCategories, allowedMerchants, blockedMerchants } = mandate;
        const fits = (list: readonly string[], name: string | undefined) =>
          list.length === 0 || (name !== undefined && list.includes(name));
        const blocked = merchant !== null && blockedMerchants.includes(merchant.id);
        const passes = !blocked && fits(allowedMerchants, merchant?.id) && fits(allowedCategories, merchant?.category);
        const results = merchantResults(mandate, merchant);
        expect(results.length === 0).toBe(passes);
        if (blocked) expect(results[0]?.reason).toBe('merchant_blocked');
      }),
    );
  });
});

describe('what a spend uses of a mandate', () => {
  it('its amount of the day and of the month, whatever they allow, and one execution', () => {
    fc.assert(
      fc.property(mandates, merchants, fc.bigInt({ min: 1n, max: 2_000n }), (mandate, merchant, amount) => {
        const facts = { amount, merchant, at: new Date('2026-03-31T23:59:59.999Z') } as SpendFacts;
        const { uses, results } = mandateLayer(facts, mandate);
        expect(uses.map(({ window, used, maximum }) => [window, used, maximum])).toEqual([
          ['2026-03-31', amount, mandate.maxPerDay],
          ['2026-03', amount, mandate.maxPerMonth],
          ['once', 1n, null],
        ]);
        const tooLarge = results.some(({ code }) => code === 'mandate_limit_exceeded');
        expect(tooLarge).toBe(mandate.maxPerTx !== null && amount > mandate.maxPerTx);
      }),
    );
  });
});
