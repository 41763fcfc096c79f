// What was paid with a vaulted card: its charges, with what came back of each (CONTRACT.md 14).
import type { CardCharge, Transfer } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { listOf } from '../../../platform/schema/list.js';
import type { Page, PageInput } from '../../../platform/schema/page.js';
import { vaultedCard } from '../vault/card.js';

/** A charge with its transfer. Their ends are one. */
export interface CardTransaction {
  id: string;
  charge: CardCharge;
  transfer: Transfer;
}

const charges = listOf(
  'cardCharge',
  {},
  {
    cardId: async (cardId: string, ctx) => {
      const card = await vaultedCard(ctx, cardId);
      const { agent } = ctx.actor;
      return agent === undefined || card.agentId === agent.id ? { cardId } : { cardId, agentId: agent.id };
    },
  },
);

// Gap G-244: Transactions of a card are its charges and what came back; an agent sees those that it made.
/**
 * The charges of a card that the actor sees, newest first. Of a card of its account an agent sees those that it has made. 404 for another
 * card.
 */
export async function cardTransactions(ctx: Ctx, input: PageInput & { cardId: string }): Promise<Page<CardTransaction>> {
  const found = await charges(ctx, input);
  const transfers = await ctx.db.transfer.findMany({ where: { id: { in: found.nodes.map(({ transferId }) => transferId) } } });
  const byId = new Map(transfers.map((transfer) => [transfer.id, transfer]));
  const nodes = found.nodes.map((charge) => ({ id: charge.id, charge, transfer: byId.get(charge.transferId) as Transfer }));
  return { ...found, nodes };
}
