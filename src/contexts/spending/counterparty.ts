// Whom a spend pays: the merchant behind a wallet, and whether the payer has paid it before (CONTRACT.md 6).

import type { MerchantStatus } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { keptMerchant } from '../accounts/merchant.js';
import type { PaidMerchant, SpendFacts } from './evaluation.js';

/**
 * The merchant that a request names, else the oldest one whose settlement wallet is paid; null for none. 404 for a merchant_id of
 * another workspace.
 */
export async function merchantPaid(
  ctx: Ctx,
  merchantId: string | undefined,
  { payee }: Pick<SpendFacts, 'payee'>,
): Promise<PaidMerchant | null> {
  if (merchantId !== undefined) {
    const named = await keptMerchant(ctx, merchantId);
    if (named === null) throw new NotFound('merchantId');
    return paidMerchant(named);
  }
  if (payee === null) return null;
  const found = await ctx.db.merchant.findFirst({ where: { settlementWalletId: payee.walletId }, orderBy: { id: 'asc' }, select });
  return found && paidMerchant(found);
}

/**
 * The oldest of some blocked merchants whose account is paid, into a wallet that no merchant settles in; null for none. A merchant is
 * paid into any wallet of its account, so it is blocked there too (Gap G-229).
 */
export async function blockedPayee(
  { db }: Pick<Ctx, 'db'>,
  blocked: readonly string[],
  { payee }: Pick<SpendFacts, 'payee'>,
): Promise<PaidMerchant | null> {
  if (payee === null || blocked.length === 0) return null;
  const where = { id: { in: [...blocked] }, accountId: payee.accountId };
  const found = await db.merchant.findFirst({ where, orderBy: { id: 'asc' }, select });
  return found && paidMerchant(found);
}

const select = { id: true, category: true, status: true } as const;

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
