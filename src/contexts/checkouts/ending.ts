// How a checkout ends without its payment: somebody calls it off, or its time is over (CONTRACT.md 8). What a payment holds goes back.
import { writeEvents } from '../../events/event.js';
import type { Checkout, Prisma } from '../../generated/prisma/client.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { StateConflict } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { checkStep } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { withdrawCharge } from '../cards/charge/charge-approval.js';
import { withdrawApproval } from '../spending/approval/approval.js';
import { rulebook } from '../spending/pipeline/rulebook.js';
import { endTransfer } from '../transfers/hold.js';
import { writeOperation } from '../usage/operation.js';
import { lockChargeOf } from './card-payment.js';
import {
  type CheckoutProtocol,
  checkoutPath,
  isBuyerSide,
  isMerchantSide,
  isOpenCheckout,
  lifecycleOf,
  lockCheckout,
  printCheckoutId,
  refuseExpired,
} from './checkout.js';
import type { CancelCheckoutInput } from './completion.input.js';
import { NotYourCheckout } from './errors.js';
import { checkoutEvents } from './events.js';
import { lockCheckoutTransfer } from './payment-approval.js';

/**
 * Calls a checkout off that is not paid, by either side, and the approval that its payment waits for. 404, 403 for an agent of neither
 * side, 409 `checkout_expired`, `state_conflict` for what is paid or has ended, and while a payment is under way elsewhere.
 */
export function cancelCheckout(ctx: Ctx, protocol: CheckoutProtocol, id: string, input: CancelCheckoutInput): Promise<Checkout> {
  const { reason, intentTrace } = input;
  return transact(ctx, async (tx) => {
    const row = await lockCheckout(ctx, tx, protocol, id);
    if (!isBuyerSide(ctx, row) && !isMerchantSide(ctx, row)) {
      throw new NotYourCheckout('Only whoever created a checkout, or its merchant, can cancel it.');
    }
    refuseExpired(ctx, row);
    checkStep(lifecycleOf(row), printCheckoutId(row), row.status, 'cancelled');
    if (await isUnderWay(tx, row)) {
      throw new StateConflict('The payment of the checkout is in progress: wait until it is final.', row.status, ['created', 'failed'], {
        next_actions: [{ rel: 'read', actor: 'any', method: 'GET', path: checkoutPath(row) }],
      });
    }
    return endCheckout(ctx, tx, row, 'cancelled', {
      cancelReason: reason ?? null,
      ...(intentTrace != null && { intentTrace: { ...intentTrace } as Prisma.InputJsonObject }),
    });
  });
}

/** True while a payment is carried out by somebody else, who alone knows what becomes of it. */
async function isUnderWay(tx: Tx, row: Checkout): Promise<boolean> {
  if (row.status !== 'pending_payment') return false;
  const charge = await lockChargeOf(tx, row);
  return charge === null ? row.approvalId === null : charge.submittedAt !== null;
}

// Gap G-250: At the end of a checkout a waiting approval is withdrawn; a payment that others carry out decides first.
/** The due step of a checkout: its time is over. A payment that is under way elsewhere decides first. */
export async function expireCheckout(ctx: Ctx, id: string): Promise<void> {
  await transact(ctx, async (tx) => {
    const row = await lockRow(tx.checkout, id);
    if (!isOpenCheckout(row) || row.dueAt === null || row.dueAt > ctx.clock.now()) return row;
    if (await isUnderWay(tx, row)) return tx.checkout.update({ where: rowKey(ctx, id), data: { dueAt: null, leaseUntil: null } });
    const expired = await endCheckout(ctx, tx, row, 'expired', {});
    const events = checkoutEvents(ctx, 'acp.checkout.expired', expired, ctx.clock.now());
    if (events.length > 0) await writeEvents(tx, ctx.workspace.id, events);
    return expired;
  });
}

const endings = {
  cancelled: { code: 'checkout_cancelled', message: 'The checkout was cancelled.' },
  expired: { code: 'checkout_expired', message: 'The checkout expired before it was paid.' },
} as const;

// Gap G-257: Each final payment is one operation, `checkout.complete`; without one, the end is `checkout.cancel` or `.expire`.
/** Ends a checkout under its lock. The payment that waits for an approval is called off, and is its operation. */
async function endCheckout(
  ctx: Ctx,
  tx: Tx,
  row: Checkout,
  status: keyof typeof endings,
  facts: Prisma.CheckoutUpdateInput,
): Promise<Checkout> {
  const at = ctx.clock.now();
  const data = { ...facts, status, endedAt: at, updatedAt: at, dueAt: null, leaseUntil: null };
  const ended = await tx.checkout.update({ where: rowKey(ctx, row.id), data });
  if (row.status === 'pending_payment') {
    await withdrawPayment(ctx, tx, row, endings[status]);
    return ended;
  }
  await writeOperation(
    tx,
    {
      at,
      category: 'checkout',
      operation: status === 'cancelled' ? 'checkout.cancel' : 'checkout.expire',
      protocol: row.protocol,
      success: false,
      amount: 0n,
      currency: row.currency,
      actorType: row.createdByType,
      actorId: row.createdById,
      agentId: row.agentId ?? row.creatorAgentId,
      accountId: null,
      counterpartyId: row.merchantAccountId,
      subjectId: row.id,
      traceId: row.traceId,
    },
    (await rulebook(within(ctx, tx))).rates,
  );
  return ended;
}

// Gap G-268: The charge is withdrawn while the processor has not heard of it; after that cancelling is 409.
/** Calls the payment of a checkout off that nobody has carried out yet, and the approval that it waits for. */
async function withdrawPayment(ctx: Ctx, tx: Tx, row: Checkout, why: (typeof endings)[keyof typeof endings]): Promise<void> {
  const charge = await lockChargeOf(tx, row);
  if (charge !== null) {
    await withdrawCharge(ctx, tx, charge.id, why);
    return;
  }
  await withdrawApproval(ctx, tx, row.approvalId ?? '');
  await endTransfer(ctx, tx, await lockCheckoutTransfer(tx, row), { status: 'cancelled', ...why });
}
