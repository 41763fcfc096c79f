// A vaulted card: what an account, or one of its agents, pays with outside of its wallets. Its processor keeps the number; we keep the
// token, encrypted and never shown (CONTRACT.md 14).
import type { Prisma, VaultedCard } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { newId } from '../../../platform/schema/id.js';
import { listOf } from '../../../platform/schema/list.js';
import { Visibility } from '../../../platform/visibility.js';
import { inactiveAccount } from '../../accounts/account.js';
import { agentRevoked } from '../../agents/agent.js';
import { checkConnected, servedProcessors } from '../charge/payment-handler.js';
import type { CreateVaultedCardInput } from './card.input.js';
import { checkNoCardNumber } from './card-number.js';

const brands = ['visa', 'mastercard', 'amex', 'discover', 'diners', 'jcb', 'unionpay', 'other'] as const;
export const cardStatuses = ['active', 'expired'] as const;

/** An agent sees its own cards, and those of its account that are for no one agent. */
export const visibleCards = new Visibility<Prisma.VaultedCardWhereInput>({
  scope: 'cards:read',
  agent: ({ id, parentAccountId }) => ({ OR: [{ agentId: id }, { agentId: null, accountId: parentAccountId }] }),
});

/**
 * Vaults a card. 422 for the number of a card in any member, which is asked before all else; 400 for an unknown processor, a card that
 * has expired and an agent of another account; 404 for an account or agent of nobody; 409 for an account that is closed and a processor whose
 * connection was ended.
 */
export function createVaultedCard(ctx: Ctx, input: CreateVaultedCardInput): Promise<VaultedCard> {
  const { accountId, agentId, processorToken, ...said } = input;
  checkNoCardNumber({ processorToken, ...said });
  checkCard(ctx, input);
  return transact(ctx, async (tx) => {
    await checkConnected({ db: tx }, input.processor);
    const account = await lockRow(tx.account, accountId, { field: 'accountId' });
    if (account.status === 'closed') throw inactiveAccount(account, 'cards');
    if (agentId != null) await checkAgent(tx, agentId, accountId);
    const { billingAddress, label, ...rest } = said;
    const at = ctx.clock.now();
    const id = newId(at);
    return tx.vaultedCard.create({
      data: {
        ...rest,
        id,
        accountId,
        agentId: agentId ?? null,
        label: label ?? null,
        sealedToken: ctx.platform.vault.seal(processorToken, id),
        ...(billingAddress != null && { billingAddress: { ...billingAddress } }),
        createdAt: at,
      },
    });
  });
}

/** What is wrong with a card, all of it at once. */
function checkCard(ctx: Ctx, input: CreateVaultedCardInput): void {
  const { processor, cardLastFour, cardBrand, expiryMonth, expiryYear, billingAddress } = input;
  const one = (names: readonly string[]) => `must be one of ${names.join(', ')}`;
  const known = servedProcessors(ctx);
  const isOver = isCardExpired(ctx, { expiryMonth, expiryYear });
  const issues = [
    ...(known.some((name) => name === processor)
      ? []
      : [{ path: ['processor'], message: known.length > 0 ? one(known) : 'is none: no processor is connected here', rule: 'enum' }]),
    ...(/^\d{4}$/.test(cardLastFour) ? [] : [{ path: ['cardLastFour'], message: 'must be four digits', rule: 'pattern' }]),
    ...(brands.some((name) => name === cardBrand) ? [] : [{ path: ['cardBrand'], message: one(brands), rule: 'enum' }]),
    ...(/^[A-Z]{2}$/.test(billingAddress?.country ?? 'US')
      ? []
      : [{ path: ['billingAddress', 'country'], message: 'must be two capital letters of ISO 3166', rule: 'pattern' }]),
    ...(isOver ? [{ path: ['expiryYear'], message: 'is over: the card has expired', rule: 'min' }] : []),
  ];
  if (issues.length > 0) throw new ValidationFailed(issues);
}

async function checkAgent(tx: Tx, agentId: string, accountId: string): Promise<void> {
  const agent = await tx.agent.findFirst({ where: { id: agentId } });
  if (agent === null) throw new NotFound('agentId');
  if (agent.parentAccountId !== accountId)
    throw new ValidationFailed([{ path: ['agentId'], message: 'is an agent of another account', rule: 'account' }]);
  if (agent.status === 'revoked') throw agentRevoked(agent);
}

/** True when the last month of a card is over, in UTC and in the time of the workspace. */
export function isCardExpired({ clock }: Pick<Ctx, 'clock'>, { expiryMonth, expiryYear }: Pick<VaultedCard, 'expiryMonth' | 'expiryYear'>) {
  return clock.now().getTime() >= Date.UTC(expiryYear, expiryMonth, 1);
}

// Gap G-222: Nothing of a card changes; deleting is final and removes the token, and a charge at the processor goes on.
/** Deletes a card for good, and its token with it: it pays nothing any more. What its processor has in hand goes on. */
export function deleteVaultedCard(ctx: Ctx, id: string): Promise<VaultedCard> {
  return transact(ctx, async (tx) => {
    await lockRow(tx.vaultedCard, id, { where: { deletedAt: null } });
    return tx.vaultedCard.update({ where: rowKey(ctx, id), data: { deletedAt: ctx.clock.now(), sealedToken: null } });
  });
}

/** The card, or 404. `query` is the caller's selection. */
export async function vaultedCard(ctx: Ctx, id: string, query: object = {}): Promise<VaultedCard> {
  const found = await ctx.db.vaultedCard.findFirst({ ...query, where: { AND: [{ id, deletedAt: null }, visibleCards.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** Cards, newest first. */
export const vaultedCards = listOf('vaultedCard', { visible: visibleCards, where: { deletedAt: null } });
