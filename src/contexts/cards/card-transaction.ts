// What was paid with a vaulted card: its charges, with what came back of each (CONTRACT.md 14).
import type { CardCharge, Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { createdBetween, listPage, type Page, type PageInput } from '../../platform/schema/page.js';
import { vaultedCard } from './card.js';

/** A charge with its transfer. Their ends are one. */
export interface CardTransaction {
  id: string;
  charge: CardCharge;
  transfer: Transfer;
}

export interface CardTransactionFilter extends PageInput {
  cardId: string;
  since?: Date | null | undefined;
  until?: Date | null | undefined;
}

/**
 * The charges of a card that the actor sees, newest first. Of a card of its account an agent sees those that it has made (Gap G-244). 404
 * for another card.
 */
export async function cardTransactions(ctx: Ctx, filter: CardTransactionFilter): Promise<Page<CardTransaction>> {
  const { cardId, since, until, ...page } = filter;
  const card = await vaultedCard(ctx, cardId);
  const { agent } = ctx.actor;
  const conditions: object[] = [{ cardId }, createdBetween(since, until)];
  if (agent !== undefined && card.agentId !== agent.id) conditions.push({ agentId: agent.id });
  const found = await listPage(ctx, 'cardCharge', ctx.db.cardCharge, { AND: conditions }, { cardId, ...page } as PageInput);
  const transfers = await ctx.db.transfer.findMany({ where: { id: { in: found.nodes.map(({ transferId }) => transferId) } } });
  const byId = new Map(transfers.map((transfer) => [transfer.id, transfer]));
  const nodes = found.nodes.map((charge) => ({ id: charge.id, charge, transfer: byId.get(charge.transferId) as Transfer }));
  return { ...found, nodes };
}
