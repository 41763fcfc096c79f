// The rules of policies, and how a spend is evaluated against them (CONTRACT.md 6). Rules that count give uses of limits, which the posting consumes;
// the others give results by themselves.
import type { Policy } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { formatMinor, parseMinor } from '../../../platform/money.js';
import { parseAnyId, printId } from '../../../platform/schema/id.js';
import type { RateBook } from '../../rates/rate.js';
import { type LimitPeriod, type RuleAction, type RuleUse, windowOf } from '../pipeline/limit.js';
import { type LocalClock, localClock } from '../pipeline/local-time.js';
import type { Approvers, PolicyApproval, PolicyRule } from '../pipeline/rule-kind.js';
import { noRate, type RuleResult, type RuleResults, type SpendFacts } from '../pipeline/rule-result.js';
import { type MerchantLists, objectionOf, type StaticRule } from './policy-objection.js';

/** A policy as the pipeline enforces it: amounts in minor units, read once. */
export interface EnforcedPolicy {
  id: string;
  version: number;
  name: string;
  targetType: Policy['targetType'];
  targetId: string | null;
  rules: readonly EnforcedRule[];
  /** A spend above the threshold has to be approved. */
  approval: EnforcedThreshold | null;
}

interface Named {
  /** `pol_....rules.0`, as decisions and refusals print it. */
  ruleId: string;
}

interface EnforcedThreshold extends Named {
  threshold: bigint;
  currency: string;
  timeoutSeconds: number;
  /** Null: one decision, by whoever may decide. */
  approvers: Approvers | null;
}

interface Counted extends Named {
  /** The name of its counter. */
  counter: string;
}

/** A cap of the amount of one spend, or of all spends in a window. */
export interface AmountRule extends Counted {
  kind: 'max_amount';
  per: Exclude<LimitPeriod, 'once'>;
  maximum: bigint;
  currency: string;
  action: RuleAction;
}

/** A cap of the number of spends in a window. */
export interface CountRule extends Counted {
  kind: 'max_count' | 'velocity';
  per: Exclude<LimitPeriod, 'tx' | 'once'>;
  maximum: bigint;
  currency: null;
  action: RuleAction;
}

/** A rule as the pipeline enforces it. */
export type EnforcedRule = AmountRule | CountRule | (Named & { action: RuleAction } & StaticRule);

/** True for a rule with a figure that limits: those that count, and the cap of a single spend. */
export function hasFigure(rule: EnforcedRule): rule is AmountRule | CountRule {
  return rule.kind === 'max_amount' || rule.kind === 'max_count' || rule.kind === 'velocity';
}

/**
 * The counter of a rule. It is named by policy, kind, period and currency, so a rule that is changed goes on from what was used, and
 * a policy has one rule of each.
 */
function policyCounter(policyId: string, { kind, per, currency }: Pick<AmountRule | CountRule, 'kind' | 'per' | 'currency'>): string {
  return ['policy', policyId, kind, per, ...(currency === null ? [] : [currency])].join(':');
}

/** The results of the policies that bind a spend. */
export function policyLayer(facts: SpendFacts, policies: readonly EnforcedPolicy[], rates: RateBook): RuleResults {
  const answer: RuleResults = { uses: [], results: [], rateIds: [] };
  for (const policy of policies) {
    for (const rule of policy.rules) {
      if (rule.kind === 'max_amount') evaluateAmount(rule, policy, facts, rates, answer);
      else if (hasFigure(rule)) answer.uses.push(useOf(rule, policy, 1n, facts.at));
      else evaluateStatic(rule, policy, facts, answer);
    }
    if (policy.approval !== null) evaluateThreshold(policy.approval, policy, facts, rates, answer);
  }
  return answer;
}

