// Limits per address and per actor, by class of request (SPEC.md "Limits", CONTRACT.md 0 "Small decisions"). Counted in Redis
// when there is one, with memory as its insurance; in memory otherwise (budget.ts). Windows are fixed and of real time.
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Clock } from '../platform/clock.js';
import type { Actor, Environment } from '../platform/ctx.js';
import { RateLimitExceeded } from '../platform/errors.js';
import { networkOf } from '../platform/network.js';
import type { Line } from '../platform/processes/line.js';
import type { Redis } from '../platform/redis.js';
import { BoundedLimiter, prefixOf, SharedLimiter, windowOf } from './budget.js';
import type { RateClass } from './root-field.js';
import type { Handler, HttpContext } from './state.js';

export interface RateLimitOptions {
  /** Points per window of each class. */
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

type Limiter = BoundedLimiter | RateLimiterRedis;

function openLimiter(rateClass: RateClass, options: RateLimitOptions): Limiter {
  const { limits, environment, redis, primary, windowSeconds = windowOf, maxBudgets, keyPrefix } = options;
  const points = limits[rateClass];
  const own = { points, duration: windowSeconds, keyPrefix: prefixOf(environment, rateClass, keyPrefix) };
  const memory = primary === undefined ? new BoundedLimiter(own, maxBudgets) : new SharedLimiter(own, primary, maxBudgets);
  if (redis === undefined) return memory;
  return new RateLimiterRedis({
    ...own,
    storeClient: redis,
    insuranceLimiter: memory,
    inMemoryBlockOnConsumed: points + 1,
    rejectIfRedisNotReady: true,
  });
}

interface Taken {
  /** -1 when the budget did not suffice. */
  remaining: number;
  msToReset: number;
}

async function consume(limiter: Limiter, key: string, points: number): Promise<Taken> {
  try {
    const { remainingPoints, msBeforeNext } = await limiter.consume(key, points);
    return { remaining: remainingPoints, msToReset: msBeforeNext };
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    return { remaining: -1, msToReset: refused.msBeforeNext };
  }
}

export interface RateLimits {
  /** Before authentication: the budget of the caller's address. */
  address: Handler;
  /** After it: the budget of the actor. Anonymous callers have none. */
  actor: Handler;
}

/** The two middlewares that consume budgets. They need `state.rateClass` and `state.rateCost`, `actor` also `state.ctx`. */
export function limitRates(options: RateLimitOptions): RateLimits {
  const limiters = { general: openLimiter('general', options), auth: openLimiter('auth', options) };
  const { limits, clock } = options;

  const take = async (http: HttpContext, key: string, other: number): Promise<number> => {
    const { rateClass, rateCost } = http.state;
    const { remaining, msToReset } = await consume(limiters[rateClass], key, rateCost);
    if (remaining < other) {
      const { res } = http;
      res.setHeader('X-RateLimit-Limit', limits[rateClass]);
      res.setHeader('X-RateLimit-Remaining', Math.max(remaining, 0));
      res.setHeader('X-RateLimit-Reset', Math.ceil((clock.now().getTime() + msToReset) / 1000));
    }
    if (remaining < 0) throw new RateLimitExceeded(Math.max(1, Math.ceil(msToReset / 1000)));
    return remaining;
  };
  return {
    address: async (http, next) => {
      http.state.budgetLeft = await take(http, `ip:${networkOf(http.state.ip)}`, Number.POSITIVE_INFINITY);
      await next();
    },
    actor: async (http, next) => {
      const actor = http.state.ctx?.actor;
      if (actor !== undefined && actor.type !== 'anonymous') {
        await take(http, budgetOf(actor), http.state.budgetLeft ?? Number.POSITIVE_INFINITY);
      }
      await next();
    },
  };
}

/** All credentials of an agent draw on one budget; keys and people on their own (Gap G-19). */
function budgetOf(actor: Actor): string {
  return `actor:${actor.type}:${actor.id}`;
}
