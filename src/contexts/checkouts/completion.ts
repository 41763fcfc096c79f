// Completing a checkout: its payment and its status are one transaction under the lock of its row, so it is paid once, however many try
// at once, and never paid without being marked so (CONTRACT.md 8).
import type { Approval, CardCharge, Checkout, Prisma } from '../../generated/prisma/client.js';
import { sha256 } from '../../platform/crypto.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { NotFound, StateConflict, ValidationFailed } from '../../platform/errors.js';
import { transact, type Written } from '../../platform/idempotency.js';
import { wrongStatus } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { rowKey } from '../../platform/postgres/row.js';
import { dryRunCharge, openCharge, ringCharge } from '../cards/charge/charge-request.js';
import { refuseWhilePending } from '../spending/approval/approval.js';
import { type DryRun, dryRunSpend } from '../spending/pipeline/dry-run.js';
import { carryOut } from '../spending/pipeline/execution.js';
import { planCardPayment } from './card-payment.js';
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
import { refuseUnsold } from './merchant-price.js';
import {
  type CardPayment,
  type CompleteCheckout,
  draftPayment,
  type PaidBefore,
  type PaymentPlan,
  planCheckoutPayment,
  subjectOf,
  type WalletPayment,
} from './payment.js';
import { paidRow } from './settling.js';
import { dryRunPayment as dryRunX402, takePayment } from './x402-payment.js';

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
  const { checkout, approval, charge } = await transact(
    ctx,
    async (tx, written) => {
      const row = await lockCheckout(ctx, tx, protocol, id, input.clientSecret);
      checkBuyer(ctx, row, input.clientSecret);
      await checkUnpaid(ctx, tx, row);
      input.check?.(row);
      await refuseUnsold(within(ctx, tx), atAddress(row, input));
      const { payment } = input;
      if (payment.kind === 'card') return payByCard(ctx, tx, row, { ...input, payment });
      if (payment.kind === 'x402') return payByX402(ctx, tx, row, { ...input, payment });
      return payByWallet(ctx, tx, written, row, { ...input, payment });
    },
    ({ checkout: { id: paid } }) => paid,
  );
  if (charge !== null) ringCharge(ctx, { charge, approval });
  else if (approval !== null) ringAt(ctx, 'approval', approval.expiresAt);
  return { checkout, approval };
}

/** What `completeCheckout` would do. A refusal by a layer is a decision, a faulty request an error. */
export async function dryRunCheckout(ctx: Ctx, protocol: CheckoutProtocol, id: string, input: CompleteCheckout): Promise<DryRun> {
  const row = await ctx.db.checkout.findFirst({ where: { AND: [{ id, protocol }, seenWith(ctx, input.clientSecret)] } });
  if (row === null) throw new NotFound();
  checkBuyer(ctx, row, input.clientSecret);
  await checkUnpaid(ctx, ctx.db, row);
  await refuseUnsold(ctx, atAddress(row, input));
  const { payment } = input;
  if (payment.kind === 'card') return dryRunCharge(ctx, await planCardPayment(ctx, row, { ...input, payment }));
  if (payment.kind === 'x402') return dryRunX402(ctx, row, { ...input, payment });
  const plan = await planCheckoutPayment(ctx, row, { ...input, payment });
  return dryRunSpend(ctx, plan.authority, (form) => draftPayment(ctx, plan, form), optionsOf(plan, input));
}

/** Throws unless the actor may pay: it buys, or it has the client secret (Gap G-249). */
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
    const { approvalId, status } = row;
    if (approvalId !== null) await refuseWhilePending(ctx, tx, { approvalId, status, path: checkoutPath(row) }, message);
    throw new StateConflict(message, row.status, ['created', 'failed'], {
      next_actions: [{ rel: 'read', actor: 'any', method: 'GET', path: checkoutPath(row) }],
    });
  }
  const message = `Only a checkout that is not paid can be completed; this one is ${row.status}.`;
  throw wrongStatus(lifecycleOf(row), printCheckoutId(row), row.status, ['created', 'failed'], message);
}

function optionsOf({ row }: PaymentPlan, { requestApproval }: CompleteCheckout) {
  return { requestApproval: requestApproval === true, subject: subjectOf(row) };
}

/** A checkout whose payment was begun, and the charge of the card that pays it. */
interface Begun extends CompletedCheckout {
  charge: CardCharge | null;
}

/** Posts the payment, or holds its money for an approval, and writes what that makes of the checkout. Its lock is held. */
async function payByWallet(ctx: Ctx, tx: Tx, written: Written, row: Checkout, input: CompleteCheckout<WalletPayment>): Promise<Begun> {
  const plan = await planCheckoutPayment(within(ctx, tx), row, input);
  const { value, paidBy, transferId, authority } = plan;
  const options = { ...optionsOf(plan, input), in: tx, key: row.id, written };
  const { approval } = await carryOut(ctx, authority, (form) => draftPayment(ctx, plan, form), options);
  const checkout = await writePayment(ctx, tx, row, input, {
    ...(approval === null ? paidRow(value.at) : waitingRow(value.at)),
    paidBy,
    transferId,
    approvalId: approval?.id ?? null,
    payerAgentId: value.from.agentId ?? value.agentId ?? null,
  });
  return { checkout, approval, charge: null };
}

/** Opens the charge of a card, and writes that the checkout waits for it. Its lock is held. */
async function payByCard(ctx: Ctx, tx: Tx, row: Checkout, input: CompleteCheckout<CardPayment>): Promise<Begun> {
  const plan = await planCardPayment(within(ctx, tx), row, input);
  const { charge, transfer, approval } = await openCharge(ctx, tx, plan);
  const checkout = await writePayment(ctx, tx, row, input, {
    ...waitingRow(transfer.createdAt),
    paidBy: 'card',
    transferId: transfer.id,
    approvalId: approval?.id ?? null,
    payerAgentId: plan.card.agentId ?? plan.authority.agentId ?? null,
  });
  return { checkout, approval, charge };
}

/** Uses a payment up that was made before, and writes that it has paid. Its lock is held. */
async function payByX402(ctx: Ctx, tx: Tx, row: Checkout, input: CompleteCheckout<PaidBefore>): Promise<Begun> {
  const { transferId, agentId } = await takePayment(ctx, tx, row, input);
  const checkout = await writePayment(ctx, tx, row, input, {
    ...paidRow(ctx.clock.now()),
    paidBy: 'x402',
    transferId,
    approvalId: null,
    payerAgentId: agentId,
  });
  return { checkout, approval: null, charge: null };
}

/** The members of a checkout whose payment was begun at `at` and is not final. */
function waitingRow(at: Date) {
  return { status: 'pending_payment', attemptedAt: at, failureCode: null, failureMessage: null, updatedAt: at } as const;
}

type Payment = Prisma.CheckoutUncheckedUpdateInput;

function writePayment(
  ctx: Ctx,
  tx: Tx,
  row: Checkout,
  { shippingAddress, details: detailsOf }: CompleteCheckout,
  payment: Payment,
): Promise<Checkout> {
  const details = detailsOf?.(row);
  return tx.checkout.update({
    where: rowKey(ctx, row.id),
    data: {
      ...payment,
      ...(row.attemptedAt !== null && { attemptedAt: row.attemptedAt }),
      ...(details !== undefined && { details: details as Prisma.InputJsonObject }),
      ...(shippingAddress != null && { shippingAddress: storedAddress(shippingAddress) as Prisma.InputJsonObject }),
    },
  });
}