function evaluateAmount(
  rule: AmountRule,
  policy: EnforcedPolicy,
  { amount, currency, at }: SpendFacts,
  rates: RateBook,
  answer: RuleResults,
): void {
  const converted = rates.convertUp(amount, currency, rule.currency);
  if (converted === null) {
    answer.results.push(noRate('policy', rule.ruleId, 'policy_violation', currency, rule.currency));
    return;
  }
  answer.rateIds.push(...converted.rateIds);
  const { minor: requested } = converted;
  if (rule.per !== 'tx') {
    answer.uses.push(useOf(rule, policy, requested, at));
    return;
  }
  if (requested <= rule.maximum) return;
  const limit = { kind: 'policy', per: 'tx', currency: rule.currency, max: rule.maximum, used: 0n, requested, resetsAt: null } as const;
  const print = (minor: bigint) => `${formatMinor(minor, rule.currency)} ${rule.currency}`;
  const message = `The policy "${policy.name}" allows ${print(rule.maximum)} at a time; this is ${print(requested)}.`;
  answer.results.push({ ...resultBy(rule, policy), code: 'policy_violation', reason: 'max_amount', message, limit });
}

function useOf(rule: AmountRule | CountRule, policy: EnforcedPolicy, used: bigint, at: Date): RuleUse {
  const { ruleId, counter, per, maximum, currency, action } = rule;
  if (per === 'tx') throw new Error('a single spend has no window');
  const { name: window, resetsAt } = windowOf(per, at);
  const timeoutSeconds = policy.approval?.timeoutSeconds;
  const use = { counter, window, used, reserved: 0n, maximum, layer: 'policy', ruleId, per, currency, action, resetsAt } as const;
  return { ...use, timeoutSeconds, ...peopleOf(policy.approval) };
}

function evaluateStatic(
  rule: Named & { action: RuleAction } & StaticRule,
  policy: EnforcedPolicy,
  facts: SpendFacts,
  answer: RuleResults,
): void {
  const objection = objectionOf(rule, facts);
  if (objection === null) return;
  const { says, ...rest } = objection;
  answer.results.push({ ...resultBy(rule, policy), ...rest, message: `The policy "${policy.name}" ${says}` });
}

function evaluateThreshold(
  approval: EnforcedThreshold,
  policy: EnforcedPolicy,
  spend: SpendFacts,
  rates: RateBook,
  answer: RuleResults,
): void {
  const { ruleId, threshold, currency, timeoutSeconds } = approval;
  const converted = rates.convertUp(spend.amount, spend.currency, currency);
  if (converted === null) {
    answer.results.push(noRate('policy', ruleId, 'policy_violation', spend.currency, currency));
    return;
  }
  answer.rateIds.push(...converted.rateIds);
  if (converted.minor <= threshold) return;
  const message = `The policy "${policy.name}" requires an approval for spends above ${formatMinor(threshold, currency)} ${currency}.`;
  const about = { layer: 'policy', ruleId, outcome: 'approve', code: 'policy_violation', reason: 'threshold' } as const;
  answer.results.push({ ...about, message, timeoutSeconds, ...peopleOf(approval) });
}

/** Marks what a policy says that asks people. */
function peopleOf(approval: EnforcedThreshold | null): { asksPeople?: true } {
  return approval?.approvers ? { asksPeople: true } : {};
}

/** What all results of a rule have in common. An approval that it asks for waits as long as those of its policy do. */
function resultBy(
  { ruleId, action }: Named & { action: RuleAction },
  { approval }: EnforcedPolicy,
): Pick<RuleResult, 'layer' | 'ruleId' | 'outcome' | 'timeoutSeconds' | 'asksPeople'> {
  return {
    layer: 'policy',
    ruleId,
    outcome: action === 'approve' ? 'approve' : 'fail',
    ...(approval === null ? {} : { timeoutSeconds: approval.timeoutSeconds, ...peopleOf(approval) }),
  };
}

