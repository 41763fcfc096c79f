// What budgets have used of their windows, read together however many are shown (CONTRACT.md 6).
import type { Budget, LimitCounter } from '../../../generated/prisma/client.js';
import { loadTogether } from '../../../platform/batch.js';
import type { Ctx } from '../../../platform/ctx.js';
import { remainingOf } from '../pipeline/limit.js';
import { counterKey } from '../pipeline/posting.js';
import { budgetCounter, isBudgetExpired } from './budget-rule.js';
import { budgetWindow } from './budget-window.js';

/** What is read of a budget to say what it has used. */
export type Counted = Pick<Budget, 'id' | 'amount' | 'currency' | 'period' | 'timezone' | 'expiresAt'>;

/** Minor units of the budget's currency, in the window of now. */
export interface BudgetUse {
  /** Paid. */
  spent: bigint;
  /** Held for what may still be paid. */
  reserved: bigint;
  /** What may still be spent: nothing once the budget has expired (see G-106). */
  remaining: bigint;
  resetsAt: Date | null;
}

/** What a budget has used of its window now, in workspace time. */
export async function budgetUse(ctx: Ctx, budget: Counted): Promise<BudgetUse> {
  const at = ctx.clock.now();
  const { name: window, resetsAt } = budgetWindow(budget.period, budget.timezone, at);
  const key = counterKey({ counter: budgetCounter(budget.id), window });
  const counter = await loadTogether(ctx, 'budget counters', key, (keys) => readUses(ctx, keys));
  const { used: spent, reserved } = counter ?? { used: 0n, reserved: 0n };
  const remaining = isBudgetExpired(budget, at) ? 0n : remainingOf({ max: budget.amount, used: spent + reserved });
  return { spent, reserved, remaining, resetsAt };
}

type Use = Pick<LimitCounter, 'used' | 'reserved'>;

/** The counters of those names that something was used of. */
async function readUses({ db }: Ctx, keys: readonly string[]): Promise<ReadonlyMap<string, Use>> {
  const parts = keys.map((key) => key.split(' ') as [string, string]);
  // Windows are few: all of them for all counters is one look at the key, and what else it finds is not asked for.
  const rows = await db.limitCounter.findMany({
    where: { counter: { in: parts.map(([counter]) => counter) }, window: { in: [...new Set(parts.map(([, window]) => window))] } },
  });
  return new Map(rows.map((row) => [counterKey(row), row]));
}
