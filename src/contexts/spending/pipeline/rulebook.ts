// Everything in a workspace that rules over spends, read once and kept in the process until any process changes it: a warm spend reads
// no rule from the database.
import type { Ctx } from '../../../platform/ctx.js';
import { type RateBook, rateBook, ratesTag } from '../../rates/rate.js';
import { activeTrips, type WatchedAgent } from '../breaker/breaker-trip.js';
import { enforcedBudgets } from '../budget/budget-path.js';
import type { EnforcedBudget } from '../budget/budget-rule.js';
import { type KyaCap, kyaCaps } from '../policy/kya-limit.js';
import { type EnforcedPolicy, enforcedPolicies } from '../policy/policy-rule.js';
import type { SpendFacts } from './rule-result.js';
import type { RulesInForce } from './rules-in-force.js';
import { rulesTag } from './rules-tag.js';

export interface Rulebook {
  kya: readonly KyaCap[];
  policies: readonly EnforcedPolicy[];
  budgets: readonly EnforcedBudget[];
  rates: RateBook;
  /** By agent. */
  watched: ReadonlyMap<string, WatchedAgent>;
  /** The rules by whose spends they bind, and budgets by id: a workspace may have hundreds of them, of which few bind a spend. */
  index: RuleIndex;
}

interface RuleIndex {
  policies: ReadonlyMap<string, readonly EnforcedPolicy[]>;
  budgets: ReadonlyMap<string, readonly EnforcedBudget[]>;
  budgetOf: ReadonlyMap<string, EnforcedBudget>;
}

const subjectOf = (type: string, id: string | null) => `${type} ${id}`;

/** The index of some rules. */
export function indexOf({ policies, budgets }: Pick<Rulebook, 'policies' | 'budgets'>): RuleIndex {
  return {
    policies: grouped(policies, ({ targetType, targetId }) => subjectOf(targetType, targetId)),
    budgets: grouped(budgets, ({ scopeType, scopeId }) => subjectOf(scopeType, scopeId)),
    budgetOf: new Map(budgets.map((budget) => [budget.id, budget])),
  };
}

function grouped<T>(rules: readonly T[], keyOf: (rule: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const rule of rules) groups.set(keyOf(rule), [...(groups.get(keyOf(rule)) ?? []), rule]);
  return groups;
}

/** The rules of the workspace. */
export function rulebook(ctx: Ctx): Promise<Rulebook> {
  const tag = rulesTag(ctx.workspace.id);
  return ctx.platform.cache.get(tag, async () => {
    const [kya, policies, budgets, rates, watched] = await Promise.all([
      kyaCaps(ctx),
      enforcedPolicies(ctx),
      enforcedBudgets(ctx),
      rateBook(ctx),
      activeTrips(ctx),
    ]);
    return {
      value: { kya, policies, budgets, rates, watched, index: indexOf({ policies, budgets }) },
      tags: [tag, ratesTag(ctx.workspace.id)],
    };
  });
}

type Bound = Pick<SpendFacts, 'payer' | 'agent' | 'traceId' | 'mandateId' | 'connectionId'>;

/** The rules that bind a spend: those of its workspace, account, wallet and agent, and the budgets above them. */
export function rulesFor({ kya, index, rates }: Rulebook, { payer, agent, traceId, mandateId, connectionId = null }: Bound): RulesInForce {
  const subjects = [subjectOf('tenant', null), subjectOf('account', payer.accountId)];
  if (payer.walletId !== null) subjects.push(subjectOf('wallet', payer.walletId));
  if (agent !== null) subjects.push(subjectOf('agent', agent.id));
  if (mandateId !== null) subjects.push(subjectOf('mandate', mandateId));
  if (connectionId !== null) subjects.push(subjectOf('connection', connectionId));
  if (traceId !== null) subjects.push(subjectOf('trace', traceId));
  const path = new Set(boundBy(index.budgets, subjects));
  // Every budget above one that binds takes the spend as well.
  for (const { parentId } of path) {
    const parent = parentId === null ? undefined : index.budgetOf.get(parentId);
    if (parent !== undefined) path.add(parent);
  }
  return {
    kya: agent === null ? [] : kya.filter(({ tier }) => tier === agent.kyaTier),
    policies: boundBy(index.policies, subjects),
    budgets: [...path],
    rates,
  };
}

/** What binds the subjects, oldest first. */
function boundBy<T extends { id: string }>(rules: ReadonlyMap<string, readonly T[]>, subjects: readonly string[]): T[] {
  const bound = subjects.flatMap((subject) => rules.get(subject) ?? []);
  return bound.sort((a, b) => (a.id < b.id ? -1 : 1));
}
