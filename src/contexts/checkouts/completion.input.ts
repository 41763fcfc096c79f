// The inputs of what becomes of a checkout: its payment, its end, its delivery, its refund.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { RefundReasonEnum } from '../refunds/refund.input.js';
import { mostJwtLength } from '../spending/pipeline/mandate.js';
import { CheckoutAddressInput } from './checkout.input.js';

export const CompleteCheckoutInput = builder.inputType('CompleteCheckoutInput', {
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
    shippingAddress: t.field({ type: CheckoutAddressInput, required: false }),
    requestApproval: t.boolean({ required: false, description: 'Ask for an approval where a policy or a budget would refuse.' }),
  }),
});
export type CompleteCheckoutInput = typeof CompleteCheckoutInput.$inferInput;

export const CheckoutIntentTraceInput = builder.inputType('CheckoutIntentTraceInput', {
  description: 'Why the buyer left, in its own words.',
  fields: (t) => ({
    reasonCode: t.string({ description: 'Such as price_sensitivity.', validate: z.string().min(1).max(64) }),
    traceSummary: t.string({ required: false, validate: z.string().min(1).max(1_000) }),
  }),
});
export type CheckoutIntentTraceInput = typeof CheckoutIntentTraceInput.$inferInput;

export const CancelCheckoutInput = builder.inputType('CancelCheckoutInput', {
  fields: (t) => ({
    reason: t.string({ required: false, validate: z.string().min(1).max(500) }),
    intentTrace: t.field({ type: CheckoutIntentTraceInput, required: false }),
  }),
});
export type CancelCheckoutInput = typeof CancelCheckoutInput.$inferInput;

export const FulfillCheckoutInput = builder.inputType('FulfillCheckoutInput', {
  fields: (t) => ({
    tracking: t.string({
      required: false,
      description: 'The number of a parcel, or where it can be followed.',
      validate: z.string().min(1).max(500),
    }),
    deliveredAt: t.field({ type: 'DateTime', required: false }),
  }),
});
export type FulfillCheckoutInput = typeof FulfillCheckoutInput.$inferInput;

export const RefundCheckoutInput = builder.inputType('RefundCheckoutInput', {
  fields: (t) => ({
    amount: t.field({ type: 'Amount', required: false, description: 'All that is left by default.' }),
    reason: t.field({ type: RefundReasonEnum }),
    reasonDetails: t.string({ required: false, validate: z.string().min(1).max(1_000) }),
  }),
});
export type RefundCheckoutInput = typeof RefundCheckoutInput.$inferInput;
