// The payment of a checkout: a spend under its protocol, by a wallet or by a mandate, to the wallet of its merchant (CONTRACT.md 8).
import { eventRecords } from '../../events/event.js';
import type { Approval, Checkout, CheckoutPaymentKind, Transfer } from '../../generated/prisma/client.js';
import { joinRecords } from '../../ledger/record.js';
import type { Ctx } from '../../platform/ctx.js';
import { CurrencyMismatch, NotFound } from '../../platform/errors.js';
import { newId, printId } from '../../platform/schema/id.js';
import { cachedMerchant, payeeOfMerchant } from '../accounts/merchant.js';
import { type WalletRef, walletRef } from '../accounts/wallet-ref.js';
import { payerByMandate } from '../mandates/payer.js';
import { present } from '../mandates/presentation.js';
import type { Draft, SpendForm } from '../spending/pipeline/execution.js';
import type { Presented } from '../spending/pipeline/mandate.js';
import { checkMandateCurrency, type EnforcedMandate } from '../spending/pipeline/mandate-rule.js';
import { type Authority, authorizeSpend } from '../spending/pipeline/pipeline.js';
import { SameWallet } from '../transfers/errors.js';
import { type NewTransfer, transferPosting, transferRow } from '../transfers/transfer.js';
import { withholdingOf } from '../transfers/withholding.js';
import { type CheckoutProtocol, checkoutPath, type PostalAddress, printCheckoutId } from './checkout.js';
import { noWallet, refuseInactive } from './checkout-request.js';
import type { CompleteCheckoutInput } from './completion.input.js';
import { checkoutEvents } from './events.js';

/** With what a checkout is paid. */
export type CheckoutPayment =
  | WalletPayment
  /** A vaulted card; under a mandate, where one is presented with it. */
  | CardPayment
  | PaidBefore;

/** A payment that is final at once, or when it is approved. */
export type WalletPayment =
  | { kind: 'wallet'; walletId: string }
  /** The wallet is by default the oldest of the mandate's agent in the currency, else its account's. */
  | { kind: 'mandate'; mandateId: string; mandateJwt: string; walletId?: string | null | undefined };

export interface CardPayment {
  kind: 'card';
  cardId: string;
  mandate?: Presented | undefined;
}

/** An x402 payment that was made before. */
export interface PaidBefore {
  kind: 'x402';
  paymentId: string;
}

export interface CompleteCheckout<Payment = CheckoutPayment> {
  payment: Payment;
  /** Lets somebody pay who neither began the checkout nor is named in it. It is no money. */
  clientSecret?: string | null | undefined;
  /** Where the goods go, if that is to change. */
  shippingAddress?: PostalAddress | null | undefined;
  /** Ask for an approval where a policy or a budget would refuse. */
  requestApproval?: boolean | null | undefined;
  /** Throws where the checkout has become another than the payer meant; asked of the row that is paid. */
  check?: ((row: Checkout) => void) | undefined;
  /** What only the wire knows of it, where that changes with the payment; worked out from the row that is paid. */
  details?: ((row: Checkout) => Record<string, unknown> | undefined) | undefined;
}

/** A checkout that is paid, or pending_payment while its payment is not final, and the approval that it waits for. */
export interface CompletedCheckout {
  checkout: Checkout;
  approval: Approval | null;
}

/** Everything that can be known of a payment before the ledger is asked. */
export interface CheckoutPaymentPlan {
  row: Checkout;
  paidBy: CheckoutPaymentKind;
  transferId: string;
  value: NewTransfer & { from: WalletRef };
  authority: Authority;
  description: string;
}

/** Reads the parties of a payment and what binds it. `row` is not to be another when it is posted. */
export async function planCheckoutPayment(ctx: Ctx, row: Checkout, input: CompleteCheckout<WalletPayment>): Promise<CheckoutPaymentPlan> {
  const { payment, requestApproval } = input;
  const { total: amount, currency, merchantId } = row;
  const protocol = row.protocol as CheckoutProtocol;
  const at = ctx.clock.now();
  const mandate = payment.kind === 'mandate' ? await present(ctx, payment, 'mandateId') : undefined;
  if (mandate !== undefined) checkMandateCurrency(mandate, currency);
  const { to, description } = await checkoutPayeeOf(ctx, row);
  const from = await payerOf(ctx, payment, mandate, currency);
  if (from.walletId === to.walletId) throw new SameWallet();
  const authority = await authorizeSpend(ctx, {
    from,
    to,
    agentId: agentOf(ctx, row, input, mandate),
    mandate,
    merchantId,
    protocol,
    currency,
    amount,
    at,
    request: approvalRequestOf(ctx, row, input),
    requestApproval: requestApproval === true,
  });
  const value = {
    type: 'internal',
    protocol,
    from,
    to,
    amount,
    currency,
    at,
    agentId: authority.agentId,
    description,
    subject: { type: checkoutSubjectOf(row).subjectType, id: row.id },
    mandateId: mandate?.id,
    protocolMetadata: { checkout_id: printCheckoutId(row), merchant_id: printId('merchant', merchantId) },
    withholding: await withholdingOf(ctx, protocol, to),
  } as const;
  return { row, paidBy: payment.kind, transferId: newId(at), value, authority, description };
}

