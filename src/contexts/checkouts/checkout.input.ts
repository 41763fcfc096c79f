// The inputs of checkouts.
import { z } from 'zod';
import { CheckoutPaymentMethod, CheckoutStatus } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';
import { mostItems } from './item.js';

export const CheckoutStatusEnum = builder.enumType(CheckoutStatus, { name: 'CheckoutStatus' });
export const CheckoutPaymentMethodEnum = builder.enumType(CheckoutPaymentMethod, { name: 'CheckoutPaymentMethod' });

/** More of one thing than a basket has (Gap G-246). */
const mostOfOne = 1_000_000;
const text = (most: number) => z.string().min(1).max(most);

export const CheckoutAddressInput = builder.inputType('CheckoutAddressInput', {
  fields: (t) => ({
    line1: t.string({ validate: text(200) }),
    line2: t.string({ required: false, validate: text(200) }),
    city: t.string({ validate: text(100) }),
    state: t.string({ required: false, validate: text(100) }),
    postalCode: t.string({ validate: text(20) }),
    country: t.string({
      description: 'Two letters.',
      validate: z.string().regex(/^[A-Z]{2}$/, 'must be a country code of two capital letters'),
      extensions: { example: 'US' },
    }),
  }),
});
export type CheckoutAddressInput = typeof CheckoutAddressInput.$inferInput;

const sku = text(128);
const quantity = z.number().int().min(1).max(mostOfOne);
const basket = z.array(z.unknown()).min(1).max(mostItems);
const expiresIn = z.number().int().min(60).max(86_400);
const url = z.url({ protocol: /^https?$/ }).max(2_048);

const AcpItemInput = builder.inputType('ACPItemInput', {
  fields: (t) => ({
    sku: t.string({ validate: sku }),
    quantity: t.int({ validate: quantity }),
    unitPrice: t.field({ type: 'Amount' }),
    currency: t.field({ type: 'Currency' }),
  }),
});

const UcpItemInput = builder.inputType('UCPItemInput', {
  fields: (t) => ({
    sku: t.string({ validate: sku }),
    title: t.string({ required: false, validate: text(300) }),
    quantity: t.int({ validate: quantity }),
    unitPrice: t.field({ type: 'Amount' }),
    currency: t.field({ type: 'Currency' }),
  }),
});

export const CreateAcpCheckoutInput = builder.inputType('CreateACPCheckoutInput', {
  fields: (t) => ({
    merchantId: t.field({ type: 'MerchantId' }),
    items: t.field({ type: [AcpItemInput], description: 'All in one currency.', validate: basket }),
    currency: t.field({ type: 'Currency', required: false, description: 'That of the items.' }),
    shippingAddress: t.field({ type: CheckoutAddressInput, required: false }),
    paymentMethod: t.field({ type: CheckoutPaymentMethodEnum, required: false, description: 'card by default.' }),
    agentId: t.field({ type: 'AgentUuid', required: false, description: 'The agent that you act for: paying is a spend of that agent.' }),
    metadata: t.field({ type: 'JSONObject', required: false }),
    expiresIn: t.int({ required: false, description: 'Seconds; 1800 by default.', validate: expiresIn }),
  }),
});

export const CreateUcpCheckoutInput = builder.inputType('CreateUCPCheckoutInput', {
  fields: (t) => ({
    merchantId: t.field({ type: 'MerchantId' }),
    items: t.field({
      type: [UcpItemInput],
      required: false,
      description: 'All in one currency. Required, under this name or the other.',
      validate: basket,
      extensions: { example: [{ sku: 'SKU-1', title: 'Mug', quantity: 2, unit_price: '12.50', currency: 'USD' }] },
    }),
    lineItems: t.field({ type: [UcpItemInput], required: false, description: 'Another name for `items`.', validate: basket }),
    currency: t.field({ type: 'Currency', required: false, description: 'That of the items.' }),
    shippingAddress: t.field({ type: CheckoutAddressInput, required: false }),
    paymentMethod: t.field({ type: CheckoutPaymentMethodEnum, required: false, description: 'card by default.' }),
    agentId: t.field({ type: 'AgentUuid', required: false, description: 'The agent that you act for: paying is a spend of that agent.' }),
    metadata: t.field({ type: 'JSONObject', required: false }),
    expiresIn: t.int({ required: false, description: 'Seconds; 1800 by default.', validate: expiresIn }),
    successUrl: t.string({ required: false, description: 'Where the buyer goes after the payment.', validate: url }),
    cancelUrl: t.string({ required: false, description: 'Where the buyer goes that leaves.', validate: url }),
  }),
});
export type CreateUcpCheckoutInput = typeof CreateUcpCheckoutInput.$inferInput;

export const UpdateAcpCheckoutInput = builder.inputType('UpdateACPCheckoutInput', {
  fields: (t) => ({
    items: t.field({ type: [AcpItemInput], required: false, description: 'Replaces all of them.', validate: basket }),
    shippingAddress: t.field({ type: CheckoutAddressInput, required: false, description: 'Null takes it away.' }),
    paymentMethod: t.field({ type: CheckoutPaymentMethodEnum, required: false }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});

export const UpdateUcpCheckoutInput = builder.inputType('UpdateUCPCheckoutInput', {
  fields: (t) => ({
    items: t.field({ type: [UcpItemInput], required: false, description: 'Replaces all of them.', validate: basket }),
    lineItems: t.field({ type: [UcpItemInput], required: false, description: 'Another name for `items`.', validate: basket }),
    shippingAddress: t.field({ type: CheckoutAddressInput, required: false, description: 'Null takes it away.' }),
    paymentMethod: t.field({ type: CheckoutPaymentMethodEnum, required: false }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type UpdateUcpCheckoutInput = typeof UpdateUcpCheckoutInput.$inferInput;
