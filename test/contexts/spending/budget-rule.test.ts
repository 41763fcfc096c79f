// What budgets say of a spend: a pure rule over facts, budgets and rates.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  budgetCounter,
  budgetLayer,
  budgetOfCounter,
  type EnforcedBudget,
  markAt,
} from '../../../src/contexts/spending/budget/budget-rule.js';
import type { SpendFacts } from '../../../src/contexts/spending/pipeline/rule-result.js';
import type { Rulebook } from '../../../src/contexts/spending/pipeline/rulebook.js';
import { indexOf, rulesFor } from '../../../src/contexts/spending/pipeline/rulebook.js';

const at = new Date('2026-11-21T23:30:00.000Z');
const [account, agent, other] = ['a', 'b', 'c'].map((digit) => `01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6${digit}`) as [string, string, string];
const facts: SpendFacts = {
  at,
  amount: 2_500n,
  currency: 'USD',
  protocol: 'internal',
  payer: { walletId: other, accountId: account, agentId: agent },
  payee: null,
  agent: { id: agent, kyaTier: 0 },
  traceId: null,
  mandateId: null,
  breakerTripId: null,
  lifted: null,
};
const budget = (id: string, extra: Partial<EnforcedBudget> = {}): EnforcedBudget => ({
  id,
  version: 1,
  name: 'Research',
  scopeType: 'tenant',
  scopeId: null,
  parentId: null,
  amount: 10_000n,
  currency: 'USD',
  period: 'day',
  timezone: 'UTC',
  expiresAt: null,
  alertsAt: [],
  ...extra,
});

/** Two and a half of the one for one of the other, and nothing for yen. */
const rates: Rulebook['rates'] = {
  convertUp: (minor, from, to) => {
    if (from === to) return { minor, rateIds: [] };
    return from === 'USD' && to === 'BRL' ? { minor: (minor * 5n + 1n) / 2n, rateIds: ['rate'] } : null;
  },
  rateOf: () => null,
};
const ask = (...budgets: EnforcedBudget[]) => budgetLayer(facts, budgets, rates);

describe('budgetLayer', () => {
  it('uses every budget on the path, in the window of its own time zone', () => {
    const { uses, results, rateIds } = ask(budget('x'), budget('y', { period: 'week', timezone: 'Asia/Kolkata', amount: 7n }));
    expect(uses).toEqual([
      {
        counter: 'budget:x',
        window: '2026-11-21',
        used: 2_500n,
        reserved: 0n,
        maximum: 10_000n,
        marks: undefined,
        layer: 'budget',
        ruleId: 'bud_x',
        per: 'day',
        currency: 'USD',
        action: 'deny',
        resetsAt: new Date('2026-11-22T00:00:00.000Z'),
      },
      expect.objectContaining({ ruleId: 'bud_y', window: '2026-11-16', resetsAt: new Date('2026-11-22T18:30:00.000Z'), maximum: 7n }),
    ]);
    expect([results, rateIds]).toEqual([[], []]);
  });

  it('counts in the currency of the budget, by a rate that it names', () => {
    const { uses, rateIds } = budgetLayer({ ...facts, amount: 1n }, [budget('x', { currency: 'BRL' })], rates);
    expect(uses).toMatchObject([{ used: 3n, currency: 'BRL' }]);
    expect(rateIds).toEqual(['rate']);
  });

  it('refuses what it cannot count', () => {
    const { uses, results } = ask(budget('x', { currency: 'JPY' }), budget('y'));
    expect(uses.map(({ ruleId }) => ruleId)).toEqual(['bud_y']);
    expect(results).toMatchObject([{ layer: 'budget', ruleId: 'bud_x', outcome: 'fail', code: 'budget_exceeded', reason: 'no_rate' }]);
  });

  it('refuses from the instant at which the budget expires, and counts all the same', () => {
    const ends = (expiresAt: Date) => ask(budget('x', { expiresAt }));
    expect(ends(new Date(at.getTime() + 1)).results).toEqual([]);
    const { uses, results } = ends(at);
    expect(results).toMatchObject([
      { ruleId: 'bud_x.expires_at', outcome: 'fail', code: 'budget_exceeded', reason: 'expired', facts: { expires_at: at.toISOString() } },
    ]);
    expect(uses).toHaveLength(1);
  });

  it('marks each of its alerts once', () => {
    expect(ask(budget('x', { alertsAt: ['0.5', '0.8', '1'] })).uses[0]?.marks).toEqual([5_000n, 8_000n, 10_000n]);
    expect(ask(budget('x', { amount: 1n, alertsAt: ['0.5', '0.8'] })).uses[0]?.marks).toEqual([1n]);
  });
});

describe('markAt', () => {
  it('is the least amount that is so large a part', () => {
    const tenThousandths = fc.integer({ min: 1, max: 10_000 });
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 17n), tenThousandths, (amount, parts) => {
        const mark = markAt(amount, String(parts / 10_000));
        const whole = amount * BigInt(parts);
        expect(mark * 10_000n >= whole && (mark - 1n) * 10_000n < whole).toBe(true);
      }),
    );
  });
});

describe('a counter', () => {
  it('names its budget', () => {
    expect(budgetOfCounter(budgetCounter(agent))).toBe(agent);
    expect(budgetOfCounter(`kya:${agent}:USD`)).toBeNull();
  });
});

describe('the path of a spend', () => {
  const nothing = { kya: [], policies: [], rates, watched: new Map() };
  const pathOf = (bound: Partial<SpendFacts>, ...budgets: EnforcedBudget[]) =>
    rulesFor({ ...nothing, budgets, index: indexOf({ policies: [], budgets }) }, { ...facts, ...bound }).budgets.map(({ id }) => id);
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const all = [
    budget('tenant'),
    budget('account', { scopeType: 'account', scopeId: account }),
    budget('account of others', { scopeType: 'account', scopeId: other }),
    budget('agent', { scopeType: 'agent', scopeId: agent }),
    budget('agent of others', { scopeType: 'agent', scopeId: other }),
    budget('trace', { scopeType: 'trace', scopeId: trace }),
  ];

  it('has those of the tenant, the account, the agent and the trace', () => {
    expect(pathOf({}, ...all)).toEqual(['account', 'agent', 'tenant']);
    expect(pathOf({ traceId: trace }, ...all)).toEqual(['account', 'agent', 'tenant', 'trace']);
    expect(pathOf({ agent: null }, ...all)).toEqual(['account', 'tenant']);
  });

  it('has all above them, whomever those bind, each once', () => {
    const above = budget('above', { scopeType: 'account', scopeId: other });
    const middle = budget('middle', { scopeType: 'agent', scopeId: other, parentId: 'above' });
    const below = budget('below', { scopeType: 'agent', scopeId: agent, parentId: 'middle' });
    const beside = budget('beside', { scopeType: 'account', scopeId: account, parentId: 'above' });
    expect(pathOf({}, above, middle, below, beside)).toEqual(['below', 'beside', 'middle', 'above']);
    expect(pathOf({ agent: null }, above, middle, below)).toEqual([]);
  });
});