/** For whom a payment is: the agent of the mandate, or the one that an API key acts for. */
export function agentOf(
  { actor }: Ctx,
  { agentId }: Checkout,
  { clientSecret }: CompleteCheckout,
  mandate: EnforcedMandate | undefined,
): string | undefined {
  // Gap G-256: A checkout is a spend of the agent that pays, of the mandate's, or of the named one when an API key pays without secret.
  // Who pays with the client secret pays for itself: the agent that the checkout names is another's.
  const named = actor.agent === undefined && clientSecret == null ? (agentId ?? undefined) : undefined;
  return mandate?.agentId ?? named;
}

/** The wallet of the merchant that is paid, and what the payment says. 404, 403 or 400 for a merchant that cannot be paid. */
export async function checkoutPayeeOf(ctx: Ctx, { merchantId, currency }: Checkout): Promise<{ to: WalletRef; description: string }> {
  const merchant = await cachedMerchant(ctx, merchantId);
  if (merchant === null) throw new NotFound('merchantId');
  refuseInactive(merchant);
  const to = await payeeOfMerchant(ctx, merchant, currency);
  if (to === null) throw noWallet(currency);
  return { to, description: `Checkout at ${merchant.name}` };
}

async function payerOf(ctx: Ctx, payment: WalletPayment, mandate: EnforcedMandate | undefined, currency: string): Promise<WalletRef> {
  if (mandate !== undefined) return payerByMandate(ctx, mandate, { fromWalletId: payment.walletId, currency });
  const found = await walletRef(ctx, payment.walletId ?? '');
  if (found === null) throw new NotFound('fromWalletId');
  if (found.currency !== currency) throw new CurrencyMismatch(found.walletId, found.currency, currency);
  return found;
}

/** The transfer of a payment and its posting, with what is told when it has paid at once. */
export function draftCheckoutPayment(ctx: Ctx, plan: CheckoutPaymentPlan, form: SpendForm): Draft<Transfer> {
  const { row, transferId, value, authority, description } = plan;
  const { approvalId, decisionId, limits } = form;
  const transfer = transferRow(ctx, { ...value, approvalId, decisionId }, transferId);
  const posting = transferPosting(ctx, transfer, value, { limits, guards: authority.guards, rules: authority.rules });
  const events = approvalId === null ? checkoutEvents(ctx, 'acp.checkout.completed', row, value.at) : [];
  return {
    value: transfer,
    posting: { ...posting, records: joinRecords(posting.records, eventRecords(ctx.workspace.id, events)) },
    request: { subject: checkoutSubjectOf(row), transferId, description, execution: {} },
  };
}

/** What an approval of the payment is about. */
export function checkoutSubjectOf({ protocol, id }: Checkout): { subjectType: string; subjectId: string } {
  return { subjectType: `${protocol}_checkout`, subjectId: id };
}

/** How the payment is tried and executed. */
export function spendOptionsOf({ row }: CheckoutPaymentPlan, { requestApproval }: CompleteCheckout) {
  return { requestApproval: requestApproval === true, subject: checkoutSubjectOf(row) };
}

/** The request as it could be sent again, for the actions that a refusal suggests. */
export function approvalRequestOf({ platform }: Ctx, row: Checkout, input: CompleteCheckout) {
  const body = () => platform.printInput('CompleteCheckoutInput', inputOf(input));
  return { path: `${checkoutPath(row)}/complete`, body, amountMember: null };
}

/** What the request said. */
function inputOf({ payment, ...rest }: CompleteCheckout): CompleteCheckoutInput {
  switch (payment.kind) {
    case 'card':
      return { ...rest, paymentMethodId: payment.cardId, ...payment.mandate };
    case 'x402':
      return { ...rest, x402PaymentId: payment.paymentId };
    case 'mandate':
      return { ...rest, fromWalletId: payment.walletId, mandateId: payment.mandateId, mandateJwt: payment.mandateJwt };
    case 'wallet':
      return { ...rest, fromWalletId: payment.walletId };
  }
}
