// Setting rates (CONTRACT.md 2 "Rates"). What was said stays: a newer row takes the place of an older one, and decisions go on naming
// the rates that they used.
import type { Rate as RateRow } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { type FieldIssue, NotFound, ValidationFailed } from '../../platform/errors.js';
import { manyParts } from '../../platform/extension.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { newId } from '../../platform/schema/id.js';
import { createdBetween } from '../../platform/schema/page.js';
import type { RateInput, SetRatesInput } from './rate.input.js';
import { type Rate, rateOfRow, ratesTag } from './rate.js';

/** Says whether somebody may set rates; throws where not. For contexts whose limits are converted by them. */
export type RateKeeper = (ctx: Ctx, tx: Tx) => Promise<void>;
export const rateKeepers = manyParts<RateKeeper>('who may set rates');

// Gap G-99: `as_of` is the date of the figure, at most a day ahead; the rate that was set last counts, at once.
/** How far `as_of` may be ahead: it is tomorrow already in some places. */
const mostAheadSeconds = 86_400;

/**
 * Sets rates of the workspace; they hold at once, whatever their date. The same currency twice, or a pair twice, is 400; 403 `forbidden` where
 * a policy that asks people is converted by them, and a program sets them.
 */
export async function setRates(ctx: Ctx, { rates, asOf }: SetRatesInput): Promise<Rate[]> {
  const now = ctx.clock.now();
  const issues = [...pairIssues(rates), ...dateIssues(asOf, now)];
  if (issues.length > 0) throw new ValidationFailed(issues);
  const made = await transact(
    ctx,
    async (tx) => {
      for (const keep of ctx.platform.extensions.of(rateKeepers)) await keep(ctx, tx);
      const createdAt = await nextMoment(ctx, tx, now);
      const data = rates.map(({ from, to, rate }) => {
        return { id: newId(createdAt), fromCurrency: from, toCurrency: to, rate, asOf: asOf ?? now, createdAt };
      });
      return inOrder(await tx.rate.createManyAndReturn({ data }));
    },
    ([first]) => first?.id ?? '',
  );
  ctx.platform.cache.drop(ratesTag(ctx.workspace.id));
  return made;
}

/** What one request has set, by the id of its first rate. */
export async function ratesSetWith(ctx: Ctx, id: string): Promise<Rate[]> {
  const first = await ctx.db.rate.findFirst({ where: { id } });
  if (first === null) throw new NotFound();
  return inOrder(await ctx.db.rate.findMany({ where: createdBetween(first.createdAt, momentAfter(first)) }));
}

/**
 * Locks the workspace, so that two requests follow each other, and gives the later one a later moment: by that it is known which of two
 * rates was said last, and what was said together.
 */
async function nextMoment({ workspace: { id } }: Ctx, tx: Tx, now: Date): Promise<Date> {
  await tx.workspace.updateMany({ where: { id }, data: { id } });
  const last = await tx.rate.findFirst({ orderBy: { id: 'desc' }, select: { createdAt: true } });
  const next = last === null ? now : momentAfter(last);
  return next > now ? next : now;
}

/** Moments are told apart by the milliseconds of ids. */
function momentAfter({ createdAt }: Pick<RateRow, 'createdAt'>): Date {
  return new Date(createdAt.getTime() + 1);
}

function inOrder(rows: readonly RateRow[]): Rate[] {
  return rows.map(rateOfRow).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Both directions of a pair may be set, each for its own way (see G-97). */
function pairIssues(rates: readonly RateInput[]): FieldIssue[] {
  const seen = new Set<string>();
  return rates.flatMap(({ from, to }, index): FieldIssue[] => {
    if (from === to) return [{ path: ['rates', index, 'to'], message: 'is the currency that the rate is from', rule: 'different' }];
    const pair = `${from} ${to}`;
    if (seen.has(pair)) return [{ path: ['rates', index], message: `is the second rate from ${from} to ${to}`, rule: 'unique' }];
    seen.add(pair);
    return [];
  });
}

function dateIssues(asOf: Date | null | undefined, now: Date): FieldIssue[] {
  if (asOf == null || asOf <= addSeconds(now, mostAheadSeconds)) return [];
  return [{ path: ['asOf'], message: 'is more than a day ahead', rule: 'max' }];
}
