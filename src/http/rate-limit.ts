// Limits per address, per actor and per workspace, by class of request (SPEC.md "Limits", CONTRACT.md 0 "Small decisions", 22). Counted in
// Redis when there is one, with memory as its insurance; in memory otherwise (budget.ts). Windows are fixed and of real time.
import type { Clock } from '../platform/clock.js';
import type { Actor, Environment } from '../platform/ctx.js';
import { RateLimitExceeded } from '../platform/errors.js';
import { networkOf } from '../platform/network.js';
import type { Line } from '../platform/processes/line.js';
import { type BudgetOwner, type DrawnBudget, type RateClass, rateNumbers } from '../platform/rate-limit.js';
import type { Redis } from '../platform/redis.js';
import { type Budget, Budgets, MemoryCounter, PrimaryCounter, prefixOf, RedisCounter } from './budget.js';
import type { Handler, HttpContext } from './state.js';

export interface RateLimitOptions {
  /** Points per window of each class, of an actor. */
  limits: Readonly<Record<RateClass, number>>;
  environment: Environment;
  clock: Clock;
  redis?: Redis | undefined;
  /** The first process, where it counts for several. */
  primary?: Line | undefined;
  windowSeconds?: number;
  /** Most budgets kept in the memory of this process, of each class; the least recently used go first. */
  maxBudgets?: number;
  keyPrefix?: string;
}

function openBudgets(rateClass: RateClass, options: RateLimitOptions): Budgets {
  const { environment, redis, primary, windowSeconds: seconds, maxBudgets: most, keyPrefix } = options;
  const own = { prefix: prefixOf(environment, rateClass, keyPrefix), seconds, most };
  const here = primary === undefined ? new MemoryCounter(own) : new PrimaryCounter(own, primary);
  return new Budgets(redis === undefined ? here : new RedisCounter(own, redis, here));
}

export interface RateLimits {
  /** Before authentication: the budget of the caller's address. */
  address: Handler;
  /** After it: the budgets of the actor and of its workspace, in one question. Anonymous callers have none. */
  actor: Handler;
}

/** The two middlewares that draw on budgets. They need `state.rateClass` and `state.rateCost`, `actor` also `state.ctx`. */
export function limitRates(options: RateLimitOptions): RateLimits {
  const budgets = {
    general: openBudgets('general', options),
    auth: openBudgets('auth', options),
    login: openBudgets('login', options),
    tile: openBudgets('tile', options),
  };
  const { limits, clock } = options;

  const take = async (http: HttpContext, owned: readonly (Budget & { owner: BudgetOwner })[]): Promise<void> => {
    const { state } = http;
    const { rateClass, rateCost } = state;
    const taken = await budgets[rateClass].take(owned, rateCost);
    const now = clock.now().getTime();
    const drawn = taken.map(({ budget, remaining, msToReset }): DrawnBudget => {
      const { owner, limit } = budget as (typeof owned)[number];
      return { rateClass, owner, limit, remaining, resetAt: new Date(now + msToReset) };
    });
    state.budgets = [...(state.budgets ?? []), ...drawn];
    showTightest(http, state.budgets);
    const refused = taken.find(({ remaining }) => remaining < 0);
    if (refused !== undefined) throw new RateLimitExceeded(Math.max(1, Math.ceil(refused.msToReset / 1000)));
  };
  return {
    address: async (http, next) => {
      const { ip, rateClass, budgets: drawn } = http.state;
      // It was asked already where it had to be found out whose host was called.
      if (drawn?.some((budget) => budget.owner === 'address' && budget.rateClass === rateClass)) return next();
      await take(http, [{ owner: 'address', key: `ip:${networkOf(ip)}`, limit: limits[rateClass] }]);
      await next();
    },
    actor: async (http, next) => {
      const { ctx, rateClass } = http.state;
      if (ctx !== undefined && ctx.actor.type !== 'anonymous') {
        const { actor, workspace } = ctx;
        const numbers = rateNumbers(rateClass, limits[rateClass], workspace);
        await take(http, [
          { owner: 'actor', key: budgetOf(actor), limit: numbers.actor },
          { owner: 'workspace', key: `workspace:${workspace.id}`, limit: numbers.workspace },
        ]);
      }
      if (ctx !== undefined) ctx.budgets = http.state.budgets ?? [];
      await next();
    },
  };
}

/** The headers show the budget of which least is left; of several the one that was asked first. */
function showTightest({ res }: HttpContext, drawn: readonly DrawnBudget[]): void {
  const { limit, remaining, resetAt } = drawn.reduce((tightest, budget) => (budget.remaining < tightest.remaining ? budget : tightest));
  res.setHeader('X-RateLimit-Limit', limit);
  res.setHeader('X-RateLimit-Remaining', Math.max(remaining, 0));
  res.setHeader('X-RateLimit-Reset', Math.ceil(resetAt.getTime() / 1000));
}

// Gap G-19: An agent is one actor whatever credential it uses; an API key is one, and its JWT sessions together are another.
/** All credentials of an agent draw on one budget; keys and people on their own. */
function budgetOf(actor: Actor): string {
  return `actor:${actor.type}:${actor.id}`;
}
