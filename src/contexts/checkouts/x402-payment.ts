// Checkouts that are paid by an x402 payment that was made before: its money has moved and its limits have counted, so nothing is spent
// again. It has to be the buyer's, to the merchant, and of the very total; it is used up with the checkout (CONTRACT.md 8).
import { writeEvents } from '../../events/event.js';
import type { Checkout, X402Payment } from '../../generated/prisma/client.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { formatMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { cachedMerchant, payeeOfMerchant } from '../accounts/merchant.js';
import { type WalletRef, walletRef } from '../accounts/wallet-ref.js';
import { initiatorOf } from '../spending/approval/approval-request.js';
import type { DryRun } from '../spending/pipeline/dry-run.js';
import { judgeMerchant } from '../spending/pipeline/merchant-judgement.js';
import { rulebook } from '../spending/pipeline/rulebook.js';
import { type NewOperation, writeOperation } from '../usage/operation.js';
import { PaymentInvalid } from '../x402/errors.js';
import { checkUsable, lockX402Payment, useUp, type VisiblePayment, visiblePayment } from '../x402/payment/payment-use.js';
import { refuseInactive } from './checkout-request.js';
import { checkoutEvents } from './events.js';
import { agentOf, type CompleteCheckout, type PaidBefore } from './payment.js';

type Completion = CompleteCheckout<PaidBefore>;
const field = 'x402PaymentId';

// Gap G-321: A checkout takes a settled, unused x402 payment of exactly its total, paid to its merchant's account by its buyer.
/**
 * Uses a payment up for a checkout, and completes the checkout. The lock of the checkout is held. 404 for a payment that the actor does not
 * see, 409 for one that is not made or was used, 422 `payment_invalid` for one that does not pay this checkout.
 */
export async function applyX402Payment(ctx: Ctx, tx: Tx, row: Checkout, input: Completion): Promise<X402Payment> {
  const seen = await lockX402Payment(ctx, tx, input.payment.paymentId, field);
  const reader = within(ctx, tx);
  const { refusal } = await evaluatePayment(reader, row, input, seen);
  if (refusal !== null) throw refusal;
  const at = ctx.clock.now();
  const events = checkoutEvents(ctx, 'acp.checkout.completed', row, at);
  if (events.length > 0) await writeEvents(tx, ctx.workspace.id, events);
  await recordCompletion(reader, tx, row, seen.payment);
  return useUp(ctx, tx, seen.payment);
}

/** The dry run of applyX402Payment(): nothing is posted, for the money has moved. */
export async function dryRunX402Completion(ctx: Ctx, row: Checkout, input: Completion): Promise<DryRun> {
  const { decision, refusal } = await evaluatePayment(ctx, row, input, await visiblePayment(ctx, input.payment.paymentId, field));
  const events = refusal === null ? checkoutEvents(ctx, 'acp.checkout.completed', row, ctx.clock.now()) : [];
  return { decision, wouldPost: [], wouldEmit: events.map(({ type }) => type) };
}

/** Throws unless the payment pays the checkout; then the rules about merchants are asked, for it named none when it was made. */
async function evaluatePayment(ctx: Ctx, row: Checkout, input: Completion, seen: VisiblePayment): ReturnType<typeof judgeMerchant> {
  const { payment, transfer } = seen;
  checkUsable(ctx, seen);
  checkPayer(ctx, row, input, payment);
  const to = await payeeOf(ctx, row, payment);
  checkAmount(row, seen);
  return judgeMerchant(ctx, {
    from: transfer?.fromWalletId == null ? null : await walletRef(ctx, transfer.fromWalletId),
    to,
    agentId: payment.agentId,
    merchantId: row.merchantId,
    protocol: 'x402',
    currency: row.currency,
    amount: row.total,
    approvalId: transfer?.approvalId ?? null,
  });
}

function unfit(reason: string, message: string): PaymentInvalid {
  const own = { rel: 'payments', actor: 'any', method: 'GET', path: '/v1/x402/payments?status=settled' } as const;
  return new PaymentInvalid(reason, message, { next_actions: [own] });
}

/** An agent shows payments that it made; the tenant those of the agent that the checkout is for, and those that no agent made. */
function checkPayer(ctx: Ctx, row: Checkout, input: Completion, { agentId }: X402Payment): void {
  const own = ctx.actor.agent?.id;
  const buyer = own ?? agentOf(ctx, row, input, undefined);
  const isOwn = own === undefined ? agentId === null || buyer === undefined || agentId === buyer : agentId === own;
  if (!isOwn) throw unfit('wrong_payer', 'The payment was not made by the buyer of this checkout.');
}

/** The wallet that was paid: where the merchant is paid, or another one of its account. */
async function payeeOf(ctx: Ctx, { merchantId, currency }: Checkout, { walletId }: X402Payment): Promise<WalletRef> {
  const merchant = await cachedMerchant(ctx, merchantId);
  if (merchant === null) throw new NotFound('merchantId');
  refuseInactive(merchant);
  const paid = walletId === null ? null : await walletRef(ctx, walletId);
  const till = await payeeOfMerchant(ctx, merchant, currency);
  const isOfAccount = paid?.accountId === merchant.accountId && paid.agentId === null;
  if (paid !== null && (isOfAccount || paid.walletId === till?.walletId)) return paid;
  throw unfit('wrong_payee', 'The payment did not go to the merchant of this checkout.');
}

/** The very total, in the same currency, of which nothing was given back. */
function checkAmount({ total, currency }: Checkout, { payment, transfer }: VisiblePayment): void {
  if (payment.currency !== currency)
    throw unfit('wrong_currency', `The checkout is in ${currency}, and the payment in ${payment.currency}.`);
  if (payment.amount !== total) {
    const [asked, paid] = [formatMinor(total, currency), formatMinor(payment.amount, currency)];
    throw unfit('wrong_amount', `The checkout comes to ${asked} ${currency}, but the payment to ${paid}.`);
  }
  if ((transfer?.refundedAmount ?? 0n) > 0n) throw unfit('refunded', 'Part of the payment was refunded.');
}

// Gap G-322: The payment is an operation with its amount, the checkout one with an amount of zero.
/** The completed checkout among the operations. What has moved stands in that of the payment. */
async function recordCompletion(ctx: Ctx, tx: Tx, row: Checkout, payment: X402Payment): Promise<void> {
  const { actor, traceId = null } = ctx;
  const operation: NewOperation = {
    at: ctx.clock.now(),
    category: 'checkout',
    operation: 'checkout.complete',
    protocol: row.protocol,
    success: true,
    amount: 0n,
    currency: row.currency,
    actorType: initiatorOf(actor.type),
    actorId: actor.id,
    agentId: payment.agentId,
    accountId: null,
    counterpartyId: row.merchantAccountId,
    subjectId: row.id,
    traceId,
  };
  await writeOperation(tx, operation, (await rulebook(ctx)).rates);
}
