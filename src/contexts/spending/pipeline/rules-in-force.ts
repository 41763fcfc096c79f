// The rules that bind a spend, asked without the database: what each layer lets through, and which limits it has to use.
import type { RateBook } from '../../rates/rate.js';
import { budgetLayer, type EnforcedBudget } from '../budget/budget-rule.js';
import { type KyaCap, kyaLayer } from '../policy/kya-limit.js';
import { type EnforcedPolicy, policyLayer } from '../policy/policy-rule.js';
import { cardLayer, type EnforcedCard } from './card-rule.js';
import type { RuleUse } from './limit.js';
import { type EnforcedMandate, mandateLayer } from './mandate-rule.js';
import { havePeopleVoted, isApprovable, type RuleResult, type RuleResults, type SpendFacts } from './rule-result.js';

/** The rules in force for one spend: those that its facts are bound by. */
export interface RulesInForce {
  /** Caps of the agent's tier; none when no agent spends. */
  kya: readonly KyaCap[];
  policies: readonly EnforcedPolicy[];
  budgets: readonly EnforcedBudget[];
  rates: RateBook;
  /** The mandate that the spend is an execution of. */
  mandate?: EnforcedMandate | undefined;
  /** The vaulted card that pays, where it has limits. */
  card?: EnforcedCard | undefined;
}

/**
 * Asks every layer of rules. Pure: equal facts and rules give an equal answer. Once an approval was given, no rule asks for another,
 * and those that it lifted refuse nothing and count on, but for one that cannot count for want of a rate.
 */
export function applyRules(facts: SpendFacts, { kya, policies, budgets, rates, mandate, card }: RulesInForce): RuleResults {
  const answers = [
    kyaLayer(facts, kya, rates),
    breakerLayer(facts),
    policyLayer(facts, policies, rates),
    cardLayer(facts, card, rates),
    budgetLayer(facts, budgets, rates),
    mandateLayer(facts, mandate),
  ];
  const { lifted } = facts;
  const uses = answers.flatMap((answer) => answer.uses);
  const results = answers.flatMap((answer) => answer.results);
  return {
    uses: lifted === null ? uses : uses.map((use) => (isUseLifted(use, lifted) ? { ...use, maximum: null } : use)),
    results: lifted === null ? results : results.flatMap((result) => stillRefused(result, lifted)),
    rateIds: [...new Set(answers.flatMap(({ rateIds }) => rateIds))],
  };
}

// Gap G-495: A policy with `approvers` that was not asked when the approval was requested refuses the spend when the approval is given.
/** Whether an approval lifts the maximum of a use: no rule asks for another, but one whose policy asks people who have not voted. */
function isUseLifted({ action, ruleId, asksPeople }: RuleUse, lifted: readonly string[]): boolean {
  return lifted.includes(ruleId) || (action === 'approve' && (!asksPeople || havePeopleVoted(ruleId, lifted)));
}

/** What a result says once an approval was given: nothing, or that it refuses. */
function stillRefused(result: RuleResult, lifted: readonly string[]): RuleResult[] {
  const { outcome, ruleId, reason, asksPeople } = result;
  if (outcome === 'approve') return asksPeople && !havePeopleVoted(ruleId, lifted) ? [{ ...result, outcome: 'fail' }] : [];
  return isApprovable(ruleId, reason) && lifted.includes(ruleId) ? [] : [result];
}

/** An agent that the breaker watches asks for every spend. */
function breakerLayer({ breakerTripId }: SpendFacts): RuleResults {
  const message = 'The runaway breaker tripped for this agent: each of its spends needs an approval for now.';
  const result: RuleResult = {
    layer: 'policy',
    ruleId: `breaker.${breakerTripId}`,
    outcome: 'approve',
    code: 'policy_violation',
    reason: 'breaker',
    message,
  };
  return { uses: [], results: breakerTripId === null ? [] : [result], rateIds: [] };
}
