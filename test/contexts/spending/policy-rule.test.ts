// What policies say of a spend: a pure layer over facts, rules and rates. Kind by kind in tables, all kinds together by property.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SpendFacts } from '../../../src/contexts/spending/pipeline/rule-result.js';
import { merchantRules, needsCounterparty, policyLayer } from '../../../src/contexts/spending/policy/policy-rule.js';
import {
  ask,
  id,
  payeeAccount,
  payeeAgent,
  payeeWallet,
  payerAccount,
  policyOf,
  rates,
  reasons,
  shop,
  spend,
  uuid,
} from './policy-facts.js';

describe('rules that count', () => {
  const counter = `policy:${id}`;
  const cases: [string, object, object][] = [
    [
      'an amount per hour',
      { kind: 'max_amount', per: 'hour', amount: '50.00', currency: 'USD' },
      { counter: `${counter}:max_amount:hour:USD`, window: '2026-03-02T10', used: 1_000n, maximum: 5_000n, currency: 'USD', per: 'hour' },
    ],
    [
      'an amount per day, in another currency, rounded up',
      { kind: 'max_amount', per: 'day', amount: '2000', currency: 'JPY' },
      { counter: `${counter}:max_amount:day:JPY`, window: '2026-03-02', used: 1_500n, maximum: 2_000n, currency: 'JPY' },
    ],
    [
      'an amount per week',
      { kind: 'max_amount', per: 'week', amount: '50.00', currency: 'EUR' },
      { counter: `${counter}:max_amount:week:EUR`, window: '2026-W10', used: 500n, resetsAt: new Date('2026-03-09T00:00:00Z') },
    ],
    [
      'an amount per month',
      { kind: 'max_amount', per: 'month', amount: '50.00', currency: 'USD' },
      { counter: `${counter}:max_amount:month:USD`, window: '2026-03', resetsAt: new Date('2026-04-01T00:00:00Z') },
    ],
    [
      'a number per day',
      { kind: 'max_count', per: 'day', count: 3 },
      { counter: `${counter}:max_count:day`, window: '2026-03-02', used: 1n, maximum: 3n, currency: null, per: 'day' },
    ],
    [
      'a number in aligned windows of so many seconds',
      { kind: 'velocity', count: 3, seconds: 90 },
      { counter: `${counter}:velocity:90s`, window: '2026-03-02T10:00:00', used: 1n, maximum: 3n, currency: null, per: '90s' },
    ],
  ];
  for (const [name, rule, use] of cases) {
    it(name, () => {
      const answer = ask(rule);
      expect(answer.results).toEqual([]);
      expect(answer.uses).toMatchObject([{ layer: 'policy', ruleId: `pol_${id}.rules.0`, action: 'deny', reserved: 0n, ...use }]);
    });
  }

  it('names the rates that were used', () => {
    expect(ask({ kind: 'max_amount', per: 'day', amount: '1', currency: 'JPY' }).rateIds).toEqual(['j']);
    expect(ask({ kind: 'max_amount', per: 'tx', amount: '1', currency: 'EUR' }).rateIds).toEqual(['e']);
  });

  it('keeps the counter of a rule whatever else is changed, and has one of its own for each policy', () => {
    const rule = { kind: 'max_amount', per: 'day', amount: '50.00', currency: 'USD' };
    const [first, second] = policyLayer(spend(), [policyOf([rule]), policyOf([rule], null, uuid(9))], rates).uses;
    const [changed] = policyLayer(
      spend(),
      [policyOf([{ kind: 'new_counterparty' }, { ...rule, amount: '1.00', action: 'approve' }])],
      rates,
    ).uses;
    expect(changed).toMatchObject({ counter: first?.counter, ruleId: `pol_${id}.rules.1`, action: 'approve', maximum: 100n });
    expect(second?.counter).not.toBe(first?.counter);
  });

  it('refuses what no rate converts', () => {
    for (const per of ['tx', 'day']) {
      const rule = { kind: 'max_amount', per, amount: '50.00', currency: 'BRL', action: 'approve' };
      expect(ask(rule)).toMatchObject({ uses: [], results: [{ outcome: 'fail', code: 'policy_violation', reason: 'no_rate' }] });
    }
  });
});

