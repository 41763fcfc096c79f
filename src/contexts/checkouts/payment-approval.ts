// Payments of checkouts that wait for an approval: the checkout is paid when it is given, and has failed when it is not (CONTRACT.md 6, 8).
import type { Approval, Checkout, Merchant, Transfer } from '../../generated/prisma/client.js';
import { type ApprovalSubject, type Ending, SubjectRefused } from '../../manifest/approval-subject.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { ApiError } from '../../platform/errors.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow } from '../../platform/postgres/row.js';
import type { IdKind } from '../../platform/schema/id.js';
import { approveHeld } from '../spending/approval/approved-spend.js';
import { captureApproved, reauthorize } from '../transfers/approval.js';
import { endTransfer } from '../transfers/hold.js';
import { expiryOf } from './checkout.js';
import { inactiveMerchant, readMerchant } from './checkout-request.js';
import { refuseBuyerPrices } from './merchant-price.js';
import { settleCheckout } from './payment-outcome.js';

/** How the payment of a checkout is approved and ended; `kind` is that of the ids of its protocol. */
export const checkoutSubject = (kind: IdKind): ApprovalSubject => ({
  kind,
  lock: (_ctx, tx, id) => lockRow(tx.checkout, id),
  approve: approvePayment,
  end,
});

async function approvePayment(ctx: Ctx, tx: Tx, approval: Approval): Promise<undefined> {
  const row = await waiting(tx, approval.subjectId);
  if (row.expiresAt <= ctx.clock.now()) throw new SubjectRefused(expiryOf(row));
  const merchant = await readMerchant(within(ctx, tx), row.merchantId);
  if (merchant?.status !== 'active') throw new SubjectRefused(inactiveMerchant());
  checkPrices(merchant, row);
  const { id: transferId } = await lockCheckoutTransfer(tx, row);
  const approved = await reauthorize(ctx, tx, approval, transferId);
  await approveHeld(ctx, tx, approved, async (decisionId) => {
    const money = await captureApproved(ctx, tx, approved, decisionId);
    await settleCheckout(ctx, tx, row.id, { status: 'paid' });
    return money;
  });
}

/** What the buyer named holds no longer than its merchant takes such prices. */
function checkPrices(merchant: Merchant, row: Checkout): void {
  try {
    refuseBuyerPrices(merchant, row);
  } catch (error) {
    throw error instanceof ApiError ? new SubjectRefused(error) : error;
  }
}

async function end(ctx: Ctx, tx: Tx, { subjectId }: Approval, ending: Ending): Promise<void> {
  const row = await waiting(tx, subjectId);
  await endTransfer(ctx, tx, await lockCheckoutTransfer(tx, row), ending);
  await settleCheckout(ctx, tx, row.id, { status: 'failed', code: ending.code, message: ending.message });
}

/** The transfer that holds the money of the payment, under its lock. */
export function lockCheckoutTransfer(tx: Tx, { transferId }: Checkout): Promise<Transfer> {
  return lockRow(tx.transfer, transferId ?? '');
}

/** The checkout behind an approval, whose lock is held. It waits as long as its approval does. */
async function waiting(tx: Tx, id: string): Promise<Checkout> {
  const row = await tx.checkout.findFirstOrThrow({ where: { id } });
  if (row.status !== 'pending_payment') throw new Error(`checkout ${id} is ${row.status} while its approval was pending`);
  return row;
}
