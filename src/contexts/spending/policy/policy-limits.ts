// What the policies that bind an agent leave it: every rule with a figure, and what is left of it now (CONTRACT.md 5, 6).
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound } from '../../../platform/errors.js';
import { actingAgent } from '../../agents/agent.js';
import { type LimitPeriod, printFigure, type RuleAction, remainingOf, windowOf } from '../pipeline/limit.js';
import { counterKey, readCounters } from '../pipeline/posting.js';
import { rulebook } from '../pipeline/rulebook.js';
import { type AmountRule, type CountRule, type EnforcedPolicy, hasFigure } from './policy-rule.js';

/** A rule of a policy and what is left of it: amounts of its currency, or numbers of spends. */
export interface PolicyLimit {
  policyId: string;
  name: string;
  ruleId: string;
  kind: 'max_amount' | 'max_count' | 'velocity';
  per: LimitPeriod;
  /** Null for a rule that counts spends. */
  currency: string | null;
  /** Null, like `used`, where they would tell an agent what others have spent. */
  max: string | null;
  used: string | null;
  remaining: string;
  resetsAt: Date | null;
  action: RuleAction;
}

/** A hundred policies of fifty rules could bind one agent; so many rules are shown. */
export const mostPolicyLimits = 500;

/** What the policies leave an agent: those of the workspace, of its account, of itself and of its wallets. */
export async function policyLimits(ctx: Ctx, agentId: string): Promise<PolicyLimit[]> {
  const bound = await boundRules(ctx, agentId);
  const at = ctx.clock.now();
  const counted = bound.map(({ policy, rule }) => ({ policy, rule, ...windowIn(rule, at) }));
  const counters = await readCounters(
    ctx.db,
    counted.flatMap(({ counter, window }) => (window === null ? [] : [{ counter, window }])),
  );
  return counted.map(({ policy, rule, counter, window, resetsAt }) => {
    const used = window === null ? 0n : (counters.get(counterKey({ counter, window })) ?? 0n);
    return { ...figuresOf(rule, used, showsUsage(ctx, policy)), ...headOf(policy, rule), resetsAt };
  });
}

interface Bound {
  policy: EnforcedPolicy;
  rule: AmountRule | CountRule;
}

async function boundRules(ctx: Ctx, agentId: string): Promise<Bound[]> {
  const { policies } = await rulebook(ctx);
  if (policies.length === 0) return [];
  const agent = await actingAgent(ctx, agentId);
  if (agent === null) throw new NotFound();
  const ofWallets = policies.some(({ targetType }) => targetType === 'wallet');
  const wallets = ofWallets ? await ctx.db.wallet.findMany({ where: { agentId }, select: { id: true } }) : [];
  const targets = new Set([agentId, agent.parentAccountId, ...wallets.map(({ id }) => id)]);
  return policies
    .filter(({ targetId }) => targetId === null || targets.has(targetId))
    .flatMap((policy) => policy.rules.filter(hasFigure).map((rule) => ({ policy, rule })))
    .slice(0, mostPolicyLimits);
}

function windowIn(rule: Bound['rule'], at: Date): { counter: string; window: string | null; resetsAt: Date | null } {
  const { counter } = rule;
  if (rule.per === 'tx') return { counter, window: null, resetsAt: null };
  const { name: window, resetsAt } = windowOf(rule.per, at);
  return { counter, window, resetsAt };
}

// Gap G-104: Of limits that count others too an agent sees what is left, without `max` and `used`.
/** An agent reads of a policy that counts others too what is left, and not what they used. */
function showsUsage({ actor }: Ctx, { targetType }: EnforcedPolicy): boolean {
  return actor.type !== 'agent' || targetType === 'agent' || targetType === 'wallet';
}

function figuresOf({ maximum: max, currency }: Bound['rule'], used: bigint, all: boolean): Pick<PolicyLimit, 'max' | 'used' | 'remaining'> {
  const print = (figure: bigint) => String(printFigure(figure, currency));
  return { max: all ? print(max) : null, used: all ? print(used) : null, remaining: print(remainingOf({ max, used })) };
}

function headOf({ id: policyId, name }: EnforcedPolicy, { ruleId, kind, per, currency, action }: Bound['rule']) {
  return { policyId, name, ruleId, kind, per, currency, action };
}
