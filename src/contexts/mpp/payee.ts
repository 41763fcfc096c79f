// Whom MPP pays: the wallet that a request names.
import type { Ctx } from '../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { type WalletRef, walletRef } from '../accounts/wallet-ref.js';

/** How a request says whom it pays. */
export interface PayeeInput {
  serviceUrl: string;
  payeeWalletId?: string | null | undefined;
}

/**
 * The wallet that is paid: `payeeWalletId` where it is given. A registered endpoint whose URL is `serviceUrl` would say it too, and is to
 * be looked for here; until endpoints are registered, a request without a wallet is 400 (Gap G-293). 404 for a wallet that is none.
 */
export async function payeeOf(ctx: Ctx, { payeeWalletId }: PayeeInput): Promise<WalletRef> {
  if (payeeWalletId == null) {
    const message = 'name payee_wallet_id: no registered endpoint has this service_url';
    throw new ValidationFailed([{ path: ['payeeWalletId'], message, rule: 'required' }]);
  }
  const found = await walletRef(ctx, payeeWalletId);
  if (found === null) throw new NotFound('payeeWalletId');
  return found;
}
