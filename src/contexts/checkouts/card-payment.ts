// Checkouts that are paid by card: the charge is opened with the payment, and what becomes of it becomes of the checkout (CONTRACT.md 8, 14).
import type { CardCharge, Checkout } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow } from '../../platform/postgres/row.js';
import { type ChargePlan, planCharge } from '../cards/charge/charge-request.js';
import type { ChargeSubject } from '../cards/charge/charge-subject.js';
import { present } from '../mandates/presentation.js';
import { checkMandateCurrency } from '../spending/pipeline/mandate-rule.js';
import { type CheckoutProtocol, checkout, checkoutProtocols, printCheckoutId, refuseExpired } from './checkout.js';
import { agentOf, approvalRequestOf, type CardPayment, type CompleteCheckout, checkoutPayeeOf, checkoutSubjectOf } from './payment.js';
import { settleCheckout } from './payment-outcome.js';

/** A checkout that is paid by card is paid, or has failed, with its charge. */
export const checkoutCharge: ChargeSubject = {
  lock: (tx, id) => lockRow(tx.checkout, id),
  check: async (ctx, tx, id) => refuseExpired(ctx, await tx.checkout.findFirstOrThrow({ where: { id } })),
  settle: (ctx, tx, { subjectId }, outcome) =>
    settleCheckout(ctx, tx, subjectId, outcome.status === 'paid' ? { status: 'paid', transferId: outcome.transfer.id } : outcome),
};

/** Reads the card and the parties of a payment, and asks the pipeline. `row` is not to change until the charge is opened. */
export async function planCardPayment(ctx: Ctx, row: Checkout, input: CompleteCheckout<CardPayment>): Promise<ChargePlan> {
  const { payment, requestApproval } = input;
  const { id, total: amount, currency, merchantId } = row;
  const mandate = payment.mandate === undefined ? undefined : await present(ctx, payment.mandate, 'mandateId');
  if (mandate !== undefined) checkMandateCurrency(mandate, currency);
  const { to, description } = await checkoutPayeeOf(ctx, row);
  return planCharge(ctx, {
    cardId: payment.cardId,
    field: 'paymentMethodId',
    subject: { type: checkoutSubjectOf(row).subjectType, id },
    protocol: row.protocol as CheckoutProtocol,
    merchantId,
    to,
    amount,
    currency: currency as ChargePlan['input']['currency'],
    agentId: agentOf(ctx, row, input, mandate),
    mandate,
    description,
    protocolMetadata: { checkout_id: printCheckoutId(row) },
    request: approvalRequestOf(ctx, row, input),
    requestApproval: requestApproval === true,
  });
}

/** The charge of the payment of a checkout, under its lock; that of the checkout is held. Null where no card pays it. */
export async function lockChargeOf(tx: Tx, { paidBy, transferId }: Checkout): Promise<CardCharge | null> {
  if (paidBy !== 'card' || transferId === null) return null;
  const found = await tx.cardCharge.findFirst({ where: { transferId }, select: { id: true } });
  return found === null ? null : lockRow(tx.cardCharge, found.id);
}

// Gap G-267: An approval of a card payment has the subject `card_charge`; after the checkout's time it pays nothing.
/** The checkout that an approved charge pays, as far as the actor sees it; null for a charge of something else. */
export async function checkoutOfCharge(ctx: Ctx, chargeId: string): Promise<Checkout | null> {
  const charge = await ctx.db.cardCharge.findFirst({ where: { id: chargeId }, select: { subjectType: true, subjectId: true } });
  const protocol = checkoutProtocols.find((one) => charge?.subjectType === `${one}_checkout`);
  return charge === null || protocol === undefined ? null : checkout(ctx, protocol, charge.subjectId);
}
