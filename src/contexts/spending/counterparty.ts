// Whom a spend pays: the merchant behind a wallet, and whether the payer has paid it before (CONTRACT.md 6).
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import type { SpendFacts } from './evaluation.js';

/**
 * The merchant that a request names, else the oldest one whose settlement wallet is paid; null for none. 404 for a merchant_id of
 * another workspace.
 */
export async function merchantPaid(
  { db }: Pick<Ctx, 'db'>,
  merchantId: string | undefined,
  { payee }: Pick<SpendFacts, 'payee'>,
): Promise<{ id: string; category: string } | null> {
  const select = { id: true, category: true };
  if (merchantId !== undefined) {
    const named = await db.merchant.findFirst({ where: { id: merchantId }, select });
    if (named === null) throw new NotFound('merchantId');
    return named;
  }
  if (payee === null) return null;
  return db.merchant.findFirst({ where: { settlementWalletId: payee.walletId }, orderBy: { id: 'asc' }, select });
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
