// Who sees which operations, and so what counts in whose reports (CONTRACT.md 0: of usage, agents see their own operations).
import type { Prisma } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { Visibility } from '../../platform/visibility.js';

/** An agent sees what it has spent or asked for, a customer what its accounts have paid, and what they got from no account. */
export const visibleOperations = new Visibility<Prisma.OperationWhereInput>({
  scope: 'usage:read',
  agent: ({ id }) => ({ agentId: id }),
  portal: {
    scope: 'usage:read',
    where: ({ accountIds }) => {
      const own = { in: [...accountIds] };
      return { OR: [{ accountId: own }, { accountId: null, counterpartyId: own }] };
    },
  },
});

/** What names the owner of an operation `o` in SQL, as an index has it, for an actor who sees a part of them; null for who sees all. */
export function ownerColumn(ctx: Pick<Ctx, 'actor'>): string | null {
  if (visibleOperations.isWhole(ctx)) return null;
  return ctx.actor.customer === undefined ? 'o.agent_id' : 'coalesce(o.account_id, o.counterparty_id)';
}

/**
 * Whose operations make up what the actor sees: the workspace's for those who see all of it, an agent's own for it, those of its accounts
 * for a customer. Rollups are kept for each of them.
 */
export function reportOwners(ctx: Pick<Ctx, 'actor' | 'workspace'>): readonly string[] {
  if (visibleOperations.isWhole(ctx)) return [ctx.workspace.id];
  const { agent, customer } = ctx.actor;
  if (customer !== undefined) return ctx.actor.scopes.includes('usage:read') ? customer.accountIds : [];
  return agent === undefined ? [] : [agent.id];
}
