// Alerts of budgets: a posting that takes a counter over a mark leaves a row, which is the job that tells of it (CONTRACT.md 5
// "budget_alert", 6) (see G-109).
import type { Roles } from '../../../events/event.js';
import type { Budget, LimitCrossing } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { transact } from '../../../platform/idempotency.js';
import { formatMinor } from '../../../platform/money.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { printId } from '../../../platform/schema/id.js';
import { remainingOf } from '../pipeline/limit.js';
import { budgetOfCounter, markAt } from './budget-rule.js';
import { windowEnd } from './budget-window.js';
import { emit } from './events.js';

/** Agents of an account whose channels show the alert of its budget, the newest. */
const mostNotified = 100;

/** The due step of a crossing: tells of it, and removes it in the same transaction, so that each is told of once. */
export async function stepCrossing(ctx: Ctx, id: string): Promise<void> {
  await transact(
    ctx,
    async (tx) => {
      const crossing = await tx.limitCrossing.findFirst({ where: { id } });
      // Who deletes it tells of it.
      const { count } = await tx.limitCrossing.deleteMany({ where: { id } });
      if (crossing !== null && count > 0) await notify(ctx, tx, crossing);
    },
    () => id,
  );
}

/** Tells of nothing when the budget is gone, or never had such an alert. */
async function notify(ctx: Ctx, tx: Tx, crossing: LimitCrossing): Promise<void> {
  const id = budgetOfCounter(crossing.counter);
  if (id === null) return;
  const budget = await tx.budget.findFirst({ where: { id, deletedAt: null } });
  const alert = budget === null ? undefined : await alertBehind(tx, budget, crossing.mark);
  if (budget === null || alert === undefined) return;
  const { name, currency, period, timezone } = budget;
  const print = (minor: bigint) => formatMinor(minor, currency);
  const data = {
    budget_id: printId('budget', id),
    name,
    fraction: Number(alert.fraction),
    amount: print(alert.amount),
    spent: print(crossing.used),
    remaining: print(remainingOf({ max: alert.amount, used: crossing.used })),
    currency,
    resets_at: windowEnd(period, timezone, crossing.window)?.toISOString() ?? null,
  };
  await emit(ctx, tx, '_budget.alert', data, { objectId: id, roles: await spendersOf(tx, budget) });
}

/**
 * The fraction that a mark stands for, and the amount that it is of. A budget may have changed since a spend was counted, so its
 * versions are asked too, the newest first. Of fractions with one mark the greatest is told of.
 */
async function alertBehind(tx: Tx, budget: Budget, mark: bigint): Promise<{ fraction: string; amount: bigint } | undefined> {
  const versions = await tx.budgetVersion.findMany({
    where: { budgetId: budget.id },
    orderBy: { version: 'desc' },
    select: { amount: true, alertsAt: true },
  });
  for (const { amount, alertsAt } of versions) {
    const fraction = alertsAt.findLast((one) => markAt(amount, one) === mark);
    if (fraction !== undefined) return { fraction, amount };
  }
  return undefined;
}

/** The agents whose channels show it: that of the budget, or those of its account. Nobody stands for a tenant or a trace. */
async function spendersOf(tx: Tx, { scopeType, scopeId }: Budget): Promise<Roles> {
  if (scopeId === null) return {};
  if (scopeType === 'agent') return { [scopeId]: 'spender' };
  if (scopeType === 'connection') {
    const connection = await tx.connection.findFirst({ where: { id: scopeId }, select: { agentId: true } });
    return connection === null ? {} : { [connection.agentId]: 'spender' };
  }
  if (scopeType !== 'account') return {};
  const agents = await tx.agent.findMany({
    where: { parentAccountId: scopeId, status: { not: 'revoked' } },
    orderBy: { id: 'desc' },
    take: mostNotified,
    select: { id: true },
  });
  return Object.fromEntries(agents.map(({ id }) => [id, 'spender']));
}
