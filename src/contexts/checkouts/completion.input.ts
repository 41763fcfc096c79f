// The inputs of what becomes of a checkout: its payment, its end, its delivery, its refund.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { RefundReasonEnum } from '../refunds/refund.input.js';
import { mostJwtLength } from '../spending/pipeline/mandate.js';
import { CheckoutAddressInput } from './checkout.input.js';

export const CompleteCheckoutInput = builder.inputType('CompleteCheckoutInput', {
  description: 'How a checkout is paid: from a wallet, by card, under a mandate, or with an x402 payment.',
  fields: (t) => ({
    fromWalletId: t.field({
      type: 'WalletId',
      required: false,
      description: 'The wallet that pays; with a mandate the wallet that it spends from.',
      extensions: { example: '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d' },
    }),
    paymentMethodId: t.field({
      type: 'VaultedCardId',
      required: false,
      description: 'The vaulted card that pays, alone or under a mandate. The checkout is paid once its processor has.',
    }),
    mandateId: t.field({
      type: 'MandateId',
      required: false,
      description: 'The mandate that authorizes the payment; needs `mandate_jwt` too.',
    }),
    mandateJwt: t.string({
      required: false,
      description: 'The current JWT of the mandate; needs `mandate_id` too.',
      validate: z.string().min(1).max(mostJwtLength),
    }),
    x402PaymentId: t.field({
      type: 'X402PaymentId',
      required: false,
      description: 'A settled x402 payment of the buyer to the merchant over exactly the total; it is consumed.',
      extensions: { example: null },
    }),
    clientSecret: t.string({
      required: false,
      description: 'The secret of the checkout, for somebody who neither created it nor is named in it; a payment has to be given too.',
      validate: z.string().min(1).max(128),
    }),
    shippingAddress: t.field({
      type: CheckoutAddressInput,
      required: false,
      description: 'Where the goods are delivered; replaces the address of the checkout.',
    }),
    requestApproval: t.boolean({
      required: false,
      description: 'True asks a person for an approval (202) where a policy or a budget would refuse the payment.',
    }),
  }),
});
export type CompleteCheckoutInput = typeof CompleteCheckoutInput.$inferInput;

export const CheckoutIntentTraceInput = builder.inputType('CheckoutIntentTraceInput', {
  description: 'Why the buyer left, in its own words.',
  fields: (t) => ({
    reasonCode: t.string({ description: 'Why, as a word such as `price_sensitivity`.', validate: z.string().min(1).max(64) }),
    traceSummary: t.string({ required: false, description: 'Why, in a sentence.', validate: z.string().min(1).max(1_000) }),
  }),
});
export type CheckoutIntentTraceInput = typeof CheckoutIntentTraceInput.$inferInput;

export const CancelCheckoutInput = builder.inputType('CancelCheckoutInput', {
  description: 'Why a checkout is cancelled.',
  fields: (t) => ({
    reason: t.string({ required: false, description: 'Why, for both sides.', validate: z.string().min(1).max(500) }),
    intentTrace: t.field({
      type: CheckoutIntentTraceInput,
      required: false,
      description: 'Why the buyer left; counted in the report on checkout demand.',
    }),
  }),
});
export type CancelCheckoutInput = typeof CancelCheckoutInput.$inferInput;

export const FulfillCheckoutInput = builder.inputType('FulfillCheckoutInput', {
  description: 'How a checkout was delivered.',
  fields: (t) => ({
    tracking: t.string({
      required: false,
      description: 'Number of the parcel, or where it can be followed.',
      validate: z.string().min(1).max(500),
    }),
    deliveredAt: t.field({ type: 'DateTime', required: false, description: 'When it was delivered.' }),
  }),
});
export type FulfillCheckoutInput = typeof FulfillCheckoutInput.$inferInput;

export const RefundCheckoutInput = builder.inputType('RefundCheckoutInput', {
  description: 'How much of a payment goes back, and why.',
  fields: (t) => ({
    amount: t.field({
      type: 'Amount',
      required: false,
      description: 'How much goes back, in the currency of the checkout; all that is left by default.',
    }),
    reason: t.field({ type: RefundReasonEnum }),
    reasonDetails: t.string({
      required: false,
      description: 'More about the reason, at most 1,000 characters.',
      validate: z.string().min(1).max(1_000),
    }),
  }),
});
export type RefundCheckoutInput = typeof RefundCheckoutInput.$inferInput;
