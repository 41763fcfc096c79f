// Whom a spend pays: the merchant behind a wallet, and whether the payer has paid it before (CONTRACT.md 6).

import type { Merchant, MerchantStatus } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound } from '../../../platform/errors.js';
import { type CachedMerchant, cachedMerchant } from '../../accounts/merchant.js';
import { blockedMerchant, type MerchantLists, refusedMerchant } from '../policy/policy-objection.js';
import type { EnforcedMandate } from './mandate-rule.js';
import type { PaidMerchant, SpendFacts } from './rule-result.js';

/** The merchants that a spend pays, as its facts have them. */
export type MerchantFacts = Pick<SpendFacts, 'merchant' | 'otherMerchants' | 'sisterMerchants'>;

/** The rules that ask which merchants are paid. */
export interface MerchantAsker {
  lists: readonly MerchantLists[];
  mandate: Pick<EnforcedMandate, 'blockedMerchants'> | undefined;
}

const noMerchantRule: MerchantAsker = { lists: [], mandate: undefined };

// Gap G-422: A wallet of no merchant's own is paid as all merchants of its account: a list must allow each, one block refuses.
// Gap G-229: A blocked merchant blocks every wallet of its account, whichever other merchant the payment names.
/**
 * The merchant that a request names, else those whose settlement wallet is paid, the oldest before the others. A merchant is paid into any
 * wallet of its account, so in one that nobody settles in all merchants of the account are paid, and one that is blocked is so whichever of
 * its sisters is named or settles there. Only those by whom `asker` decides are kept. 404 for a merchant_id of another workspace.
 */
export async function merchantsPaid(
  ctx: Ctx,
  merchantId: string | undefined,
  { payee }: Pick<SpendFacts, 'payee'>,
  asker = noMerchantRule,
): Promise<MerchantFacts> {
  const named = merchantId === undefined ? null : await namedMerchant(ctx, merchantId);
  if (named !== null) {
    const merchant = paidMerchant(named);
    if (!blocksAny(asker)) return { merchant };
    const accountIds = new Set([named.accountId, payee?.accountId ?? named.accountId]);
    const ofAccounts = (await merchantsOf(ctx, [...accountIds])).filter(({ id }) => id !== named.id);
    return decisiveMerchants({ merchant, sisterMerchants: ofAccounts.map(paidMerchant) }, asker);
  }
  if (payee === null) return { merchant: null };
  const all = await merchantsOf(ctx, [payee.accountId]);
  const [settling, sisters] = [all.filter(settlesIn), all.filter((one) => !settlesIn(one))];
  if (settling.length === 0) return decisiveMerchants({ merchant: null, otherMerchants: all.map(paidMerchant) }, asker);
  const [merchant, ...others] = settling.map(paidMerchant);
  return decisiveMerchants({ merchant, otherMerchants: others, sisterMerchants: sisters.map(paidMerchant) }, asker);

  function settlesIn({ settlementWalletId }: Pick<Merchant, 'settlementWalletId'>): boolean {
    return settlementWalletId === payee?.walletId;
  }
}

/** Whether a rule names merchants that are not to be paid: it alone asks for the sisters of the one that is named. */
function blocksAny({ lists, mandate }: MerchantAsker): boolean {
  return (mandate?.blockedMerchants.length ?? 0) > 0 || lists.some(({ block }) => block.size > 0);
}

/** The merchants by whom rules decide: an account may have thousands, and a decision keeps what it was given. */
function decisiveMerchants(
  { merchant, otherMerchants = [], sisterMerchants = [] }: MerchantFacts,
  { lists, mandate }: MerchantAsker,
): MerchantFacts {
  const isBlockedByMandate = ({ id }: PaidMerchant) => mandate?.blockedMerchants.includes(id) === true;
  const others = [
    otherMerchants[0],
    ...lists.map((list) => refusedMerchant(list, otherMerchants)),
    otherMerchants.find(isBlockedByMandate),
  ];
  const sisters = [...lists.map((list) => blockedMerchant(list, sisterMerchants)), sisterMerchants.find(isBlockedByMandate)];
  return {
    merchant,
    ...(otherMerchants.length > 0 && { otherMerchants: distinct(others) }),
    ...(sisterMerchants.length > 0 && { sisterMerchants: distinct(sisters) }),
  };
}

function distinct(merchants: readonly (PaidMerchant | undefined)[]): PaidMerchant[] {
  return [...new Set(merchants)].filter((one) => one !== undefined);
}

async function namedMerchant(ctx: Ctx, id: string): Promise<CachedMerchant> {
  const named = await cachedMerchant(ctx, id);
  if (named === null) throw new NotFound('merchantId');
  return named;
}

/** The merchants of accounts, the oldest first. */
function merchantsOf({ db }: Ctx, accountIds: string[]) {
  const select = { id: true, category: true, status: true, settlementWalletId: true };
  return db.merchant.findMany({ where: { accountId: { in: accountIds } }, orderBy: { id: 'asc' }, select });
}

/** What rules ask for of a merchant. */
export function paidMerchant({ id, category, status }: { id: string; category: string; status: MerchantStatus }): PaidMerchant {
  return { id, category, ...(status === 'inactive' && { isInactive: true }) };
}

// Gap G-113: A counterparty is known once the payer's account has completed a transfer to its account; one's own account always is.
/** Whether the payer's account has completed a transfer to the payee's before. One's own account is no stranger. */
export async function isKnownCounterparty(
  { db }: Pick<Ctx, 'db'>,
  { payer, payee }: Pick<SpendFacts, 'payer' | 'payee'>,
): Promise<boolean> {
  if (payee === null) return false;
  if (payee.accountId === payer.accountId) return true;
  const known = await db.counterparty.findFirst({ where: { payerId: payer.accountId, payeeId: payee.accountId }, select: { since: true } });
  return known !== null;
}