describe('the cap of a single spend', () => {
  const rule = { kind: 'max_amount', per: 'tx', amount: '10.00', currency: 'USD' };

  it('lets pass what is equal to it, and says what is more', () => {
    expect(ask(rule)).toEqual({ uses: [], results: [], rateIds: [] });
    expect(ask(rule, { amount: 1_001n }).results).toEqual([
      {
        layer: 'policy',
        ruleId: `pol_${id}.rules.0`,
        outcome: 'fail',
        code: 'policy_violation',
        reason: 'max_amount',
        message: 'The policy "Spending" allows 10.00 USD at a time; this is 10.01 USD.',
        limit: { kind: 'policy', per: 'tx', currency: 'USD', max: 1_000n, used: 0n, requested: 1_001n, resetsAt: null },
      },
    ]);
  });

  it('counts in its own currency', () => {
    expect(reasons(rule, { currency: 'USDC', amount: 10_000_000n })).toEqual([]);
    expect(reasons(rule, { currency: 'USDC', amount: 10_000_001n })).toEqual(['policy_violation max_amount']);
  });
});

describe('rules that do not count', () => {
  const passes = null;
  const unknown = { merchant: null };
  const cases: [string, object, Partial<SpendFacts>, string | null][] = [
    ['an allowed merchant', { kind: 'merchants', allow: [`mer_${shop}`] }, {}, passes],
    ['a merchant that is not allowed', { kind: 'merchants', allow: [`mer_${id}`] }, {}, 'merchant_blocked merchant'],
    ['a blocked merchant', { kind: 'merchants', block: [`mer_${shop}`] }, {}, 'merchant_blocked merchant'],
    ['a merchant that is not blocked', { kind: 'merchants', block: [`mer_${id}`] }, {}, passes],
    ['nobody knows the merchant: an allow-list', { kind: 'merchants', allow: [`mer_${shop}`] }, unknown, 'policy_violation merchant'],
    ['nobody knows the merchant: a block-list', { kind: 'merchants', block: [`mer_${shop}`] }, unknown, passes],
    ['an allowed category', { kind: 'categories', allow: ['travel', 'retail'] }, {}, passes],
    ['a category that is not allowed', { kind: 'categories', allow: ['travel'] }, {}, 'merchant_blocked category'],
    ['a blocked category', { kind: 'categories', block: ['retail'] }, {}, 'merchant_blocked category'],
    [
      'a category blocked beside an allow-list',
      { kind: 'categories', allow: ['travel'], block: ['retail'] },
      {},
      'merchant_blocked category',
    ],
    ['nobody knows the category: an allow-list', { kind: 'categories', allow: ['retail'] }, unknown, 'policy_violation category'],
    ['nobody knows the category: a block-list', { kind: 'categories', block: ['retail'] }, unknown, passes],
    ['an allowed protocol', { kind: 'protocols', allow: ['x402', 'internal'] }, {}, passes],
    ['another protocol', { kind: 'protocols', allow: ['x402'] }, {}, 'policy_violation protocol'],
    ['a counterparty allowed by its wallet', { kind: 'counterparties', allow: [`wal_${payeeWallet}`] }, {}, passes],
    ['by its account', { kind: 'counterparties', allow: [`acc_${payeeAccount}`] }, {}, passes],
    ['by its agent', { kind: 'counterparties', allow: [`agt_${payeeAgent}`] }, {}, passes],
    ['another counterparty', { kind: 'counterparties', allow: [`acc_${payerAccount}`] }, {}, 'policy_violation counterparty'],
    ['a blocked account', { kind: 'counterparties', block: [`acc_${payeeAccount}`] }, {}, 'policy_violation counterparty'],
    [
      'a blocked wallet of an allowed account',
      { kind: 'counterparties', allow: [`acc_${payeeAccount}`], block: [`wal_${payeeWallet}`] },
      {},
      'policy_violation counterparty',
    ],
    [
      'outside: an allow-list',
      { kind: 'counterparties', allow: [`acc_${payeeAccount}`] },
      { payee: null },
      'policy_violation counterparty',
    ],
    ['outside: a block-list', { kind: 'counterparties', block: [`acc_${payeeAccount}`] }, { payee: null }, passes],
    ['a counterparty that was paid before', { kind: 'new_counterparty' }, {}, passes],
    ['a new counterparty', { kind: 'new_counterparty' }, { isKnownCounterparty: false }, 'policy_violation new_counterparty'],
  ];
  for (const [name, rule, facts, refusal] of cases) {
    it(name, () => expect(reasons(rule, facts)).toEqual(refusal === null ? [] : [refusal]));
  }

  it('wants an approval where its action is approve, for as long as its policy says', () => {
    const rule = { kind: 'protocols', allow: ['x402'], action: 'approve' };
    const approval = { threshold: '99.00', currency: 'USD', timeoutSeconds: 60 };
    expect(ask(rule).results).toMatchObject([{ outcome: 'approve', code: 'policy_violation' }]);
    expect(ask(rule).results[0]).not.toHaveProperty('timeoutSeconds');
    expect(policyLayer(spend(), [policyOf([rule], approval)], rates).results).toMatchObject([{ outcome: 'approve', timeoutSeconds: 60 }]);
  });
});

