// The path of budgets that a spend reserves along (CONTRACT.md 6). Each of them counts every spend, in its own currency.
import type { Budget } from '../../../generated/prisma/client.js';
import { printId } from '../../../platform/schema/id.js';
import type { RateBook } from '../../rates/rate.js';
import { noRate, type RuleResult, type RuleResults, type SpendFacts } from '../pipeline/rule-result.js';
import { budgetWindow } from './budget-window.js';

/** A budget as the pipeline enforces it. */
export type EnforcedBudget = Pick<
  Budget,
  | 'id'
  | 'version'
  | 'name'
  | 'scopeType'
  | 'scopeId'
  | 'parentId'
  | 'amount'
  | 'currency'
  | 'period'
  | 'timezone'
  | 'expiresAt'
  | 'alertsAt'
>;

/** The counter of what a budget has used. */
export function budgetCounter(id: string): string {
  return `budget:${id}`;
}

/** The budget that a counter counts for; null for a counter of another rule. */
export function budgetOfCounter(counter: string): string | null {
  return /^budget:(.+)$/.exec(counter)?.[1] ?? null;
}

/** True once a budget has ended: no more can be spent under it. */
export function isBudgetExpired({ expiresAt }: Pick<Budget, 'expiresAt'>, at: Date): boolean {
  return expiresAt !== null && expiresAt <= at;
}

/** The least amount in minor units that is at least `fraction`, a decimal text, of `amount`. */
export function markAt(amount: bigint, fraction: string): bigint {
  const [whole = '0', digits = ''] = fraction.split('.');
  const unit = 10n ** BigInt(digits.length);
  return (amount * BigInt(whole + digits) + unit - 1n) / unit;
}

/** What the budgets that bind a spend say of it. One that has expired refuses, and counts what is approved all the same. */
export function budgetLayer({ amount, currency, at }: SpendFacts, budgets: readonly EnforcedBudget[], rates: RateBook): RuleResults {
  const answer: RuleResults = { uses: [], results: [], rateIds: [] };
  for (const budget of budgets) {
    const ruleId = printId('budget', budget.id);
    if (isBudgetExpired(budget, at)) answer.results.push(expired(`${ruleId}.expires_at`, budget));
    const converted = rates.convertUp(amount, currency, budget.currency);
    if (converted === null) {
      answer.results.push(noRate('budget', ruleId, 'budget_exceeded', currency, budget.currency));
      continue;
    }
    answer.rateIds.push(...converted.rateIds);
    const { name: window, resetsAt } = budgetWindow(budget.period, budget.timezone, at);
    answer.uses.push({
      counter: budgetCounter(budget.id),
      window,
      used: converted.minor,
      reserved: 0n,
      maximum: budget.amount,
      marks: marksOf(budget),
      layer: 'budget',
      ruleId,
      per: budget.period,
      currency: budget.currency,
      action: 'deny',
      resetsAt,
    });
  }
  return answer;
}

/** The marks at which a budget warns, each once; undefined when it does not. */
function marksOf({ amount, alertsAt }: EnforcedBudget): bigint[] | undefined {
  return alertsAt.length === 0 ? undefined : [...new Set(alertsAt.map((fraction) => markAt(amount, fraction)))];
}

function expired(ruleId: string, { expiresAt }: EnforcedBudget): RuleResult {
  const end = expiresAt?.toISOString();
  const message = `A budget ended at ${end}: no more can be spent under it.`;
  return { layer: 'budget', ruleId, outcome: 'fail', code: 'budget_exceeded', reason: 'expired', message, facts: { expires_at: end } };
}
