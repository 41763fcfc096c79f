// Rates of exchange: what one currency is worth in another (CONTRACT.md 0 "Limits across currencies", 2 "Rates"). Those that a
// workspace has set stand over the built-in ones.
import type { Rate as RateRow } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { scaleOf } from '../../platform/money.js';
import { builtinRates } from './builtin.js';
import { type Fraction, fraction, inverse, one, product, readDecimal, timesUp } from './fraction.js';
import { newestRates } from './rate.sql.js';

export type RateSource = 'builtin' | 'workspace';

/** A rate as it was said once: units of `to` for one unit of `from`. */
export interface Rate {
  /** Bare. */
  id: string;
  from: string;
  to: string;
  /** Decimal text. */
  rate: string;
  asOf: Date;
  source: RateSource;
  /** Rates that were said together share it. */
  saidAt: Date;
}

/** An exact rate, and the ids of the rates that it is made of. */
export interface ExactRate extends Fraction {
  /** Bare ids, each once; none between equal currencies. */
  rateIds: readonly string[];
}

/** An amount in another currency, rounded up to its minor unit, and the ids of the rates that said so. */
export interface Converted {
  minor: bigint;
  /** Bare ids; none between equal currencies; several for a cross by USD. */
  rateIds: readonly string[];
}

/** The rates of a workspace at one moment. Immutable. */
export interface RateBook {
  /**
   * `minor` units of `from` in those of `to`, rounded up; null without a rate. Never more than `mostConverted`, which is more than any
   * limit or balance can be.
   */
  convertUp(minor: bigint, from: string, to: string): Converted | null;
  /** Units of `to` for one unit of `from`, in major units and not rounded; null without a rate. See inMinorUnits() for amounts. */
  rateOf(from: string, to: string): ExactRate | null;
}

/** Where convertUp() stops counting: what is kept of it has to fit into a bigint of the database, sums too. */
export const mostConverted = 10n ** 18n;

/** The name under which processes keep the rates of a workspace; the database notifies it when one is added (migration *_spending). */
export function ratesTag(workspaceId: string): string {
  return `rates:${workspaceId}`;
}

interface CachedRates {
  rates: readonly Rate[];
  book: RateBook;
}

function cachedRates(ctx: Ctx): Promise<CachedRates> {
  const tag = ratesTag(ctx.workspace.id);
  return ctx.platform.cache.get(tag, async () => {
    const rates = inForce((await newestRates(ctx)).map(rateOfRow));
    return { value: { rates, book: bookOf(rates) }, tags: [tag] };
  });
}

/** The newest rates of the workspace. */
export async function rateBook(ctx: Ctx): Promise<RateBook> {
  return (await cachedRates(ctx)).book;
}

export interface RateFilter {
  from?: string | null | undefined;
  to?: string | null | undefined;
}

/** The rates in force, in order of their currencies: those of the workspace, and the built-in ones of the pairs that it has not set. */
export async function rates(ctx: Ctx, { from, to }: RateFilter = {}): Promise<Rate[]> {
  const kept = await cachedRates(ctx);
  return kept.rates.filter((rate) => (from == null || rate.from === from) && (to == null || rate.to === to));
}

const builtin: readonly Rate[] = builtinRates.map((rate) => ({ ...rate, source: 'builtin', saidAt: rate.asOf }));

/** The rates with these ids, by them: any that the workspace has ever set, or a built-in one. */
export async function ratesById({ db }: Ctx, ids: readonly string[]): Promise<Map<string, Rate>> {
  const known = builtin.filter(({ id }) => ids.includes(id));
  const set = known.length === ids.length ? [] : await db.rate.findMany({ where: { id: { in: [...ids] } } });
  return new Map([...known, ...set.map(rateOfRow)].map((one) => [one.id, one]));
}

/** Any rate that the workspace has ever set, or any built-in one; else 404. */
export async function rate(ctx: Ctx, id: string): Promise<Rate> {
  const found = (await ratesById(ctx, [id])).get(id);
  if (found === undefined) throw new NotFound();
  return found;
}

/** A rate as the database keeps it. */
export function rateOfRow({ id, fromCurrency, toCurrency, rate, asOf, createdAt }: Omit<RateRow, 'workspaceId'>): Rate {
  return { id, from: fromCurrency, to: toCurrency, rate, asOf, source: 'workspace', saidAt: createdAt };
}

