// The GraphQL face of what becomes of a checkout: paid, cancelled, fulfilled, refunded.
import { z } from 'zod';
import type { Checkout } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { CurrencyMismatch, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { NotYourSide, RefundExceedsOriginal } from '../refunds/errors.js';
import { RefundReasonEnum } from '../refunds/refund.input.js';
import { refundById } from '../refunds/refund.js';
import { Refund } from '../refunds/refund.schema.js';
import { approval } from '../spending/approval.js';
import { ApproveApprovalPayload, pendingApproval } from '../spending/approval.schema.js';
import { MerchantBlocked, mandateErrors } from '../spending/errors.js';
import { mostJwtLength } from '../spending/mandate.js';
import { postingErrors } from '../spending/refusal.js';
import { DryRunType } from '../transfers/dry-run.schema.js';
import { SameWallet } from '../transfers/errors.js';
import { PaymentInvalid } from '../x402/errors.js';
import { checkoutOfCharge } from './card-payment.js';
import { type CheckoutProtocol, checkout } from './checkout.js';
import { AcpCheckout, CheckoutInterface, UcpCheckout } from './checkout.schema.js';
import { completionOf } from './checkout-input.js';
import { AddressInput } from './checkout-request.schema.js';
import { type CompletedCheckout, completeCheckout, dryRunCheckout } from './completion.js';
import { cancelCheckout } from './ending.js';
import { BuyerPricesRefused, CheckoutExpired, NotYourCheckout, PriceChanged } from './errors.js';
import { fulfillCheckout, refundCheckout } from './fulfillment.js';
import { rest } from './rest.js';

const description = 'A checkout that is paid, or pending_payment, with the approval that its payment waits for, if it does.';
const AcpPayload = builder.objectRef<CompletedCheckout>('ACPCheckoutPayload').implement({
  description,
  fields: (t) => ({
    checkout: t.field({ type: AcpCheckout, resolve: (made) => made.checkout }),
    transferId: t.field({ type: 'TransferId', nullable: true, resolve: (made) => made.checkout.transferId }),
    approval: t.expose('approval', pendingApproval),
  }),
});
const UcpPayload = builder.objectRef<CompletedCheckout>('UCPCheckoutPayload').implement({
  description,
  fields: (t) => ({
    checkout: t.field({ type: UcpCheckout, resolve: (made) => made.checkout }),
    transferId: t.field({ type: 'TransferId', nullable: true, resolve: (made) => made.checkout.transferId }),
    approval: t.expose('approval', pendingApproval),
  }),
});

const CompleteInput = builder.inputType('CompleteCheckoutInput', {
  fields: (t) => ({
    fromWalletId: t.field({
      type: 'WalletId',
      required: false,
      description: 'The wallet that pays. Beside a mandate the wallet that it spends from.',
      extensions: { example: '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d' },
    }),
    paymentMethodId: t.field({
      type: 'VaultedCardId',
      required: false,
      description: 'The vaulted card that pays, alone or under a mandate. The checkout is paid when its processor has.',
    }),
    mandateId: t.field({ type: 'MandateId', required: false, description: 'The mandate that it is paid by, with its JWT.' }),
    mandateJwt: t.string({
      required: false,
      description: 'The JWT that the mandate has now.',
      validate: z.string().min(1).max(mostJwtLength),
    }),
    x402PaymentId: t.field({
      type: 'X402PaymentId',
      required: false,
      description: 'A settled x402 payment of the buyer to the merchant, of the very total. It is used up.',
      extensions: { example: null },
    }),
    clientSecret: t.string({
      required: false,
      description: 'Beside a payment: lets somebody pay who neither began the checkout nor is named in it.',
      validate: z.string().min(1).max(128),
    }),
    shippingAddress: t.field({ type: AddressInput, required: false }),
    requestApproval: t.boolean({ required: false, description: 'Ask for an approval where a policy or a budget would refuse.' }),
  }),
});
const IntentTraceInput = builder.inputType('CheckoutIntentTraceInput', {
  description: 'Why the buyer left, in its own words.',
  fields: (t) => ({
    reasonCode: t.string({ description: 'Such as price_sensitivity.', validate: z.string().min(1).max(64) }),
    traceSummary: t.string({ required: false, validate: z.string().min(1).max(1_000) }),
  }),
});
const CancelInput = builder.inputType('CancelCheckoutInput', {
  fields: (t) => ({
    reason: t.string({ required: false, validate: z.string().min(1).max(500) }),
    intentTrace: t.field({ type: IntentTraceInput, required: false }),
  }),
});
const FulfillInput = builder.inputType('FulfillCheckoutInput', {
  fields: (t) => ({
    tracking: t.string({
      required: false,
      description: 'The number of a parcel, or where it can be followed.',
      validate: z.string().min(1).max(500),
    }),
    deliveredAt: t.field({ type: 'DateTime', required: false }),
  }),
});
const RefundInput = builder.inputType('RefundCheckoutInput', {
  fields: (t) => ({
    amount: t.field({ type: 'Amount', required: false, description: 'All that is left by default.' }),
    reason: t.field({ type: RefundReasonEnum }),
    reasonDetails: t.string({ required: false, validate: z.string().min(1).max(1_000) }),
  }),
});

const read = (protocol: CheckoutProtocol) => (ctx: Ctx, id: string) => checkout(ctx, protocol, id);

/** The payload of a keyed request that is repeated. */
const payloadOf =
  (protocol: CheckoutProtocol) =>
  async (ctx: Ctx, id: string): Promise<CompletedCheckout> => {
    const row = await checkout(ctx, protocol, id);
    return { checkout: row, approval: row.approvalId === null ? null : await approval(ctx, row.approvalId) };
  };

const stepErrors = [NotFound, NotYourCheckout, StateConflict] as const;
const paying = [
  ...stepErrors,
  PriceChanged,
  BuyerPricesRefused,
  CheckoutExpired,
  PaymentInvalid,
  CurrencyMismatch,
  SameWallet,
  MerchantBlocked,
  ...mandateErrors,
  ...postingErrors,
];
const refunding = facts({ errors: [...stepErrors, RefundExceedsOriginal, NotYourSide, ...postingErrors] });

builder.mutationFields((t) => ({
  completeAcpCheckout: t.field({
    route: rest(
      'POST /v1/acp/checkouts/{id}/complete',
      'Pay a checkout: from a wallet, by card, by a mandate, or with an x402 payment that was made before.',
      { body: 'checkout' },
    ),
    type: AcpPayload,
    args: { id: t.arg({ type: 'AcpCheckoutId' }), input: t.arg({ type: CompleteInput }) },
    ...facts({ errors: paying }),
    resolve: once((ctx, { id, input }) => completeCheckout(ctx, 'acp', id, completionOf(input)), payloadOf('acp')),
  }),
  dryRunAcpCheckout: t.field({
    route: rest('POST /v1/acp/checkouts/{id}/complete', 'Say what paying a checkout would do, and change nothing.', { when: 'dry_run' }),
    type: DryRunType,
    args: { id: t.arg({ type: 'AcpCheckoutId' }), input: t.arg({ type: CompleteInput }) },
    ...facts({ effect: 'none', errors: paying }),
    resolve: (_root, { id, input }, ctx) => dryRunCheckout(ctx, 'acp', id, completionOf(input)),
  }),
  cancelAcpCheckout: t.field({
    route: rest('POST /v1/acp/checkouts/{id}/cancel', 'Call a checkout off that is not paid.'),
    type: AcpCheckout,
    args: { id: t.arg({ type: 'AcpCheckoutId' }), input: t.arg({ type: CancelInput }) },
    ...facts({ errors: [...stepErrors, CheckoutExpired] }),
    resolve: once((ctx, { id, input }) => cancelCheckout(ctx, 'acp', id, input), read('acp')),
  }),
  fulfillAcpCheckout: t.field({
    route: rest('POST /v1/acp/checkouts/{id}/fulfill', 'Say that what was paid was delivered.'),
    type: AcpCheckout,
    args: { id: t.arg({ type: 'AcpCheckoutId' }), input: t.arg({ type: FulfillInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => fulfillCheckout(ctx, 'acp', id, input), read('acp')),
  }),
  refundAcpCheckout: t.field({
    route: rest('POST /v1/acp/checkouts/{id}/refund', 'Send money of a paid checkout back, all of it or a part.', { status: 201 }),
    type: Refund,
    args: { id: t.arg({ type: 'AcpCheckoutId' }), input: t.arg({ type: RefundInput }) },
    ...refunding,
    resolve: once((ctx, { id, input }) => refundCheckout(ctx, 'acp', id, input), refundById),
  }),
}));

builder.mutationFields((t) => ({
  completeUcpCheckout: t.field({
    route: rest(
      'POST /v1/ucp/checkouts/{id}/complete',
      'Pay a checkout: from a wallet, by card, by a mandate, or with an x402 payment that was made before.',
      { body: 'checkout' },
    ),
    type: UcpPayload,
    args: { id: t.arg({ type: 'UcpCheckoutId' }), input: t.arg({ type: CompleteInput }) },
    ...facts({ errors: paying }),
    resolve: once((ctx, { id, input }) => completeCheckout(ctx, 'ucp', id, completionOf(input)), payloadOf('ucp')),
  }),
  dryRunUcpCheckout: t.field({
    route: rest('POST /v1/ucp/checkouts/{id}/complete', 'Say what paying a checkout would do, and change nothing.', { when: 'dry_run' }),
    type: DryRunType,
    args: { id: t.arg({ type: 'UcpCheckoutId' }), input: t.arg({ type: CompleteInput }) },
    ...facts({ effect: 'none', errors: paying }),
    resolve: (_root, { id, input }, ctx) => dryRunCheckout(ctx, 'ucp', id, completionOf(input)),
  }),
  cancelUcpCheckout: t.field({
    route: rest('POST /v1/ucp/checkouts/{id}/cancel', 'Call a checkout off that is not paid.'),
    type: UcpCheckout,
    args: { id: t.arg({ type: 'UcpCheckoutId' }), input: t.arg({ type: CancelInput }) },
    ...facts({ errors: [...stepErrors, CheckoutExpired] }),
    resolve: once((ctx, { id, input }) => cancelCheckout(ctx, 'ucp', id, input), read('ucp')),
  }),
  fulfillUcpCheckout: t.field({
    route: rest('POST /v1/ucp/checkouts/{id}/fulfill', 'Say that what was paid was delivered.'),
    type: UcpCheckout,
    args: { id: t.arg({ type: 'UcpCheckoutId' }), input: t.arg({ type: FulfillInput }) },
    ...facts({ errors: stepErrors }),
    resolve: once((ctx, { id, input }) => fulfillCheckout(ctx, 'ucp', id, input), read('ucp')),
  }),
  refundUcpCheckout: t.field({
    route: rest('POST /v1/ucp/checkouts/{id}/refund', 'Send money of a paid checkout back, all of it or a part.', { status: 201 }),
    type: Refund,
    args: { id: t.arg({ type: 'UcpCheckoutId' }), input: t.arg({ type: RefundInput }) },
    ...refunding,
    resolve: once((ctx, { id, input }) => refundCheckout(ctx, 'ucp', id, input), refundById),
  }),
}));

/** The checkout that was approved, as far as the actor sees it. */
function approved(ctx: Ctx, subjectType: string, id: string): Promise<Checkout | null> | null {
  if (subjectType === 'acp_checkout') return checkout(ctx, 'acp', id);
  if (subjectType === 'ucp_checkout') return checkout(ctx, 'ucp', id);
  return subjectType === 'card_charge' ? checkoutOfCharge(ctx, id) : null;
}
builder.objectField(ApproveApprovalPayload, 'checkout', (t) =>
  t.field({
    type: CheckoutInterface,
    nullable: true,
    resolve: ({ approval: { subjectType, subjectId } }, _args, ctx) => approved(ctx, subjectType, subjectId),
  }),
);
