// A stored decision computed again, from what is stored of it alone: the facts, the rules and the mandate by id and version, the rates by
// id.

import type { MandateScope } from '../../../src/contexts/mandates/scope.js';
import { builtinRates } from '../../../src/contexts/rates/builtin.js';
import { bookOf, type RateBook, rateOfRow } from '../../../src/contexts/rates/rate.js';
import type { EnforcedBudget } from '../../../src/contexts/spending/budget/budget-rule.js';
import { type DecisionInput, inputIn } from '../../../src/contexts/spending/pipeline/decision-record.js';
import { decidingLayers, type RuleLayer } from '../../../src/contexts/spending/pipeline/layer.js';
import { enforcedMandate } from '../../../src/contexts/spending/pipeline/mandate.js';
import type { EnforcedMandate } from '../../../src/contexts/spending/pipeline/mandate-rule.js';
import { isApprovable, type RuleResults, type SpendFacts } from '../../../src/contexts/spending/pipeline/rule-result.js';
import { applyRules } from '../../../src/contexts/spending/pipeline/rules-in-force.js';
import type { KyaCap } from '../../../src/contexts/spending/policy/kya-limit.js';
import { type EnforcedPolicy, enforcedPolicy } from '../../../src/contexts/spending/policy/policy-rule.js';
import type { Decision as DecisionRow, Rate as RateRow } from '../../../src/generated/prisma/client.js';
import { parseMinor } from '../../../src/platform/money.js';
import type { Database } from '../../../src/platform/postgres/database.js';

/** What the layers say of the facts of a decision under the rules that it names. */
export async function replay({ unscoped }: Database, row: DecisionRow): Promise<RuleResults> {
  const { facts, kya = [], policies = [], budgets = [], rates = [], mandate } = inputIn(row);
  const rules = {
    kya: kya.map(capOf),
    policies: await Promise.all(policies.map(([id, version]) => policyThen(id, version))),
    budgets: await Promise.all(budgets.map(([id, version]) => budgetThen(id, version))),
    rates: await bookThen(rates),
    mandate: mandate && (await mandateThen(mandate[0], mandate[1])),
  };
  return applyRules(factsOf(facts), rules);

  async function policyThen(id: string, version: number): Promise<EnforcedPolicy> {
    const policy = await unscoped.policy.findFirstOrThrow({ where: { id } });
    const { rules: said, approval } = await unscoped.policyVersion.findFirstOrThrow({ where: { policyId: id, version } });
    return enforcedPolicy({ ...policy, rules: said, approval, version });
  }

  async function budgetThen(id: string, version: number): Promise<EnforcedBudget> {
    const budget = await unscoped.budget.findFirstOrThrow({ where: { id } });
    const { amount, expiresAt, alertsAt } = await unscoped.budgetVersion.findFirstOrThrow({ where: { budgetId: id, version } });
    return { ...budget, amount, expiresAt, alertsAt, version };
  }

  async function mandateThen(id: string, version: number): Promise<EnforcedMandate> {
    const mandate = await unscoped.mandate.findFirstOrThrow({ where: { id } });
    const { scope } = await unscoped.mandateVersion.findFirstOrThrow({ where: { mandateId: id, version } });
    return enforcedMandate({ ...mandate, version, ...scopeThen(scope as Record<string, unknown>, mandate.currency) });
  }

  async function bookThen(ids: readonly string[]): Promise<RateBook> {
    const own: RateRow[] = await unscoped.rate.findMany({ where: { id: { in: [...ids] } } });
    const builtin = builtinRates
      .filter(({ id }) => ids.includes(id))
      .map((rate) => ({ ...rate, source: 'builtin' as const, saidAt: rate.asOf }));
    return bookOf([...builtin, ...own.map(rateOfRow)]);
  }
}

function factsOf(stored: DecisionInput['facts']): SpendFacts {
  const nothing = { payee: null, agent: null, traceId: null, mandateId: null, breakerTripId: null, lifted: null };
  return { ...nothing, ...stored, at: new Date(stored.at), amount: BigInt(stored.amount) };
}

/** A scope as it was printed. */
function scopeThen(scope: Record<string, unknown>, currency: string): MandateScope {
  const limit = (name: string) => (scope[name] === undefined ? null : parseMinor(String(scope[name]), currency, [name]));
  const list = (name: string) => (scope[name] ?? []) as string[];
  const merchants = (name: string) => list(name).map((id) => id.slice('mer_'.length));
  return {
    currency,
    maxPerTx: limit('max_per_tx'),
    maxPerDay: limit('max_per_day'),
    maxPerMonth: limit('max_per_month'),
    allowedCategories: list('allowed_merchant_categories'),
    allowedMerchants: merchants('allowed_merchants'),
    blockedMerchants: merchants('blocked_merchants'),
  };
}

function capOf({ tier, currency, perTx, perDay, perMonth }: NonNullable<DecisionInput['kya']>[number]): KyaCap {
  const read = (amount: string | undefined) => (amount === undefined ? null : BigInt(amount));
  return { tier, currency, perTx: read(perTx), perDay: read(perDay), perMonth: read(perMonth) };
}

/**
 * The outcome that follows from what the rules say, when the counters stood at `used`; for a denial also the first layer of rules that
 * refuses.
 */
export function outcomeOf(
  { results, uses }: RuleResults,
  { requestApproval }: DecisionInput,
  used: (counter: string, window: string) => bigint,
): { outcome: DecisionRow['outcome']; layer?: RuleLayer } {
  const passed: { layer: RuleLayer; ruleId: string; action: string; reason?: string }[] = uses.filter(
    (use) => use.maximum !== null && used(use.counter, use.window) + use.used + use.reserved > use.maximum,
  );
  const refusing = [...results.filter(({ outcome }) => outcome === 'fail'), ...passed.filter(({ action }) => action === 'deny')];
  const denying = refusing
    .filter(({ ruleId, reason }) => !(requestApproval === true && isApprovable(ruleId, reason)))
    .map(({ layer }) => layer);
  const layer = decidingLayers.find((one) => (denying as string[]).includes(one)) as RuleLayer | undefined;
  if (layer !== undefined) return { outcome: 'deny', layer };
  const required = results.some(({ outcome }) => outcome === 'approve') || passed.length > 0 || refusing.length > 0;
  return { outcome: required ? 'require_approval' : 'allow' };
}
