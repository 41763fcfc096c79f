// What was used in a period, and what others took for it (SPEC.md "Usage").
import { Protocol } from '../../generated/prisma/client.js';
import { countedCategories, operationCategories } from '../../manifest/operation-category.js';
import type { Ctx } from '../../platform/ctx.js';
import { formatMinor } from '../../platform/money.js';
import type { Amounts, Counts } from '../../platform/schema/figure.js';
import { type Period, type PeriodInput, periodOf, reportable } from './period.js';
import { readUsage, type UsageSum } from './rollup.sql.js';

/** The sums of a period, which several reports are made of. */
export interface Usage {
  period: Period;
  sums: readonly UsageSum[];
}

/** Everything that the actor sees of a period. 400 for a period that ends before it begins. */
export async function usage(ctx: Ctx, input: PeriodInput): Promise<Usage> {
  const period = reportable(ctx, periodOf(ctx.clock.now(), input));
  return { period, sums: await readUsage(ctx, period) };
}

/** Millionths of a US dollar as text. A USDC stands at one. */
export function formatUsd(millionths: bigint): string {
  return formatMinor(millionths, 'USDC');
}

// Gap G-358: Rates and shares of nothing are 0; they have six digits after the point.
/** A part of a whole with six digits after the point; 0 of nothing. */
export function rateOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1e6) / 1e6;
}

/** How many operations the sums stand for. */
export function operationsOf(sums: readonly UsageSum[]): number {
  return sums.reduce((count, { operations }) => count + operations, 0);
}

/** How many there are of each word; a word of which there is none has 0. */
export function countsBy(sums: readonly UsageSum[], member: 'protocol' | 'category'): Counts {
  const words: readonly string[] = member === 'protocol' ? Object.values(Protocol) : operationCategories;
  return Object.fromEntries(words.map((word) => [word, operationsOf(sums.filter((sum) => sum[member] === word))]));
}

/** The sums without those of money that comes in. */
export function withoutFunding<Sum extends Pick<UsageSum, 'category'>>(sums: readonly Sum[]): Sum[] {
  return sums.filter(({ category }) => (countedCategories as readonly string[]).includes(category));
}

/** The part of the operations that succeeded, of all but fundings. */
export function successRate(sums: readonly UsageSum[]): number {
  const counted = withoutFunding(sums);
  return rateOf(operationsOf(counted.filter(({ success }) => success)), operationsOf(counted));
}

/** What others took, all together. */
export function externalCost(sums: readonly UsageSum[]): bigint {
  return sums.reduce((total, { externalCostUsd }) => total + externalCostUsd, 0n);
}

/** What each provider took, by its name. */
export function costsByProvider(sums: readonly UsageSum[]): Amounts {
  const names = [...new Set(sums.map(({ provider }) => provider))].filter((name) => name !== '').sort();
  return Object.fromEntries(names.map((name) => [name, formatUsd(externalCost(sums.filter(({ provider }) => provider === name)))]));
}
