// Rules that fire by the clock: the row of the rule is the job (CONTRACT.md 12 "time_based").
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { transact } from '../../platform/idempotency.js';
import { rowKey } from '../../platform/postgres/row.js';
import { type Firing, fire } from './firing.sql.js';
import { nextFiringOf, triggerOf } from './trigger.js';

// Gap G-203: One firing makes up for all that were missed; rules due at the same instant fire by priority.
/**
 * The due step of a rule. Those of its wallet that are due at the same instant fire with it, so that the first by priority is first.
 * Firings that nobody was there for are made up for by one.
 */
export async function stepRule(ctx: Ctx, id: string): Promise<void> {
  const now = ctx.clock.now();
  const due = await transact(
    ctx,
    async (tx) => {
      const one = await tx.settlementRule.findFirst({ where: { id, dueAt: { lte: now } }, select: { walletId: true, dueAt: true } });
      if (one?.dueAt == null) return [];
      const ids = await tx.settlementRule.findMany({
        where: { walletId: one.walletId, dueAt: one.dueAt, enabled: true, deletedAt: null },
        orderBy: { id: 'asc' },
        select: { id: true },
      });
      const firings: Firing[] = [];
      const next: Date[] = [];
      for (const { id: ruleId } of ids) {
        // The update is the lock: whoever takes it first fires.
        const [rule] = await tx.settlementRule.updateManyAndReturn({ where: { id: ruleId, dueAt: one.dueAt }, data: { leaseUntil: null } });
        if (rule === undefined) continue;
        const dueAt = nextFiringOf(triggerOf(rule), now);
        await tx.settlementRule.update({ where: rowKey(ctx, ruleId), data: { dueAt } });
        firings.push({ rule, walletId: rule.walletId, trigger: 'time_based', cause: one.dueAt.toISOString(), firedAt: one.dueAt });
        if (dueAt !== null) next.push(dueAt);
      }
      await fire(tx, ctx.workspace.id, firings);
      return next;
    },
    () => id,
  );
  for (const at of due) ringAt(ctx, 'settlement_rule', at);
  ctx.platform.due.ring('settlement_execution');
}
