// Executions: each time that a rule fires is a row, which is the job that carries its action out (CONTRACT.md 12). A rule fires once on
// each cause, because (rule, cause) is unique.
import type { ExecutionStatus, SettlementExecution, SettlementRule } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { NotFound } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Lifecycle } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { newId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { NoManualRule, RuleDisabled } from './errors.js';
import { fire } from './firing.sql.js';
import { lockRule, settlementRule } from './rule.js';

/** Skipped: there was nothing to do. Failed: it was refused; the rule stays enabled. */
export const executionLifecycle: Lifecycle<ExecutionStatus> = {
  noun: 'execution',
  path: '/v1/settlement-rules',
  steps: { pending: ['completed', 'skipped', 'failed'], completed: [], skipped: [], failed: [] },
  requests: [],
};

/** Runs a rule now, whatever its trigger. 409 for one that is disabled. */
export async function runSettlementRule(ctx: Ctx, id: string): Promise<SettlementExecution> {
  const execution = await transact(ctx, async (tx) => {
    const rule = await lockRule(tx, id);
    if (!rule.enabled) throw new RuleDisabled(id);
    return runNow(ctx, tx, rule);
  });
  ringAt(ctx, 'settlement_execution', execution.firedAt);
  return execution;
}

// Gap G-205: request-manual runs the first enabled manual rule of the wallet (409 without one); run takes any enabled rule.
/** Runs the first enabled rule of a wallet whose trigger is manual. 404 for an unknown wallet, 409 without such a rule. */
export async function requestSettlement(ctx: Ctx, walletId: string): Promise<SettlementExecution> {
  const execution = await transact(ctx, async (tx) => {
    if ((await tx.wallet.findFirst({ where: { id: walletId }, select: { id: true } })) === null) throw new NotFound('walletId');
    const rule = await tx.settlementRule.findFirst({
      where: { walletId, triggerType: 'manual', enabled: true, deletedAt: null },
      orderBy: [{ priority: 'asc' }, { id: 'asc' }],
    });
    if (rule === null) throw new NoManualRule(walletId);
    return runNow(ctx, tx, rule);
  });
  ringAt(ctx, 'settlement_execution', execution.firedAt);
  return execution;
}

async function runNow(ctx: Ctx, tx: Tx, rule: SettlementRule): Promise<SettlementExecution> {
  const firedAt = ctx.clock.now();
  const cause = newId(firedAt);
  await fire(tx, ctx.workspace.id, [{ rule, walletId: rule.walletId, trigger: 'manual', cause, firedAt }]);
  return tx.settlementExecution.findFirstOrThrow({ where: { ruleId: rule.id, cause } });
}

/** One execution, or 404. */
export async function settlementExecution(ctx: Ctx, id: string): Promise<SettlementExecution> {
  const found = await ctx.db.settlementExecution.findFirst({ where: { id } });
  if (found === null) throw new NotFound();
  return found;
}

/** Executions of a rule, newest first. 404 for an unknown rule. */
export const settlementExecutions = listOf(
  'settlementExecution',
  {},
  {
    ruleId: async (ruleId: string, ctx) => {
      await settlementRule(ctx, ruleId);
      return { ruleId };
    },
  },
);