describe('the threshold of a policy', () => {
  const approval = { threshold: '10.00', currency: 'USD', timeoutSeconds: 900 };
  const of = (facts: Partial<SpendFacts>) => policyLayer(spend(facts), [policyOf([], approval)], rates).results;

  it('asks for an approval of what is above it, not of what is equal', () => {
    expect(of({ amount: 1_000n })).toEqual([]);
    expect(of({ amount: 1_001n })).toMatchObject([
      { layer: 'policy', ruleId: `pol_${id}.approval`, outcome: 'approve', reason: 'threshold', timeoutSeconds: 900 },
    ]);
    expect(of({ currency: 'USDC', amount: 10_000_001n })).toHaveLength(1);
  });

  it('refuses what no rate converts', () => expect(of({ currency: 'EUR' })).toMatchObject([{ outcome: 'fail', reason: 'no_rate' }]));
});

describe('what has to be known of a spend', () => {
  it('is asked for only where a rule asks', () => {
    const of = (...kinds: object[]) => [policyOf([]), policyOf(kinds)];
    expect(merchantRules(of({ kind: 'protocols', allow: ['x402'] }, { kind: 'new_counterparty' }))).toEqual([]);
    expect(merchantRules(of({ kind: 'merchants', block: [] }))).toHaveLength(1);
    expect(merchantRules(of({ kind: 'categories', allow: ['a'] }))).toHaveLength(1);
    expect(needsCounterparty(of({ kind: 'counterparties', allow: [id] }))).toBe(false);
    expect(needsCounterparty(of({ kind: 'new_counterparty' }))).toBe(true);
  });
});

describe('the layer', () => {
  it('asks every rule of every policy: as many answers as rules, each under the id of its own', () => {
    const rule = fc.constantFrom(
      { kind: 'max_count', per: 'day', count: 5 },
      { kind: 'velocity', count: 5, seconds: 60 },
      { kind: 'max_amount', per: 'tx', amount: '0.01', currency: 'USD' },
      { kind: 'max_amount', per: 'month', amount: '5.00', currency: 'EUR' },
      { kind: 'protocols', allow: ['mpp'] },
      { kind: 'counterparties', block: [`acc_${payeeAccount}`] },
    );
    const policies = fc.array(fc.array(rule, { maxLength: 6 }), { maxLength: 5 });
    fc.assert(
      fc.property(policies, fc.bigInt(2n, 10n ** 17n), (all, amount) => {
        const { uses, results } = policyLayer(
          spend({ amount }),
          all.map((rules, n) => policyOf(rules, null, uuid(n))),
          rates,
        );
        const expected = all.flatMap((rules, n) => rules.map((_, index) => `pol_${uuid(n)}.rules.${index}`));
        expect([...uses, ...results].map(({ ruleId }) => ruleId).sort()).toEqual(expected.sort());
      }),
    );
  });
});
