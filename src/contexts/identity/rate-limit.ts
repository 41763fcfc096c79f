// The limits of requests that bind whoever asks, and the numbers that the operator gives a tenant (CONTRACT.md 22). Counting is src/http's.
import type { Ctx } from '../../platform/ctx.js';
import { transact } from '../../platform/idempotency.js';
import { type BudgetOwner, budgetOwners, limitsOf, type OperatorRates, rateClasses, rateNumbers } from '../../platform/rate-limit.js';

/** A limit, and what this window has left of it where the request that asks has drawn on it. */
export interface RateLimit {
  rateClass: (typeof rateClasses)[number];
  owner: BudgetOwner;
  limit: number;
  used: number | null;
  remaining: number | null;
  resetAt: Date | null;
}

// Gap G-521: `GET /v1/rate-limits` counts only the budgets that it draws on itself: those of class `general`.
/** Every limit that binds the actor of this listener. */
export function rateLimits({ platform, workspace, budgets = [] }: Ctx): RateLimit[] {
  const stated = limitsOf(platform.config, workspace.environment);
  return rateClasses.flatMap((rateClass) => {
    const numbers = rateNumbers(rateClass, stated[rateClass], workspace);
    return budgetOwners.map((owner): RateLimit => {
      const limit = numbers[owner];
      const drawn = budgets.find((budget) => budget.rateClass === rateClass && budget.owner === owner);
      if (drawn === undefined) return { rateClass, owner, limit, used: null, remaining: null, resetAt: null };
      return { rateClass, owner, limit, used: limit - drawn.remaining, remaining: drawn.remaining, resetAt: drawn.resetAt };
    });
  });
}

/** The numbers of the operator for one half of a tenant; null: as for everybody. Every process has them within a second. */
export async function setOperatorRates(ctx: Ctx, rates: OperatorRates): Promise<void> {
  const { id } = ctx.workspace;
  const act = {
    action: 'setRateLimits',
    resourceType: 'workspace',
    resourceId: id,
    changes: () => ({
      ...(rates.actorRate !== undefined && { actor: rates.actorRate }),
      ...(rates.workspaceRate !== undefined && { workspace: rates.workspaceRate }),
    }),
  };
  await transact({ ...ctx, act }, async (tx) => {
    await tx.workspace.updateMany({ where: { id }, data: rates });
    return { id };
  });
  ctx.platform.cache.drop(`workspace:${id}`);
}
