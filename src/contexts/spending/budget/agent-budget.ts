// The budgets that bind an agent, as it reads them: the name and what is left. What others have spent is for the tenant alone (CONTRACT.md
// 6).
import type { BudgetPeriod, BudgetScope } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { namedAgent } from '../../agents/agent.js';
import { rulebook, rulesFor } from '../pipeline/rulebook.js';
import { budgetUse } from './budget-use.js';

/** Budgets of an agent that are shown. */
export const mostAgentBudgets = 200;

// Gap G-109: Of a budget that is not its own an agent sees what is left alone; an alert counts held money as spent.
/** One budget on the path of an agent, in minor units. */
export interface AgentBudget {
  budgetId: string;
  name: string;
  scopeType: BudgetScope;
  period: BudgetPeriod;
  currency: string;
  /** Null where they are not for the one who asks. */
  amount: bigint | null;
  spent: bigint | null;
  /** What may still be spent: what is held for others is not left. */
  remaining: bigint;
  resetsAt: Date | null;
}

/** The budgets that every spend of the agent counts for, those that bind it before those above them. Budgets of traces come and go. */
export async function agentBudgets(ctx: Ctx, agentId: string): Promise<AgentBudget[]> {
  const { kyaTier, parentAccountId } = await namedAgent(ctx, agentId);
  const { agent, connection } = ctx.actor;
  // A budget of the tenant has no scope id, as an agent by its own token has no connection.
  const own = [agent?.id, connection?.id].filter((id) => id !== undefined);
  const payer = { walletId: '', accountId: parentAccountId, agentId };
  const path = rulesFor(await rulebook(ctx), {
    payer,
    agent: { id: agentId, kyaTier },
    traceId: null,
    mandateId: null,
    connectionId: connection?.id ?? null,
  }).budgets;
  return Promise.all(
    path.slice(0, mostAgentBudgets).map(async (budget): Promise<AgentBudget> => {
      const { id: budgetId, name, scopeType, scopeId, period, currency, amount } = budget;
      const { spent, reserved, remaining, resetsAt } = await budgetUse(ctx, budget);
      const isShown = agent === undefined || (scopeId !== null && own.includes(scopeId));
      const whole = isShown ? { amount, spent: spent + reserved } : { amount: null, spent: null };
      return { budgetId, name, scopeType, period, currency, ...whole, remaining, resetsAt };
    }),
  );
}
