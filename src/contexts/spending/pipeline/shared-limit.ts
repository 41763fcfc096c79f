// Limits that count others than the agent which asks. What they have used would say what those have spent, so an agent is told what is left
// of them alone, in refusals as among its limits (CONTRACT.md 6).
import type { RulesInForce } from './rules-in-force.js';

// Gap G-145: `max` and `used` are null for an agent that was refused by a limit which counts others; `remaining` is shown.
/** Whether a rule that binds an agent counts the spends of others too. One that is not there any more may have. */
export function countsOthers(ruleId: string, { policies, budgets, card }: Pick<RulesInForce, 'policies' | 'budgets' | 'card'>): boolean {
  if (ruleId.startsWith('card_')) return card?.agentId == null;
  const [, kind, id] = /^(pol|bud)_([^.]+)/.exec(ruleId) ?? [];
  if (kind === undefined) return false;
  if (kind === 'bud') {
    const scope = budgets.find((budget) => budget.id === id)?.scopeType;
    return scope !== 'agent' && scope !== 'connection';
  }
  const target = policies.find((policy) => policy.id === id)?.targetType;
  return target !== 'agent' && target !== 'wallet';
}
