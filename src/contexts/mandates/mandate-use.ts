// What a mandate has spent and what it has left, in the UTC day and month of now (CONTRACT.md 7).
import type { Mandate } from '../../generated/prisma/client.js';
import { loadTogether } from '../../platform/batch.js';
import type { Ctx } from '../../platform/ctx.js';
import { formatMinor } from '../../platform/money.js';
import { remainingOf, windowOf } from '../spending/pipeline/limit.js';
import { executionCounter, mandateCounter } from '../spending/pipeline/mandate-rule.js';
import { counterKey } from '../spending/pipeline/posting.js';
import { cachedMandate } from './mandate.js';
import { readUses } from './mandate-use.sql.js';

/** Minor units of the mandate's currency. What is left is null without such a limit. */
export interface MandateUse {
  currency: string;
  today: bigint;
  month: bigint;
  remainingDaily: bigint | null;
  remainingMonthly: bigint | null;
  /** That hold money, or were carried out and not refunded as a whole. */
  executions: number;
  dayEndsAt: Date | null;
  monthEndsAt: Date | null;
}

/** What is used of a mandate; those of a list are read together. */
export async function useOf(ctx: Ctx, row: Mandate): Promise<MandateUse> {
  const at = ctx.clock.now();
  const [day, month, ever] = [windowOf('day', at), windowOf('month', at), windowOf('once', at)];
  const countersOf = (id: string) => [mandateCounter(id), executionCounter(id)];
  const counted = (id: string) => [
    { counter: mandateCounter(id), window: day.name },
    { counter: mandateCounter(id), window: month.name },
    { counter: executionCounter(id), window: ever.name },
  ];
  const found = await loadTogether(ctx, 'mandate use', row.id, async (ids) => {
    const counters = await readUses(ctx, ids.flatMap(countersOf), [day.name, month.name, ever.name]);
    return new Map(ids.map((id) => [id, counted(id).map((use) => counters.get(counterKey(use)) ?? 0n)]));
  });
  const [today = 0n, thisMonth = 0n, executions = 0n] = found ?? [];
  const left = (max: bigint | null, used: bigint) => (max === null ? null : remainingOf({ max, used }));
  return {
    currency: row.currency,
    today,
    month: thisMonth,
    remainingDaily: left(row.maxPerDay, today),
    remainingMonthly: left(row.maxPerMonth, thisMonth),
    executions: Number(executions),
    dayEndsAt: day.resetsAt,
    monthEndsAt: month.resetsAt,
  };
}

/** What the mandate of an execution has left, printed; those of a list are read together. */
export async function useOfMandate(
  ctx: Ctx,
  mandateId: string,
): Promise<{ remainingDaily: string | null; remainingMonthly: string | null } | undefined> {
  const row = await cachedMandate(ctx, mandateId);
  if (row === null) return undefined;
  const { currency, remainingDaily, remainingMonthly } = await useOf(ctx, row);
  const print = (left: bigint | null) => (left === null ? null : formatMinor(left, currency));
  return { remainingDaily: print(remainingDaily), remainingMonthly: print(remainingMonthly) };
}