/** The rules of the policies that ask which merchants are paid. */
export function merchantRules(policies: readonly EnforcedPolicy[]): MerchantLists[] {
  return policies.flatMap(({ rules }) =>
    rules.filter((rule): rule is EnforcedRule & MerchantLists => rule.kind === 'merchants' || rule.kind === 'categories'),
  );
}

/** True when a rule of the policies asks whether the payee was paid before. */
export function needsCounterparty(policies: readonly EnforcedPolicy[]): boolean {
  return policies.some(({ rules }) => rules.some(({ kind }) => kind === 'new_counterparty'));
}

/** The policies of the workspace that are enabled. */
export async function enforcedPolicies({ db }: Pick<Ctx, 'db'>): Promise<EnforcedPolicy[]> {
  const rows = await db.policy.findMany({ where: { deletedAt: null, enabled: true }, orderBy: { id: 'asc' } });
  const clocks = new Map<string, LocalClock>();
  const clockOf = (zone: string) => {
    const clock = clocks.get(zone) ?? localClock(zone);
    clocks.set(zone, clock);
    return clock;
  };
  return rows.map((row) => enforcedPolicy(row, clockOf));
}

type StoredPolicy = Pick<Policy, 'id' | 'version' | 'name' | 'targetType' | 'targetId' | 'rules' | 'approval'>;

/** A stored policy, parsed once so that every spend can be evaluated against it. */
export function enforcedPolicy(row: StoredPolicy, clockOf: (zone: string) => LocalClock = localClock): EnforcedPolicy {
  const { id, version, name, targetType, targetId } = row;
  const rules = row.rules as unknown as PolicyRule[];
  const approval = row.approval as unknown as PolicyApproval | null;
  return {
    id,
    version,
    name,
    targetType,
    targetId,
    rules: rules.map((rule, index) => enforcedRule(rule, id, index, clockOf)),
    approval: approval && {
      ruleId: `${printId('policy', id)}.approval`,
      threshold: parseMinor(approval.threshold, approval.currency, ['threshold'], 0n),
      currency: approval.currency,
      timeoutSeconds: approval.timeoutSeconds,
      approvers: approval.approvers ?? null,
    },
  };
}

function enforcedRule(rule: PolicyRule, policyId: string, index: number, clockOf: (zone: string) => LocalClock): EnforcedRule {
  const { kind, action } = rule;
  const head = { ruleId: `${printId('policy', policyId)}.rules.${index}`, action };
  const counted = <T extends Pick<AmountRule | CountRule, 'kind' | 'per' | 'currency'>>(figures: T) => {
    return { ...head, ...figures, counter: policyCounter(policyId, figures) };
  };
  switch (kind) {
    case 'max_amount': {
      const { per, amount, currency } = rule;
      return counted({ kind, per, maximum: parseMinor(amount, currency, ['amount']), currency });
    }
    case 'max_count':
      return counted({ kind, per: rule.per, maximum: BigInt(rule.count), currency: null });
    case 'velocity':
      return counted({ kind, per: `${rule.seconds}s`, maximum: BigInt(rule.count), currency: null });
    case 'merchants':
    case 'categories':
    case 'counterparties':
      return { ...head, kind, allow: rule.allow === undefined ? null : namesIn(rule.allow), block: namesIn(rule.block ?? []) };
    case 'protocols':
      return { ...head, kind, allow: namesIn(rule.allow) };
    case 'hours': {
      const { days, from, to, timezone } = rule;
      const text = `${from} to ${to} on ${days.join(', ')} in ${timezone}`;
      return { ...head, kind, days: new Set(days), from: minuteOf(from), to: minuteOf(to), clock: clockOf(timezone), text };
    }
    case 'new_counterparty':
      return { ...head, kind };
  }
}

/** Ids are compared bare. */
function namesIn(list: readonly string[]): ReadonlySet<string> {
  return new Set(list.map((name) => parseAnyId(name) ?? name));
}

/** Minutes since midnight of `09:30`. */
function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
