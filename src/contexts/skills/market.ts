// The market: agents that are at work, found by what they do, how they were rated and what they ask for (CONTRACT.md 11).
import type { Agent, Prisma } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { type Currency, currencies, maxAmountMinor, parseMinor } from '../../platform/money.js';
import { createdBetween, listPage, type Page, type PageInput } from '../../platform/schema/page.js';
import { inverse, timesDown } from '../rates/fraction.js';
import { inMinorUnits, type RateBook, rateBook } from '../rates/rate.js';
import type { MarketFilters } from './market.input.js';
import { visibleSkills } from './skill.js';

// Gap G-339: `max_price` is in `currency` (USD by default), compared by the rate of the day; a skill without a price is free.
/** Active agents that have a skill of that kind, newest first. Of `maxPrice` what asks for nothing costs nothing. */
export async function market(ctx: Ctx, filter: PageInput & MarketFilters, query: object = {}): Promise<Page<Agent>> {
  const { skillId, minRating, maxPrice, currency, since, until } = filter;
  const skill: Prisma.SkillWhereInput[] = [visibleSkills.where(ctx)];
  if (skillId) skill.push({ id: skillId });
  if (maxPrice != null)
    skill.push(atMost(await rateBook(ctx), parseMinor(maxPrice, currency ?? 'USD', ['maxPrice'], 0n), currency ?? 'USD'));
  const conditions: Prisma.AgentWhereInput[] = [createdBetween(since, until), { status: 'active', skills: { some: { AND: skill } } }];
  // 4.4 * 100 is a trifle more than 440.
  if (minRating != null) conditions.push({ rating: { average: { gte: Math.ceil(minRating * 100 - 1e-9) } } });
  return listPage(ctx, 'agent', ctx.db.agent, { AND: conditions }, filter, query);
}

/** Skills that cost `most` minor units of `limitCurrency` at the most, by the rates of now. A currency without a rate cannot be compared. */
function atMost(rates: RateBook, most: bigint, limitCurrency: Currency): Prisma.SkillWhereInput {
  const priced = currencies.flatMap((currency): Prisma.SkillWhereInput[] => {
    const rate = rates.rateOf(currency, limitCurrency);
    if (rate === null) return [];
    const price = timesDown(most, inverse(inMinorUnits(rate, currency, limitCurrency)));
    // No skill asks for more than the largest amount.
    return [price > maxAmountMinor ? { currency } : { currency, price: { lte: price } }];
  });
  return { OR: [{ price: null }, ...priced] };
}
