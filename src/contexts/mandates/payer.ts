// From which wallet a spend by a mandate is paid (CONTRACT.md 7).
import type { Ctx } from '../../platform/ctx.js';
import { CurrencyMismatch, NotFound } from '../../platform/errors.js';
import { agentWalletRef, defaultWalletRef, type WalletRef, walletRef } from '../accounts/wallet-ref.js';
import type { EnforcedMandate } from '../spending/pipeline/mandate-rule.js';

/** The wallet that is named, else the agent's oldest in the currency, else its account's. 404 without one, 422 for another currency. */
export async function payerByMandate(
  ctx: Ctx,
  { agentId, accountId }: EnforcedMandate,
  { fromWalletId, currency }: { fromWalletId?: string | null | undefined; currency: string },
): Promise<WalletRef> {
  const found =
    fromWalletId == null
      ? ((await agentWalletRef(ctx, agentId, currency)) ?? (await defaultWalletRef(ctx, accountId, currency)))
      : await walletRef(ctx, fromWalletId);
  if (found === null) throw new NotFound('fromWalletId');
  if (found.currency !== currency) throw new CurrencyMismatch(found.walletId, found.currency, currency);
  return found;
}
