// Whom a spend pays: the merchant behind a wallet, and whether the payer has paid it before (CONTRACT.md 6).

import type { MerchantStatus } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { keptMerchant } from '../accounts/merchant.js';
import type { PaidMerchant, SpendFacts } from './evaluation.js';
import type { RulingMandate } from './mandate-rule.js';
import { type MerchantLists, refusedMerchant } from './policy-objection.js';

/** The merchants that a spend pays, as its facts have them. */
export type MerchantFacts = Pick<SpendFacts, 'merchant' | 'otherMerchants'>;

/**
 * The merchant that a request names, else those whose settlement wallet is paid, the oldest before the others. A merchant is paid into any
 * wallet of its account, so in one that nobody settles in all merchants of the account are paid (Gap G-229) (Gap G-422). 404 for a merchant_id of
 * another workspace.
 */
export async function merchantsPaid(
  ctx: Ctx,
  merchantId: string | undefined,
  { payee }: Pick<SpendFacts, 'payee'>,
): Promise<MerchantFacts> {
  if (merchantId !== undefined) return { merchant: await namedMerchant(ctx, merchantId) };
  if (payee === null) return { merchant: null };
  const { accountId, walletId: settlementWalletId } = payee;
  const [merchant, ...others] = await merchantsWhere(ctx, { accountId, settlementWalletId });
  if (merchant !== undefined) return { merchant, otherMerchants: others };
  return { merchant: null, otherMerchants: await merchantsWhere(ctx, { accountId }) };
}

/** The merchants by whom rules decide: an account may have thousands, and a decision keeps what it was given. */
export function decisiveMerchants(
  { merchant, otherMerchants = [] }: MerchantFacts,
  lists: readonly MerchantLists[],
  mandate: Pick<RulingMandate, 'blockedMerchants'> | undefined,
): MerchantFacts {
  if (otherMerchants.length === 0) return { merchant };
  const refused = lists.map((list) => refusedMerchant(list, otherMerchants));
  const blocked = otherMerchants.find(({ id }) => mandate?.blockedMerchants.includes(id));
  const decisive = new Set([otherMerchants[0], ...refused, blocked].filter((other) => other !== undefined));
  return { merchant, otherMerchants: [...decisive] };
}

/** The merchant of an id. 404 for one of another workspace. */
export async function namedMerchant(ctx: Ctx, id: string): Promise<PaidMerchant> {
  const named = await keptMerchant(ctx, id);
  if (named === null) throw new NotFound('merchantId');
  return paidMerchant(named);
}

async function merchantsWhere({ db }: Ctx, where: { accountId: string; settlementWalletId?: string }): Promise<PaidMerchant[]> {
  const found = await db.merchant.findMany({ where, orderBy: { id: 'asc' }, select: { id: true, category: true, status: true } });
  return found.map(paidMerchant);
}

/** What rules ask for of a merchant. */
export function paidMerchant({ id, category, status }: { id: string; category: string; status: MerchantStatus }): PaidMerchant {
  return { id, category, ...(status === 'inactive' && { isInactive: true }) };
}

/** Whether the payer's account has completed a transfer to the payee's before. One's own account is no stranger (Gap G-113). */
export async function isKnownCounterparty(
  { db }: Pick<Ctx, 'db'>,
  { payer, payee }: Pick<SpendFacts, 'payer' | 'payee'>,
): Promise<boolean> {
  if (payee === null) return false;
  if (payee.accountId === payer.accountId) return true;
  const known = await db.counterparty.findFirst({ where: { payerId: payer.accountId, payeeId: payee.accountId }, select: { since: true } });
  return known !== null;
}
