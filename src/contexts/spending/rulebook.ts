// Everything in a workspace that rules over spends, read once and kept in the process until any process changes it: a warm spend reads
// no rule from the database.
import type { Ctx } from '../../platform/ctx.js';
import { type RateBook, rateBook, ratesTag } from '../rates/rate.js';
import { activeTrips, type WatchedAgent } from './breaker-trip.js';
import { rulingBudgets } from './budget-path.js';
import type { RulingBudget } from './budget-rule.js';
import type { SpendFacts } from './evaluation.js';
import { type KyaCap, kyaCaps } from './kya-limit.js';
import { type RulingPolicy, rulingPolicies } from './policy-rule.js';
import { rulesTag } from './rules-tag.js';
import type { RulesInForce } from './ruling.js';

export interface Rulebook {
  kya: readonly KyaCap[];
  policies: readonly RulingPolicy[];
  budgets: readonly RulingBudget[];
  rates: RateBook;
  /** By agent. */
  watched: ReadonlyMap<string, WatchedAgent>;
}

/** The rules of the workspace. */
export function rulebook(ctx: Ctx): Promise<Rulebook> {
  const tag = rulesTag(ctx.workspace.id);
  return ctx.platform.cache.get(tag, async () => {
    const [kya, policies, budgets, rates, watched] = await Promise.all([
      kyaCaps(ctx),
      rulingPolicies(ctx),
      rulingBudgets(ctx),
      rateBook(ctx),
      activeTrips(ctx),
    ]);
    return { value: { kya, policies, budgets, rates, watched }, tags: [tag, ratesTag(ctx.workspace.id)] };
  });
}

type Bound = Pick<SpendFacts, 'payer' | 'agent' | 'traceId' | 'mandateId'>;

/** The rules that bind a spend: those of its workspace, account, wallet and agent, and the budgets above them. */
export function rulesFor(book: Rulebook, { payer, agent, traceId, mandateId }: Bound): RulesInForce {
  const { kya, policies, budgets, rates } = book;
  const subjects = { tenant: null, account: payer.accountId, wallet: payer.walletId, agent: agent?.id, mandate: mandateId, trace: traceId };
  const binds = (type: keyof typeof subjects, id: string | null) => type === 'tenant' || (id !== null && subjects[type] === id);
  const path = new Set(budgets.filter(({ scopeType, scopeId }) => binds(scopeType, scopeId)));
  // Every budget above one that binds takes the spend as well.
  for (const { parentId } of path) {
    const parent = parentId === null ? undefined : budgets.find(({ id }) => id === parentId);
    if (parent !== undefined) path.add(parent);
  }
  return {
    kya: agent === null ? [] : kya.filter(({ tier }) => tier === agent.kyaTier),
    policies: policies.filter(({ targetType, targetId }) => binds(targetType, targetId)),
    budgets: [...path],
    rates,
  };
}
