// Where budgets of requests are counted without Redis: in the memory of the process, or in that of the first one, which then counts for all
// that it has started (decision 0064).
import { LRUCache } from 'lru-cache';
import { type IRateLimiterOptions, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../config.js';
import type { Environment } from '../platform/ctx.js';
import { lazily } from '../platform/lazy.js';
import type { Line } from '../platform/processes/line.js';
import type { RateClass } from './root-field.js';

/** A memory limiter that forgets the budget used longest ago rather than grow with the number of callers. */
export class BoundedLimiter extends RateLimiterMemory {
  /** Reserves its memory at once, so it is made for the first caller. */
  readonly #budgets: () => LRUCache<string, true>;

  constructor(options: IRateLimiterOptions, max = 50_000) {
    super(options);
    this.#budgets = lazily(() => new LRUCache({ max, noDisposeOnSet: true, dispose: (_, key) => void super.delete(key) }));
  }

  override consume(key: string | number, points?: number, options?: Record<string, unknown>): Promise<RateLimiterRes> {
    const name = String(key);
    const budgets = this.#budgets();
    if (budgets.get(name) === undefined) budgets.set(name, true);
    return super.consume(name, points, options);
  }
}

/** What the first process says of a budget, and whether it sufficed. */
type Count = [suffices: boolean, remaining: number, msToReset: number, consumed: number];

/** The subject of questions about budgets. */
export const budgetSubject = 'budget';

/** A limiter whose budgets the first process counts. Where that gives no answer this one counts, beginning with nothing. */
export class SharedLimiter extends BoundedLimiter {
  readonly #primary: Line;
  /** When refused budgets begin again. What is used up refuses everything until then, so nobody has to be asked. */
  readonly #refused = lazily(() => new LRUCache<string, number>({ max: 10_000 }));

  constructor(options: IRateLimiterOptions, primary: Line, max?: number) {
    super(options, max);
    this.#primary = primary;
  }

  override async consume(key: string | number, points = 1): Promise<RateLimiterRes> {
    const name = String(key);
    const msRefused = (this.#refused().get(name) ?? 0) - performance.now();
    if (msRefused > 0) throw new RateLimiterRes(0, msRefused, this.points + 1);
    const count = await this.#primary.ask<Count>(budgetSubject, [this.keyPrefix, name, points]).catch(() => undefined);
    if (count === undefined) return super.consume(name, points);
    const [suffices, remaining, msToReset, consumed] = count;
    const result = new RateLimiterRes(remaining, msToReset, consumed);
    if (suffices) return result;
    this.#refused().set(name, performance.now() + msToReset);
    throw result;
  }
}

/** The limits of one listener: `general` is the sandbox's own number there, `auth` the same in both. */
export function limitsOf(config: Config, environment: Environment): Record<RateClass, number> {
  const { general, sandbox, auth } = config.rateLimit;
  return { general: environment === 'live' ? general : sandbox, auth };
}

/** How the budgets of a class are named, in Redis and between processes. */
export const prefixOf = (environment: Environment, rateClass: RateClass, keyPrefix = 'rl') => `${keyPrefix}:${environment}:${rateClass}`;

/** Seconds of a window. */
export const windowOf = 60;

/** In the first process: counts the budgets of all processes. */
export function countBudgets(config: Config): (question: [prefix: string, key: string, points: number]) => Promise<Count> {
  const limiters = new Map<string, BoundedLimiter>();
  for (const environment of ['live', 'test'] as const) {
    for (const [rateClass, points] of Object.entries(limitsOf(config, environment)) as [RateClass, number][]) {
      const keyPrefix = prefixOf(environment, rateClass);
      limiters.set(keyPrefix, new BoundedLimiter({ points, duration: windowOf, keyPrefix }));
    }
  }
  return async ([prefix, key, points]) => {
    const limiter = limiters.get(prefix);
    if (limiter === undefined) throw new Error(`no budgets are called ${prefix}`);
    const [suffices, count] = await limiter.consume(key, points).then(
      (taken) => [true, taken] as const,
      (refused: RateLimiterRes) => [false, refused] as const,
    );
    return [suffices, count.remainingPoints, count.msBeforeNext, count.consumedPoints];
  };
}
