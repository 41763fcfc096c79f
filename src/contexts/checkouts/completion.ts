// Completing a checkout: its payment and its status are one transaction under the lock of its row, so it is paid once, however many try
// at once, and never paid without being marked so (CONTRACT.md 8).
import type { Approval, Checkout, Prisma } from '../../generated/prisma/client.js';
import { sha256 } from '../../platform/crypto.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { NotFound, StateConflict, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { wrongStatus } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { rowKey } from '../../platform/postgres/row.js';
import { refuseWhilePending } from '../spending/approval.js';
import { type CarryOptions, carryOut } from '../spending/execution.js';
import { postingWithin } from '../spending/posting.js';
import { type DryRun, dryRunSpend } from '../transfers/dry-run.js';
import {
  type CheckoutProtocol,
  checkoutPath,
  isBuyerSide,
  lifecycleOf,
  lockCheckout,
  printCheckoutId,
  refuseExpired,
  seenWith,
} from './checkout.js';
import { storedAddress } from './checkout-request.js';
import { NotYourCheckout } from './errors.js';
import { refuseUnready } from './offered.js';
import { type CompleteCheckout, draftPayment, type PaymentPlan, planPayment, subjectOf } from './payment.js';
import { paidRow } from './settling.js';

/** A checkout that is paid, or pending_payment while its payment is not final, and the approval that it waits for. */
export interface CompletedCheckout {
  checkout: Checkout;
  approval: Approval | null;
}

/**
 * Pays a checkout, or asks for the approval of its payment. 404 for what the actor does not see, 403 for an agent that is not its buyer
 * and has no client secret, 409 `checkout_expired` and `state_conflict` for one that is not to be paid. Refusals of the pipeline leave
 * it as it was.
 */
export async function completeCheckout(
  ctx: Ctx,
  protocol: CheckoutProtocol,
  id: string,
  input: CompleteCheckout,
): Promise<CompletedCheckout> {
  const completed = await transact(
    ctx,
    async (tx) => {
      const row = await lockCheckout(ctx, tx, protocol, id, input.clientSecret);
      checkBuyer(ctx, row, input.clientSecret);
      await checkUnpaid(ctx, tx, row);
      input.check?.(row);
      await refuseUnready(within(ctx, tx), atAddress(row, input));
      return pay(ctx, tx, await planPayment(within(ctx, tx), row, input), input);
    },
    ({ checkout }) => checkout.id,
  );
  if (completed.approval !== null) ringAt(ctx, 'approval', completed.approval.expiresAt);
  return completed;
}

/** What `completeCheckout` would do. A refusal by a layer is a decision, a faulty request an error. */
export async function dryRunCheckout(ctx: Ctx, protocol: CheckoutProtocol, id: string, input: CompleteCheckout): Promise<DryRun> {
  const row = await ctx.db.checkout.findFirst({ where: { AND: [{ id, protocol }, seenWith(ctx, input.clientSecret)] } });
  if (row === null) throw new NotFound();
  checkBuyer(ctx, row, input.clientSecret);
  await checkUnpaid(ctx, ctx.db, row);
  await refuseUnready(ctx, atAddress(row, input));
  const plan = await planPayment(ctx, row, input);
  return dryRunSpend(ctx, plan.authority, (form) => draftPayment(ctx, plan, form), optionsOf(plan, input));
}

/** Throws unless the actor may pay: it buys, or it has the client secret (Gap G-235). */
function checkBuyer(ctx: Ctx, row: Checkout, clientSecret: string | null | undefined): void {
  if (clientSecret != null && !sha256(clientSecret).equals(row.secretHash)) {
    throw new ValidationFailed([{ path: ['clientSecret'], message: 'is not that of this checkout', rule: 'secret' }]);
  }
  if (clientSecret == null && !isBuyerSide(ctx, row)) {
    throw new NotYourCheckout('A checkout is paid by whoever began it, or with its client secret.');
  }
}

/** The checkout as it is to be paid: where it goes may come with the payment. */
function atAddress(row: Checkout, { shippingAddress }: CompleteCheckout): Checkout {
  return shippingAddress == null ? row : { ...row, shippingAddress: storedAddress(shippingAddress) as Prisma.JsonObject };
}

/** Throws 409 unless the checkout is to be paid. Call it under its lock. */
async function checkUnpaid(ctx: Ctx, tx: Tx, row: Checkout): Promise<void> {
  refuseExpired(ctx, row);
  if (row.status === 'created' || row.status === 'failed') return;
  if (row.status === 'pending_payment') {
    const message = 'The checkout has a payment that is not final yet.';
    if (row.approvalId !== null) await refuseWhilePending(tx, row.approvalId, row.status, message);
    throw new StateConflict(message, row.status, ['created', 'failed'], {
      next_actions: [{ rel: 'read', actor: 'any', method: 'GET', path: checkoutPath(row) }],
    });
  }
  const message = `Only a checkout that is not paid can be completed; this one is ${row.status}.`;
  throw wrongStatus(lifecycleOf(row), printCheckoutId(row), row.status, ['created', 'failed'], message);
}

function optionsOf({ row }: PaymentPlan, { requestApproval }: CompleteCheckout): CarryOptions {
  return { requestApproval: requestApproval === true, subject: subjectOf(row) };
}

/** Posts the payment, or holds its money for an approval, and writes what that makes of the checkout. Its lock is held. */
async function pay(ctx: Ctx, tx: Tx, plan: PaymentPlan, input: CompleteCheckout): Promise<CompletedCheckout> {
  const { row, value, paidBy, transferId, authority } = plan;
  const options = { ...optionsOf(plan, input), reader: within(ctx, tx) };
  const { approval } = await carryOut(ctx, authority, postingWithin(tx), (form) => draftPayment(ctx, plan, form), options);
  const details = input.details?.(row);
  const waits = { status: 'pending_payment', attemptedAt: value.at, failureCode: null, failureMessage: null, updatedAt: value.at } as const;
  const checkout = await tx.checkout.update({
    where: rowKey(ctx, row.id),
    data: {
      ...(approval === null ? paidRow(value.at) : waits),
      ...(row.attemptedAt !== null && { attemptedAt: row.attemptedAt }),
      paidBy,
      transferId,
      approvalId: approval?.id ?? null,
      payerAgentId: value.from.agentId ?? value.agentId ?? null,
      ...(details !== undefined && { details: details as Prisma.InputJsonObject }),
      ...(input.shippingAddress != null && { shippingAddress: storedAddress(input.shippingAddress) as Prisma.InputJsonObject }),
    },
  });
  return { checkout, approval };
}