/** The pair whichever way round. */
const pairOf = ({ from, to }: Pick<Rate, 'from' | 'to'>) => (from < to ? `${from} ${to}` : `${to} ${from}`);

// Gap G-97: A rate that is set replaces both directions of its pair; one request may set each direction once.
/** Of each pair, whichever way round, what was said last: two rates where both directions were said together. */
function lastSaid(said: readonly Rate[]): Rate[] {
  const last = new Map<string, number>();
  for (const rate of said) last.set(pairOf(rate), Math.max(rate.saidAt.getTime(), last.get(pairOf(rate)) ?? 0));
  return said.filter((rate) => rate.saidAt.getTime() === last.get(pairOf(rate)));
}

/** The rates in force, of what a workspace has said and the built-in table. */
export function inForce(said: readonly Rate[]): Rate[] {
  const own = lastSaid(said);
  const named = new Set(own.map(pairOf));
  const order = ({ from, to }: Rate) => `${from} ${to}`;
  return [...lastSaid(builtin).filter((rate) => !named.has(pairOf(rate))), ...own].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

// Gap G-98: A token without a rate against USD uses that of the currency it stands for, so EURC follows EUR.
/** What a token stands for. Its cross by USD goes by that currency where the token has no rate of its own. */
const anchors: Readonly<Record<string, string>> = { USDC: 'USD', USDT: 'USD', EURC: 'EUR' };

/**
 * The ways from one currency to another, the first of which all legs have a rate counts: direct, by USD, by USD and what tokens stand for.
 */
function* waysBetween(from: string, to: string): Generator<string[]> {
  yield [from, to];
  const [start, end] = [anchors[from] ?? from, anchors[to] ?? to];
  for (const way of [
    [from, 'USD', to],
    [from, start, 'USD', to],
    [from, 'USD', end, to],
    [from, start, 'USD', end, to],
  ])
    yield way.filter((currency, index) => currency !== way[index - 1]);
}

/** A rate and what it makes of minor units. */
interface Conversion {
  rate: ExactRate;
  inMinor: Fraction;
}

/** The book of some rates, of which at most one leads from one currency to another. */
export function bookOf(rates: readonly Rate[]): RateBook {
  const byPair = new Map(rates.map((rate) => [`${rate.from} ${rate.to}`, rate]));
  const known = new Map<string, Conversion | null>();

  const leg = (from: string, to: string): ExactRate | null => {
    const direct = byPair.get(`${from} ${to}`);
    if (direct !== undefined) return { ...readDecimal(direct.rate), rateIds: [direct.id] };
    const opposite = byPair.get(`${to} ${from}`);
    return opposite === undefined ? null : { ...inverse(readDecimal(opposite.rate)), rateIds: [opposite.id] };
  };
  const along = (way: readonly string[]): ExactRate | null => {
    let rate: ExactRate = { ...one, rateIds: [] };
    for (const [index, from] of way.slice(0, -1).entries()) {
      const next = leg(from, way[index + 1] as string);
      if (next === null) return null;
      rate = { ...product(rate, next), rateIds: [...new Set([...rate.rateIds, ...next.rateIds])] };
    }
    return rate;
  };
  const find = (from: string, to: string): Conversion | null => {
    for (const way of from === to ? [[from]] : waysBetween(from, to)) {
      const rate = along(way);
      if (rate !== null) return { rate, inMinor: inMinorUnits(rate, from, to) };
    }
    return null;
  };
  const conversion = (from: string, to: string): Conversion | null => {
    const pair = `${from} ${to}`;
    let found = known.get(pair);
    if (found === undefined) {
      found = find(from, to);
      known.set(pair, found);
    }
    return found;
  };

  return {
    rateOf: (from, to) => conversion(from, to)?.rate ?? null,
    convertUp(minor, from, to) {
      const found = conversion(from, to);
      if (found === null) return null;
      const converted = timesUp(minor, found.inMinor);
      return { minor: converted < mostConverted ? converted : mostConverted, rateIds: found.rate.rateIds };
    },
  };
}

/** What a rate of major units makes of an amount in minor ones: minor units of `to` for one of `from`. */
export function inMinorUnits(rate: Fraction, from: string, to: string): Fraction {
  return product(rate, fraction(10n ** BigInt(scaleOf(to)), 10n ** BigInt(scaleOf(from))));
}
