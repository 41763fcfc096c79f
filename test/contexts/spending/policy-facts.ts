// Facts, rules and rates for tests of the policy layer, which knows no database.
import type { RateBook } from '../../../src/contexts/rates/rate.js';
import type { PolicyApproval } from '../../../src/contexts/spending/pipeline/rule-kind.js';
import type { SpendFacts } from '../../../src/contexts/spending/pipeline/rule-result.js';
import { type EnforcedPolicy, enforcedPolicy, policyLayer } from '../../../src/contexts/spending/policy/policy-rule.js';

export const id = '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d';
export const uuid = (n: number) => `01994d3e-7a80-7c3a-9d55-${String(n).padStart(12, '0')}`;
export const payerWallet = uuid(1);
export const payerAccount = uuid(2);
export const payeeWallet = uuid(3);
export const payeeAccount = uuid(4);
export const payeeAgent = uuid(5);
export const shop = uuid(6);

/** A dollar is 150 yen and half a euro, rounded up; dollars and USDC are one. No other pair has a rate. */
const factors: Record<string, [bigint, bigint, string]> = {
  'USD JPY': [150n, 100n, 'j'],
  'USD EUR': [1n, 2n, 'e'],
  'USDC USD': [1n, 10_000n, 'c'],
};
export const rates: RateBook = {
  convertUp(minor, from, to) {
    if (from === to) return { minor, rateIds: [] };
    const [times, by, rateId] = factors[`${from} ${to}`] ?? [0n, 1n, ''];
    return times === 0n ? null : { minor: (minor * times + by - 1n) / by, rateIds: [rateId] };
  },
  rateOf: () => null,
};

/** A spend of 10.00 USD to a shop that was paid before. */
export function spend(facts: Partial<SpendFacts> = {}): SpendFacts {
  return {
    at: new Date('2026-03-02T10:00:00Z'),
    amount: 1_000n,
    currency: 'USD',
    protocol: 'internal',
    payer: { walletId: payerWallet, accountId: payerAccount, agentId: null },
    payee: { walletId: payeeWallet, accountId: payeeAccount, agentId: payeeAgent },
    agent: null,
    merchant: { id: shop, category: 'retail' },
    isKnownCounterparty: true,
    traceId: null,
    mandateId: null,
    breakerTripId: null,
    lifted: null,
    ...facts,
  };
}

/** A policy as it was stored, made ready to be asked. */
export function policyOf(rules: object[], approval: PolicyApproval | null = null, policyId = id): EnforcedPolicy {
  const row = { id: policyId, version: 1, name: 'Spending', targetType: 'tenant', targetId: null } as const;
  return enforcedPolicy({ ...row, rules: rules.map((rule) => ({ action: 'deny', ...rule })) as never, approval: approval as never });
}

/** What one rule says of a spend. */
export const ask = (rule: object, facts: Partial<SpendFacts> = {}) => policyLayer(spend(facts), [policyOf([rule])], rates);
export const reasons = (rule: object, facts: Partial<SpendFacts> = {}) =>
  ask(rule, facts).results.map(({ code, reason }) => `${code} ${reason}`);
