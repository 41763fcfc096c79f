// Where budgets of requests are counted: in Redis, else in the memory of the process, or in that of the first one, which then counts for all
// that it has started (decision 0064). Whoever counts is told how much each budget has, for tenants may have numbers of their own.
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Environment } from '../platform/ctx.js';
import { lazily } from '../platform/lazy.js';
import type { Line } from '../platform/processes/line.js';
import { type RateClass, windowSeconds } from '../platform/rate-limit.js';
import type { Redis } from '../platform/redis.js';

/** A budget, and the points of its window. */
export interface Budget {
  key: string;
  limit: number;
}

/** What was drawn from a budget in its window, this time included, and when it begins again. */
export type Count = readonly [used: number, msToReset: number];

/** Counts budgets of one class. */
export interface Counter {
  /** Draws on one budget after the other, and on none after the first that does not suffice: the answer ends with it. */
  draw(budgets: readonly Budget[], points: number): Promise<readonly Count[]>;
}

export interface CounterOptions {
  /** Names the class, in Redis and between processes. */
  prefix: string;
  seconds?: number | undefined;
  /** Most budgets in the memory of this process; the one used longest ago goes first. */
  most?: number | undefined;
}

/** Counts in the memory of this process. */
export class MemoryCounter implements Counter {
  readonly #windows: RateLimiterMemory;
  /** Reserves its memory at once, so it is made for the first caller. */
  readonly #known: () => LRUCache<string, true>;

  constructor({ prefix, seconds = windowSeconds, most: max = 50_000 }: CounterOptions) {
    this.#windows = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: seconds, keyPrefix: prefix });
    this.#known = lazily(() => new LRUCache({ max, noDisposeOnSet: true, dispose: (_, key) => void this.#windows.delete(key) }));
  }

  async draw(budgets: readonly Budget[], points: number): Promise<Count[]> {
    const counts: Count[] = [];
    for (const { key, limit } of budgets) {
      const known = this.#known();
      if (known.get(key) === undefined) known.set(key, true);
      const { consumedPoints, msBeforeNext } = await this.#windows.consume(key, points);
      counts.push([consumedPoints, msBeforeNext]);
      if (consumedPoints > limit) break;
    }
    return counts;
  }
}

/** The subject of questions about budgets. */
export const budgetSubject = 'budget';

type Question = [prefix: string, budgets: readonly Budget[], points: number];

/** Lets the first process count. Where that gives no answer this one counts, beginning with nothing. */
export class PrimaryCounter implements Counter {
  readonly #prefix: string;
  readonly #primary: Line;
  readonly #memory: MemoryCounter;

  constructor(options: CounterOptions, primary: Line) {
    this.#prefix = options.prefix;
    this.#primary = primary;
    this.#memory = new MemoryCounter(options);
  }

  async draw(budgets: readonly Budget[], points: number): Promise<readonly Count[]> {
    const question: Question = [this.#prefix, budgets, points];
    return this.#primary.ask<Count[]>(budgetSubject, question).catch(() => this.#memory.draw(budgets, points));
  }
}

/** In the first process: counts the budgets of all processes. */
export function countBudgets(): (question: Question) => Promise<readonly Count[]> {
  const counters = new Map<string, MemoryCounter>();
  return ([prefix, budgets, points]) => {
    const counter = counters.get(prefix) ?? new MemoryCounter({ prefix });
    counters.set(prefix, counter);
    return counter.draw(budgets, points);
  };
}

/** All budgets of a draw are one command. KEYS: the budgets. ARGV: points, seconds of a window, and the limit of each budget. */
const drawScript = `
  local counts = {}
  for i, key in ipairs(KEYS) do
    redis.call('set', key, 0, 'EX', ARGV[2], 'NX')
    local used = redis.call('incrby', key, ARGV[1])
    counts[i] = {used, redis.call('pttl', key)}
    if used > tonumber(ARGV[2 + i]) then break end
  end
  return counts`;

type DrawingRedis = Redis & { drawBudgets(count: number, ...keysAndNumbers: (string | number)[]): Promise<Count[]> };

/** Counts in Redis, and elsewhere while that is away. */
export class RedisCounter implements Counter {
  readonly #redis: DrawingRedis;
  readonly #prefix: string;
  readonly #seconds: number;
  readonly #otherwise: Counter;

  constructor({ prefix, seconds = windowSeconds }: CounterOptions, redis: Redis, otherwise: Counter) {
    redis.defineCommand('drawBudgets', { lua: drawScript });
    this.#redis = redis as DrawingRedis;
    this.#prefix = prefix;
    this.#seconds = seconds;
    this.#otherwise = otherwise;
  }

  async draw(budgets: readonly Budget[], points: number): Promise<readonly Count[]> {
    if (this.#redis.status !== 'ready') return this.#otherwise.draw(budgets, points);
    const keys = budgets.map(({ key }) => `${this.#prefix}:${key}`);
    const limits = budgets.map(({ limit }) => limit);
    return this.#redis
      .drawBudgets(keys.length, ...keys, points, this.#seconds, ...limits)
      .catch(() => this.#otherwise.draw(budgets, points));
  }
}

/** How the budgets of a class are named. */
export const prefixOf = (environment: Environment, rateClass: RateClass, keyPrefix = 'rl') => `${keyPrefix}:${environment}:${rateClass}`;

/** What a request is left of a budget. */
export interface Taken {
  budget: Budget;
  /** Below zero: it did not suffice. */
  remaining: number;
  msToReset: number;
}

/** The budgets of one class. What is used up refuses everything until it begins again, so nobody has to be asked. */
export class Budgets {
  readonly #counter: Counter;
  readonly #refused = lazily(() => new LRUCache<string, { limit: number; endsAt: number }>({ max: 10_000 }));

  constructor(counter: Counter) {
    this.#counter = counter;
  }

  /** Draws on the budgets in their order. One that does not suffice is the last of the answer, and none after it is drawn on. */
  async take(budgets: readonly Budget[], points: number): Promise<Taken[]> {
    for (const budget of budgets) {
      const msToReset = this.#msRefused(budget);
      if (msToReset > 0) return [{ budget, remaining: -1, msToReset }];
    }
    const counts = await this.#counter.draw(budgets, points);
    return counts.map(([used, msToReset], index) => {
      const budget = budgets[index] as Budget;
      const remaining = Math.max(budget.limit - used, -1);
      if (remaining < 0) this.#refused().set(budget.key, { limit: budget.limit, endsAt: performance.now() + msToReset });
      return { budget, remaining, msToReset };
    });
  }

  /** A budget that was given more since is asked for again. */
  #msRefused({ key, limit }: Budget): number {
    const refused = this.#refused().get(key);
    return refused === undefined || limit > refused.limit ? 0 : refused.endsAt - performance.now();
  }
}
